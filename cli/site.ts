import { existsSync, realpathSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  BuildError,
  type BuildOptions,
  type BuildSummary,
  countNoun,
  createTimeError,
  DEFAULT_LIMITS,
  describeLeftOut,
  describeSources,
  describeTranslations,
  describeUntranslated,
  FLAG_WORDS,
  findConfigFile,
  formatBytes,
  formatProblems,
  LIMIT_SETTINGS,
  type LimitSetting,
  parseCount,
  readConfigFile,
  readLimits,
  SITE_OPTIONS,
  type SiteOption,
  type SourceError,
  type Warning,
  wordOptions,
} from '../builder/index.ts';
import { nameFatalPage } from '../platform/builds/name-fatal-page.ts';
import { setV8Flag, watchBuild } from '../platform/builds/v8-flags.ts';
import { CODE_HOST_IDS, createCodeHosts } from '../platform/code-hosts/code-hosts.ts';
import { ANNOTATION_KINDS, formatAnnotations } from './annotations.ts';
import { findCacheFolder } from './cache-folder.ts';
import { createPaint } from './color.ts';
import { exitCodeOf, printFailure } from './print-failure.ts';
import { createProgressReporter } from './progress.ts';

interface SiteFlags {
  readonly out: string;
  readonly codeHost?: string;
  readonly strict?: boolean;
  readonly annotate?: string;
  readonly json?: boolean;
}

/** An option of a build and its flag. */
interface SiteFlag {
  readonly name: string;
  readonly flag: string;
  readonly help: string;
  readonly choices: SiteOption['choices'];
  readonly parse: SiteOption['parse'];
}

/** All options that have a flag. */
const FLAGS: readonly SiteFlag[] = Object.entries<SiteOption>(SITE_OPTIONS).flatMap(
  ([name, { flag, help = '', choices, parse }]) => (flag === undefined ? [] : [{ name, flag, help, choices, parse }]),
);

/** How many errors and how many warnings are printed; all of them are in `--json`. */
const MAX_ROWS = 20;

/**
 * Format of the object that `--json` prints: it rises when a field goes or means something else, and stays when one is added.
 * `docs/en/site-json.md` describes it.
 */
const FORMAT = 1;

/** How long a build may take to end after its time is up. */
const GRACE_MS = 3_000;

/**
 * Bytecode that a function runs before V8 optimises it, instead of 66 KB: a process that builds once is over before most of that
 * pays, and optimising took a quarter of the processor time of a whole history. Node.js 22 has another compiler, and no such flag.
 */
const OPTIMISE_AFTER = process.versions.v8.startsWith('11.') ? 1_000_000 : undefined;
/** How much the room for young objects grows at a time: it begins with 1 MB, and a whole build needs its limit, 16 MB. */
const YOUNG_GROWTH = 16;

/** Adds `docbuild site`: one repository to one folder of static files. */
export function addSiteCommand(program: Command): void {
  const command = program
    .command('site')
    .description('build the documentation of a repository, all versions and languages, into a folder of static files')
    .argument('<repository>', 'https URL, path of a repository, or path of a plain folder');
  addSiteFlags(command, FLAGS);
  command
    .addOption(
      new Option(
        '--code-host <kind>',
        "code host that the repository's server runs, for edit links, if its name does not show it",
      ).choices(CODE_HOST_IDS),
    )
    .addOption(
      new Option('--annotate <kind>', 'print problems so that CI shows them beside the lines that they are in')
        .choices(ANNOTATION_KINDS)
        .conflicts('json'),
    )
    .option('--json', 'print one JSON object instead of text')
    .action(runSite);
  for (const { option, unit, usual, most, subject } of Object.values<LimitSetting>(LIMIT_SETTINGS)) {
    const parse = checked((value) => parseCount(value, most));
    command.option(`${option} <${unit}>`, `limit for ${subject} (default: ${usual})`, parse);
  }
}

/** Call this once the engine is loaded: with other flags than it was built with, Node.js compiles the modules of its own that it loads. */
function setV8Flags(): void {
  if (OPTIMISE_AFTER !== undefined) setV8Flag('interrupt-budget', OPTIMISE_AFTER);
  setV8Flag('semi-space-growth-factor', YOUNG_GROWTH);
  // Code of early phases stays compiled, and is kept at the end, too.
  setV8Flag('flush-bytecode', false);
}

