import { statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Command } from 'commander';
import type { PreviewServer } from '../api/sites/preview-server.ts';
import {
  BuildError,
  type BuildSummary,
  countNoun,
  describeUntranslated,
  formatProblem,
  formatProblems,
  type Preview,
} from '../builder/index.ts';
import { printFailure } from './print-failure.ts';
import { parsePort } from './run-command.ts';
import { addSiteFlags, pickSiteFlags, readSiteFlags } from './site.ts';

interface DevFlags {
  readonly port?: number;
  readonly host: string;
  readonly open?: boolean;
}

const FLAGS = pickSiteFlags(['sourceDir', 'lang', 'single', 'title', 'announcement', 'cacheFolder', 'jobs']);

const DEFAULT_PORT = 4000;
/** Number of ports to try after the default one. */
const OTHER_PORTS = 20;
/** Problems listed in the terminal and on the page. */
const MAX_PROBLEMS = 50;

/** Adds `docbuild dev`: a live preview of a folder. */
export function addDevCommand(program: Command): void {
  const command = program
    .command('dev')
    .description('preview the documentation in a folder; open pages follow every save')
    .argument('[folder]', 'the repository, or a plain folder', '.');
  addSiteFlags(command, FLAGS);
  command
    .option('--port <number>', `port to listen on (default: ${DEFAULT_PORT}, or the next one that is free)`, parsePort)
    .option('--host <name>', 'host name or IP address to listen on', '127.0.0.1')
    .option('--open', 'open the site in the browser')
    .action(runDev);
}

async function runDev(folder: string, flags: DevFlags, command: Command): Promise<void> {
  try {
    const { openPreview } = await import('../builder/index.ts');
    const { LIVE_SCRIPT, startPreviewServer } = await import('../api/sites/preview-server.ts');
    const preview = await openPreview({
      ...readSiteFlags(command, FLAGS),
      repository: folder,
      liveScript: LIVE_SCRIPT,
    });
    const server = await listen(startPreviewServer, { site: preview.site, ...flags });
    process.stdout.write(`Preview of ${folder} at ${server.url} (Ctrl-C ends it)\n`);
    const { watch } = await import('chokidar');
    const follower = followChanges({ preview, server, watch });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, async () => {
        await Promise.allSettled([follower.close(), server.close()]);
        process.exit(0);
      });
    }
    await follower.ready;
    if (flags.open) await openBrowser(server.url);
  } catch (error) {
    printFailure(error, false);
    process.exit(1);
  }
}

/** Files that change together (a branch switch, a save in two steps) are built together after this much quiet. */
const QUIET_MS = 5;
const MANY_QUIET_MS = 100;
/** With more changes than an author saves at a time, the whole folder is examined again. */
const MANY = 50;
/**
 * After this much rest the files of the last builds are looked at again, as the watcher drops a change that follows
 * another one of the same file within 50 ms. Then memory is collected: open pages have been answered by then.
 */
const REST_MS = 50;

/** The builds of a preview. */
interface Follower {
  /** Resolves after the first build, successful or not. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Builds the site now and after every change, one build at a time. */
function followChanges(context: {
  readonly preview: Preview;
  readonly server: PreviewServer;
  readonly watch: typeof import('chokidar').watch;
}): Follower {
  const { preview, server, watch } = context;
  const { root } = preview;
  const changed = new Set<string>();
  /** Files built since the last rest, as they were before they were read. */
  const seen = new Map<string, string>();
  const collectGarbage = createCollector();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let builds = 0;
  let isClosed = false;

  const watcher = watch(root, {
    ignored: (path, stats) => path !== root && preview.isIgnored(path, stats?.isDirectory() ?? false),
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
  });
  watcher.on('all', (_event, path) => {
    changed.add(path);
    plan(changed.size > MANY ? MANY_QUIET_MS : QUIET_MS);
  });
  watcher.on('error', (error) => {
    const { code } = error as NodeJS.ErrnoException;
    const advice =
      code === 'ENOSPC' ? '; the limit of watched files is reached: raise fs.inotify.max_user_watches' : '';
    print(`Cannot watch the folder: ${(error as Error).message}${advice}`);
  });
  const isWatching = new Promise<void>((resolve) => watcher.once('ready', resolve));
  const ready = isWatching.then(() => {
    if (!isClosed) run(undefined);
    return running;
  });
  return {
    ready,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await watcher.close();
      await running;
      await preview.close();
    },
  };

