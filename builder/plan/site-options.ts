import type * as z from 'zod';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { BuildError } from '../build-error.ts';
import { type BuildLimits, parseCount } from '../build-limits.ts';
import { contentKey } from '../cache/content-key.ts';
import { type OwnTemplates, readOwnTemplates } from '../compose/own-templates.ts';
import { SIDEBAR_CHOICES } from '../compose/render-sidebar.ts';
import type { Announcement } from '../compose/theme.ts';
import { type ConfigFile, readConfigFile } from '../extensions/config-file.ts';
import { isLanguageCode } from '../language-tag.ts';
import type { Ref, Repository } from '../model.ts';
import type { NameRule } from '../refs/name-versions.ts';
import type { RefUpdate } from '../refs/select-refs.ts';
import { HOST_PATTERN, parseHosts } from '../source/allowed-host.ts';
import type { Problems } from './build-summary.ts';
import type { HostUrlPatterns } from './links/host-urls.ts';
import type { Progress } from './progress.ts';
import type { OwnKeys, Schemas } from './project-file-schema.ts';

/** The effect of an option, and the ways to set it. */
export interface SiteOption {
  /**
   * `site`: what the site looks like; the option is part of `SiteSettings`. `input`: what it is built from. `run`: only
   * how the build runs. A change of a `site` or `input` option causes a new build.
   */
  readonly decides: 'site' | 'input' | 'run';
  /** Carries the type of its value; default: what `check` accepts. */
  readonly type?: () => unknown;
  /** Option of `docbuild site`; absent where only a program sets it. */
  readonly flag?: string;
  readonly help?: string;
  /** All values of the flag. */
  readonly choices?: readonly string[];
  /** Returns the value of the flag's text. Throws `bad-option`. */
  readonly parse?: (text: string) => unknown;
  /** Key of `.docbuild.yml` that sets the same option. */
  readonly key?: string;
  /** Returns the schema of the key. The library that schemas are made of is loaded where there is such a file. */
  readonly check?: (schemas: Schemas) => z.ZodType;
  /** The key applies to each version separately; otherwise that of the default branch applies to the site. */
  readonly isOfVersion?: true;
  /** Returns the part of the value that decides the site; default: all of it. */
  readonly select?: (value: never) => unknown;
}

/** The type of an option's value. */
const like = <Value>() => undefined as unknown as () => Value;

/** Most rules for the names of versions, and most `*` of one. */
const MAX_RULES = 100;
const MAX_STARS = 5;
const FULL_CHOICES = ['latest', 'all', 'none'] as const;

