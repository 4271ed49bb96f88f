import { BuildError } from '../build-error.ts';
import { type BuildLimits, parseCount } from '../build-limits.ts';
import { contentKey } from '../cache/content-key.ts';
import { type OwnTemplates, readOwnTemplates } from '../compose/own-templates.ts';
import type { Announcement } from '../compose/theme.ts';
import type { Ref, Repository } from '../model.ts';
import type { NameRule } from '../refs/name-versions.ts';
import type { RefUpdate } from '../refs/select-refs.ts';
import { parseHosts } from '../source/allowed-host.ts';
import { isLanguageCode } from '../source/language-tag.ts';
import type { ProjectFile } from '../source/project-file-schema.ts';
import type { HostUrlPatterns } from './links/host-urls.ts';
import type { Progress } from './progress.ts';

/** What to build and how; everything else is detected or has a default. */
export interface BuildOptions {
  /** URL, path of a repository, or path of a plain folder. */
  readonly repository: string;
  /** Output folder. */
  readonly out: string;
  /** Folder for data kept between builds: fetched repositories and rendered fragments. */
  readonly cacheFolder: string;
  /** Folder of the documentation in the repository; default: that of `.docbuild.yml`, else detected for each version. */
  readonly sourceDir?: string | undefined;
  /** Languages, the default one first; default: as set in `.docbuild.yml`, otherwise detected. */
  readonly lang?: readonly string[] | undefined;
  /** Names and globs separated by `|`; default: the default branch, branches that are versions by their names, and all tags. */
  readonly refs?: string | undefined;
  readonly exclude?: string | undefined;
  /** The ref that `latest` stands for; default: the repository's HEAD. */
  readonly latest?: string | undefined;
  /** What readers call versions; without a rule the name of the branch or tag. */
  readonly slug?: readonly NameRule[] | undefined;
  /** One version, without language and version in URLs. */
  readonly single?: boolean | undefined;
  readonly title?: string | undefined;
  /** A line above all pages. */
  readonly announcement?: Announcement | undefined;
  /** Hosts whose scripts, style sheets and fonts pages may load: names, `*.example.com` or `*`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Pages say when they were written; `true` = fetch the history of a remote, default: where the history is here. */
  readonly lastUpdated?: boolean | undefined;
  /** Templates that take the place of docbuild's own, by name. */
  readonly templates?: OwnTemplates | undefined;
  /** URL of a script that all pages load besides their own. */
  readonly liveScript?: string | undefined;
  /** Absolute URL of the output folder, for sitemap and canonical links. */
  readonly baseUrl?: string | undefined;
  /**
   * Absolute path with slashes around it, e.g. `/docs/guide/`: the site is served below it, too. A 404 page is shown at
   * any depth and must contain its root, so there is one for each root, here in `_docbuild/below/`.
   */
  readonly alsoBelow?: string | undefined;
  /**
   * URLs of the nav button's script and of the project's description; false = no button; default: a script of the site's
   * own that reads `versions.json`.
   */
  readonly button?: { readonly script: string; readonly api: string } | false | undefined;
  /** URL patterns of code hosts, the first match counts; without them pages have no edit links. */
  readonly codeHosts?: readonly HostUrlPatterns[] | undefined;
  /** Leave the repository's URL out of `versions.json`. */
  readonly hideGit?: boolean | undefined;
  /** Worker threads that highlight; default: one less than the cores, at least one. */
  readonly jobs?: number | undefined;
  /** Errors, dead links and missing files fail the build; nothing is published then. */
  readonly strict?: boolean | undefined;
  /** Replace an output folder that docbuild did not create. */
  readonly force?: boolean | undefined;
  /** How long to wait for another build that publishes to the output folder; default: not at all. */
  readonly outputWaitMs?: number | undefined;
  /** Where credentials are looked up. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<BuildLimits> | undefined;
  /** What the build is for, where somebody keeps account of what is published. */
  readonly refUpdate?: RefUpdate | undefined;
  readonly fatalPages?: readonly string[] | undefined; // Paths of pages that are left out, since they ended a process.
  /** Called right before what is published changes, which waits for it and does not happen if it rejects. */
  readonly beforePublish?: (() => Promise<void>) | undefined;
  /** Called after publishing with the refs of all published versions, in readers' order, and their commits. */
  readonly onPublished?: ((refs: readonly Ref[]) => void) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** What an option decides, and how it is set. */
export interface SiteOption {
  /**
   * `site`: what the site looks like; the option is part of `SiteSettings`. `input`: what it is built from. `run`: only
   * how the build runs. A change of a `site` or `input` option causes a new build.
   */
  readonly decides: 'site' | 'input' | 'run';
  /** Option of `docbuild site`; absent where only a program sets it. */
  readonly flag?: string;
  readonly help?: string;
  /** Returns the value of the flag's text. Throws `bad-option`. */
  readonly parse?: (text: string) => unknown;
  /** Key of `.docbuild.yml` that sets the same option. */
  readonly fileKey?: keyof ProjectFile;
  /** The key applies to each version separately; otherwise that of the default branch applies to the site. */
  readonly isOfVersion?: true;
  /** Returns the part of the value that decides the site; default: all of it. */
  readonly select?: (value: never) => unknown;
}

/** All options of a build, in the order in which the help shows them. */
export const SITE_OPTIONS = {
  repository: { decides: 'input' },
  out: { decides: 'run', flag: '-o, --out <folder>', help: 'folder to publish to; replaced in one step' },
  sourceDir: {
    decides: 'site',
    flag: '-s, --source <folder>',
    help: 'folder of the documentation in the repository (default: as set in .docbuild.yml, else detected for each version)',
    fileKey: 'sourceDir',
    isOfVersion: true,
  },
  lang: {
    decides: 'site',
    flag: '-l, --lang <codes>',
    help: 'languages, the default one first, e.g. en,zh_CN (default: detected)',
    parse: (text: string) => checkLanguages(text.split(',').map((code) => code.trim())),
    fileKey: 'lang',
  },
  refs: {
    decides: 'site',
    flag: '--refs <list>',
    help: "branches and tags to build, names and globs, e.g. 'main|v1.*', or '**' for all (default: the default branch, branches named after versions, all tags)",
    fileKey: 'refs',
  },
  exclude: {
    decides: 'site',
    flag: '--exclude <list>',
    help: "branches and tags to leave out, e.g. 'dependabot/**|test'",
    fileKey: 'excluded',
  },
  latest: {
    decides: 'site',
    flag: '--latest <ref>',
    help: "the version that 'latest' means (default: the repository's HEAD)",
    fileKey: 'latest',
  },
  slug: { decides: 'site', fileKey: 'slug' },
  single: {
    decides: 'site',
    flag: '--single',
    help: 'one version only, at the root, without language and version in URLs',
    fileKey: 'single',
  },
  title: {
    decides: 'site',
    flag: '--title <text>',
    help: "title of the site (default: as set in .docbuild.yml, else in the generator's settings, else the repository's name)",
    fileKey: 'title',
  },
  announcement: {
    decides: 'site',
    flag: '--announcement <text>',
    help: 'a line of plain text above all pages',
    parse: parseAnnouncement,
    fileKey: 'announcement',
  },
  allowedHosts: {
    decides: 'site',
    flag: '--allow-hosts <list>',
    help: 'hosts whose scripts, style sheets and fonts pages may load, e.g. fonts.example.com,*.cdn.example',
    parse: parseHosts,
    fileKey: 'allowedHosts',
  },
  lastUpdated: {
    decides: 'site',
    flag: '--last-updated',
    help: 'fetch the history of a remote repository, so that pages say when they were written',
    fileKey: 'lastUpdated',
  },
  templates: {
    decides: 'site',
    flag: '--templates <folder>',
    help: "folder of templates that take the place of docbuild's own",
    parse: readOwnTemplates,
  },
  liveScript: { decides: 'site' },
  baseUrl: {
    decides: 'site',
    flag: '--base-url <url>',
    help: 'URL at which the site will be published, for sitemap.xml and canonical links',
    parse: parseBaseUrl,
  },
  alsoBelow: { decides: 'site' },
  button: { decides: 'site' },
  codeHosts: { decides: 'site' },
  hideGit: { decides: 'site' },
  cacheFolder: { decides: 'run', flag: '--cache <folder>', help: 'folder kept between builds' },
  jobs: {
    decides: 'run',
    flag: '--jobs <n>',
    help: 'worker threads for highlighting (default: one less than the number of cores)',
    parse: (text: string) => parseCount(text, 64),
  },
  strict: {
    decides: 'run',
    flag: '--strict',
    help: 'fail on errors, dead links and missing files, and publish nothing',
  },
  force: { decides: 'run', flag: '--force', help: 'replace an output folder that docbuild did not create' },
  outputWaitMs: { decides: 'run' },
  environment: { decides: 'run' },
  limits: { decides: 'input', select: (limits: BuildLimits) => [...contentLimits(limits), limits.maxFetchBytes] },
  refUpdate: { decides: 'input', select: ({ update, isAsked = false }: RefUpdate) => [update ?? [], isAsked] },
  fatalPages: { decides: 'input' },
  beforePublish: { decides: 'run' },
  onPublished: { decides: 'run' },
  onProgress: { decides: 'run' },
} as const satisfies Readonly<Record<keyof BuildOptions, SiteOption>>;

type OptionName = keyof BuildOptions;
type SettingName = {
  [Name in OptionName]: (typeof SITE_OPTIONS)[Name]['decides'] extends 'site' ? Name : never;
}[OptionName];

const OPTIONS = Object.entries(SITE_OPTIONS) as readonly (readonly [OptionName, SiteOption])[];

/** The settings of the whole site: from the command, otherwise from the default branch's `.docbuild.yml`. */
export interface SiteSettings extends Omit<{ readonly [Name in SettingName]: BuildOptions[Name] }, 'title' | 'single'> {
  /** undefined = the generator's settings decide, or `repositoryTitle`. */
  readonly title: string | undefined;
  readonly repositoryTitle: string;
  readonly single: boolean;
  /** With a final `/`. */
  readonly baseUrl: string | undefined;
  readonly theme: NonNullable<ProjectFile['theme']>;
}

/** Merges the command's options with the project file; the command takes precedence, exclusions are combined. */
export function joinSettings(options: BuildOptions, file: ProjectFile, repositoryTitle: string): SiteSettings {
  if (options.lang) checkLanguages(options.lang);
  const settings = OPTIONS.filter(([, { decides }]) => decides === 'site').map(([name, { fileKey, isOfVersion }]) => {
    const other = fileKey === undefined || isOfVersion ? undefined : file[fileKey];
    return [name, options[name] ?? other] as const;
  });
  const joined = Object.fromEntries(settings) as Pick<BuildOptions, SettingName>;
  const exclude = [options.exclude, file.excluded].filter((list) => list !== undefined && list !== '').join('|');
  return {
    ...(joined as Required<typeof joined>),
    title: joined.title,
    repositoryTitle,
    single: joined.single ?? false,
    exclude: exclude === '' ? undefined : exclude,
    baseUrl: joined.baseUrl?.replace(/\/*$/, '/'),
    theme: file.theme ?? {},
  };
}

/** Returns a hash of all external inputs of a build: equal inputs, equal site. */
export function fingerprintInputs(
  options: BuildOptions & { readonly limits: BuildLimits },
  repository: Pick<Repository, 'head' | 'webUrl' | 'refs'> & { readonly title: string },
  engineVersion: string,
): string {
  const deciding = OPTIONS.filter(([, { decides }]) => decides !== 'run').map(([name, { select }]) => {
    const value = options[name];
    return [name, value === undefined || select === undefined ? value : select(value as never)] as const;
  });
  return contentKey(
    engineVersion,
    JSON.stringify(deciding),
    JSON.stringify([repository.head, repository.webUrl, repository.title]),
    repository.refs.map(({ name, kind, oid }) => `${kind} ${name} ${oid}`).join('\n'),
  );
}

/** Returns a hash of engine and settings; the notes of the last build are valid only while it is unchanged. */
export function fingerprintSettings(settings: SiteSettings, limits: BuildLimits, engineVersion: string): string {
  return contentKey(engineVersion, JSON.stringify([settings, contentLimits(limits)]));
}

/** Returns the limits that decide what is published; the others decide only whether it is. */
function contentLimits(limits: BuildLimits): readonly number[] {
  const { maxFiles, maxDepth, maxPageBytes, maxFileBytes, maxOutputBytes } = limits;
  return [maxFiles, maxDepth, maxPageBytes, maxFileBytes, maxOutputBytes];
}

function checkLanguages(codes: readonly string[]): readonly string[] {
  const bad = codes.find((code) => !isLanguageCode(code));
  if (bad === undefined) return codes;
  throw new BuildError('bad-option', `"${bad}" is not a language code such as "en" or "zh_CN"`);
}

function parseAnnouncement(text: string): Announcement {
  if (text.trim() !== '' && text.length <= 500) return { text: text.trim() };
  throw new BuildError('bad-option', 'It must have 1 to 500 characters');
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    const what = 'an absolute http or https URL without user name and password';
    throw new BuildError('bad-option', `It must be ${what}, such as https://docs.example.org/`);
  }
  return Object.assign(url, { search: '', hash: '' }).href;
}
