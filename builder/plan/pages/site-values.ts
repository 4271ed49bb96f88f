import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { map } from '../../config/data-values.ts';
import { parseYaml } from '../../config/parse-yaml.ts';
import type { SiteValues } from '../../markdown/draft.ts';
import type { IncludedFile } from './page-inputs.ts';

const MAX_LENGTH = 1_000_000;
/** Data files by their blobs, null = not readable: all versions share them. */
const known = createBoundedMap<string, unknown>({ maxEntries: 200 });

/**
 * Returns the values of a Jekyll site, or the variables of a book of GitBook, in the files that a page needs, by the texts of these
 * files; undefined where it needs none.
 */
export async function readSiteValues(
  sourceFolder: string,
  files: readonly IncludedFile[],
  texts: ReadonlyMap<string, string>,
): Promise<SiteValues | undefined> {
  let config: SiteValues['config'] = {};
  let book: SiteValues['book'] = {};
  const data: Record<string, unknown> = {};
  for (const { path, oid } of files) {
    const place = path.startsWith(sourceFolder) ? path.slice(sourceFolder.length) : '';
    const isBook = place === 'book.json';
    const [, folder, name] = /^_data\/(?:([^/]+)\/)?([^/]+)\.(?:yml|yaml|json|csv)$/.exec(place) ?? [];
    const ending = place.slice(place.lastIndexOf('.') + 1);
    const text = texts.get(path);
    if (text === undefined || (name === undefined && place !== '_config.yml' && !isBook)) continue;
    const value = known.get(`${oid}.${ending}`) ?? (await parse(text, ending));
    known.set(`${oid}.${ending}`, value);
    if (value === null) continue;
    if (isBook) book = map(map(value)?.['variables']) ?? {};
    else if (name === undefined) config = map(value) ?? {};
    else if (folder === undefined) data[name] = value;
    else data[folder] = { ...map(data[folder]), [name]: value };
  }
  return files.length === 0 ? undefined : { config, data, book };
}

async function parse(text: string, ending: string): Promise<unknown> {
  if (text.length > MAX_LENGTH) return null;
  if (ending === 'csv') return parseCsv(text);
  if (ending === 'json') {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return null;
    }
  }
  const yaml = await parseYaml(text, MAX_LENGTH, { isLenient: true });
  return 'reason' in yaml ? null : (yaml.data ?? null);
}

/** A field and what ends it; text behind the closing quote is passed over. */
const CSV_FIELD = /(?:"([^"]*(?:""[^"]*)*)"?)?([^,\n]*)([,\n]?)/g;

/** Returns the rows of a table by the names in its first line. */
function parseCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.replaceAll('\r', '').matchAll(CSV_FIELD)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end !== ',') rows.push([]);
  }
  const [names = [], ...lines] = rows.filter((row) => row.length > 1 || (row[0] ?? '') !== '');
  return lines.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ''])));
}
