import { BuildError, formatBuildError } from './build-error.ts';
import { type BuildLimits, DEFAULT_LIMITS } from './build-limits.ts';
import type { Generator } from './generators/generators.ts';
import type { ObjectReader, Ref, Repository } from './model.ts';
import { openRepository } from './open-repository.ts';
import { withoutLimitAdvice } from './option-marks.ts';
import { isPageFile } from './page-path.ts';
import type { ProjectFile } from './plan/site-options.ts';
import { createVersionSources, hasSource, readProjectFile } from './plan/versions/version-source.ts';
import { createRefMatcher } from './refs/match-ref.ts';
import { selectRefs } from './refs/select-refs.ts';
import { sortVersions } from './refs/sort-versions.ts';
import { createTreeWalker } from './source/files/walk-tree.ts';
import { guessLanguage } from './source/guess-language.ts';
import { chooseLanguages } from './source/languages.ts';
import { createSourceFinder, type SourceFinder } from './source/sites/find-source.ts';

/** Facts about a repository before its first build. All values can travel as JSON. */
export interface RepositoryReport {
  /** Its location without credentials. */
  readonly label: string;
  /** The default branch; null where HEAD leads to no ref. */
  readonly head: string | null;
  /** Branches and tags in readers' order, the default branch first: 500 at most, with names of 255 characters at most. */
  readonly refs: readonly ReportedRef[];
  readonly refCount: number;
  readonly builtCount: number;
  readonly documentation: FoundDocumentation | MissingDocumentation | UnknownDocumentation;
}

/**
 * A branch or a tag, and what keeps it from being built: the options, the `.docbuild.yml` of the default branch, or its name, which
 * is not that of a version.
 */
export interface ReportedRef extends Pick<Ref, 'name' | 'kind'> {
  readonly excludedBy: 'nothing' | 'options' | 'project-file' | 'name';
}

export interface FoundDocumentation {
  readonly kind: 'found';
  /** Without a final `/`; '' is the root. */
  readonly folder: string;
  readonly generator: Generator | null;
  /** There is no documentation but the README. */
  readonly isReadmeOnly: boolean;
  readonly pages: number;
  /** Codes, the default one first. */
  readonly languages: readonly string[];
  /** Errors of its `.docbuild.yml`, without which nothing is built. */
  readonly problems: readonly string[];
}

/** The default branch has no such folder, or nothing that looks like documentation. */
export interface MissingDocumentation {
  readonly kind: 'missing';
  /** The requested folder; null where none was. */
  readonly folder: string | null;
  /** Folders that have pages, most first. */
  readonly folders: readonly { readonly folder: string; readonly pages: number }[];
  readonly problems: readonly string[];
}

/** The contents of the default branch cannot be told without fetching all of it. */
export interface UnknownDocumentation {
  readonly kind: 'unknown';
  readonly reason: string;
}

export interface InspectionOptions {
  readonly repository: string;
  /** Keeps everything that is fetched until the end. */
  readonly cacheFolder: string;
  readonly sourceDir?: string | undefined;
  readonly lang?: readonly string[] | undefined;
  /** See `BuildOptions`. */
  readonly exclude?: string | undefined;
  readonly limits?: Partial<BuildLimits> | undefined;
}

const MAX_REFS = 500;
/** Of a ref, or of a folder's path; both are as long as a server likes. */
const MAX_NAME_LENGTH = 255;
const MAX_PROBLEMS = 5;
const MAX_PROBLEM_LENGTH = 500;

/** `inspectRepository` of index.ts. */
export async function inspectRepository(options: InspectionOptions): Promise<RepositoryReport> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  try {
    const repository = await openRepository(options.repository, {
      cacheFolder: options.cacheFolder,
      environment: {},
      maxFetchBytes: limits.maxFetchBytes,
      timeoutMs: limits.timeoutMs,
    });
    try {
      const { documentation, project } = await readDocumentation(repository, { ...options, limits });
      return { ...reportRefs(repository, options, project), documentation };
    } finally {
      await repository.close();
    }
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    const { code, message, cause, location } = error;
    throw new BuildError(code, withoutLimitAdvice(message), { cause, location });
  }
}

type RefSettings = Pick<ProjectFile, 'refs' | 'excluded'>;

