import { createTwoFilesPatch } from 'diff';
import pMap from 'p-map';
import { DataError } from '../../data/data-error.ts';
import { historyFile } from '../../lib/follow-page.ts';
import { absolutizeMarkdown } from '../../lib/markdown-links.ts';
import { findPages } from '../../lib/search/find-pages.ts';
import { findPassage } from '../../lib/search/find-passage.ts';
import { openIndex, type SearchIndex } from '../../lib/search/open-index.ts';
import { preferPhrases } from '../../lib/search/prefer-phrases.ts';
import type { Volume } from '../../lib/search/volume.ts';
import { selectSimilar } from '../../lib/similar-names.ts';
import { releasePath } from '../sites/locate-page.ts';
import type { SiteIndex } from '../sites/site-indexes.ts';
import { type ChangedPage, collectChanges, type PageEvents, parseEvents } from './collect-changes.ts';
import {
  createPlaceFinder,
  cutText,
  decodePart,
  describeRelease,
  nameOfPage,
  notFound,
  type Place,
  type Release,
} from './find-place.ts';
import { findSection, type MarkdownPage, parseMarkdownPage, selectPart } from './markdown-sections.ts';

/** A published site, wherever it is. */
export interface DocumentedSite {
  /** URL of its root, with a final slash. */
  readonly url: string;
  readonly index: SiteIndex;
  /** Returns the text of a file by its path from the root, such as `en/latest/guide.md`; undefined where there is none. */
  readText(path: string): Promise<string | undefined>;
  /** Keeps what was opened of the search index, by file; default: nothing. */
  readonly recallVolume?: ((file: string, open: () => Promise<Volume>) => Volume | Promise<Volume>) | undefined;
  /** Keeps what was read of a language's history for a while; default: not at all. */
  readonly recallEvents?: ((language: string, read: () => Promise<PageEvents>) => Promise<PageEvents>) | undefined;
}

/** Characters of a text in an answer: some 8,000 tokens. */
const MAX_TEXT = 30_000;
const MAX_QUERY = 200;
const MAX_FOUND = 10;
const MAX_PASSAGES = 3;
/** Versions in which a page was found that are named. */
const MAX_NAMED = 10;
const MAX_VERSIONS = 200;
const MAX_OUTLINE = 100;
/** Lines by which two pages may differ before nobody reads the difference, and its characters in an answer. */
const MAX_EDITS = 4_000;
const COMPARE_MS = 3_000;
const MAX_COMPARED = 1_000_000;
const CONTEXT_LINES = 3;
/** Pages of each kind that are named among those that changed. */
const MAX_CHANGED = 100;
const FILES_AT_ONCE = 16;

/** Value of a version with which all are searched. */
export const ALL_VERSIONS = 'all';

