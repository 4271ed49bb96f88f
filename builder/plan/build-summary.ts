import { countNoun } from '../../lib/count-noun.ts';
import { BuildError } from '../build-error.ts';
import type { ExtensionCost } from '../extension.ts';
import { type Generator, profileOf } from '../generators/generators.ts';
import type { SourceError, Warning, WarningCode } from '../model.ts';
import type { Stage } from './progress.ts';

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

/** The pages of a version that are shown in the default language because one of its languages lacks them. */
export interface Untranslated {
  readonly ref: string;
  readonly language: string;
  readonly pages: number;
  /** Pages that the language shows, these included. */
  readonly of: number;
  /** Paths of the first pages from the repository's root. */
  readonly files: readonly string[];
}

/** How a translation stands in a version; see `TranslationBoard`. */
export interface Translated {
  readonly ref: string;
  readonly language: string;
  /** Pages of the original, and how many of them are up to date, behind it and missing. */
  readonly pages: number;
  readonly current: number;
  readonly behind: number;
  readonly missing: number;
  /** How much of the original readers find in the translation as it is now. */
  readonly percent: number;
}

export interface LeftOutBranches {
  readonly count: number;
  /** Those of the first ones; the one that the build is for is the first. */
  readonly names: readonly string[];
}

/** Mistakes of authors that a build found. */
export interface Problems {
  readonly errors: readonly SourceError[];
  readonly warnings: readonly Warning[];
}

/** The result of a build. Counts are of this run; `ms` are wall time. */
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
  /** The same by version and language; versions that are tags are left out, since nobody can change them. */
  readonly untranslated: readonly Untranslated[];
  /** By version and language. */
  readonly translations: readonly Translated[];
  /** Branches that are not named like versions, and that no setting includes or excludes. */
  readonly leftOut: LeftOutBranches;
  /** Pages whose Markdown was rendered in this run. */
  readonly rendered: number;
  /** Pages that needed no rendering: in the cache, in another version, or unchanged. */
  readonly reused: number;
  /** Calls and time of extensions, in their order. */
  readonly extensions: readonly ExtensionCost[];
  /** Parts that are not published as their authors intended, by version, file and line. */
  readonly errors: readonly SourceError[];
  /** Warnings, in the same order. */
  readonly warnings: readonly Warning[];
  /** Size of the site on disk, each distinct file counted once. */
  readonly bytes: number;
  readonly ms: number;
  readonly stages: Readonly<Record<Stage, number>>;
}

/** A summary of which what costs most is found out when it is asked for. */
export type PendingSummary = Omit<BuildSummary, 'translations'> & {
  readonly listTranslations: () => BuildSummary['translations'];
};

/** Warnings about what readers run into: with `--strict` they fail the build, as errors do. */
const STRICT_CODES: ReadonlySet<WarningCode> = new Set([
  'dead-link',
  'dead-anchor',
  'missing-file',
  'missing-snippet',
  'lfs-pointer',
  'too-large',
  'duplicate-page',
]);
/** Advice to authors: where not all warnings are shown, these come last. */
const ADVICE_CODES: ReadonlySet<string> = new Set<WarningCode>(['second-title', 'large-picture', 'contrast']);
const MAX_LISTED = 20;

/** Returns whether a warning fails a build with `--strict`. */
export function countsAsStrict({ code }: Warning): boolean {
  return STRICT_CODES.has(code);
}

/** Throws `strict` with the first problems when there are any. */
export function checkStrict(found: Problems): void {
  const problems = [...found.errors, ...found.warnings.filter(countsAsStrict)];
  if (problems.length === 0) return;
  const rows = problems.slice(0, MAX_LISTED).map(formatProblem);
  const more = problems.length > MAX_LISTED ? [`… and ${problems.length - MAX_LISTED} more`] : [];
  throw new BuildError(
    'strict',
    [`${countNoun(problems.length, 'problem')} with --strict; nothing was published:`, ...rows, ...more].join('\n  '),
  );
}

/** Returns an error or a warning as a line: `v1.2 docs/en/a.md:3: Link "b.md" leads to no page or file`. */
export function formatProblem(problem: Omit<SourceError | Warning, 'code'>): string {
  return formatPlace(problem, new Set([problem.line]));
}

/** More lines of one problem are counted. */
const MAX_LINES = 20;

function formatPlace(
  { ref, file, message }: Pick<Warning, 'ref' | 'file' | 'message'>,
  found: ReadonlySet<number>,
): string {
  const lines = [...found].filter((line) => line > 0);
  const more = lines.length > MAX_LINES ? ` and ${countNoun(lines.length - MAX_LINES, 'more line')}` : '';
  const places = lines.slice(0, MAX_LINES).map((line) => `:${line}`);
  return `${[ref, file].filter(Boolean).join(' ')}${places.join(', ')}${more}: ${message}`;
}

