import { isUtf8 } from 'node:buffer';
import type { CachedFile, FileContent } from '../../platform/sites/file-cache.ts';
import { findContentType, isCompressible, PLAIN_TEXT } from '../../platform/sites/media-types.ts';
import { readMovedPage } from '../../platform/sites/moved-page.ts';
import { isThemePage, SANDBOX } from '../../platform/sites/shared-host.ts';
import type { Coding } from '../http/content-coding.ts';
import { findMarkdown, findMarkdownPage } from './page-markdown.ts';
import type { Site } from './site.ts';

/** A body in one coding, with all headers that do not change from answer to answer. */
export interface Representation {
  readonly tag: string;
  readonly length: number;
  /** Headers of an answer with the whole body. */
  readonly headers: Headers;
  readonly notModified: Headers;
  /** Headers of a 404 page. */
  readonly notFound: Headers;
  /** Headers of an answer with a part of the body, without length and range. */
  readonly partial: Headers;
}

/** A file at a path of a site; its headers depend on its name. */
export interface View {
  readonly file: CachedFile;
  readonly isCompressible: boolean;
  /** The bytes at its path never change. */
  readonly isImmutable: boolean;
  /** Where the page leads if it only leads elsewhere, see `readMovedPage`. */
  readonly movedTo: string | undefined;
  /** Path of the page's Markdown, which readers may prefer. */
  readonly markdown: string | undefined;
  /** The file is the Markdown of a page. */
  readonly isMarkdown: boolean;
  /** Returns the representation with a body of this length. */
  represent(coding: Coding, length: number): Representation;
}

/** How a site shares its host, see `Site`. */
type SitePlace = Pick<Site, 'isShared' | 'pagePolicy'>;

/** Creates the view of a file that has just been read. */
export function createView(
  file: CachedFile,
  { hash, body }: FileContent,
  place: SitePlace & { readonly path: string },
): View {
  const type = findContentType(place.path) ?? guessContentType(body);
  const markdown = body && findMarkdown(place.path, body);
  const page = body && findMarkdownPage(place.path, body);
  const common = [...fileHeaders(type, body, place), ...(page === undefined ? [] : markdownHeaders(page))];
  // The same URL has both.
  const varying = [
    'Vary',
    markdown === undefined && page === undefined ? 'Accept-Encoding' : 'Accept-Encoding, Accept',
  ];
  const caching = cacheControl(place.path);
  const known: Record<Coding, Representation | undefined> = { br: undefined, gzip: undefined, identity: undefined };
  return {
    file,
    isCompressible: isCompressible(type),
    isImmutable: caching === FOREVER,
    movedTo: body && /^text\/html\b/.test(type) ? readMovedPage(body) : undefined,
    markdown,
    isMarkdown: page !== undefined,
    represent(coding, length) {
      let representation = known[coding];
      if (representation?.length !== length) representation = known[coding] = create(coding, length);
      return representation;
    },
  };

  function create(coding: Coding, length: number): Representation {
    const tag = entityTag(hash, coding);
    const encoding = coding === 'identity' ? [] : ['Content-Encoding', coding];
    const kind = ['Content-Type', type, ...encoding, ...varying];
    const size = ['Content-Length', String(length)];
    const validators = ['ETag', tag, 'Cache-Control', caching];
    const partial = [...kind, ...validators, 'Accept-Ranges', 'bytes', ...common];
    return {
      tag,
      length,
      headers: [...size, ...partial],
      notModified: [...validators, ...varying, ...common],
      notFound: [...size, ...kind, 'Cache-Control', REVALIDATE, ...common],
      partial,
    };
  }
}

/** Names and values alternately, as `writeHead` takes them. */
export type Headers = readonly string[];

/** Browsers revalidate each time, so that what a publish has replaced is never shown again. */
export const REVALIDATE = 'no-cache';
/** For pages that a browser requests before their reader has opened them: otherwise it would ask again when that happens. */
const SHORTLY = 'private, max-age=30';
const FOREVER = 'public, max-age=31536000, immutable';
/** Names of the theme's files contain a hash of their content, as docbuild or its bundler writes it; only the engine writes to this folder. */
const HASHED = /^\/_docbuild(?:-scripts)?\/(?:diagrams\/)?[\w.-]+\.(?:[0-9a-f]{8,64}|[0-9A-Z]{8})\.\w+$/;

const COMMON: Headers = ['X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'strict-origin-when-cross-origin'];

/** Returns headers with which a browser shows an answer without asking again, for a short time. */
export function keepShortly(headers: Headers): Headers {
  return headers.map((value, at) => (value === REVALIDATE && headers[at - 1] === 'Cache-Control' ? SHORTLY : value));
}

/** Returns the headers of every answer of a site but its pages. */
export function commonHeaders(isShared: boolean): Headers {
  return isShared ? [...COMMON, 'Content-Security-Policy', SANDBOX] : COMMON;
}

/** Returns the headers of a file besides those of its content. */
function fileHeaders(type: string, body: Buffer | undefined, { isShared, pagePolicy }: SitePlace): Headers {
  if (!isShared) return COMMON;
  if (/^application\/pdf\b/.test(type)) return [...commonHeaders(true), 'Content-Disposition', 'attachment'];
  if (pagePolicy === undefined || !isThemePage(type, body)) return commonHeaders(true);
  return [...COMMON, 'Content-Security-Policy', pagePolicy];
}

/** Says which file the Markdown of a page is, and that search engines should show the page. */
function markdownHeaders(page: string): Headers {
  const name = encodeURIComponent(page);
  const link = name === 'index.html' ? './' : `./${name}`;
  return ['Content-Location', `./${name.replace(/html$/, 'md')}`, 'Link', `<${link}>; rel="canonical"`];
}

/** Returns the `Cache-Control` of a file of a site. */
function cacheControl(path: string): string {
  return HASHED.test(path) ? FOREVER : REVALIDATE;
}

/** Returns the strong entity tag of a body; each coding has its own. */
function entityTag(hash: string, coding: Coding): string {
  const suffix = coding === 'identity' ? '' : `-${coding}`;
  return `"${hash.slice(0, 32)}${suffix}"`;
}

const UNKNOWN = 'application/octet-stream';

/** Returns the media type of a file whose name does not tell: text where it is valid UTF-8. */
function guessContentType(body: Buffer | undefined): string {
  return body && isUtf8(body) && !body.includes(0) ? PLAIN_TEXT : UNKNOWN;
}
