import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPages, suggestQueries } from '../../lib/search/find-pages.ts';
import type { Passage } from '../../lib/search/find-passage.ts';
import { preferPhrases } from '../../lib/search/prefer-phrases.ts';
import { openVolume } from '../../lib/search/volume.ts';

/** The search of a built site in one language, as a page of `latest` has it. */
export interface BuiltSearch {
  /** Sizes of the files, by name. */
  readonly files: readonly string[];
  readonly find: (query: string, everywhere?: boolean) => ReturnType<typeof findPages>;
  readonly suggest: (query: string) => ReturnType<typeof suggestQueries>;
}

/** Opens the index in the folder of a built site. */
export function openSearch(site: string, language: string): BuiltSearch {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(site, '_docbuild', name), 'utf8'));
  const { versions, languages } = read('search.json') as {
    versions: [string, string][];
    languages: [string, string, [string, string[]][]][];
  };
  const slug = versions[0]![0];
  const [, , files] = languages.find(([code]) => code === language)!;
  const volumes = files.map(([file, slugs]) => ({ slugs, volume: openVolume(read(file)) }));
  const place = { slug, slugs: versions.map(([one]) => one) };
  const listVolumes = (everywhere: boolean) =>
    volumes.filter(({ slugs }) => everywhere || slugs.includes(slug)).map(({ volume }) => volume);
  const texts = new Map<string, readonly string[]>();
  const readText = ({ volume, section }: Passage): string => {
    const { file, place: at } = volume.textOf(section);
    const list = texts.get(file) ?? (read(file) as readonly string[]);
    texts.set(file, list);
    return list[at] ?? '';
  };
  return {
    files: files.flatMap(([file]) => [
      file,
      ...(read(file) as { segments: [string, unknown][] }).segments.map(([name]) => name),
    ]),
    find(query, everywhere = false) {
      const found = findPages(listVolumes(everywhere), query, place, everywhere);
      const passages = found.pages.flatMap((page) => page.passages);
      return preferPhrases(found, query, passages.map(readText));
    },
    suggest: (query) => suggestQueries(listVolumes(false), query, place, false),
  };
}