/** All options of a build, in the order in which the help shows them. */
export const SITE_OPTIONS = {
  /** URL, path of a repository, or path of a plain folder. */
  repository: { decides: 'input', type: like<string>() },
  /** Output folder. */
  out: {
    decides: 'run',
    type: like<string>(),
    flag: '-o, --out <folder>',
    help: 'folder to publish to; replaced in one step',
  },
  /** Folder of the documentation in the repository; default: that of `.docbuild.yml`, else detected for each version. */
  sourceDir: {
    decides: 'site',
    flag: '-s, --source <folder>',
    help: 'folder of the documentation in the repository (default: as set in .docbuild.yml, else detected for each version)',
    key: 'sourceDir',
    check: ({ z }) =>
      z
        .string()
        .max(500, 'must not have more than 500 characters')
        .refine(
          (path) => !path.startsWith('/') && !path.split('/').includes('..'),
          'must be a path inside the repository',
        )
        .transform((path) => trimCharacters(path.replace(/^\.\//, ''), '/')),
    isOfVersion: true,
  },
  /** Languages, the default one first; default: as set in `.docbuild.yml`, otherwise detected. */
  lang: {
    decides: 'site',
    flag: '-l, --lang <codes>',
    help: 'languages, the default one first, e.g. en,zh_CN (default: detected)',
    parse: (text: string) => checkLanguages(splitList(text)),
    key: 'lang',
    check: ({ z, languageCode }) =>
      z
        .union([z.array(z.string()), z.string().max(1000).transform(splitList)], 'must be a list of language codes')
        .pipe(
          z
            .array(languageCode)
            .min(1, 'must name at least one language')
            .max(100, 'must not name more than 100 languages'),
        ),
  },
  /** Names and globs separated by `|`; default: the default branch, branches that are versions by their names, and all tags. */
  refs: {
    decides: 'site',
    flag: '--refs <list>',
    help: "branches and tags to build, names and globs, e.g. 'main|v1.*', or '**' for all (default: the default branch, branches named after versions, all tags)",
    key: 'refs',
    check: ({ refList }) => refList,
  },
  exclude: {
    decides: 'site',
    flag: '--exclude <list>',
    help: "branches and tags to leave out, e.g. 'dependabot/**|test'",
    key: 'excluded',
    check: ({ refList }) => refList,
  },
  /** The ref that `latest` stands for; default: the repository's HEAD. */
  latest: {
    decides: 'site',
    flag: '--latest <ref>',
    help: "the version that 'latest' means (default: the repository's HEAD)",
    key: 'latest',
    check: ({ text }) => text,
  },
  /** Rules for the names of versions; without one the name of the branch or tag. */
  slug: {
    decides: 'site',
    key: 'slug',
    check: ({ z, text }) =>
      z
        .record(text.refine(hasFewStars, { message: `must not have more than ${MAX_STARS} "*"` }), text)
        .refine((rules) => Object.keys(rules).length <= MAX_RULES, `must not have more than ${MAX_RULES} rules`)
        .transform((rules) => Object.entries(rules).map(([pattern, name]): NameRule => ({ pattern, name }))),
  },
  /** One version, without language and version in URLs. */
  single: {
    decides: 'site',
    flag: '--single',
    help: 'one version only, at the root, without language and version in URLs',
    key: 'single',
    check: ({ z }) => z.boolean(),
  },
  title: {
    decides: 'site',
    flag: '--title <text>',
    help: "title of the site (default: as set in .docbuild.yml, else in the generator's settings, else the repository's name)",
    key: 'title',
    check: ({ text }) => text,
  },
  /** A line above all pages. */
  announcement: {
    decides: 'site',
    type: like<Announcement>(),
    flag: '--announcement <text>',
    help: 'a line of plain text above all pages',
    parse: parseAnnouncement,
    key: 'announcement',
    check: ({ z, text }) =>
      z.union(
        [text.transform((line) => ({ text: line })), z.strictObject({ text, url: text.optional() })],
        'must be a line of text, or a text with the URL it links to',
      ),
  },
  /** Hosts whose scripts, style sheets and fonts pages may load: names, `*.example.com` or `*`. */
  allowedHosts: {
    decides: 'site',
    flag: '--allow-hosts <list>',
    help: 'hosts whose scripts, style sheets and fonts pages may load, e.g. fonts.example.com,*.cdn.example',
    parse: parseHosts,
    key: 'allowedHosts',
    check: ({ z, text }) =>
      z
        .array(text.toLowerCase().regex(HOST_PATTERN, 'is not a host such as "fonts.example.com"'))
        .max(100, 'must not name more than 100 hosts'),
  },
  /** Pages say when they were written; `true` = fetch the history of a remote, default: where the history is here. */
  lastUpdated: {
    decides: 'site',
    flag: '--last-updated',
    help: 'fetch the history of a remote repository, so that pages say when they were written',
    key: 'lastUpdated',
    check: ({ z }) => z.boolean(),
  },
  /** Headings that are newer than the oldest release say since which one they are there. */
  since: {
    decides: 'site',
    flag: '--since',
    help: 'say at headings with which version they came',
    key: 'since',
    check: ({ z }) => z.boolean(),
  },
  /** Each page has its Markdown beside it, and releases have lists of it, for programs; default: true. */
  machines: {
    decides: 'site',
    key: 'machines',
    check: ({ z }) => z.boolean(),
  },
  /** Extent of the sidebar; default: its size decides. */
  sidebar: {
    decides: 'site',
    key: 'sidebar',
    check: ({ z }) => z.enum(SIDEBAR_CHOICES, 'must be "section" or "all"'),
  },
  /** Versions whose Markdown is in one file each, `llms-full.txt`; default: the latest. */
  llmsFull: {
    decides: 'site',
    type: like<(typeof FULL_CHOICES)[number]>(),
    flag: '--llms-full <versions>',
    help: 'versions that get all their Markdown in one file, llms-full.txt (default: latest)',
    choices: FULL_CHOICES,
  },
  /** Globs of files that all versions show as the latest version has them. */
  evergreen: {
    decides: 'site',
    key: 'evergreen',
    check: ({ z, text }) =>
      z
        .array(text.refine((pattern) => !pattern.split('/').includes('..'), 'must be a path below the source folder'))
        .max(MAX_RULES, `must not have more than ${MAX_RULES} patterns`),
  },
  /** Templates that take the place of docbuild's own, by name. */
  templates: {
    decides: 'site',
    type: like<OwnTemplates>(),
    flag: '--templates <folder>',
    help: "folder of templates that take the place of docbuild's own",
    parse: readOwnTemplates,
  },
  /** Extensions that are code: a configuration of whoever runs the build, never one of a repository that was not asked for. */
  config: {
    decides: 'site',
    type: like<ConfigFile>(),
    flag: '--config <file>',
    help: 'extensions to build with, a script that is run (default: docbuild.config.mjs, .js or .ts in the repository, if that is the current folder)',
    parse: readConfigFile,
  },
  /** URL of a script that all pages load besides their own. */
  liveScript: { decides: 'site', type: like<string>() },
  /** Absolute URL of the output folder, for sitemap and canonical links. */
  baseUrl: {
    decides: 'site',
    type: like<string>(),
    flag: '--base-url <url>',
    help: 'URL at which the site will be published, for sitemap.xml and canonical links',
    parse: parseBaseUrl,
  },
  /**
   * Absolute path with slashes around it, e.g. `/docs/guide/`: the site is served below it, too. A 404 page is shown at
   * any depth and must contain its root, so there is one for each root, here in `_docbuild/below/`.
   */
  alsoBelow: { decides: 'site', type: like<string>() },
  /**
   * URLs of the nav button's script and of the project's description; false = no button; default: a script of the site's
   * own that reads `versions.json`.
   */
  button: { decides: 'site', type: like<{ readonly script: string; readonly api: string } | false>() },
  /** URL patterns of code hosts, the first match counts; without them pages have no edit links. */
  codeHosts: { decides: 'site', type: like<readonly HostUrlPatterns[]>() },
  /** Leave the repository's URL out of `versions.json`. */
  hideGit: { decides: 'site', type: like<boolean>() },
  /** Folder for data kept between builds: fetched repositories and rendered fragments. */
  cacheFolder: { decides: 'run', type: like<string>(), flag: '--cache <folder>', help: 'folder kept between builds' },
  /** Worker threads that highlight; default: one less than the cores, at least one. */
  jobs: {
    decides: 'run',
    type: like<number>(),
    flag: '--jobs <n>',
    help: 'worker threads for highlighting (default: one less than the number of cores)',
    parse: (text: string) => parseCount(text, 64),
  },
  /** Errors, dead links and missing files fail the build; nothing is published then. */
  strict: {
    decides: 'run',
    type: like<boolean>(),
    flag: '--strict',
    help: 'fail on errors, dead links and missing files, and publish nothing',
  },
  /** Replace an output folder that docbuild did not create. */
  force: {
    decides: 'run',
    type: like<boolean>(),
    flag: '--force',
    help: 'replace an output folder that docbuild did not create',
  },
  /** How long to wait for another build that publishes to the output folder; default: not at all. */
  outputWaitMs: { decides: 'run', type: like<number>() },
  /** Where credentials are looked up. */
  environment: { decides: 'run', type: like<Readonly<Record<string, string | undefined>>>() },
  /** Default: `DEFAULT_LIMITS`. */
  limits: {
    decides: 'input',
    type: like<Partial<BuildLimits>>(),
    select: (limits: BuildLimits) => [...contentLimits(limits), limits.maxFetchBytes],
  },
  /** The reason for the build, where somebody keeps account of published versions. */
  refUpdate: {
    decides: 'input',
    type: like<RefUpdate>(),
    select: ({ update, isAsked = false }: RefUpdate) => [update ?? [], isAsked],
  },
  /** Paths of pages that are left out, since they ended a process. */
  fatalPages: { decides: 'input', type: like<readonly string[]>() },
  /** Called right before what is published changes, which waits for it and does not happen if it rejects. */
  beforePublish: { decides: 'run', type: like<() => Promise<void>>() },
  /** Called after publishing with the refs of all published versions, in readers' order, and their commits. */
  onPublished: { decides: 'run', type: like<(refs: readonly Ref[]) => void>() },
  /** Whether the next build is prepared, for which nobody waits then; default: the next one does that itself. */
  preparesNext: { decides: 'run', type: like<boolean>() },
  /** Called with all problems before `strict` fails for them. */
  onProblems: { decides: 'run', type: like<(found: Problems) => void>() },
  /** Ends the build where it is: it throws `interrupted`, and what is published stays, unless it had been exchanged by then. */
  signal: { decides: 'run', type: like<AbortSignal>() },
  /** Called at the end of a build that could not keep all that it made for the next one, which makes it again. */
  onCacheFailure: { decides: 'run', type: like<(error: Error) => void>() },
  onProgress: { decides: 'run', type: like<(progress: Progress) => void>() },
} as const satisfies Readonly<Record<string, SiteOption>>;

type Options = typeof SITE_OPTIONS;
type OptionName = keyof Options;
type ValueOf<Option> = Option extends { readonly type: () => infer Value }
  ? Value
  : Option extends { readonly check: (schemas: never) => z.ZodType<infer Value> }
    ? Value extends readonly (infer Item)[]
      ? readonly Item[]
      : Value
    : never;

/** All options of a build; everything that is not given is detected or has a default. */
export type BuildOptions = {
  readonly [Name in OptionName]?: ValueOf<Options[Name]> | undefined;
} & { readonly [Name in 'repository' | 'out' | 'cacheFolder']: string };

/** The options in `.docbuild.yml`. */
export type FileOptions = {
  readonly [Name in OptionName as Options[Name] extends { readonly key: infer Key extends string } ? Key : never]?:
    | ValueOf<Options[Name]>
    | undefined;
};

/** The content of `.docbuild.yml`; missing keys are undefined. */
export interface ProjectFile extends FileOptions, OwnKeys {
  /** Lines of `redirects`, by their keys. */
  readonly redirectLines?: Readonly<Record<string, number>>;
  /** Lines of what `extensions` holds, by `NAME.KEY`. */
  readonly extensionLines?: Readonly<Record<string, number>>;
}

type SettingName = {
  [Name in OptionName]: Options[Name]['decides'] extends 'site' ? Name : never;
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
  const settings = OPTIONS.filter(([, { decides }]) => decides === 'site').map(([name, { key, isOfVersion }]) => {
    const other = key === undefined || isOfVersion ? undefined : file[key as keyof FileOptions];
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
    baseUrl: joined.baseUrl?.replace(/(?<!\/)\/*$/, '/'),
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

function splitList(text: string): string[] {
  return text.split(',').map((code) => code.trim());
}

function hasFewStars(pattern: string): boolean {
  return pattern.split('*').length <= MAX_STARS + 1;
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
