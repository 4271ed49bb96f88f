import { fileURLToPath } from 'node:url';
import type { BuildSummary } from '../builder/index.ts';
import { type ProcessRun, runProcess } from './measure/run-process.ts';

/** One measured `docbuild site`. */
export interface DocbuildRun extends ProcessRun {
  readonly summary: BuildSummary;
}

export interface SiteRun {
  readonly repository: string;
  readonly out: string;
  readonly cache: string;
  /** More options of `docbuild site`. */
  readonly args?: readonly string[];
  /** Options of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** That of another checkout. */
  readonly command?: string;
}

/** The command as it is installed. */
export const COMMAND = fileURLToPath(new URL('../docbuild.js', import.meta.url));

/** Runs `docbuild site` as its users do, in a separate process. Throws when it fails. */
export async function runDocbuild({
  command = COMMAND,
  repository,
  out,
  cache,
  args = [],
  nodeArgs = [],
}: SiteRun): Promise<DocbuildRun> {
  const own = [...nodeArgs, command, 'site', repository, '--out', out, '--cache', cache, '--json', ...args];
  const run = await runProcess(process.execPath, own);
  return { ...run, summary: JSON.parse(run.stdout) as BuildSummary };
}

/** Throws when a build did not make the pages it was meant to: its figures would say nothing. */
export function expectPages(run: DocbuildRun, pages: number): DocbuildRun {
  if (run.summary.pages !== pages) throw new Error(`The build made ${run.summary.pages} pages instead of ${pages}`);
  return run;
}
