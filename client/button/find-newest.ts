import type { FoundDescription } from './description.ts';

/**
 * Returns the version to be read instead of the one at hand, or undefined where that is not old. Branches and tags are not
 * compared with each other: a branch is work in progress and makes no release old. The newest is what `latest` stands for,
 * or the first of the list when that is of the other kind. Only a name with a number is that of a version.
 */
export function findNewest({ here, versions, refs, latest }: FoundDescription): string | undefined {
  const { lang, version } = here;
  const kind = refs[version]?.kind;
  const names = versions[lang]!;
  const newest = [latest, ...names].find((name) => refs[name]?.kind === kind && names.includes(name))!;
  return /\d/.test(version) && names.indexOf(version) > names.indexOf(newest) ? newest : undefined;
}
