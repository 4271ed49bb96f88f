import { encodeTarget, escapeMarkdown } from './markdown-text.ts';

/**
 * Fills the places of a page that `writeMarkdown` left open: `\0[n\0` and `\0]n\0` stand around the text of link n of the fragment,
 * `\0!n\0` ends image n, a text without a heading of level 1 begins with `\0#\0`. `urls` are those of the fragment's links, '' = the link is nothing but
 * its text. `title` is the heading of level 1 of a page without one; '' = it has none.
 */
export function fillMarkdown(
  markdown: string,
  { urls, title }: { readonly urls: readonly string[]; readonly title: string },
): string {
  const parts = markdown.split('\0');
  let filled = parts[0]!;
  for (let i = 1; i + 1 < parts.length; i += 2) {
    const [place, text] = [parts[i]!, parts[i + 1]!];
    const url = urls[Number(place.slice(1))] ?? '';
    if (place === '#') {
      const isAll = text === '' && i + 2 === parts.length;
      filled += title === '' ? text : addTitle(escapeMarkdown(title), isAll ? undefined : text);
      continue;
    }
    if (place.startsWith('[')) filled += url === '' ? '' : '[';
    else if (url !== '' || place.startsWith('!')) filled += `](${encodeTarget(url)})`;
    filled += text;
  }
  return filled;
}

/** Chapters of books begin with a lower heading that says the same. */
function addTitle(title: string, text: string | undefined): string {
  if (text === undefined) return `# ${title}\n`;
  const [, opening] = /^#{2,6} (.*)/.exec(text) ?? [];
  return opening === title ? text.replace(/^#+/, '#') : `# ${title}\n\n${text}`;
}

/** A file that is included as code may hold NUL; with it begin the places of links. */
export function withoutPlaces(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
