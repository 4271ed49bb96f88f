import { createHash } from 'node:crypto';
import { countTerms } from '../../lib/search-terms.ts';
import type { PageSection } from '../model.ts';
import { listSectionRows, parseSectionRow } from './page-entry.ts';

/** A page of a release as search knows it. */
export interface SearchPage {
  /** Path of the HTML file inside the release. */
  readonly path: string;
  readonly title: string;
  /** What its text is, see `SearchTexts`. */
  readonly key: string;
  /** Text above the page's own that its front matter holds, or ''. */
  readonly lead: string;
}

/** The pages of one language in some versions, which are searched together. */
export interface SearchVolume {
  readonly language: string;
  readonly versions: readonly { readonly slug: string; readonly pages: readonly SearchPage[] }[];
}

/** What is kept of pages and texts. */
export interface SearchTexts {
  /** Returns what a page was kept as (`encodePageEntry`); undefined where it is lost, and the page is not found then. */
  readEntry(pageKey: string): Buffer | undefined;
  /** Returns the terms of a text, each with how often it stands there. */
  readTerms(text: string): ReadonlyMap<string, number>;
}

/** A file of the index; its name holds a hash of its content. */
export interface SearchFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Names of a volume's files with their content keys, the index first, by the key of the volume. */
export type SearchNotes = Readonly<Record<string, readonly (readonly [name: string, key: string])[]>>;

/** A volume may hold this many times the pages of its largest version, so that a reader of one loads little of the others. */
const MAX_GROWTH = 3;

/**
 * Divides the versions of a language, the oldest first, into volumes. Versions share most of what they say, so that all of
 * them together are hardly larger than one; where they do not, a new volume begins.
 */
export function divideIntoVolumes(language: string, versions: SearchVolume['versions']): readonly SearchVolume[] {
  const volumes: SearchVolume['versions'][] = [];
  let volume: SearchVolume['versions'][number][] = [];
  let contents = new Set<string>();
  let largest = 0;
  for (const version of versions) {
    const own = new Set(version.pages.map(identify));
    const together = contents.size + [...own].filter((content) => !contents.has(content)).length;
    largest = Math.max(largest, own.size);
    if (volume.length > 0 && together > MAX_GROWTH * largest) {
      volumes.push(volume);
      volume = [];
      contents = new Set();
      largest = own.size;
    }
    volume.push(version);
    for (const content of own) contents.add(content);
  }
  if (volume.length > 0) volumes.push(volume);
  return volumes.map((list) => ({ language, versions: list }));
}

/** Title, heading and text of a section. */
const FIELDS = 3;

/** Text of a file for excerpts ends behind the section that passes this length. */
const TEXT_FILE_LENGTH = 40_000;

/**
 * Returns the files of a volume, its index first. What is the same in several versions stands there once; a section of a page
 * is a document of MiniSearch, and its text stands in files of their own, which are asked for when excerpts are shown.
 *
 * The index: `{format, versions: [slug], pages: [[path, [from, to, content, …]]], contents: [[title, [section]]],
 * sections: [[id, heading]], texts: [[file, first section]], lengths: [[title, heading, text]], terms}`; `from` and `to` are
 * places in `versions`, and `terms` is `index` of MiniSearch's format 2.
 */
