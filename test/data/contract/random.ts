import test from 'ava';
import { type Build, hasEnded } from '../../../data/records/build.ts';
import type { Store } from '../../../data/store.ts';
import { addProjects } from '../../helpers/add-projects.ts';
import { createBuild, createProject } from '../../helpers/create-records.ts';
import fc, { type Arbitrary } from '../../helpers/fast-check.ts';
import type { Adapter } from './adapter.ts';

const PROJECTS = ['a', 'b'];
const REFS = ['', 'main', 'v1'];
const COMMITS = ['', 'c1', 'c2'];
const project = fc.constantFrom(...PROJECTS);
const values = fc.record({
  project,
  ref: fc.constantFrom(...REFS),
  commit: fc.constantFrom(...COMMITS),
  kind: fc.constantFrom('build' as const, 'remove' as const),
  status: fc.constantFrom('queued', 'running', 'passing', 'failing', 'cancelled') as Arbitrary<Build['status']>,
});
const step = fc.oneof(
  { weight: 6, arbitrary: values.map((build) => ({ do: 'add' as const, build })) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      at: fc.nat(20),
      status: values.map(({ status }) => status),
      commit: values.map(({ commit }) => commit),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune' as const), project, keep: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), project }) },
);
type Step = typeof step extends Arbitrary<infer T> ? T : never;

/** Declares that a store answers as a plain list of builds does, whatever happened before. */
export function testRandomly({ name, open, reopen }: Adapter): void {
  test(`${name}: after random changes every question has the answer of a plain list`, async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, atOnce) => {
        const store = await addProjects(await open(t), ...PROJECTS);
        let known: Build[] = [];
        const work: Promise<unknown>[] = [];
        for (const one of steps) {
          const done = take(store, known, one);
          known = done.known;
          work.push(done.work);
          if (!atOnce) await done.work;
        }
        await Promise.all(work);
        await expectSame(t, store, known);
        const again = await reopen(store);
        await expectSame(t, again, known);
        await again.close();
      }),
      { numRuns: 60 },
    );
  });
}

function take(store: Store, known: readonly Build[], one: Step): { known: Build[]; work: Promise<unknown> } {
  if (one.do === 'add') {
    const build = createBuild(one.build);
    return { known: [...known, build], work: store.builds.add(build) };
  }
  if (one.do === 'change') {
    const found = known[one.at % Math.max(1, known.length)];
    if (!found) return { known: [...known], work: Promise.resolve() };
    const { status, commit } = one;
    return {
      known: known.map((build) => (build.id === found.id ? { ...build, status, commit } : build)),
      work: store.builds.change(found.id, (build) => ({ ...build, status, commit })),
    };
  }
  if (one.do === 'prune') {
    const ended = known.filter((build) => build.project === one.project && hasEnded(build.status));
    const old = new Set(ended.slice(0, Math.max(0, ended.length - one.keep)));
    // Nothing is published: of what says how a ref stands, `keep` older ones stay.
    const says = ended.filter((build) => standing(ended, build.ref) === build);
    for (const build of says
      .filter((each) => old.has(each))
      .slice(one.keep === 0 ? Number.POSITIVE_INFINITY : -one.keep))
      old.delete(build);
    return { known: known.filter((build) => !old.has(build)), work: store.builds.prune(one.project, one.keep) };
  }
  const removed = store.projects.remove(one.project);
  const again = store.projects.add(createProject({ name: one.project, versions: [] }));
  return { known: known.filter((build) => build.project !== one.project), work: Promise.all([removed, again]) };
}

/** Returns the build that says how a ref stands, of builds of one project; undefined after a removal. */
function standing(builds: readonly Build[], ...refs: readonly string[]): Build | undefined {
  const newest = builds.findLast(
    ({ kind, status, ref }) =>
      refs.includes(ref) && (status === 'passing' || (status === 'failing' && kind === 'build')),
  );
  return newest?.kind === 'remove' ? undefined : newest;
}

async function expectSame(
  t: { deepEqual: (a: unknown, b: unknown) => boolean },
  store: Store,
  known: readonly Build[],
) {
  const newest = [...known].reverse();
  const { builds } = store;
  t.deepEqual(
    await builds.listOpen(),
    known.filter(({ status }) => !hasEnded(status)),
  );
  for (const name of PROJECTS) {
    const own = newest.filter((build) => build.project === name);
    const finished = own.filter(({ kind, status }) => kind === 'build' && /^(?:pass|fail)ing$/.test(status));
    t.deepEqual(await builds.list({ project: name, limit: 100 }), own);
    t.deepEqual(await builds.findLastFinished(name, undefined), finished[0]);
    for (const ref of REFS) {
      t.deepEqual(
        await builds.list({ project: name, ref, limit: 100 }),
        own.filter((build) => build.ref === ref),
      );
      t.deepEqual(await builds.findLastFinished(name, ref), standing([...own].reverse(), ref, ''));
    }
  }
  for (const build of known) t.deepEqual(await builds.find(build.id), build);
}