async function runSite(repository: string, flags: SiteFlags, command: Command): Promise<void> {
  const { json = false } = flags;
  const reporter = createProgressReporter({ stream: process.stderr, isQuiet: json });
  const limits = readLimits(({ option }) => command.getOptionValue(camelCase(option)) as number | undefined);
  const { timeoutMs } = { ...DEFAULT_LIMITS, ...limits };
  let isOver = false;
  const stop = (): void => {
    const { code, message } = createTimeError(timeoutMs);
    reporter.end();
    // What the build has begun may take long to remove.
    if (!isOver) printFailure(new BuildError(code, wordOptions(message, FLAG_WORDS)), json);
    process.exit(1);
  };
  // The engine ends by itself where it can tell the time, and keeps what it has rendered.
  setTimeout(stop, timeoutMs + GRACE_MS).unref();
  const interruption = watchSignals(flags.out, (message) => {
    reporter.end();
    printFailure(new BuildError('interrupted', message), json);
  });
  try {
    const { buildSite } = await import('../builder/index.ts');
    let hasFlags = false;
    let cacheFailure: string | undefined;
    nameFatalPage();
    const summary = await buildSite({
      ...withConfig(readSiteFlags(command, FLAGS), repository),
      repository,
      codeHosts: createCodeHosts({ other: flags.codeHost }).patterns,
      limits,
      environment: process.env,
      onProblems: (found) => {
        if (flags.annotate === undefined) return;
        const lines = formatAnnotations(found, flags.strict ?? false);
        process.stdout.write(lines.map((line) => `${line}\n`).join(''));
      },
      signal: interruption.signal,
      beforePublish: async () => interruption.expectSite(),
      onPublished: () => interruption.expectEnd(),
      onCacheFailure: ({ message }) => {
        cacheFailure = message;
      },
      onProgress: (progress) => {
        if (!hasFlags) setV8Flags();
        hasFlags = true;
        watchBuild(progress);
        reporter.report(progress);
      },
    });
    reporter.end();
    if (cacheFailure !== undefined) warnOfCache(cacheFailure, json);
    const result = { format: FORMAT, ...summary, ...(cacheFailure !== undefined && { cacheFailure }) };
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : formatSummary(summary, flags.out));
  } catch (error) {
    if (interruption.signal.aborted) return interruption.end();
    isOver = true;
    reporter.end();
    printFailure(error, json);
    process.exitCode = exitCodeOf(error);
  }
}

/** Exit code of a process that a signal ends: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** How long a build may take to end where it was interrupted. */
const INTERRUPTED_MS = 1_500;

/** An interruption of a build, which may come at any time. */
interface Interruption {
  /** Fires when the process is told to end. */
  readonly signal: AbortSignal;
  /** Is to be called right before the site takes the place of the one before. Throws if the process was told to end. */
  expectSite(): void;
  /** Is to be called when the site has been published: the build ends by itself then. */
  expectEnd(): void;
  /** Says what became of the site, and ends the process. */
  end(): void;
}

/** Watches the signals that end a build: the first ends it with what it has begun removed, the second one at once. */
function watchSignals(out: string, print: (message: string) => void): Interruption {
  const controller = new AbortController();
  const hadSite = existsSync(out);
  let state: 'before' | 'between' | 'after' = 'before';
  let code: number = SIGNALS.SIGINT;
  const site = {
    before: hadSite ? `The site in "${out}" stays as it was` : 'Nothing was published',
    between: `"${out}" holds the new site${hadSite ? ' or still the old one' : ' or nothing yet'}, not half of one`,
    after: `"${out}" holds the new site`,
  };
  const end = (): void => {
    const kept = state === 'before' ? '; pages rendered so far are cached for the next build' : '';
    print(`Interrupted. ${site[state]}${kept}`);
    process.exit(code);
  };
  for (const [name, exitCode] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      code = exitCode;
      if (controller.signal.aborted) return end();
      controller.abort();
      setTimeout(end, INTERRUPTED_MS).unref();
    });
  }
  return {
    signal: controller.signal,
    expectSite() {
      if (controller.signal.aborted) throw new BuildError('interrupted', 'The build was interrupted');
      state = 'between';
    },
    expectEnd() {
      state = 'after';
    },
    end,
  };
}

