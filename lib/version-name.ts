import { isLineOfVersions, isOfReleases } from './branch-words.ts';

/** A version, as the name of a branch or tag states it. */
export interface VersionName {
  /** The part before the number, in lower case, `v` left out: names with another one are those of something else. */
  readonly family: string;
  /** `x` is infinite: `1.x` comes after all that begin with `1`. */
  readonly numbers: readonly number[];
  /** -1 before the release of this number, 1 after it. */
  readonly stage: -1 | 0 | 1;
  /** Tells apart those of one stage: labels and numbers, in the order in which they count. */
  readonly parts: readonly (string | number)[];
}

/** Years and months, and perhaps days. */
const DATE = /^(\d{4})[-_](\d\d)(?:[-_](\d\d))?$/;
/** An epoch, numbers, what is left open, a label with what follows or more numbers, and what made it. */
const VERSION =
  /^(?:(\d{1,15})!)?(\d{1,15}(?:[._]\d{1,15})*)((?:[._][x*])*)(?:([-._]?)([a-z][\da-z._-]*)|-(\d[\da-z.-]*))?(?:\+[\da-z.-]+)?$/;

const MAX_LENGTH = 300;

/** Labels that mean the same, and those with which a release is meant. */
const SAME: Readonly<Record<string, string>> = {
  a: 'alpha',
  b: 'beta',
  c: 'rc',
  cr: 'rc',
  m: 'milestone',
  preview: 'pre',
};
const BEFORE = /^(?:alpha|beta|rc|milestone|pre|dev|snapshot|nightly|canary|next)$/;
const AFTER = /^(?:post|p|pl|sp|patch|rev|r)$/;
const RELEASE = /^(?:final|ga|release|stable|lts|branch|maint|maintenance)$/;

/**
 * Parses a name as semver, PEP 440, Maven, and people without a rule write versions: `v1.2.3`, `V0.9`, `1.2.3.4`, `13.x`, `2024-05`,
 * `2.0.0-beta.1`, `2.0.0rc1`, `5.0.0.Final`, `REL_16_1`, behind any text: `release-8.5`, `release/2.0`, `name@5.56.10`, `pkg/v1.2`.
 * Undefined for any other name. A branch is a line of versions: `1.9` stands for all that begin with `1.9`, as `1.9.x` does; one of
 * work (`fix/1.9-crash`, `dependabot/x-1.2`, `translate-de-1`) is none.
 */
export function parseVersionName(name: string, isBranch = false): VersionName | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const text = name.toLowerCase();
  for (const { index } of text.matchAll(/(?<![\d.])\d/g)) {
    const before = text.slice(0, index);
    const found = parseNumbers(text.slice(index), isBranch);
    // `go1.21` is a version of Go; `utf8` is not one of UTF.
    const isApart = before === '' || /^v$|[^a-z]v$/.test(before) || /(?!^v?[\d._-]+$)^.*[^a-z]$/.test(before);
    const isJoined = /[a-z]$/.test(before) && hasTwoNumbers(found);
    const isLine = !isBranch || isLineOfVersions(before, hasTwoNumbers(found));
    if (found && isLine && (isApart || isJoined)) {
      return { ...found, family: before.replace(/(?<![a-z])(?:v|ver|version)[-_.]?$/, '') };
    }
  }
  return undefined;
}

/**
 * Returns what stands before the version in a tag's name: `pkg-a@`, `@scope/pkg-a@`, `pkg-a/`, `pkg-a-` (before `v`); '' where that is
 * nothing or names no package (`release-`). Undefined for a name that is not one of a version.
 */
export function packagePrefix(name: string): string | undefined {
  const version = parseVersionName(name);
  if (!version) return undefined;
  const prefix = name.slice(0, version.family.length);
  const isOfPackage = /[@/]$/.test(prefix) || (/[-_.]$/.test(prefix) && /^v/i.test(name.slice(prefix.length)));
  return isOfPackage && !isOfReleases(version.family) ? prefix : '';
}

