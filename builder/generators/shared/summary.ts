import { posix } from 'node:path';
import { append } from '../../../lib/append.ts';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import {
  createNavBuilder,
  type GeneratorNavigation,
  type NavItem,
  type NavigationFormat,
  type NavTarget,
} from './navigation-items.ts';

/** mdBook, and repositories that show no generator: a `SUMMARY.md`. */
export const summary: NavigationFormat = {
  listFiles: ({ content }) => [`${content}SUMMARY.md`],
  read: async (file, _site, read) => readSummary((await read(file)) ?? '', file),
};

interface Open {
  readonly indent: number;
  readonly children: NavItem[];
}

/**
 * Reads a `SUMMARY.md` of mdBook or GitBook: links before the first list, nested lists of links, and headings above the
 * parts of a book. Chapters without a file are titles of groups or not written yet. `findTarget` returns the target of a
 * URL, or undefined.
 */
export function readSummary(
  text: string,
  file: string,
  findTarget: (address: string) => NavTarget | undefined = (address) => findFile(address, posix.dirname(file)),
): GeneratorNavigation {
  const builder = createNavBuilder();
  const roots: NavItem[] = [];
  let part: NavItem[] = roots;
  let open: Open[] = [];
  let isFirstHeading = true;
  for (const [index, line] of text.split('\n').entries()) {
    const place = { file, line: index + 1 };
    const heading = /^#{1,6}[ \t]+([^ \t].*)$/.exec(line);
    if (heading) {
      open = [];
      part = roots;
      // The first one says that this is a summary.
      const children: NavItem[] = [];
      if (!isFirstHeading) {
        const added = builder.add(
          { title: plain(trimCharacters(heading[1]!, ' \t#') || heading[1]!.charAt(0)), children, place },
          0,
        );
        if (added.length > 0) part = children;
        append(roots, added);
      }
      isFirstHeading = false;
      continue;
    }
    const entry =
      /^([ \t]*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:#{1,6}[ \t]+)?)?(?:[*_]{0,2}\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)|([^[\s#-][^\n]*))/.exec(
        line,
      );
    if (!entry) continue;
    const [, blank = '', title, address, words] = entry;
    const isListed = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line);
    // Plain text is ignored outside lists and is a title inside them.
    if (title === undefined && !isListed) continue;
    isFirstHeading = false;
    const indent = blank.replaceAll('\t', '    ').length;
    while (open.length > 0 && (!isListed || open.at(-1)!.indent >= indent)) open.pop();
    const children: NavItem[] = [];
    const target = findTarget(withoutTitle(address ?? ''));
    const item: NavItem = { title: plain(title ?? words!), target, children, isLabel: !target, place };
    append(isListed ? (open.at(-1)?.children ?? part) : roots, builder.add(item, open.length));
    if (isListed) open.push({ indent, children });
    else part = roots;
  }
  return { languages: { '': roots }, isComplete: builder.isComplete, notes: builder.notes };
}

/** Removes the angle brackets and the title from the content of a link's parentheses. */
export function withoutTitle(address: string): string {
  const trimmed = address.trim();
  return /^<([^<>]*)>/.exec(trimmed)?.[1] ?? trimmed.replace(/(?<![ \t])[ \t]+["'(].*/s, '');
}

/** Returns the file that a URL in a folder's file refers to. */
function findFile(address: string, folder: string): NavTarget | undefined {
  const path = decodeAddress(address.replace(/#.*/s, ''));
  if (path === '') return undefined;
  if (isAbsoluteUrl(path)) return { kind: 'address', path };
  return { kind: 'file', path: posix.normalize(posix.join(folder, path)) };
}

/** Returns a URL without percent-encoding, or unchanged if the encoding is invalid. */
export function decodeAddress(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Returns a title without Markdown syntax. */
function plain(title: string): string {
  return title.replace(/\\([\\`*_{}[\]()#+\-.!<>])|[`*]|<[^<>]*>/g, '$1').trim();
}
