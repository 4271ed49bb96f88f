import type { FoundDescription } from '../button/description.ts';
import { createGroup, createVersionLink, isTag, UNFILTERED } from '../button/elements.ts';
import { createElement } from '../create-element.ts';

/** Words of the menu of versions. */
export interface VersionWords {
  readonly branches: string;
  readonly tags: string;
  readonly missing: string;
  readonly newest: string;
  readonly unreleased: string;
}

/**
 * Lists the versions of the language at hand: branches, then tags, many of them by the numbers that they begin with. The newest of a
 * family is marked, and so are branches of which nothing has been released.
 */
export function listVersions(description: FoundDescription, words: VersionWords): readonly HTMLUListElement[] {
  const { versions, here } = description;
  const names = versions[here.lang]!;
  const newest = findReleases(description);
  const createItem = (name: string): HTMLElement => {
    const link = createVersionLink(description, words.missing, name);
    const { kind, rank, isAhead } = description.refs[name] ?? {};
    const isUnreleased = newest[0] !== undefined && kind !== undefined && kind !== 'tag' && (!rank || isAhead);
    const mark = newest.includes(name) ? 'newest' : isUnreleased && 'unreleased';
    if (mark) link.append(' ', createElement('span', { class: `version-mark ${mark}` }, words[mark]));
    return link;
  };
  const isOfTag = (name: string): boolean => isTag(description, name);
  return [
    [words.branches, names.filter((name) => !isOfTag(name))] as const,
    ...groupTags(description, names.filter(isOfTag), words.tags),
  ].map(([title, list]) => createGroup(title, list.map(createItem)));
}

/** Returns the newest version of each family, which is a tag where there are tags. */
function findReleases({ versions, here, refs }: FoundDescription): readonly string[] {
  const released = versions[here.lang]!.filter((name) => refs[name]?.rank && !refs[name]!.isAhead);
  const tags = released.filter((name) => refs[name]!.kind === 'tag');
  const newest = new Map<string | undefined, string>();
  for (const name of tags[0] ? tags : released) {
    const { family, rank } = refs[name]!;
    const known = newest.get(family);
    if (known === undefined || rank! > refs[known]!.rank!) newest.set(family, name);
  }
  return [...newest.values()];
}

/**
 * Divides many tags into those of a minor version each, else of a major one, if most of these have several. What has no number comes
 * first, with `latest`.
 */
function groupTags(
  { refs }: FoundDescription,
  names: readonly string[],
  title: string,
): readonly (readonly [title: string, names: readonly string[]])[] {
  for (const pattern of names.length > UNFILTERED ? [/^\D*\d+(?:[._]\d+)?/, /^\D*\d+/] : []) {
    const groups = new Map<string, string[]>([[title, []]]);
    for (const name of names) {
      const { family = '', rank } = refs[name] ?? {};
      // The family may have numbers of its own; names for readers may lack it.
      const start = name.toLowerCase().startsWith(family) ? family.length : 0;
      const line = rank ? name.slice(0, start) + (pattern.exec(name.slice(start))?.[0] ?? '') : title;
      groups.set(line, [...(groups.get(line) ?? []), name]);
    }
    if (groups.size > 2 && groups.size * 2 <= names.length) return [...groups];
  }
  return [[title, names]];
}
