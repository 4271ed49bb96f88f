import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import {
  createTimeError,
  DEFAULT_LIMITS,
  isLanguageCode,
  LIMIT_SETTINGS,
  type LimitSetting,
  readLimits,
} from '../builder/index.ts';
import { CODE_HOST_IDS, createCodeHosts } from '../platform/code-hosts/code-hosts.ts';
import { formatSummary } from './format-summary.ts';
import { printFailure } from './print-failure.ts';
import { createProgressReporter } from './progress.ts';

interface SiteFlags {
  readonly out: string;
  readonly source?: string;
  readonly lang?: readonly string[];
  readonly refs?: string;
  readonly exclude?: string;
  readonly latest?: string;
  readonly single?: boolean;
  readonly title?: string;
  readonly baseUrl?: string;
  readonly cache: string;
  readonly codeHost?: string;
  readonly jobs?: number;
  readonly strict?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** How long a build may take to end after its time is up. */
const GRACE_MS = 3_000;

/** Adds `docbuild site`: one repository to one folder of static files. */
export function addSiteCommand(program: Command): void {
  const command = program
    .command('site')
    .description('build the documentation of a repository, all versions and languages, into a folder of static files')
    .argument('<repository>', 'https URL, path of a repository, or path of a plain folder')
    .requiredOption('-o, --out <folder>', 'folder to publish to; replaced in one step')
    .option(
      '-s, --source <folder>',
      'folder of the documentation in the repository (default: as set in .docbuild.yml, else detected for each version)',
    )
    .option('-l, --lang <codes>', 'languages, the default one first, e.g. en,zh_CN (default: detected)', parseLanguages)
    .option('--refs <list>', "branches and tags to build, names and globs, e.g. 'main|v1.*' (default: all)")
    .option('--exclude <list>', "branches and tags to leave out, e.g. 'dependabot/**|test'")
    .option('--latest <ref>', "the version that 'latest' means (default: the repository's HEAD)")
    .option('--single', 'one version only, at the root, without language and version in URLs')
    .option('--title <text>', "title of the site (default: as set in .docbuild.yml, else the repository's name)")
    .option(
      '--base-url <url>',
      'URL at which the site will be published, for sitemap.xml and canonical links',
      parseBaseUrl,
    )
    .option('--cache <folder>', 'folder kept between builds', defaultCacheFolder())
    .option(
      '--code-host <kind>',
      `what runs at the repository's host if its name does not tell, for edit links: ${CODE_HOST_IDS.join(', ')}`,
      parseCodeHost,
    )
    .option('--jobs <n>', 'worker threads for highlighting (default: one less than the number of cores)', (n) =>
      parseCount(n, 64),
    )
    .option('--strict', 'fail on errors, dead links and missing files, and publish nothing')
    .option('--force', 'replace an output folder that docbuild did not create')
    .option('--json', 'print one JSON object instead of text')
    .action(runSite);
  for (const { option, unit, usual, most, subject } of Object.values<LimitSetting>(LIMIT_SETTINGS)) {
    command.option(`${option} <${unit}>`, `limit for ${subject} (default: ${usual})`, (value) =>
      parseCount(value, most),
    );
  }
}

async function runSite(repository: string, flags: SiteFlags, command: Command): Promise<void> {
  const { json = false } = flags;
  const reporter = createProgressReporter({ stream: process.stderr, isQuiet: json });
  const given = readLimits(({ option }) => command.getOptionValue(camelCase(option)) as number | undefined);
  const { timeoutMs } = { ...DEFAULT_LIMITS, ...given };
  const stop = (): void => {
    reporter.end();
    printFailure(createTimeError(timeoutMs), json);
    process.exit(1);
  };
  // The engine ends by itself where it can tell the time, and keeps what it has rendered.
  setTimeout(stop, timeoutMs + GRACE_MS).unref();
  try {
    const { buildSite } = await import('../builder/index.ts');
    const summary = await buildSite({
      repository,
      out: flags.out,
      cacheFolder: flags.cache,
      sourceDir: flags.source,
      lang: flags.lang,
      refs: flags.refs,
      exclude: flags.exclude,
      latest: flags.latest,
      single: flags.single,
      title: flags.title,
      baseUrl: flags.baseUrl,
      codeHosts: createCodeHosts({ other: flags.codeHost }).patterns,
      jobs: flags.jobs,
      limits: given,
      strict: flags.strict,
      force: flags.force,
      environment: process.env,
      onProgress: reporter.report,
    });
    reporter.end();
    process.stdout.write(json ? `${JSON.stringify(summary)}\n` : formatSummary(summary, flags.out));
  } catch (error) {
    reporter.end();
    printFailure(error, json);
    process.exitCode = 1;
  }
}

/** Returns the name under which commander keeps an option's value. */
function camelCase(option: string): string {
  return option.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The user's cache folder (XDG base directories). */
function defaultCacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'docbuild');
}

function parseLanguages(value: string): readonly string[] {
  const codes = value.split(',').map((code) => code.trim());
  const bad = codes.find((code) => !isLanguageCode(code));
  if (bad !== undefined) throw new InvalidArgumentError(`"${bad}" is not a language code such as "en" or "zh_CN".`);
  return codes;
}

function parseCodeHost(value: string): string {
  if (CODE_HOST_IDS.includes(value)) return value;
  throw new InvalidArgumentError(`"${value}" is not one of ${CODE_HOST_IDS.join(', ')}.`);
}

function parseBaseUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new InvalidArgumentError('It must be an absolute http or https URL, such as https://docs.example.org/.');
  }
  const url = new URL(value);
  url.search = '';
  url.hash = '';
  return url.href;
}

function parseCount(value: string, most: number): number {
  const count = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(count >= 1 && count <= most)) throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  return count;
}
