import { posix } from 'node:path';
import { append } from '../../../lib/append.ts';
import { absolutizeMarkdown, moveLinks } from '../../../lib/markdown-links.ts';
import { encodePath } from '../../../lib/url-text.ts';
import { escapeMarkdown } from '../../markdown/export/markdown-text.ts';
import { folderOf } from '../../page-path.ts';

/** The list of a release's pages for programs (https://llmstxt.org/), and all of their Markdown in one file. */
export const LLMS_FILE = 'llms.txt';
export const LLMS_FULL_FILE = 'llms-full.txt';

/** A page of a list. */
export interface ListedPage {
  /** URL of the page from the release's root. */
  readonly address: string;
  /** Path of its Markdown in the release. */
  readonly path: string;
  readonly title: string;
  readonly description: string | undefined;
}

/** Pages below one heading; '' = those without one. */
export interface PageGroup {
  readonly title: string;
  readonly pages: readonly ListedPage[];
}

/** Returns pages in the order and the groups of the navigation; those that it does not have come last. */
export function groupPages(
  pages: readonly ListedPage[],
  groups: readonly { readonly title: string; readonly addresses: readonly string[] }[],
): readonly PageGroup[] {
  const rest = new Map(pages.map((page) => [page.address, page]));
  const found: { readonly title: string; readonly pages: ListedPage[] }[] = [];
  const home = rest.get('');
  if (home) found.push({ title: '', pages: [home] });
  rest.delete('');
  for (const { title, addresses } of groups) {
    const own = addresses.flatMap((address) => {
      const page = rest.get(address);
      rest.delete(address);
      return page ? [page] : [];
    });
    const last = found.at(-1);
    if (title === '' && last?.title === '') append(last.pages, own);
    else if (own.length > 0) found.push({ title, pages: own });
  }
  return rest.size > 0 ? [...found, { title: '', pages: [...rest.values()] }] : found;
}

/** Writes a list of pages; `words` has the heading of pages without a group. */
export function writeLlms(
  groups: readonly PageGroup[],
  words: {
    readonly title: string;
    readonly description: string | undefined;
    readonly pages: string;
  },
): string {
  const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const line = (text: string): string => escapeMarkdown(oneLine(text), { isFirst: true });
  const sections = groups.map(({ title, pages }) => {
    const items = pages.map((page) => {
      const about = page.description ? `: ${line(page.description)}` : '';
      return `- [${escapeMarkdown(oneLine(page.title), { inLink: true })}](./${encodePath(page.path)})${about}\n`;
    });
    return `## ${line(title || words.pages)}\n\n${items.join('')}`;
  });
  const about = words.description ? [`> ${line(words.description)}\n`] : [];
  return [`# ${line(words.title)}\n`, ...about, ...sections].join('\n');
}

/** Characters after which no more pages are added to such a file: it is in memory as a whole. */
const MAX_FULL = 20_000_000;

/** A page of the file that has all. */
interface FullPage {
  readonly path: string;
  /** Absolute URL of the page, if the site has one. */
  readonly url: string | undefined;
  readonly make: () => string | Promise<Uint8Array>;
}

/**
 * Returns a function that writes the Markdown of pages one after the other; links are absolute, or lead from the release's root. Not
 * nested in its caller, so that it retains nothing else of the release.
 */
export function composeFullLater(pages: readonly FullPage[]): () => Promise<Uint8Array> {
  return async () => {
    const texts: string[] = [];
    let length = 0;
    for (const { path, url, make } of pages) {
      const made = await make();
      const text = typeof made === 'string' ? made : Buffer.from(made).toString();
      const folder = encodePath(folderOf(path));
      const move = (target: string): string | undefined => {
        if (target.startsWith('/')) return undefined;
        const [, address, rest] = /^([^?#]*)(.*)/s.exec(target)!;
        const moved = posix.normalize(folder + address);
        return (moved.startsWith('../') ? moved : `./${moved === './' ? '' : moved}`) + rest;
      };
      texts.push(url === undefined ? moveLinks(text, move) : absolutizeMarkdown(text, url));
      length += text.length;
      if (length <= MAX_FULL) continue;
      texts.push(`The pages after this one are not in this file; ${LLMS_FILE} lists them all.\n`);
      break;
    }
    return Buffer.from(texts.join('\n'));
  };
}
