import { createHash } from 'node:crypto';
import type { Collection } from '../../data/collection.ts';
import type { LoggedBuild, StoredLog } from '../../data/nodes.ts';
import { type Build, builds } from '../../data/records/build.ts';
import { type Project, projects } from '../../data/records/project.ts';
import type { Page } from '../../data/vault.ts';
import { openVault } from '../../platform/moving/place.ts';
import { createBuild, createPassed, createProject } from '../../test/helpers/create-records.ts';

/** How much a service has; builds are dealt out to the projects in turn. */
export interface ServiceSize {
  readonly projects: number;
  readonly builds: number;
}

const PAGE = 1_000;
const REFS = ['main', 'v1.0', 'v1.1', 'v2.0', 'release/2.x'];
const START_MS = Date.UTC(2026, 0, 1);
/** Between two builds of a service, ms. */
const STEP_MS = 20_000;
/** Of 20 builds, how many have ended otherwise than passing; one of 20 has found problems. */
const SHARES = 20;
const LOG_LINES = 12;

/**
 * Fills an empty place (a `base_dir`, or the URL of a database) with projects, builds and a log for each of them: the same whenever
 * it is called.
 */
export async function fillPlace(place: string, size: ServiceSize): Promise<void> {
  const vault = await openVault(place, { mustExist: false, onWarning: (message) => console.error(message) });
  const write = (collection: Collection<unknown>, count: number, make: (i: number) => unknown): Promise<void> =>
    vault.write(collection, () => pagesOf(count, (i) => collection.parse(make(i))));
  try {
    await write(projects as Collection<unknown>, size.projects, makeProject);
    await write(builds as Collection<unknown>, size.builds, (i) => makeBuild(i, size));
    for await (const page of pagesOf(size.builds, (i) => makeLog(i, size)))
      await vault.logs.writeAll(page as readonly (LoggedBuild & StoredLog)[]);
  } finally {
    await vault.close();
  }
}

async function* pagesOf(count: number, make: (i: number) => unknown): AsyncGenerator<Page> {
  for (let from = 0; from < count; from += PAGE) {
    yield Array.from({ length: Math.min(PAGE, count - from) }, (_, i) => make(from + i));
  }
}

function makeProject(i: number): Project {
  const name = `project-${i}`;
  const versions = REFS.map((ref, at) => ({
    ref,
    kind: ref.startsWith('v') ? ('tag' as const) : ('branch' as const),
    oid: hash(`${name} ${ref}`).slice(0, 40),
    builtAt: timeOf(i + at),
  }));
  const url = `https://code.example/owner-${i % 3_000}/${name}.git`;
  const secret = hash(`secret ${i}`).slice(0, 32);
  return createProject({ name, url, secret, versions, domain: `${name}.example`, createdAt: timeOf(i) });
}

function makeBuild(i: number, size: ServiceSize): Build {
  const text = hash(`build ${i}`);
  const number = Number.parseInt(text.slice(0, 8), 16);
  const values = {
    ...nameBuild(i, size),
    ref: REFS[Math.floor(i / size.projects) % REFS.length]!,
    commit: text.slice(0, 40),
    createdAt: timeOf(i),
    startedAt: timeOf(i),
    finishedAt: timeOf(i + 1),
  };
  const reason = `docs/en/guide/chapter-${number % 90}.md:${number % 400}: The file "../images/step-${number % 9}.png" does not exist`;
  if (number % SHARES === 0) return createBuild({ ...values, status: 'failing', reason });
  if (number % SHARES === 1) return createBuild({ ...values, status: 'superseded' });
  const counts = { versions: 5, languages: 2, pages: 40 + (number % 200), rendered: number % 40, reused: number % 200 };
  const spent = { ms: 300 + (number % 4_000) + 0.25, fetchMs: 40 + (number % 500) + 0.5 };
  const result = { ...counts, ...spent, errors: 0, warnings: number % 3, bytes: 100_000 + (number % 4_000_000) };
  return createPassed({ ...values, result });
}

function makeLog(i: number, size: ServiceSize): LoggedBuild & StoredLog {
  const number = Number.parseInt(hash(`log ${i}`).slice(0, 8), 16);
  const lines = Array.from(
    { length: LOG_LINES + (number % LOG_LINES) },
    (_, line) => `${line + 1} s: rendered ${(number + line) % 900} pages of version ${REFS[line % REFS.length]!}`,
  );
  const problem = { severity: 'warning', ref: 'main', file: 'docs/en/index.md', line: number % 300, code: 'dead-link' };
  const message = `Link "chapter-${number % 90}.md" leads to no page or file`;
  const problems = number % SHARES === 0 ? JSON.stringify([{ ...problem, message }]) : undefined;
  return { ...nameBuild(i, size), lines, problems };
}

function nameBuild(i: number, { projects: count }: ServiceSize): LoggedBuild {
  // As ids are: the time and a counter, then chance.
  const time = (START_MS + i * STEP_MS).toString(36).padStart(9, '0');
  return { project: `project-${i % count}`, id: `${time}000${hash(`id ${i}`).slice(0, 8)}` };
}

function timeOf(i: number): string {
  return new Date(START_MS + i * STEP_MS).toISOString();
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
