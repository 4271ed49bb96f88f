import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Command, InvalidArgumentError } from 'commander';
import type { PreviewServer, PreviewState } from '../api/sites/preview-server.ts';
import {
  BuildError,
  type ConfigFile,
  countNoun,
  describeUntranslated,
  formatProblem,
  formatProblems,
  listConfigFiles,
  OVERRIDABLE,
  type Preview,
  type Problems,
  readConfigFile,
  readOwnTemplates,
  type SourceError,
  TEMPLATE_VARIABLES,
  TEMPLATES,
  type Warning,
} from '../builder/index.ts';
import { addServerFlags, endOnSignal, listen, openBrowser, type ServerFlags } from './local-server.ts';
import { printFailure } from './print-failure.ts';
import { addSiteFlags, pickSiteFlags, readSiteFlags, withConfig } from './site.ts';
import { watchFolder } from './watch-folder.ts';

interface DevFlags extends ServerFlags {
  readonly elements?: boolean;
  /** True = list them. */
  readonly templates?: string | true;
  readonly poll?: number;
}

const FLAGS = pickSiteFlags(['sourceDir', 'lang', 'single', 'title', 'announcement', 'cacheFolder', 'jobs', 'config']);

/** Intervals that `--poll` takes, in ms. */
const POLL_MS = { min: 50, max: 60_000 };
const LIMIT_ADVICE = 'raise fs.inotify.max_user_watches, name large folders in .gitignore, or use --poll';
/** Problems listed in the terminal and on the page. */
const MAX_PROBLEMS = 50;

/** Adds `docbuild dev`: a live preview of a folder. */
export function addDevCommand(program: Command): void {
  const command = program
    .command('dev')
    .description('preview the documentation in a folder; open pages follow every save')
    .argument('[folder]', 'the repository, or a plain folder', '.');
  addSiteFlags(command, FLAGS);
  addServerFlags(command)
    .option('--elements', 'add pages that show all elements in the look of the project, and sample releases')
    .option(
      '--templates [folder]',
      "folder of templates that take the place of docbuild's own, followed as they are saved; without one, list them and their variables",
    )
    .option('--poll <ms>', 'check all files this often, where the file system does not report changes', parsePollMs)
    .action(runDev);
}

async function runDev(folder: string, flags: DevFlags, command: Command): Promise<void> {
  if (flags.templates === true) {
    process.stdout.write(describeTemplates());
    return;
  }
  try {
    const { templates: folderOfTemplates } = flags;
    const { openPreview } = await import('../builder/index.ts');
    const { LIVE_SCRIPT, startPreviewServer } = await import('../api/sites/preview-server.ts');
    const options = withConfig(readSiteFlags(command, FLAGS), folder);
    const preview = await openPreview({
      ...options,
      repository: folder,
      liveScript: LIVE_SCRIPT,
      elements: flags.elements,
      templates: folderOfTemplates === undefined ? undefined : readOwnTemplates(folderOfTemplates),
    });
    const server = await listen(flags, (at) => startPreviewServer({ site: preview.site, ...at }));
    process.stdout.write(`Preview of ${folder} at ${server.url} (Ctrl-C ends it)\n`);
    if (folderOfTemplates !== undefined) print(describeOwn(folderOfTemplates));
    const { config } = options;
    const follower = followChanges({ preview, server, pollMs: flags.poll, templates: folderOfTemplates, config });
    endOnSignal(() => Promise.allSettled([follower.close(), server.close()]));
    await follower.ready;
    const elements = preview.elementsPath();
    if (elements !== undefined) print(`All elements: ${server.url}${elements.replace(/index\.html$/, '')}`);
    if (flags.open) await openBrowser(server.url + (elements ?? ''), print);
  } catch (error) {
    printFailure(error, false);
    process.exit(1);
  }
}

