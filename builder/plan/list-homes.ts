import { LATEST_SLUG } from '../refs/version-slug.ts';
import type { Language } from '../source/choose-languages.ts';
import type { VersionNotes } from './build-notes.ts';
import type { Version } from './read-version.ts';

/** Where readers of a language begin. */
export interface LanguageHome {
  readonly language: Language;
  /** Name of the version in addresses: `latest`, or the first one that has the language. */
  readonly slug: string;
}

/** Returns the homes of all languages that have a page: those of the latest version first, each in the site's order. */
export function listHomes(
  languages: readonly Language[],
  versions: readonly Version[],
  notes: Readonly<Record<string, VersionNotes>>,
  slugs: ReadonlyMap<string, string>,
): readonly LanguageHome[] {
  const homes = languages.flatMap((language): readonly LanguageHome[] => {
    const at = versions.findIndex(({ ref }) => notes[ref.name]!.languages.includes(language.code));
    if (at < 0) return [];
    return [{ language, slug: at === 0 ? LATEST_SLUG : slugs.get(versions[at]!.ref.name)! }];
  });
  const isLatest = ({ slug }: LanguageHome): boolean => slug === LATEST_SLUG;
  return [...homes.filter(isLatest), ...homes.filter((home) => !isLatest(home))];
}
