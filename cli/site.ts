import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { isLanguageCode } from '../builder/index.ts';
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
  readonly jobs?: number;
  readonly maxOutput?: number;
  readonly strict?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Adds `docbuild site`: one repository to one folder of static files. */
export function addSiteCommand(program: Command): void {
  program
    .command('site')
    .description('build the documentation of a repository, all versions and languages, into a folder of static files')
    .argument('<repository>', 'https URL, path of a repository, or path of a plain folder')
    .requiredOption('-o, --out <folder>', 'folder to publish to; replaced in one step')
    .option(
      '-s, --source <folder>',
      "folder of the documentation in the repository (default: .docbuild.yml's, else found out for each version)",
    )
    .option(
      '-l, --lang <codes>',
      'languages, the default one first, e.g. en,zh_CN (default: found out)',
      parseLanguages,
    )
    .option('--refs <list>', "branches and tags to build, names and globs, e.g. 'main|v1.*' (default: all)")
    .option('--exclude <list>', "branches and tags to leave out, e.g. 'dependabot/**|test'")
    .option('--latest <ref>', "the version that 'latest' stands for (default: the repository's HEAD)")
    .option('--single', 'one version only, at the root, without language and version in addresses')
    .option('--title <text>', "title of the site (default: .docbuild.yml's, else the repository's name)")
    .option('--base-url <url>', 'where the site will stand, for sitemap.xml and canonical links', parseBaseUrl)
    .option('--cache <folder>', 'folder for what is kept between builds', defaultCacheFolder())
    .option('--jobs <n>', 'worker threads for highlighting (default: one less than the cores)', parseJobs)
    .option('--max-output <MB>', 'how much one build may write (default: 1000)', parseMegabytes)
    .option('--strict', 'dead links and missing files fail the build')
    .option('--force', 'replace an output folder that docbuild did not make')
    .option('--json', 'print one JSON object instead of text')
    .action(runSite);
}

async function runSite(repository: string, flags: SiteFlags): Promise<void> {
  const { json = false } = flags;
  const reporter = createProgressReporter({ stream: process.stderr, isQuiet: json });
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
      jobs: flags.jobs,
      limits: flags.maxOutput === undefined ? undefined : { maxOutputBytes: flags.maxOutput * 1e6 },
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

function parseBaseUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new InvalidArgumentError('It must be an absolute http or https address, such as https://docs.example.org/.');
  }
  const url = new URL(value);
  url.search = '';
  url.hash = '';
  return url.href;
}

function parseJobs(value: string): number {
  const jobs = Number(value);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 64)
    throw new InvalidArgumentError('It must be a number from 1 to 64.');
  return jobs;
}

function parseMegabytes(value: string): number {
  const size = Number(value);
  if (!Number.isInteger(size) || size < 1 || size > 1_000_000)
    throw new InvalidArgumentError('It must be a number of megabytes from 1 to 1000000.');
  return size;
}
