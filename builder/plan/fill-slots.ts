import type { LinkSlot } from '../model.ts';

/** Returns an address as it has to be written in a slot's place. */
export function writeSlot({ kind }: LinkSlot, url: string): string {
  if (kind !== 'style') return url;
  // In a string of CSS, in a style sheet as well as in an attribute of HTML.
  return url.replace(/["'\\()&<>\s\p{Cc}]/gu, (sign) => `\\${sign.codePointAt(0)!.toString(16)} `);
}

/** Puts addresses into a fragment's HTML; see `Fragment`. */
export function fillSlots(html: string, urls: readonly string[]): string {
  const parts = html.split('\0');
  let filled = parts[0]!;
  for (let i = 1; i + 1 < parts.length; i += 2) filled += escapeAttribute(urls[Number(parts[i])] ?? '') + parts[i + 1]!;
  return filled;
}

function escapeAttribute(text: string): string {
  return /[&"<>]/.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : text;
}
