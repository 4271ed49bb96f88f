import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import Negotiator from 'negotiator';
import { memoize } from '../../lib/bounded-map.ts';
import { absolutizeMarkdown } from '../../lib/markdown-links.ts';
import { encodePath } from '../../lib/url-text.ts';
import type { FileContent } from '../../platform/sites/file-cache.ts';

/** A page of docbuild says so in its head, where it has its Markdown beside it. */
const ALTERNATE = /<link rel="alternate" type="text\/markdown" href="[^"<>]*">/;
const MAX_HEAD = 20_000;
/** The front matter of the Markdown of a page, as docbuild writes it. */
const FRONT_MATTER =
  /^---\n(?:url: "[^\n]*"\n)?title: "[^\n]*"\n(?:description: "[^\n]*"\n)?(?:canonical: "[^\n]*"\n)?language: "[\w-]*"\n---\n/;

const MAX_FIELD_LENGTH = 512;
const MAX_FIELDS = 256;
const TYPES = ['text/html', 'text/markdown'];

const preferred = memoize(
  (accept) => new Negotiator({ headers: { accept } }).mediaTypes(TYPES)[0] === TYPES[1],
  MAX_FIELDS,
);

/** Returns whether an `Accept` field (RFC 9110) prefers Markdown to HTML: it names it, and no lower than HTML. */
export function prefersMarkdown(accept: string | undefined): boolean {
  // Browsers do not name it.
  return accept?.includes('text/markdown') === true && accept.length <= MAX_FIELD_LENGTH && preferred(accept);
}

/** Returns the path of the Markdown of a page, which is at a path of a site. */
export function findMarkdown(path: string, body: Buffer): string | undefined {
  if (!path.endsWith('.html') || !ALTERNATE.test(body.toString('latin1', 0, MAX_HEAD))) return undefined;
  return path.replace(/html$/, 'md');
}

/** Returns the name of the page whose Markdown a file is; undefined for all other files. */
export function findMarkdownPage(path: string, body: Buffer): string | undefined {
  const isMarkdown = path.endsWith('.md') && FRONT_MATTER.test(body.toString('utf8', 0, MAX_HEAD));
  return isMarkdown ? path.slice(path.lastIndexOf('/') + 1).replace(/md$/, 'html') : undefined;
}

/** Returns the URL of a site as the request names its host, without a slash at its end. */
export function siteUrl({ protocol, host }: Pick<Context, 'protocol' | 'host'>, basePath: string): string {
  return `${protocol}://${host}${basePath}`;
}

/**
 * Returns the Markdown of a page with absolute links; `site` is the URL of the site, without a slash at its end. In the file they are
 * relative, as they are in pages, so that versions share it.
 */
export function absolutizeContent(body: Buffer, place: { readonly site: string; readonly path: string }): FileContent {
  const address = encodePath(place.path.replace(/md$/, 'html').replace(/\/index\.html$/, '/'));
  const text = absolutizeMarkdown(body.toString(), place.site + address);
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('hex');
  return { size: bytes.length, hash, body: bytes, compressed: new Map() };
}
