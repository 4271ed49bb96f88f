import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createRandom } from '../../helpers/create-random.ts';
import { createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { EFFORT } from '../../helpers/effort.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { runDocbuild } from '../../helpers/run-docbuild.ts';
import { leaveLock } from '../../helpers/start-lock-holder.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const ROUNDS = 8 * EFFORT;
const PAGES = 150;

/** A repository with two states of which every page differs; `use` makes one of them the branch. */
function createTwoStates(t: ExecutionContext): { repository: TestRepository; use: (state: 0 | 1) => void } {
  const repository = createRepository(t);
  const oids = ['First', 'Second'].map((title) => {
    const pages = Array.from({ length: PAGES }, (_, n) => [
      `docs/${n % 2 === 0 ? 'en' : 'de'}/p${n}.md`,
      `# ${title} ${n}\n\n[x](p0.md)\n`,
    ]);
    return commitFiles(repository, { ...Object.fromEntries(pages), '.docbuild.yml': `title: ${title}\n` });
  });
  for (const tag of ['v1', 'v2', 'v3']) repository.git('tag', tag, oids[0]!);
  repository.git('checkout', '--quiet', '--detach');
  return { repository, use: (state) => void repository.git('update-ref', 'refs/heads/main', oids[state]!) };
}

/** Returns a function that is called when a process begins to publish. */
function onPublishing(act: () => void): (child: ChildProcess) => void {
  return (child) => child.stderr!.on('data', (text: string) => void (text.includes('Publishing') && act()));
}

test.serial('docbuild site killed at any moment leaves the old or the new site, whole', async (t) => {
  const { repository, use } = createTwoStates(t);
  const site = createSite(t);
  const args = [
    'site',
    repository.folder,
    '--out',
    site.out,
    '--cache',
    site.cacheFolder,
    '--jobs',
    '1',
    '--latest',
    'main',
  ];
  const expected: ReadonlyMap<string, string>[] = [];
  let duration = 0;
  let publishing = 0;
  for (const state of [0, 1, 0, 1] as const) {
    use(state);
    const start = performance.now();
    const { code, stderr } = await runDocbuild(args, { onStart: onPublishing(() => (publishing = performance.now())) });
    duration = performance.now() - start;
    publishing = performance.now() - publishing;
    t.is(code, 0, stderr);
    expected[state] = hashTree(site.out);
  }
  t.not(compareTrees(expected[0]!, expected[1]!).length, 0);
  const random = createRandom(7);
  const seen = { old: 0, new: 0, finished: 0 };
  let current: 0 | 1 = 1;
  for (let round = 0; round < ROUNDS; round++) {
    const next: 0 | 1 = current === 0 ? 1 : 0;
    use(next);
    // Every second one is killed while it publishes.
    const isEarly = round % 2 === 0;
    const wait = random.below(isEarly ? duration : publishing);
    const start = performance.now();
    const { code } = await runDocbuild(args, {
      onStart(child) {
        const kill = () => void sleep(wait).then(() => child.kill('SIGKILL'));
        if (isEarly) kill();
        else onPublishing(kill)(child);
      },
    });
    // The machine may have less to do than before: those that follow are killed earlier.
    if (code === 0) duration = Math.min(duration, performance.now() - start);
    const found = hashTree(site.out);
    const isNew = compareTrees(found, expected[next]!).length === 0;
    if (!isNew) t.deepEqual(compareTrees(found, expected[current]!), [], `round ${round}, killed after ${wait} ms`);
    if (code === 0) t.true(isNew, `round ${round}`);
    seen[code === 0 ? 'finished' : isNew ? 'new' : 'old']++;
    if (isNew) current = next;
  }
  t.log(
    `${ROUNDS} builds of ${Math.round(duration)} ms, ${Math.round(publishing)} to publish: ${JSON.stringify(seen)}`,
  );
  t.true(seen.old > 0);

  for (const state of [0, 1] as const) {
    use(state);
    const { code, stderr } = await runDocbuild(args);
    t.is(code, 0, stderr);
    t.deepEqual(compareTrees(hashTree(site.out), expected[state]!), []);
  }
  t.deepEqual(readdirSync(site.folder).sort(), ['.out.docbuild', 'cache', 'out']);
  const state = readdirSync(join(site.folder, '.out.docbuild'));
  t.deepEqual(
    state.filter((name) => name !== 'back' && !/^[0-9a-f]{40}\.\d+\.json$/.test(name)),
    [],
  );
  t.is(state.length, 3, 'the folder to stage in and two manifests');
  const segments = readdirSync(join(site.cacheFolder, 'fragments'));
  t.deepEqual(
    segments.filter((name) => !name.endsWith('.seg')),
    [],
  );
});

test.serial('docbuild site killed in its first build leaves no output and does not stop the next', async (t) => {
  const { repository, use } = createTwoStates(t);
  use(0);
  const site = createSite(t);
  const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder, '--jobs', '1'];
  for (let round = 0; round < 4; round++) {
    const { code } = await runDocbuild(args, {
      onStart(child) {
        child.stderr!.on('data', (text: string) => {
          if (text.includes(round % 2 === 0 ? 'Publishing' : 'Rendering'))
            setTimeout(() => child.kill('SIGKILL'), round);
        });
      },
    });
    if (code === null) t.false(existsSync(site.out) && !existsSync(join(site.out, '.docbuild.json')));
  }
  const { code, stderr } = await runDocbuild(args);
  t.is(code, 0, stderr);
  t.deepEqual(readdirSync(site.folder).sort(), ['.out.docbuild', 'cache', 'out']);
});

test.serial(
  'docbuild site takes over the lock of a process that is gone, though its number is used again',
  async (t) => {
    const { repository, use } = createTwoStates(t);
    use(0);
    const site = createSite(t);
    mkdirSync(join(site.folder, '.out.docbuild'));
    const lock = join(site.folder, '.out.docbuild/lock');
    // This process runs, but did not start at this time; 1 always runs.
    for (const holder of [{ pid: process.pid, start: '1' }, { pid: 1, start: '1' }, { pid: 999_999_999 }]) {
      await leaveLock(t, lock, holder);
      const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder];
      const { code, stderr } = await runDocbuild(args);
      t.is(code, 0, `${holder.pid}: ${stderr}`);
    }
    await leaveLock(t, lock, { pid: process.pid, start: '1' });
    await t.notThrowsAsync(site.build(repository.folder), 'its own number, from an earlier life');
  },
);

test.serial('two builds to one output folder do not get in each other’s way', async (t) => {
  const { repository, use } = createTwoStates(t);
  use(0);
  const site = createSite(t);
  const results = await Promise.allSettled([1, 2, 3].map(() => site.build(repository.folder)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  t.is(failures.length, 2);
  for (const failure of failures) t.regex(failure.message, /Another build is publishing to/);
  t.true(site.has('index.html'));
});
