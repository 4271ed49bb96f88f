import type { BuildLimits } from '../build-limits.ts';
import type { Generator, Ref, SourceError, Warning } from '../model.ts';
import type { RefUpdate } from '../refs/update-refs.ts';

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

/** The stages of a build in their order. */
export const STAGES = ['open', 'fetch', 'read', 'render', 'compose', 'publish'] as const;
export type Stage = (typeof STAGES)[number];
/** What people are told a stage is doing. */
export const STAGE_LABELS: Readonly<Record<Stage, string>> = {
  open: 'Opening the repository',
  fetch: 'Fetching versions',
  read: 'Reading versions',
  render: 'Rendering pages',
  compose: 'Composing versions',
  publish: 'Publishing',
};

/** How far a stage is; `total` may grow while it runs. */
export interface Progress {
  readonly stage: Stage;
  readonly done: number;
  readonly total: number;
  /** What came from a server since the stage began; absent where nothing did. */
  readonly bytes?: number;
}

/** A folder that documentation was taken from. */
export interface UsedSource {
  /** From the repository's root; '' is the root itself. */
  readonly folder: string;
  readonly generator: Generator | undefined;
  /** Only the README files in the folder are pages. */
  readonly isReadmeOnly: boolean;
  /** The versions, the latest one first. */
  readonly refs: readonly string[];
}

/** What a build did. Counts are of this run; `ms` are wall time. */
export interface BuildSummary {
  /** Where the documentation is, the latest version's first. */
  readonly sources: readonly UsedSource[];
  /** Number of versions, `latest` not counted. */
  readonly versions: number;
  readonly languages: number;
  /** Pages over all versions and languages, fallback pages not counted. */
  readonly pages: number;
  /** Pages shown in the default language because a translation is missing. */
  readonly fallbacks: number;
  /** Pages whose Markdown was rendered in this run. */
  readonly rendered: number;
  /** Pages that needed no rendering: in the cache, in another version, or unchanged. */
  readonly reused: number;
  /** What is not published as its authors meant, by version, file and line. */
  readonly errors: readonly SourceError[];
  /** What else they should know, in the same order. */
  readonly warnings: readonly Warning[];
  /** Size of the site on disk, each distinct file counted once. */
  readonly bytes: number;
  readonly ms: number;
  readonly stages: Readonly<Record<Stage, number>>;
}