/** Says which templates of a folder take the place of docbuild's own, and which it has not. */
function describeOwn(folder: string): string {
  const own = Object.keys(readOwnTemplates(folder));
  const others = OVERRIDABLE.filter((name) => !own.includes(name));
  const rest = others.length > 0 ? `; docbuild's own: ${others.join(', ')}` : '';
  return `Templates of ${folder}: ${own.join(', ')}${rest}`;
}

/** Lists all templates that may be overridden, and their variables. */
function describeTemplates(): string {
  const list = (rows: Readonly<Record<string, string>>): string => {
    const width = Math.max(...Object.keys(rows).map(({ length }) => length));
    return Object.entries(rows)
      .map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning.replaceAll('`', '')}\n`)
      .join('');
  };
  const variables = Object.entries(TEMPLATE_VARIABLES).map(([place, rows]) => `\n${place}:\n${list(rows)}`);
  return `Templates that a folder may hold:\n${list(TEMPLATES)}${variables.join('')}`;
}

/** Files that change together (a branch switch, a save in two steps) are built together after this much quiet. */
const QUIET_MS = 5;
const MANY_QUIET_MS = 100;
/** A file that is written without a pause does not keep others from being built for longer than this. */
const LONGEST_WAIT_MS = 500;
/** With more changes than an author saves at a time, the whole folder is examined again. */
const MANY = 50;
/** After this much rest memory is collected: open pages have been answered by then. */
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
  readonly pollMs: number | undefined;
  /** Folder of templates. */
  readonly templates: string | undefined;
  readonly config: ConfigFile | undefined;
}): Follower {
  const { preview, server, pollMs, templates, config } = context;
  let configFiles = config ? listConfigFiles(config.path) : [];
  const { root } = preview;
  const changed = new Set<string>();
  const collectGarbage = createCollector();
  const takeNew = createProblemLog();
  let timer: NodeJS.Timeout | undefined;
  /** When the first change came that has not been built. */
  let firstMs: number | undefined;
  let running: Promise<void> | undefined;
  /** Begins with a number that no earlier preview has told pages that are still open. */
  let build = Date.now();
  /** The problems of the last build; undefined where it failed. */
  let found: Pick<PreviewState, 'count' | 'problems'> | undefined;
  let isClosed = false;
  /** Ends the wait for browsers. */
  let goOn = (): void => {};

  const watcher = watchFolder(root, {
    isIgnored: preview.isIgnored,
    onChange(path) {
      changed.add(path);
      plan(changed.size > MANY ? MANY_QUIET_MS : QUIET_MS);
    },
    onError({ code, message }) {
      const advice = code === 'ENOSPC' || code === 'EMFILE' ? `; ${LIMIT_ADVICE}` : '';
      print(`Cannot watch every folder: ${message}${advice}`);
    },
    pollMs,
  });
  /** Whether templates are to be read again. */
  let areTemplatesOld = false;
  const templateWatcher =
    templates === undefined
      ? undefined
      : watchFolder(realpathSync(templates), {
          isIgnored: () => false,
          onChange(path) {
            areTemplatesOld = true;
            changed.add(path);
            plan(QUIET_MS);
          },
          onError: ({ message }) => print(`Cannot watch "${templates}": ${message}`),
          pollMs,
        });
  run(undefined);
  return {
    ready: running!,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      watcher.close();
      templateWatcher?.close();
      await running;
      await preview.close();
    },
  };

  function plan(quietMs: number): void {
    clearTimeout(timer);
    goOn();
    firstMs ??= performance.now();
    if (running || isClosed) return;
    const leftMs = firstMs + LONGEST_WAIT_MS - performance.now();
    timer = setTimeout(() => run([...changed]), Math.max(0, Math.min(quietMs, leftMs)));
  }

  function run(paths: readonly string[] | undefined): void {
    changed.clear();
    firstMs = undefined;
    running = rebuild(paths).finally(() => {
      running = undefined;
      if (changed.size > 0) plan(QUIET_MS);
      else if (!isClosed) timer = setTimeout(collectGarbage, REST_MS);
    });
  }

  async function rebuild(paths: readonly string[] | undefined): Promise<void> {
    const start = performance.now();
    let waitedMs = 0;
    const built = [...(paths ?? [])];
    const why = (): string => (paths ? `${describePaths(built, root)}: ` : '');
    try {
      if (templates !== undefined && areTemplatesOld) {
        preview.setTemplates(readOwnTemplates(templates));
        areTemplatesOld = false;
      }
      if (config && paths?.some((path) => configFiles.includes(path))) {
        await preview.setConfig(readConfigFile(config.path));
        configFiles = listConfigFiles(config.path);
      }
      const building = preview.build(paths && paths.length > MANY ? undefined : paths, async () => {
        if (!found) return [];
        server.announce({ build: ++build, failure: undefined, ...found });
        const shown = performance.now();
        const wait = new AbortController();
        goOn = () => wait.abort();
        await server.whenShown(wait.signal);
        if (changed.size > 0) await sleep(QUIET_MS);
        waitedMs = performance.now() - shown;
        const later = takeLater();
        for (const path of later) if (!built.includes(path)) built.push(path);
        return later;
      });
      if (paths?.some(preview.isIgnoreFile)) watcher.refresh();
      const summary = await building;
      build++;
      const problems = listProblems(summary);
      const count = summary.errors.length + summary.warnings.length;
      found = { count, problems };
      server.announce({ build, failure: undefined, ...found });
      const what = paths ? `${countNoun(summary.rendered, 'page')} rendered` : countNoun(summary.pages, 'page');
      print(
        `${why()}${what} in ${Math.round(performance.now() - start - waitedMs)} ms, ${countNoun(count, 'problem')}`,
      );
      const missing = describeUntranslated(summary.untranslated, MAX_PROBLEMS);
      const told = takeNew(summary);
      for (const row of paths ? told : [...problems, ...missing]) print(`  ${row}`);
    } catch (error) {
      const failure = describeFailure(error);
      found = undefined;
      server.announce({ build, failure, count: 0, problems: [] });
      print(`${why()}Error: ${failure}`);
      // A file was written while it was read, or disappeared, perhaps without a further event.
      if (error instanceof BuildError && error.code === 'damaged-repository') retry();
    }
  }

  /** Returns what was changed while browsers were waited for, if the build that goes on can take it along. */
  function takeLater(): readonly string[] {
    const later = [...changed];
    const isMore = (path: string): boolean => configFiles.includes(path) || preview.isIgnoreFile(path);
    if (areTemplatesOld || later.length > MANY || later.some(isMore)) return [];
    changed.clear();
    firstMs = undefined;
    return later;
  }

  function retry(): void {
    setTimeout(() => {
      changed.add(root);
      plan(QUIET_MS);
    }, MANY_QUIET_MS).unref();
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

/**
 * Returns a function that lists the problems of a build that the build before it had not. One that has only moved to another line is not
 * new; one that comes back is.
 */
function createProblemLog(): (found: Problems) => readonly string[] {
  let before = new Map<string, number>();
  return ({ errors, warnings }) => {
    const now = new Map<string, number>();
    const added = [...errors, ...warnings].filter(({ file, code, message }) => {
      const key = `${file}\0${code}\0${message}`;
      const count = (now.get(key) ?? 0) + 1;
      now.set(key, count);
      return count > (before.get(key) ?? 0);
    });
    before = now;
    return listRows(added);
  };
}

function listProblems({ errors, warnings }: Problems): readonly string[] {
  return listRows([...errors, ...warnings]);
}

function listRows(found: readonly (SourceError | Warning)[]): readonly string[] {
  const problems = found.map((problem) => ({ ...problem, ref: '' }));
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

function parsePollMs(value: string): number {
  const ms = Number(value);
  if (/^\d+$/.test(value) && ms >= POLL_MS.min && ms <= POLL_MS.max) return ms;
  throw new InvalidArgumentError(`It must be a whole number from ${POLL_MS.min} to ${POLL_MS.max}.`);
}
