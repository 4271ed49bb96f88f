import { decodeHTMLAttribute } from 'entities';

/** More than any page that only leads elsewhere has. */
const MAX_BYTES = 20_000;
const HEAD = /^<!doctype html>\n<html lang="[^"<>]*" dir="[^"<>]*">\n<head>\n([\s\S]+?)\n<\/head>\n/;
const SCRIPT = /^<script>\n[\s\S]*?\n<\/script>$/m;
/** The lines of `templates/site/redirect.njk` in any order: sites that were published before have another one. */
const LINES = [
  /^<meta charset="utf-8">$/,
  /^<meta name="viewport" content="[^"<>]*">$/,
  /^<meta name="color-scheme" content="[^"<>]*">$/,
  /^<title>[^<>]*<\/title>$/,
  /^<meta name="robots" content="noindex">$/,
  /^<link rel="canonical" href="([^"<>]+)">$/,
  /^<meta http-equiv="refresh" content="0; url=([^"<>]+)">$/,
];

/**
 * Reads where a page leads that docbuild wrote for a moved page or a home: the URL as it stands there. Undefined for all other pages.
 * Static exports need such pages, so they are what is published, and a site needs no second list of its redirects.
 */
export function readMovedPage(body: Uint8Array): string | undefined {
  if (body.length > MAX_BYTES) return undefined;
  const [, head] = HEAD.exec(Buffer.from(body.buffer, body.byteOffset, body.length).toString()) ?? [];
  const lines = head?.replace(SCRIPT, '').split('\n').filter(Boolean) ?? [];
  if (lines.length !== LINES.length) return undefined;
  const found = LINES.map((pattern) => lines.map((line) => pattern.exec(line)).find(Boolean));
  if (found.includes(undefined)) return undefined;
  const [address, refresh] = found.slice(-2).map((match) => match![1]!);
  return address === refresh ? decodeHTMLAttribute(address!) : undefined;
}
