import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stageNote } from '../cases/stage-note.ts';
import { changePage } from '../corpus/change-page.ts';
import type { Corpus } from '../corpus/open-corpus.ts';
import { formatTable } from '../report/format-table.ts';
import { type DocbuildRun, runDocbuild } from '../run-docbuild.ts';
import { type CpuProfile, type ProfileSummary, summarizeProfile } from './summarize-profile.ts';

const LONGEST = 25;

/** Runs the corpus cold, unchanged and with one page changed under the CPU profiler; returns what took the time as Markdown. */
export async function profileCold(folder: string, corpus: Corpus | undefined): Promise<string> {
  if (!corpus) return 'Without the corpus there is nothing to profile\n';
  const site = { repository: corpus.repository, out: join(folder, 'profile', 'site'), cache: join(folder, 'cache') };
  const args = ['--refs', 'main|v*'];
  const build = (name: string): Promise<DocbuildRun> => {
    const profiles = join(folder, `profiles-${name}`);
    return runDocbuild({ ...site, args, nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${profiles}`] });
  };
  const texts: string[] = [];
  for (const name of ['cold', 'unchanged', 'one-page']) {
    if (name === 'one-page')
      changePage(corpus.repository, { branch: 'main', path: 'docs/en/guide/deploy.md', text: '\nMore.\n' });
    const run = await build(name);
    const threads = readProfiles(join(folder, `profiles-${name}`));
    texts.push(`## ${name}: ${Math.round(run.ms)} ms under the profiler; ${stageNote([run])}\n`);
    for (const [thread, profile] of threads.entries()) texts.push(formatThread(thread, profile));
  }
  return texts.join('\n');
}

/** Returns the profiles of a process, the main thread first. */
function readProfiles(folder: string): readonly ProfileSummary[] {
  const threadOf = (file: string) => Number(/\.(\d+)\.\d+\.cpuprofile$/.exec(file)?.[1] ?? 0);
  return readdirSync(folder)
    .sort((a, b) => threadOf(a) - threadOf(b))
    .map((file) => summarizeProfile(JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile));
}

function formatThread(thread: number, { totalMs, idleMs, packages, functions }: ProfileSummary): string {
  const name = thread === 0 ? 'main thread' : `worker ${thread}`;
  const shares = (list: ProfileSummary['packages'], count: number) =>
    list.slice(0, count).map((share) => [share.name, share.ms.toFixed(0)]);
  return [
    `### ${name}: ${totalMs.toFixed(0)} ms, of which idle ${idleMs.toFixed(0)} ms\n`,
    formatTable(['package', 'self ms'], shares(packages, 15)),
    formatTable(['function', 'self ms'], shares(functions, LONGEST)),
  ].join('\n');
}