function reportRefs(
  { label, refs, head }: Repository,
  { exclude = '' }: Pick<InspectionOptions, 'exclude'>,
  project: RefSettings,
): Omit<RepositoryReport, 'documentation'> {
  const isExcluded = createRefMatcher(exclude);
  const isExcludedByFile = createRefMatcher(project.excluded ?? '');
  const isIncludedByFile = project.refs === undefined ? undefined : createRefMatcher(project.refs);
  const { leftOut } = selectRefs(refs, { head });
  const unfit = new Set(isIncludedByFile ? [] : leftOut.map(({ name }) => name));
  const all = sortVersions(
    selectRefs(refs, { include: '**' }).refs.map((ref) => ({ ...ref, time: 0 })),
    head,
  ).map(({ name, kind }): ReportedRef => {
    const isOut = isExcludedByFile(name) || isIncludedByFile?.(name) === false;
    const excludedBy = isExcluded(name) ? 'options' : isOut ? 'project-file' : unfit.has(name) ? 'name' : 'nothing';
    return { name, kind, excludedBy };
  });
  return {
    label,
    head: head ?? null,
    refs: all.filter(({ name }) => name.length <= MAX_NAME_LENGTH).slice(0, MAX_REFS),
    refCount: all.length,
    builtCount: all.filter(({ excludedBy }) => excludedBy === 'nothing').length,
  };
}

/** Returns the documentation of the default branch, and what its `.docbuild.yml` says of branches and tags. */
async function readDocumentation(
  repository: Repository,
  options: InspectionOptions & { readonly limits: BuildLimits },
): Promise<{ readonly documentation: RepositoryReport['documentation']; readonly project: RefSettings }> {
  const unknown = (reason: string) => ({ documentation: { kind: 'unknown' as const, reason }, project: {} });
  const head = repository.refs.find(({ name }) => name === repository.head);
  if (!head) return unknown('The repository has no default branch');
  try {
    const reader = repository.skim ? await repository.skim(head) : repository;
    if (!reader) return unknown('Its server cannot send folders without all files (in git: uploadpack.allowFilter)');
    return await readSource(head, reader, options);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return unknown(withoutLimitAdvice(formatBuildError(error)));
  }
}

async function readSource(
  ref: Ref,
  reader: ObjectReader,
  { sourceDir, lang, limits }: InspectionOptions & { readonly limits: BuildLimits },
): Promise<{ readonly documentation: FoundDocumentation | MissingDocumentation; readonly project: RefSettings }> {
  const { tree, time } = await reader.readCommit(ref.oid);
  const { project } = await readProjectFile(reader, tree);
  const declared = lang ?? project.lang;
  const walk = createTreeWalker(reader, limits);
  const sources = createSourceFinder(reader, walk);
  const versions = createVersionSources({
    tools: { reader, walk, sources, limits },
    sourceDir,
    lang: declared,
    findNotes: () => undefined,
  });
  const source = await versions.read({ ref, rootTree: tree, time });
  const problems = source.errors
    .slice(0, MAX_PROBLEMS)
    .map(({ file, line, message }) => `${file}${line > 0 ? `:${line}` : ''}: ${message}`.slice(0, MAX_PROBLEM_LENGTH));
  if (!hasSource(source)) {
    const folders = await listFolders(sources, tree);
    return { documentation: { kind: 'missing', folder: source.folder ?? null, folders, problems }, project };
  }
  const { sourceFolder, generator = null, isReadmeOnly, listing, layout } = source;
  const guessed = declared ? undefined : await guessLanguage(source, reader);
  return {
    documentation: {
      kind: 'found',
      folder: sourceFolder.replace(/\/$/, ''),
      generator,
      isReadmeOnly,
      problems,
      pages: listing.files.filter(({ path, isLeftOut }) => isPageFile(path) && !isLeftOut).length,
      languages: chooseLanguages([layout], declared, guessed).map(({ code }) => code),
    },
    project,
  };
}

async function listFolders(sources: SourceFinder, tree: string): Promise<MissingDocumentation['folders']> {
  const found = await sources.listCandidates(tree);
  return found
    .map(({ folder, pages }) => ({ folder: folder.replace(/\/$/, ''), pages }))
    .filter(({ folder }) => folder.length <= MAX_NAME_LENGTH);
}