  function plan(quietMs: number): void {
    clearTimeout(timer);
    if (running || isClosed) return;
    timer = setTimeout(() => run([...changed]), quietMs);
  }

  function run(paths: readonly string[] | undefined): void {
    changed.clear();
    for (const path of paths ?? []) seen.set(path, describeState(path));
    running = rebuild(paths).finally(() => {
      running = undefined;
      if (changed.size > 0) plan(QUIET_MS);
      else if (!isClosed) timer = setTimeout(rest, REST_MS);
    });
  }

  function rest(): void {
    for (const [path, state] of seen) if (describeState(path) !== state) changed.add(path);
    seen.clear();
    if (changed.size > 0) run([...changed]);
    else collectGarbage();
  }

  async function rebuild(paths: readonly string[] | undefined): Promise<void> {
    const start = performance.now();
    const why = paths && `${describePaths(paths, root)}: `;
    try {
      const summary = await preview.build(paths && paths.length > MANY ? undefined : paths);
      builds++;
      const problems = listProblems(summary);
      const count = summary.errors.length + summary.warnings.length;
      server.announce({ build: builds, failure: undefined, count, problems });
      const what = paths ? `${countNoun(summary.rendered, 'page')} rendered` : countNoun(summary.pages, 'page');
      print(`${why ?? ''}${what} in ${Math.round(performance.now() - start)} ms, ${countNoun(count, 'problem')}`);
      const missing = describeUntranslated(summary.untranslated, MAX_PROBLEMS);
      if (!paths) for (const row of [...problems, ...missing]) print(`  ${row}`);
    } catch (error) {
      const failure = describeFailure(error);
      server.announce({ build: builds, failure, count: 0, problems: [] });
      print(`${why ?? ''}Error: ${failure}`);
      // A file was written while it was read, or disappeared, perhaps without a further event.
      if (error instanceof BuildError && error.code === 'damaged-repository') retry();
    }
  }

  function retry(): void {
    setTimeout(() => {
      changed.add(root);
      plan(QUIET_MS);
    }, MANY_QUIET_MS).unref();
  }
}

/** Returns what differs after a change of a file; of a folder only whether there is one: its files are watched. */
function describeState(path: string): string {
  try {
    const stats = statSync(path, { bigint: true });
    return stats.isDirectory() ? 'folder' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  }
}

/** Returns a function that collects young objects, so that the next build need not be interrupted for it: a few ms. */
function createCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
  // Only the context above needs it; compiled code that is kept must have been made without it.
  setFlagsFromString('--no-expose-gc');
  return () => collect({ type: 'minor' });
}

function listProblems({ errors, warnings }: BuildSummary): readonly string[] {
  const problems = [...errors, ...warnings].map((problem) => ({ ...problem, ref: '' }));
  const { rows, left } = formatProblems(problems, MAX_PROBLEMS);
  return left > 0 ? [...rows, `… and ${left} more`] : rows;
}

function describeFailure(error: unknown): string {
  if (!(error instanceof BuildError)) return `Unexpected; please report this: ${(error as Error).stack ?? error}`;
  const { file = '', line = 0 } = error.location;
  return file === '' ? error.message : formatProblem({ ref: '', file, line, message: error.message });
}

function describePaths(paths: readonly string[], root: string): string {
  const [first] = paths;
  const name = relative(root, first!).split(sep).join('/') || 'the folder';
  return paths.length === 1 ? name : `${name} and ${paths.length - 1} more`;
}

function print(line: string): void {
  const time = new Date().toLocaleTimeString('en-GB');
  process.stdout.write(`${time} ${line}\n`);
}

/** Listens on the given port, otherwise on the first free one from the default on. */
async function listen(
  start: (options: {
    readonly site: Preview['site'];
    readonly host: string;
    readonly port: number;
  }) => Promise<PreviewServer>,
  { site, host, port }: { readonly site: Preview['site']; readonly host: string; readonly port?: number },
): Promise<PreviewServer> {
  for (let tried = port ?? DEFAULT_PORT; ; tried++) {
    try {
      return await start({ site, host, port: tried });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && port === undefined && tried < DEFAULT_PORT + OTHER_PORTS) continue;
      const advice = code === 'EADDRINUSE' ? 'it is in use; choose another one with --port' : message;
      throw new BuildError('bad-option', `Cannot listen on ${host}, port ${tried}: ${advice}`);
    }
  }
}

async function openBrowser(url: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    await open(url);
  } catch (error) {
    print(`Cannot open a browser: ${(error as Error).message}`);
  }
}