function hasTwoNumbers(found: Omit<VersionName, 'family'> | undefined): boolean {
  return Number.isFinite(found?.numbers[1]);
}

function parseNumbers(text: string, isBranch: boolean): Omit<VersionName, 'family'> | undefined {
  const day = DATE.exec(text);
  if (day) return { numbers: day.slice(1).map((part) => Number(part ?? 0)), stage: 0, parts: [] };
  const [, epoch, written, open, joint, label, more] = VERSION.exec(text) ?? [];
  if (written === undefined) return undefined;
  const own = written.split(/[._]/).map(Number);
  const numbers = [...own, ...(open || isBranch ? [Number.POSITIVE_INFINITY] : [])];
  // Whatever has an epoch comes after all that has none.
  if (epoch !== undefined) numbers.unshift(Number.MAX_SAFE_INTEGER, Number(epoch));
  if (label === undefined && more === undefined) return { numbers, stage: 0, parts: [] };
  // A hyphen behind three numbers is semver's, whatever follows.
  const isSemver = (joint === '-' || label === undefined) && own.length > 2;
  const parts = (label ?? more ?? '')
    .split(/[._-]|(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])/)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : (SAME[part] ?? part)));
  const first = String(parts[0]);
  // `1.1.1k` follows `1.1.1j`.
  if (joint === '' && /^[a-z]$/.test(label!) && own.length > 2) return { numbers, stage: 1, parts: [label!] };
  const isPlain = parts.slice(1).every((part) => typeof part === 'number');
  if (RELEASE.test(first) && label && isPlain) return { numbers, stage: 0, parts: [] };
  if (AFTER.test(first)) return { numbers, stage: 1, parts: parts.slice(1) };
  // Python's short form of a post-release.
  if (more !== undefined && own.length === 2) return { numbers, stage: 1, parts };
  return isSemver || BEFORE.test(first) ? { numbers, stage: -1, parts } : undefined;
}

/** Compares two versions of one family: negative where `a` is the older one, 0 where both are the same in other words. */
export function compareVersionNames(a: VersionName, b: VersionName): number {
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at += 1) {
    const [one, other] = [a.numbers[at] ?? 0, b.numbers[at] ?? 0];
    if (one !== other) return one < other ? -1 : 1;
  }
  if (a.stage !== b.stage) return a.stage - b.stage;
  for (let at = 0; at < Math.max(a.parts.length, b.parts.length); at += 1) {
    const order = compareParts(a.parts[at], b.parts[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** As semver does it: nothing before all, numbers before texts; but `dev` before all labels, as Python has it. */
function compareParts(a: string | number | undefined, b: string | number | undefined): number {
  const rank = (part: string | number | undefined): number =>
    part === undefined ? 0 : typeof part === 'number' ? 1 : part === 'dev' ? 2 : 3;
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return a === b ? 0 : a! < b! ? -1 : 1;
}

/** Where a version stands among those of its family. */
export interface VersionRank {
  readonly family: string;
  /** From 1, that of the oldest; the same for versions that are equal. */
  readonly rank: number;
  readonly isPreRelease: boolean;
}

/** Returns the rank of each name that is one of a version. */
export function rankVersions(refs: readonly { readonly name: string; readonly isBranch: boolean }[]) {
  const named = refs.flatMap(({ name, isBranch }) => {
    const version = parseVersionName(name, isBranch);
    return version ? [{ name, version }] : [];
  });
  const ranks = new Map<string, VersionRank>();
  let last: VersionName | undefined;
  let rank = 0;
  const order = (a: VersionName, b: VersionName): number =>
    a.family === b.family ? compareVersionNames(a, b) : a.family < b.family ? -1 : 1;
  for (const { name, version } of named.sort((a, b) => order(a.version, b.version))) {
    if (last?.family !== version.family) rank = 1;
    else if (order(last, version) < 0) rank += 1;
    last = version;
    ranks.set(name, { family: version.family, rank, isPreRelease: version.stage < 0 });
  }
  return ranks;
}
