const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeSign = (character: string): string => ESCAPES[character]!;

/**
 * Returns text as it may stand in HTML or XML, in attributes between double quotes, too. It escapes what CommonMark's reference
 * renderer escapes and nothing else; `entities` would change apostrophes and no-break spaces besides.
 */
export function escapeHtml(text: string): string {
  return /[&<>"]/.test(text) ? text.replace(/[&<>"]/g, escapeSign) : text;
}

/** Returns text as it may stand between tags, where quotes need no escape; much code is full of them. */
export function escapeText(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, escapeSign) : text;
}
