import type { FileGroup } from '../publish/site-files.ts';
import { buildVersionIndex } from '../site/version-index.ts';
import type { Language } from '../source/choose-languages.ts';
import type { VersionNotes } from './build-notes.ts';
import type { SiteInput } from './plan-site.ts';
import type { Version } from './read-version.ts';

/** Returns the bytes of `versions.json` for a site whose releases are planned. */
export function planVersionIndex(
  input: Pick<SiteInput, 'repository' | 'settings' | 'versions' | 'hideGit'> & {
    readonly languages: readonly Language[];
    readonly latest: Version;
    readonly slugs: ReadonlyMap<string, string>;
    readonly notes: Readonly<Record<string, VersionNotes>>;
    readonly groups: ReadonlyMap<string, FileGroup>;
  },
): Uint8Array {
  const { repository, settings, versions, languages, latest, slugs, notes, groups } = input;
  const index = buildVersionIndex({
    gitUrl: input.hideGit ? undefined : repository.webUrl,
    latest: latest.ref.name,
    single: settings.single,
    languages: languages.map(({ code }) => code),
    versions: versions.map(({ ref: { name, kind } }) => {
      const slug = slugs.get(name)!;
      return { name, kind, slug, pages: listPages(groups, slug, notes[name]!.languages) };
    }),
  });
  return Buffer.from(index);
}

/** Returns the HTML files of a version's releases, by language. */
function listPages(
  groups: ReadonlyMap<string, FileGroup>,
  slug: string,
  codes: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    codes.map((code) => {
      const { files } = groups.get(`${code}/${slug}`)!.list;
      return [code, files.map(([path]) => path).filter((path) => path.endsWith('.html'))];
    }),
  );
}
