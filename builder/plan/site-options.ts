import { resolve } from 'node:path';
import { BuildError } from '../build-error.ts';
import type { BuildLimits } from '../build-limits.ts';
import { contentKey } from '../cache/content-key.ts';
import type { Ref, Repository } from '../model.ts';
import type { RefUpdate } from '../refs/update-refs.ts';
import { isLanguageCode } from '../source/language-tag.ts';
import type { ProjectFile } from '../source/project-file-schema.ts';
import type { HostUrlPatterns } from './links/host-urls.ts';
import type { Progress } from './progress.ts';
import { contentLimits } from './site.ts';

/** What to build and how; everything that is left out is found in the repository or has a default. */
export interface BuildOptions {
  /** URL, path of a repository, or path of a plain folder. */
  readonly repository: string;
  /** Output folder. */
  readonly out: string;
  /** Folder for what may be kept between builds: fetched repositories and rendered fragments. */
  readonly cacheFolder: string;
  /** Folder of the documentation in the repository; default: what `.docbuild.yml` says, else where each version's pages are. */
  readonly sourceDir?: string | undefined;
  /** Languages, the default one first; default: what `.docbuild.yml` says, else what the tree shows. */
  readonly lang?: readonly string[] | undefined;
  /** Names and globs separated by `|`; default: all branches and tags. */
  readonly refs?: string | undefined;
  readonly exclude?: string | undefined;
  /** The ref that `latest` stands for; default: the repository's HEAD. */
  readonly latest?: string | undefined;
  /** One version, without language and version in addresses. */
  readonly single?: boolean | undefined;
  readonly title?: string | undefined;
  /** Absolute address of the output folder, for sitemap and canonical links. */
  readonly baseUrl?: string | undefined;
  /**
   * Absolute path with slashes around it, e.g. `/docs/guide/`: the site is served below it, too. A page for what does not
   * exist is shown at any depth and so must know the root: there is one for each, here in `_docbuild/below/`.
   */
  readonly alsoBelow?: string | undefined;
  /**
   * Addresses of the nav button's script and of the project's description; false = no button; default: a script of the
   * site's own that reads `versions.json`.
   */
  readonly button?: { readonly script: string; readonly api: string } | false | undefined;
  /**
   * URLs at code hosts, the first match counts; the engine knows none of its own, and without them there are no links to
   * edit pages.
   */
  readonly codeHosts?: readonly HostUrlPatterns[] | undefined;
  /** Leave the repository's address out of `versions.json`. */
  readonly hideGit?: boolean | undefined;
  /** Worker threads that highlight; default: one less than the cores, at least one. */
  readonly jobs?: number | undefined;
  /** Errors, dead links and missing files fail the build; nothing is published then. */
  readonly strict?: boolean | undefined;
  /** Replace an output folder that docbuild did not make. */
  readonly force?: boolean | undefined;
  /** How long to wait for another build that publishes to the output folder; default: not at all. */
  readonly outputWaitMs?: number | undefined;
  /** Where credentials are looked up. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** What is left out is as in `DEFAULT_LIMITS`. */
  readonly limits?: Partial<BuildLimits> | undefined;
  /** Build some versions anew and leave the others as they are published; then `refs` counts for nothing. */
  readonly refUpdate?: RefUpdate | undefined;
  /** Told the refs whose versions are published, with their commits, once they are. */
  readonly onPublished?: ((refs: readonly Ref[]) => void) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** What holds for the whole site: from the command, else from the default branch's `.docbuild.yml`. */
export interface SiteSettings {
  readonly title: string;
  readonly lang: readonly string[] | undefined;
  readonly latest: string | undefined;
  readonly single: boolean;
  readonly refs: string | undefined;
  readonly exclude: string | undefined;
  /** With a final `/`. */
  readonly baseUrl: string | undefined;
  /** See `BuildOptions`. */
  readonly alsoBelow: string | undefined;
  readonly theme: NonNullable<ProjectFile['theme']>;
  readonly button: BuildOptions['button'];
  readonly codeHosts: readonly HostUrlPatterns[];
}

/** Joins the command's options with the project file; the command wins, exclusions add up. */
export function joinSettings(options: BuildOptions, file: ProjectFile, fallbackTitle: string): SiteSettings {
  const badCode = options.lang?.find((code) => !isLanguageCode(code));
  if (badCode !== undefined) {
    throw new BuildError('bad-option', `"${badCode}" is not a language code such as "en" or "zh_CN"`);
  }
  const exclude = [options.exclude, file.excluded].filter((list) => list !== undefined && list !== '').join('|');
  return {
    title: options.title ?? file.title ?? fallbackTitle,
    lang: options.lang ?? file.lang,
    latest: options.latest ?? file.latest,
    single: options.single ?? file.single ?? false,
    refs: options.refs,
    exclude: exclude === '' ? undefined : exclude,
    baseUrl: options.baseUrl?.replace(/\/*$/, '/'),
    alsoBelow: options.alsoBelow,
    theme: file.theme ?? {},
    button: options.button,
    codeHosts: options.codeHosts ?? [],
  };
}

/** Returns a title from a repository's location: `https://host/o/my-docs.git` → `My docs`; `.` is the folder it leads to. */
export function findTitle({ kind, label }: Pick<Repository, 'kind' | 'label'>): string {
  const name = (kind === 'remote' ? label : resolve(label))
    .replace(/[/\\]+$/, '')
    .replace(/(?:\/|^)\.git$/, '')
    .split(/[/\\:]/)
    .pop()!
    .replace(/\.(?:git|bundle)$/, '');
  const words = name.replace(/[-_]+/g, ' ').trim();
  return words === '' ? 'Documentation' : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns a hash of everything a build looks at from outside. */
export function fingerprintInputs(
  options: BuildOptions & { readonly limits: BuildLimits },
  repository: Repository,
  engineVersion: string,
): string {
  const { repository: location, sourceDir, lang, refs, exclude, latest, single, title, baseUrl } = options;
  return contentKey(
    engineVersion,
    JSON.stringify([
      location,
      sourceDir,
      lang,
      refs,
      exclude,
      latest,
      single,
      title,
      baseUrl,
      options.button,
      options.hideGit,
      options.alsoBelow,
      options.codeHosts,
      contentLimits(options.limits),
      options.refUpdate?.update ?? [],
      options.refUpdate?.remove ?? [],
    ]),
    JSON.stringify([repository.head, repository.webUrl, findTitle(repository)]),
    repository.refs.map(({ name, kind, oid }) => `${kind} ${name} ${oid}`).join('\n'),
  );
}