/** Answers questions about a site's texts. Methods throw DataError `not-found` or `invalid` whose message says what to ask instead. */
export function openDocumentation({ url, index, readText, recallVolume, recallEvents }: DocumentedSite) {
  const { findRelease, hasVersion, parsePage, findPage, getPage, findMoved, missingPage, lineOf, namesOf, urlOf } =
    createPlaceFinder({ url, index });

  return {
    listVersions() {
      const languages = index.languages.map((code) => {
        const names = namesOf(code);
        return {
          language: code,
          tag: index.tags.get(code) ?? code,
          versions: names.slice(0, MAX_VERSIONS).map((version) => ({
            version,
            kind: index.refs.get(version)?.kind ?? 'branch',
            isLatest: version === index.latest,
            pages: index.pagesOf(code, version)?.size ?? 0,
            url: url + releasePath(index, code, version),
          })),
          left: Math.max(0, names.length - MAX_VERSIONS),
        };
      });
      return {
        title: index.title ?? '',
        url,
        latest: index.latest,
        defaultLanguage: index.languages[0] ?? '',
        languages,
      };
    },

    /** Finds pages as the search of the site does, the best first; `version` may be `all`. */
    async search({ query, version, language }: Place & { readonly query: string }) {
      const everywhere = version?.toLowerCase() === ALL_VERSIONS && !hasVersion(ALL_VERSIONS);
      const release = findRelease({ language, version: everywhere ? undefined : version });
      const found = await openSearch(release);
      const asked = query.slice(0, MAX_QUERY);
      const volumes = found ? await found.load(everywhere) : [];
      const all = found && findPages(volumes, asked, found, everywhere);
      const passages = all?.pages.flatMap((page) => page.passages) ?? [];
      const texts = found ? await found.loadTexts(passages) : [];
      const textOf = new Map(passages.map((passage, at) => [passage, texts[at]!]));
      const { pages, total, isPartial } = all
        ? preferPhrases(all, asked, texts)
        : { pages: [], total: 0, isPartial: false };
      const shown = pages
        .slice(0, MAX_FOUND)
        .map((page) => ({ ...page, passages: page.passages.slice(0, MAX_PASSAGES) }));
      return {
        query: asked,
        version: everywhere ? ALL_VERSIONS : release.version,
        language: release.language,
        total,
        isPartial,
        pages: shown.map(({ path, title, slug, slugs, passages }) => {
          const name = found!.nameOf(slug);
          const versions = everywhere ? slugs.slice(0, MAX_NAMED).map(found!.nameOf) : [];
          return {
            page: nameOfPage(path),
            title,
            version: name,
            url: urlOf(findRelease({ language: release.language, version: name }), path),
            ...(everywhere && { versions, otherVersions: slugs.length - versions.length }),
            passages: passages.map((passage) => ({
              section: passage.id,
              heading: passage.heading,
              excerpt: findPassage(textOf.get(passage)!, passage.terms)
                .map(({ text }) => text)
                .join(''),
            })),
          };
        }),
      };
    },

    /** Returns the Markdown of a page, or of a section with those below it, as far as an answer holds it. */
    async read({
      page,
      section = '',
      ...place
    }: Place & { readonly page: string; readonly section?: string | undefined }) {
      const asked = parsePage(page, place);
      const release = findRelease(asked);
      const found = getPage(release, asked.page);
      const { path } = found;
      const markdown = parseMarkdownPage(await readPage(release, path));
      const wanted = section.replace(/^#/, '') || asked.section || found.section;
      const part = selectPart(markdown, wanted, MAX_TEXT) ?? (await selectByIndex(release, path, markdown, wanted));
      if (!part) throw missingSection(release, path, markdown, wanted);
      const { id, isCut, next } = part;
      return {
        page: nameOfPage(path),
        title: markdown.meta.get('title') ?? '',
        version: release.version,
        language: release.language,
        url: urlOf(release, path) + (id === '' ? '' : `#${encodeURIComponent(id)}`),
        ...(wanted !== '' && { section: wanted }),
        ...(found.movedFrom !== undefined && { movedFrom: found.movedFrom }),
        text: part.text.trim(),
        isCut,
        ...(next !== undefined && { next }),
        ...(isCut && {
          sections: markdown.sections
            .slice(0, MAX_OUTLINE)
            .map(({ id, heading, level }) => ({ section: id, heading, level })),
        }),
      };
    },

    /** Returns how a page's Markdown differs between two versions. */
    async compare({
      page,
      from,
      to,
      language,
      section = '',
    }: {
      readonly page: string;
      readonly from: string;
      readonly to: string;
      readonly language?: string | undefined;
      readonly section?: string | undefined;
    }) {
      const asked = parsePage(page, { language });
      const releases = [from, to].map((version) => findRelease({ ...asked, version })) as [Release, Release];
      const [older, newer] = releases;
      const known = releases.map((release) => findPage(release, asked.page));
      // What is at its path in the other version may be another page, and it may be at another path.
      const paths =
        known[0] === undefined
          ? [findMoved(newer, known[1], older), known[1]]
          : [known[0], findMoved(older, known[0], newer) ?? (known[1] === known[0] ? undefined : known[1])];
      for (const [at, release] of releases.entries())
        if (paths[at] === undefined) throw missingPage(release, asked.page);
      const texts = await Promise.all(releases.map((release, at) => readPage(release, paths[at]!)));
      const wanted = section.replace(/^#/, '');
      const sides = texts.map(parseMarkdownPage).map((side, at) => {
        const text = wanted === '' ? side.text : sectionText(side, wanted);
        // Links that lead to the same page of either version are no difference.
        if (text !== undefined) return text.replaceAll(url + releases[at]!.folder, '/');
        throw missingSection(releases[at]!, paths[at]!, side, wanted);
      });
      const names = paths.map((path) => nameOfPage(path!));
      const difference = compareTexts(sides as [string, string], [
        `${older.version}/${names[0]}`,
        `${newer.version}/${names[1]}`,
      ]);
      return {
        language: older.language,
        from: { version: older.version, page: names[0]!, url: urlOf(older, paths[0]!) },
        to: { version: newer.version, page: names[1]!, url: urlOf(newer, paths[1]!) },
        ...(wanted !== '' && { section: wanted }),
        isMoved: names[0] !== names[1],
        ...difference,
      };
    },

    /** Returns the pages that were added, removed, moved or changed between two versions. */
    async changes({
      from,
      to,
      language,
    }: {
      readonly from: string;
      readonly to: string;
      readonly language?: string | undefined;
    }) {
      const [older, newer] = [from, to].map((version) => findRelease({ version, language })) as [Release, Release];
      const changes = collectChanges(lineOf(older.language), await readHistory(older.language), {
        from: older,
        to: newer,
      });
      const present = (list: readonly ChangedPage[], release: Release) =>
        [...list]
          .sort((a, b) => (b.amount ?? 0) - (a.amount ?? 0) || (a.path < b.path ? -1 : 1))
          .slice(0, MAX_CHANGED)
          .map(({ path, other, ...rest }) => ({
            page: nameOfPage(path),
            url: urlOf(release, path),
            ...(other !== undefined && { other: other.replace(/\.html(?=#|$)/, '') }),
            ...rest,
          }));
      return {
        language: older.language,
        from: older.version,
        to: newer.version,
        counts: {
          added: changes.added.length,
          removed: changes.removed.length,
          moved: changes.moved.length,
          changed: changes.changed.length,
          unchanged: changes.unchanged,
        },
        added: present(changes.added, newer),
        removed: present(changes.removed, older),
        moved: present(changes.moved, newer),
        changed: present(changes.changed, newer),
      };
    },
  };

  async function readHistory(language: string): Promise<PageEvents> {
    const count = index.historyFiles(language);
    if (count === 0) {
      throw new DataError(
        'not-found',
        'This site has no history: it has one version, or was built before docbuild wrote one; build it again',
      );
    }
    const read = async (): Promise<PageEvents> => {
      const names = Array.from({ length: count }, (_, at) => `_docbuild/${historyFile(language, at)}`);
      const texts = await pMap(names, readText, { concurrency: FILES_AT_ONCE });
      return parseEvents(texts.filter((text) => text !== undefined));
    };
    return recallEvents ? recallEvents(language, read) : read();
  }

  /** Returns the Markdown of a page with absolute links: a folder has it with relative ones, a server sends it so. */
  async function readPage(release: Release, path: string): Promise<string> {
    const file = `${decodeFolder(release.folder)}${path.replace(/\.html$/, '.md')}`;
    const text = await readText(file);
    if (text !== undefined) return absolutizeMarkdown(text, urlOf(release, path));
    throw new DataError(
      'not-found',
      `Page "${nameOfPage(path)}" of ${describeRelease(release)} has no Markdown: its site was built without it, or before docbuild wrote it; build the site again`,
    );
  }

  async function openSearch({ language, version }: Release): Promise<SearchIndex | undefined> {
    const assets = new URL('_docbuild/', url);
    const load = async (file: URL): Promise<unknown> => {
      const path = `_docbuild/${decodePart(file.pathname.slice(assets.pathname.length))}`;
      const text = await readText(path);
      if (text === undefined) throw new DataError('not-found', 'This site has no search index; build it again');
      return JSON.parse(text);
    };
    const here = new URL(releasePath(index, language, version), url).href;
    return openIndex(assets, here, index.tags.get(language) ?? language, {
      load,
      ...(recallVolume && { recallVolume }),
    });
  }

  /** Finds a section whose id its author chose: the search index knows the heading. */
  async function selectByIndex(release: Release, path: string, page: MarkdownPage, wanted: string) {
    const search = await openSearch(release).catch(() => undefined);
    const slug = index.refs.get(release.version)?.slug;
    const volumes = search ? await search.load(false) : [];
    for (const volume of volumes) {
      const content = volume.contents.find(({ places }) =>
        places.some((place) => place.path === path && place.versions.includes(slug ?? '')),
      );
      const heads = content?.sections.map(volume.headingOf) ?? [];
      const heading = heads.find(([id]) => id === wanted)?.[1];
      const section = heading === undefined ? undefined : findSection(page, heading);
      const part = section && selectPart(page, section.id, MAX_TEXT);
      if (part) return { ...part, id: wanted };
    }
    return undefined;
  }
}

/** See `openDocumentation`. */
export type Documentation = ReturnType<typeof openDocumentation>;

function missingSection(release: Release, path: string, { sections }: MarkdownPage, wanted: string): DataError {
  const names = sections.map(({ id }) => id).filter(Boolean);
  const like = selectSimilar(wanted, names);
  return notFound(
    `Page "${nameOfPage(path)}" of ${describeRelease(release)} has no section "${cutText(wanted)}"`,
    like.length > 0 ? like : names.slice(0, MAX_NAMED),
    like.length > 0 ? 'similar sections are' : 'its sections are',
  );
}

function decodeFolder(folder: string): string {
  return folder.split('/').map(decodePart).join('/');
}

function sectionText(page: MarkdownPage, wanted: string): string | undefined {
  return selectPart(page, findSection(page, wanted)?.id ?? wanted, Number.POSITIVE_INFINITY)?.text;
}

/** Returns the unified difference of two texts, as far as an answer holds it. Throws DataError `invalid` where it has no bounds. */
function compareTexts([a, b]: readonly [string, string], [from, to]: readonly [string, string]) {
  if (a === b) return { isSame: true, added: 0, removed: 0, difference: '', isCut: false };
  const patch =
    a.length + b.length > MAX_COMPARED
      ? undefined
      : createTwoFilesPatch(from, to, a, b, undefined, undefined, {
          context: CONTEXT_LINES,
          maxEditLength: MAX_EDITS,
          timeout: COMPARE_MS,
        });
  if (patch === undefined) {
    throw new DataError(
      'invalid',
      'The two versions of the page have too little in common to be compared; read both, or compare a section',
    );
  }
  const lines = patch.split('\n').slice(1);
  const count = (sign: string): number => lines.slice(2).filter((line) => line.startsWith(sign)).length;
  const whole = lines.join('\n');
  const end = whole.length <= MAX_TEXT ? whole.length : whole.lastIndexOf('\n', MAX_TEXT);
  return {
    isSame: false,
    added: count('+'),
    removed: count('-'),
    difference: whole.slice(0, end),
    isCut: end < whole.length,
  };
}