/** The same problem, in some places of a file and in some versions. */
interface ProblemGroup {
  readonly problem: SourceError | Warning;
  /** Its lines in the first version that has it. */
  readonly lines: Set<number>;
  /** How often that version has it. */
  count: number;
  refs: number;
  lastRef: string;
}

/**
 * Returns problems as lines, each once with its places in the first version that has it, and with the number of versions
 * that have it, too: `main a.md:3, :7: … (and 1 other version)`; and the number of problems that the first `max` lines do not
 * tell, those that versions share counted once. Where `max` are not all, advice comes last.
 */
export function formatProblems(
  problems: readonly (SourceError | Warning)[],
  max: number,
): { readonly rows: readonly string[]; readonly left: number } {
  const groups = new Map<string, ProblemGroup>();
  for (const problem of problems) {
    const { ref, line } = problem;
    const key = `${problem.file}\0${problem.code}\0${problem.message}`;
    let group = groups.get(key);
    if (!group) {
      group = { problem, lines: new Set(), refs: 1, lastRef: ref, count: 0 };
      groups.set(key, group);
    }
    if (group.lastRef !== ref) group.refs++;
    group.lastRef = ref;
    if (ref !== group.problem.ref) continue;
    group.lines.add(line);
    group.count++;
  }
  const isAdvice = ({ problem }: ProblemGroup): boolean => ADVICE_CODES.has(problem.code);
  const found = [...groups.values()];
  const all = found.length > max ? [...found.filter((group) => !isAdvice(group)), ...found.filter(isAdvice)] : found;
  const rows = all.slice(0, max).map(({ problem, lines, refs }) => {
    const more = refs > 1 ? ` (and ${countNoun(refs - 1, 'other version')})` : '';
    return formatPlace(problem, lines) + more;
  });
  return { rows, left: all.slice(max).reduce((left, { count }) => left + count, 0) };
}

const NAMED_BRANCHES = 3;

/** Returns what a summary says of branches that are left out, those among `first` before the others. */
export function countLeftOut(
  branches: readonly { readonly name: string }[],
  first: readonly string[] = [],
): LeftOutBranches {
  const names = branches.map(({ name }) => name);
  const ordered = [...names.filter((name) => first.includes(name)), ...names.filter((name) => !first.includes(name))];
  return { count: names.length, names: ordered.slice(0, NAMED_BRANCHES) };
}

/** Returns which branches are left out, and how to include them, as a line; none where there are none. */
export function describeLeftOut({ count, names }: LeftOutBranches, advice: string): readonly string[] {
  if (count === 0) return [];
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  const what = count === 1 ? '1 branch not named like a version' : `${count} branches not named like versions`;
  return [`Left out: ${what} (${names.join(', ')}${more}); ${advice}`];
}

const NAMED_PAGES = 3;

/** Returns the first languages that lack pages, as lines, equal ones of several versions once. */
export function describeUntranslated(found: readonly Untranslated[], max: number): readonly string[] {
  const groups = new Map<string, number>();
  for (const { language, pages, of, files } of found) {
    const named = files.slice(0, NAMED_PAGES);
    const rest = pages > named.length ? ` and ${pages - named.length} more` : '';
    const row = `Not translated into ${language}: ${pages} of ${countNoun(of, 'page')}: ${named.join(', ')}${rest}`;
    groups.set(row, (groups.get(row) ?? 0) + 1);
  }
  const rows = [...groups].map(([row, refs]) => row + (refs > 1 ? ` (in ${refs} versions)` : ''));
  return rows.length > max ? [...rows.slice(0, max), `… and ${rows.length - max} more`] : rows;
}

/** Returns how the translations of the first version stand, as a line: `Translations of main: es 92 %, zh 99 %`; none where there are none. */
export function describeTranslations(found: readonly Translated[]): readonly string[] {
  const [first] = found;
  if (!first) return [];
  const own = found.filter(({ ref }) => ref === first.ref);
  return [`Translations of ${first.ref}: ${own.map(({ language, percent }) => `${language} ${percent} %`).join(', ')}`];
}

const MAX_SOURCES = 4;

/** Returns which folders the documentation was taken from: `docs (VitePress); the README in 3 versions`. */
export function describeSources(sources: readonly UsedSource[]): string {
  const rows = sources.slice(0, MAX_SOURCES).map(({ folder, generator, isReadmeOnly, refs }, index) => {
    const name = isReadmeOnly ? 'README only' : folder === '' ? 'the root' : folder;
    const written = generator === undefined ? '' : ` (${profileOf(generator).name})`;
    const where = index === 0 ? '' : ` in ${refs.length === 1 ? refs[0] : `${refs.length} versions`}`;
    return name + written + where;
  });
  const more = sources.length - rows.length;
  return [...rows, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}