function warnOfCache(message: string, json: boolean): void {
  // With --json, the object says it.
  if (json) return;
  const label = createPaint(process.stderr)('yellow', 'Warning:');
  process.stderr.write(
    `${label} The cache could not be written, so the next build renders everything again: ${message}; choose another folder with --cache\n`,
  );
}

/** Returns the flags of some options. */
export function pickSiteFlags(names: readonly (keyof BuildOptions)[]): readonly SiteFlag[] {
  return FLAGS.filter(({ name }) => (names as readonly string[]).includes(name));
}

export function addSiteFlags(command: Command, flags: readonly SiteFlag[]): void {
  const cacheFolder = findCacheFolder();
  for (const { help, flag, choices, parse } of flags) {
    const option = new Option(flag, help);
    if (option.long === '--out') option.makeOptionMandatory();
    if (option.long === '--cache') {
      if (cacheFolder === undefined) option.makeOptionMandatory();
      else option.default(cacheFolder);
    }
    if (choices) option.choices(choices);
    if (parse) option.argParser(checked(parse));
    command.addOption(option);
  }
}

/** Returns the options that these flags set. */
export function readSiteFlags(command: Command, flags: readonly SiteFlag[]): Pick<BuildOptions, 'out' | 'cacheFolder'> {
  const given = flags.map(
    ({ name, flag }) => [name, command.getOptionValue(new Option(flag).attributeName())] as const,
  );
  return Object.fromEntries(given) as Pick<BuildOptions, 'out' | 'cacheFolder'>;
}

/**
 * Adds the configuration of the current folder to options without one. That of another folder is code that nobody has asked to run.
 * Throws `bad-option`.
 */
export function withConfig<Options extends object>(
  given: Options,
  repository: string,
): Options & Pick<BuildOptions, 'config'> {
  const options: Options & Pick<BuildOptions, 'config'> = given;
  if (options.config !== undefined || !existsSync(repository)) return options;
  const path = findConfigFile(repository);
  if (path === undefined) return options;
  if (realpathSync(repository) === realpathSync('.')) return { ...options, config: readConfigFile(path) };
  process.stderr.write(
    `Note: ${path} was not run, since ${repository} is not the current folder; --config ${path} runs it\n`,
  );
  return options;
}

/** Returns the name under which commander keeps an option's value. */
function camelCase(option: string): string {
  return option.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns a parser of a flag's text that refuses it as the command line does. */
function checked<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw error instanceof BuildError ? new InvalidArgumentError(`${error.message}.`) : error;
    }
  };
}

/** Returns what a finished build prints: errors, warnings, then what was built. */
function formatSummary(summary: BuildSummary, out: string): string {
  const deadLinks = summary.warnings.filter(({ code }) => code === 'dead-link' || code === 'dead-anchor').length;
  const fallbacks = summary.fallbacks > 0 ? ` (+ ${summary.fallbacks} not translated)` : '';
  const errors = summary.errors.length > 0 ? `${countNoun(summary.errors.length, 'error')}; ` : '';
  const rows = [
    ...listProblems('error', summary.errors),
    ...listProblems('warning', summary.warnings),
    ...describeUntranslated(summary.untranslated, MAX_ROWS),
    ...describeTranslations(summary.translations),
    ...describeLeftOut(summary.leftOut, "include them with --refs '**'"),
    ...(summary.sources.length > 0 ? [`Documentation: ${describeSources(summary.sources)}`] : []),
    `${countNoun(summary.versions, 'version')}, ${countNoun(summary.languages, 'language')}, ${countNoun(summary.pages, 'page')}${fallbacks}: ` +
      `${summary.rendered} rendered, ${summary.reused} reused; ${errors}${countNoun(deadLinks, 'dead link')}; ` +
      `${formatBytes(summary.bytes)} in ${(summary.ms / 1000).toFixed(2)} s → ${out}`,
  ];
  return `${rows.join('\n')}\n`;
}

/** Returns the first problems, a line each, and how many more there are. */
function listProblems(kind: 'error' | 'warning', problems: readonly (SourceError | Warning)[]): readonly string[] {
  const paint = createPaint(process.stdout);
  const label = kind === 'error' ? paint(['bold', 'red'], 'Error:') : paint('yellow', 'Warning:');
  const { rows, left } = formatProblems(problems, MAX_ROWS);
  const more = left > 0 ? [`… and ${countNoun(left, `more ${kind}`)}; --json lists them`] : [];
  return [...rows.map((row) => `${label} ${row}`), ...more];
}
