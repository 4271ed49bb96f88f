import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from 'koa';
import nunjucks from 'nunjucks';
import { countNoun } from '../../lib/count-noun.ts';
import { escapeHtml } from '../../lib/html-text.ts';
import { packageFile } from '../../lib/package-file.ts';
import { readableHost } from '../../lib/url-text.ts';
import {
  type Compression,
  compressBody,
  isWorthSending,
  MIN_COMPRESSED_SIZE,
  negotiateCodings,
} from './content-coding.ts';

/** An answer that is ready to be sent, with the entity tag of its bytes. */
export interface PreparedAnswer {
  /** A string where it is short: Node sends it in one piece with the head, but a buffer as a second one. */
  readonly body: string | Buffer;
  /** That of the plain body. */
  readonly etag: string;
  readonly bytes: number;
  /** The bodies that somebody wanted compressed; undefined = not worth it. */
  readonly compressed: Map<Compression, Promise<Buffer | undefined>>;
}

/** Media type of the API's answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

const MAX_TEXT_BYTES = 16_384;

/** Prepares an answer, which may be kept and sent many times. */
export function prepareAnswer(text: string): PreparedAnswer {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
  return { body: bytes.length > MAX_TEXT_BYTES ? bytes : text, etag, bytes: bytes.length, compressed: new Map() };
}

/**
 * Sends a prepared answer of a media type, compressed for those who accept that, or 304 to a client that has it; clients
 * revalidate it each time.
 */
export async function sendPrepared(ctx: Context, answer: PreparedAnswer, type: string): Promise<void> {
  const [coding = 'identity'] = negotiateCodings(ctx.req.headers['accept-encoding'] as string | undefined);
  const small = coding === 'identity' ? undefined : await compressAnswer(answer, coding);
  const etag = small ? answer.etag.replace(/"$/, `-${coding}"`) : answer.etag;
  const { res } = ctx;
  ctx.vary('Accept-Encoding');
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', 'no-cache');
  const known = ctx.req.headers['if-none-match'];
  if (known !== undefined && matchEntityTag(known, etag, 'weak')) {
    ctx.status = 304;
    return;
  }
  res.setHeader('Content-Type', type);
  if (small) res.setHeader('Content-Encoding', coding);
  ctx.status = 200;
  ctx.body = small ?? answer.body;
}

function compressAnswer({ body, bytes, compressed }: PreparedAnswer, coding: Compression): Promise<Buffer | undefined> {
  let small = compressed.get(coding);
  if (!small) {
    small =
      bytes < MIN_COMPRESSED_SIZE
        ? Promise.resolve(undefined)
        : compressBody(Buffer.from(body), coding).then((found) =>
            isWorthSending(found.length, bytes) ? found : undefined,
          );
    compressed.set(coding, small);
  }
  return small;
}

/**
 * Checks whether a list of entity tags (`If-None-Match`, `If-Match`; RFC 9110) contains this strong tag; `*` contains all.
 * Weak comparison ignores `W/`; strong comparison never matches a weak tag.
 */
export function matchEntityTag(field: string, tag: string, comparison: 'weak' | 'strong'): boolean {
  if (field === tag || field.trim() === '*') return true;
  for (const [whole, opaque] of field.matchAll(/(?:W\/)?("[^"]*")/g)) {
    if (opaque === tag && (comparison === 'weak' || !whole.startsWith('W/'))) return true;
  }
  return false;
}

const folder = packageFile('templates/console/');
const environment = new nunjucks.Environment(
  {
    getSource: (name: string) => ({ src: readFileSync(new URL(name, folder), 'utf8'), path: name, noCache: false }),
  } as nunjucks.ILoader,
  { autoescape: true, throwOnUndefined: true, trimBlocks: true, lstripBlocks: true },
);

// `2026-05-04T03:02:01.123Z | moment` → `2026-05-04 03:02:01 UTC`
environment.addFilter('moment', (time: string) => time.replace(/^([\d-]+)T([\d:]+)(?:\.\d+)?Z$/, '$1 $2 UTC'));
// `1 | count('page')` → `1 page`
environment.addFilter('count', countNoun);

// `https://xn--bcher-kva.example/ | readable` → ` (<bdi>bücher.example</bdi>)`
environment.addFilter('readable', (text: string) => {
  const host = readableHost(text);
  return new nunjucks.runtime.SafeString(host && ` (<bdi>${escapeHtml(host)}</bdi>)`);
});

// `text | splitCode` → pieces, see `splitCode`
environment.addFilter('splitCode', splitCode);

/** Renders a template of `templates/console/`. */
export function renderPage(template: string, model: object): string {
  return environment.render(template, model);
}

/** Headers of pages for people, which show text from repositories at the service's origin. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
};

/** Sends a page from a template of `templates/console/`. */
export function sendPage(ctx: Context, template: string, model: object): void {
  ctx.type = 'html';
  ctx.set(PAGE_HEADERS);
  ctx.set('Cache-Control', 'no-cache');
  ctx.body = renderPage(template, model);
}

/** Returns the pieces of a text, those in backquotes as code. */
export function splitCode(text: string): readonly { readonly text: string; readonly isCode: boolean }[] {
  return text
    .split('`')
    .map((piece, i) => ({ text: piece, isCode: i % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}
