import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import type { Cache } from '../../cache/cache.ts';
import { type PageError, type RenderedPage, replacePage, type StoredPage } from './rendered-page.ts';

/**
 * Pages that this process has read or rendered. A key covers everything that determines a page, so all builds of the
 * process share them. A page takes a few KB.
 */
const recent = createBoundedMap<string, RenderedPage>({ maxEntries: 5_000 });

/** A page is stored as one line of JSON followed by its Markdown and its HTML, so that one read returns what is wanted. */
const LINE_FEED = 0x0a;

/** What is stored of a page besides its description; slots are open. */
interface PageTexts {
  readonly key: string;
  readonly markdown: string;
  readonly html: string;
}

/** The pages in the cache, by their keys. */
export interface KeptPages {
  find(key: string): RenderedPage | undefined;
  /** Returns a page as it will be found, and how to keep it once its HTML is complete. */
  describe(
    key: string,
    page: Omit<StoredPage, 'markdownBytes' | 'isReplaced'>,
    markdown: string,
  ): { readonly page: RenderedPage; readonly keep: (html: string) => void };
  /** Keeps that a page cannot be shown. */
  keepRefused(key: string, error: PageError): void;
  /** Returns the HTML of a page that is kept. Throws BuildError `worker` where it no longer is. */
  getHtml(page: RenderedPage): string;
  /** Returns its Markdown, likewise. */
  getMarkdown(page: RenderedPage): string;
}

export function createKeptPages(cache: Cache): KeptPages {
  /** Of the page that was read last: the file of its Markdown is written after that of its HTML. */
  let last: PageTexts | undefined;
  return {
    find(key) {
      const known = recent.get(key);
      if (known && cache.has(key)) return known;
      const line = cache.read(key, (value) => value.toString('utf8', 0, value.indexOf(LINE_FEED)));
      if (line === undefined) return undefined;
      const stored = JSON.parse(line) as StoredPage;
      const page = stored.isReplaced ? replacePage(stored.errors[0]!) : openPage(key, stored);
      recent.set(key, page);
      return page;
    },
    describe(key, described, markdown) {
      const line = JSON.stringify({ ...described, markdownBytes: Buffer.byteLength(markdown), isReplaced: false });
      // Parts of a text keep all of it in memory: what is parsed anew is held by nothing else.
      const page = openPage(key, JSON.parse(line) as StoredPage);
      const keep = (html: string): void => {
        cache.set(key, Buffer.from(`${line}\n${markdown}${html}`));
        recent.set(key, page);
      };
      return { page, keep };
    },
    keepRefused: (key, error) =>
      cache.set(key, Buffer.from(`${JSON.stringify({ errors: [error], isReplaced: true })}\n`)),
    getHtml: (page) => readTexts(page).html,
    getMarkdown: (page) => readTexts(page).markdown,
  };

  function readTexts({ key, markdownBytes, isReplaced }: RenderedPage): PageTexts {
    if (isReplaced) return { key, markdown: '', html: '' };
    if (last?.key === key) return last;
    const found = cache.read(key, (value): PageTexts => {
      const start = value.indexOf(LINE_FEED) + 1;
      const end = start + markdownBytes;
      return { key, markdown: value.toString('utf8', start, end), html: value.toString('utf8', end) };
    });
    if (found === undefined)
      throw new BuildError('worker', 'A rendered page disappeared from the cache during the build; build again');
    last = found;
    return found;
  }
}

function openPage(key: string, stored: StoredPage): RenderedPage {
  return { ...stored, key, idSet: new Set(stored.ids), isMomentary: false };
}
