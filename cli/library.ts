import {
  buildSite as build,
  inspectRepository as inspect,
  readConfigFile,
  readOwnTemplates,
  SITE_OPTIONS,
} from '../builder/index.ts';
import {
  BuildError,
  type BuildLimits,
  type BuildSummary,
  type Progress,
  type RepositoryReport,
} from '../builder/public.ts';
import { createCodeHosts } from '../platform/code-hosts/code-hosts.ts';
import { findCacheFolder } from './cache-folder.ts';

export * from '../builder/public.ts';

/**
 * Options of `buildSite`. All but `repository` and `out` may be left out: what is not given is as `.docbuild.yml` says, or
 * detected, as on the command line.
 */
export interface SiteOptions {
  /** http(s) URL, path of a local repository, or path of a plain folder. */
  readonly repository: string;
  /** Folder to publish to, replaced in one step. It must be new, empty, or one that docbuild has published to; see `force`. */
  readonly out: string;
  /** Folder for what is kept between builds: fetched repositories, rendered pages. Default: `docbuild` in the user's cache folder. */
  readonly cacheFolder?: string;
  /** Folder of the documentation in the repository, e.g. `docs`. */
  readonly sourceDir?: string;
  /** Languages, the default one first, e.g. `['en', 'zh_CN']`. */
  readonly lang?: readonly string[];
  /** Branches and tags to build: names and globs separated by `|`, e.g. `main|v1.*`; `**` stands for all. */
  readonly refs?: string;
  /** Branches and tags to leave out, in the same form. */
  readonly exclude?: string;
  /** The branch or tag that `latest` means. */
  readonly latest?: string;
  /** One version only, at the root, without language and version in URLs. */
  readonly single?: boolean;
  /** Title of the site. */
  readonly title?: string;
  /** A line above all pages. */
  readonly announcement?: { readonly text: string; readonly url?: string };
  /** Hosts whose scripts, style sheets and fonts pages may load: names, `*.example.com` or `*`. */
  readonly allowedHosts?: readonly string[];
  /** Fetch the history of a remote repository, so that pages say when they were written. */
  readonly lastUpdated?: boolean;
  /** Say at headings with which version they came. */
  readonly since?: boolean;
  /** Versions that get all their Markdown in one file, `llms-full.txt`; default: `latest`. */
  readonly llmsFull?: 'latest' | 'all' | 'none';
  /** Folder of templates that take the place of docbuild's own. */
  readonly templates?: string;
  /** Script with extensions, which is run: `docbuild.config.mjs`. Without it none is run, in no folder. */
  readonly config?: string;
  /** Absolute URL at which the site will be published, for `sitemap.xml` and canonical links. */
  readonly baseUrl?: string;
  /** Code host that the repository's server runs, for edit links, if its name does not show it, e.g. `gitlab`. */
  readonly codeHost?: string;
  /** Worker threads that highlight code, 1 to 64; default: one less than the machine has cores, at least one. */
  readonly jobs?: number;
  /** Errors, dead links and missing files make the build fail, and nothing is published. */
  readonly strict?: boolean;
  /** Replace an output folder that docbuild did not create. */
  readonly force?: boolean;
  /** How long to wait for another build that publishes to `out`, in ms; default: not at all. */
  readonly outputWaitMs?: number;
  readonly limits?: Partial<BuildLimits>;
  /** Where credentials are looked up: `DOCBUILD_GIT_USERNAME`, `DOCBUILD_GIT_TOKEN`. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Is called as the build goes on. */
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Builds the documentation of a repository, all chosen versions in all languages, and publishes it to the folder `out` in one step.
 * Problems of pages are in the summary. Throws `BuildError` for what ends a build; the site published before then stays as it was.
 */
export async function buildSite(options: SiteOptions): Promise<BuildSummary> {
  const { cacheFolder, templates, config, baseUrl, codeHost, jobs, environment = process.env, ...others } = options;
  for (const name of ['repository', 'out'] as const) {
    if (typeof options[name] !== 'string' || options[name] === '') throw badOption(name, 'It must be a path or a URL');
  }
  return build(
    {
      ...others,
      environment,
      cacheFolder: cacheFolder ?? defaultCacheFolder(),
      codeHosts: parse('codeHost', () => createCodeHosts({ other: codeHost }).patterns),
      ...(templates !== undefined && { templates: parse('templates', () => readOwnTemplates(templates)) }),
      ...(config !== undefined && { config: readConfigFile(config) }),
      ...(baseUrl !== undefined && { baseUrl: parse('baseUrl', () => SITE_OPTIONS.baseUrl.parse(baseUrl)) }),
      ...(jobs !== undefined && { jobs: parse('jobs', () => SITE_OPTIONS.jobs.parse(String(jobs))) }),
    },
    WORDS,
  );
}

/**
 * Looks at a repository without building it: its refs, and in its default branch the folder of the documentation with its languages. Of
 * a remote one, folders are fetched, and of files only configurations. Throws `BuildError`.
 */
export async function inspectRepository(
  options: Pick<SiteOptions, 'repository' | 'cacheFolder' | 'sourceDir' | 'lang' | 'exclude' | 'limits'>,
): Promise<RepositoryReport> {
  return inspect({ ...options, cacheFolder: options.cacheFolder ?? defaultCacheFolder() });
}

/** Names of options in messages that advise to change them. */
const WORDS = Object.fromEntries(
  [
    ...[
      'timeoutMs',
      'maxFetchBytes',
      'maxFiles',
      'maxDepth',
      'maxPageBytes',
      'maxFileBytes',
      'maxOutputBytes',
      'maxCacheBytes',
    ].map((name) => [name, `limits.${name}`]),
    ...['sourceDir', 'lang', 'refs', 'exclude', 'latest'].map((name) => [name, name]),
  ].map(([name, word]) => [name, `the option "${word}"`]),
);

function defaultCacheFolder(): string {
  const folder = findCacheFolder();
  if (folder === undefined) throw badOption('cacheFolder', 'It is needed, since this user has no home folder');
  return folder;
}

/** Returns what an option means; what is wrong with it is said with its name. */
function parse<T>(name: keyof SiteOptions, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw badOption(name, (error as Error).message, error);
  }
}

function badOption(name: keyof SiteOptions, message: string, cause?: unknown): BuildError {
  return new BuildError('bad-option', `Option "${name}": ${message}`, { cause });
}