export function assembleVolume({ language, versions }: SearchVolume, kept: SearchTexts): readonly SearchFile[] {
  const sections: (readonly [id: string, heading: string])[] = [];
  const lengths: number[][] = [];
  const known = new Map<string, number>();
  /** Of each term the sections and fields that have it, see `FIELDS`, each followed by how often. */
  const terms = new Map<string, number[]>();
  const texts = createTextFiles();
  const addTerms = (section: number, field: number, counted: ReadonlyMap<string, number>): void => {
    const place = section * FIELDS + field;
    for (const [term, count] of counted) {
      const postings = terms.get(term);
      if (postings) postings.push(place, count);
      else terms.set(term, [place, count]);
    }
    lengths[section]!.push(counted.size);
  };
  /** Adds a section, unless it is there; `title` is that of the page which begins with it, or ''. */
  const addSection = (row: string, title: string, lead: string): number => {
    const identity = title === '' ? row : `${row}\n${title}\n${lead}`;
    const same = known.get(identity);
    if (same !== undefined) return same;
    const { id, heading, text } = withLead(parseSectionRow(row), lead);
    const section = sections.push([id, heading]) - 1;
    known.set(identity, section);
    lengths.push([]);
    addTerms(section, 0, countTerms(title));
    addTerms(section, 1, countTerms(heading));
    addTerms(section, 2, kept.readTerms(text));
    texts.add(text);
    return section;
  };

  const contents: (readonly [title: string, sections: readonly number[]])[] = [];
  const contentOf = new Map<string, number>();
  const addContent = (page: SearchPage): number => {
    const identity = identify(page);
    let content = contentOf.get(identity);
    if (content === undefined) {
      const entry = kept.readEntry(page.key);
      content = entry ? contents.length : -1;
      contentOf.set(identity, content);
      if (entry) {
        const [first, ...rest] = listSectionRows(entry);
        contents.push([
          page.title,
          [addSection(first!, page.title, page.lead), ...rest.map((row) => addSection(row, '', ''))],
        ]);
      }
    }
    return content;
  };

  const pages = [...collectPaths(versions)].map(([path, places]) => {
    const runs: number[] = [];
    for (const [version, page] of places) {
      const content = addContent(page);
      if (content < 0) continue;
      const [to, last] = [runs.at(-2), runs.at(-1)];
      if (to === version - 1 && last === content) runs[runs.length - 2] = version;
      else runs.push(version, version, content);
    }
    return [path, runs] as const;
  });
  const files = texts.finish();
  const index = JSON.stringify({
    format: 1,
    versions: versions.map(({ slug }) => slug),
    ...{ pages, contents, sections },
    texts: files.map(({ file, first }) => [file.name, first]),
    lengths,
  });
  const rows = [...terms].map(([term, postings]) => `["${term}",${presentPostings(postings)}]`);
  const text = `${index.slice(0, -1)},"terms":[${rows.join()}]}`;
  return [nameFile(`search-${language}`, text), ...files.map(({ file }) => file)];
}

/** Returns the pages of all versions by path, in the order of paths, each with the places of its versions. */
function collectPaths(
  versions: SearchVolume['versions'],
): ReadonlyMap<string, readonly (readonly [number, SearchPage])[]> {
  const paths = new Map<string, (readonly [number, SearchPage])[]>();
  for (const [version, { pages }] of versions.entries()) {
    for (const page of pages) {
      const places = paths.get(page.path);
      if (places) places.push([version, page]);
      else paths.set(page.path, [[version, page]]);
    }
  }
  return new Map([...paths].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Two pages are the same where they say the same, wherever they stand. */
function identify({ key, title, lead }: SearchPage): string {
  return `${key}\0${title}\0${lead}`;
}

/** What stands above a page's text is a part of its first section. */
function withLead(section: PageSection, lead: string): PageSection {
  return lead === '' ? section : { ...section, text: `${lead} ${section.text}`.trim() };
}

/** Returns the postings of a term as JSON: `{field: {section: count}}`. Terms and numbers need no escapes. */
function presentPostings(postings: readonly number[]): string {
  const fields = new Array<string>(FIELDS).fill('');
  for (let at = 0; at < postings.length; at += 2) {
    const place = postings[at]!;
    const field = place % FIELDS;
    fields[field] += `${fields[field] === '' ? '' : ','}"${(place - field) / FIELDS}":${postings[at + 1]}`;
  }
  return `{${fields.flatMap((text, field) => (text === '' ? [] : [`"${field}":{${text}}`])).join()}}`;
}

/** Text of sections in files that are small enough to be asked for one at a time. */
function createTextFiles() {
  const files: { readonly file: SearchFile; readonly first: number }[] = [];
  let waiting: string[] = [];
  let first = 0;
  let length = 0;
  const flush = (): void => {
    if (waiting.length > 0) files.push({ file: nameFile('search-text', JSON.stringify(waiting)), first });
    first += waiting.length;
    waiting = [];
    length = 0;
  };
  return {
    add(text: string): void {
      waiting.push(text);
      length += text.length;
      if (length >= TEXT_FILE_LENGTH) flush();
    },
    finish: () => {
      flush();
      return files;
    },
  };
}

function nameFile(stem: string, text: string): SearchFile {
  const bytes = Buffer.from(text);
  return { name: `${stem}.${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.json`, bytes };
}
