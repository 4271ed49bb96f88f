import type { Middleware } from 'koa';
import { answerMissing, answerPath, redirect, type SiteRequest, sendBusy } from './answer-site.ts';
import { createViewLoader } from './create-view-loader.ts';
import { parseSitePath } from './parse-site-path.ts';
import { readAddress } from './read-address.ts';
import { sendText } from './send-text.ts';
import type { Site, SiteAddress } from './site.ts';

/** How sites are served. */
export interface SiteServerOptions {
  /** Returns the site for a request; undefined = the request is for somebody else. Called for each request: be quick. */
  readonly findSite: (address: SiteAddress) => Site | undefined | Promise<Site | undefined>;
  /** Memory for files' contents, bytes; default 128 MB. */
  readonly maxCacheBytes?: number | undefined;
  /** How long an answer waits for a compressed body before the plain one is sent, ms; default 50. */
  readonly maxWaitMs?: number | undefined;
}

/** Serves published sites. */
export interface SiteServer {
  /** Answers requests for sites; passes all others on. */
  readonly middleware: Middleware;
  /** Memory in use for contents, bytes. */
  readonly cacheBytes: number;
}

const METHODS = 'GET, HEAD, OPTIONS';
const MAX_WAIT_MS = 50;
const MAX_CACHE_BYTES = 128_000_000;
/** Contents above this are read from the disk for each answer. */
const MAX_BODY_BYTES = 4_000_000;

/**
 * Creates the server of published sites. Each answer is one file as it is at some moment after the request came in, never
 * older: the file system is asked each time, only bytes are remembered.
 */
export function createSiteServer({
  findSite,
  maxCacheBytes = MAX_CACHE_BYTES,
  maxWaitMs = MAX_WAIT_MS,
}: SiteServerOptions): SiteServer {
  const maxBodyBytes = Math.min(MAX_BODY_BYTES, Math.floor(maxCacheBytes / 16));
  const loader = createViewLoader({ maxBytes: maxCacheBytes, maxBodyBytes });
  return {
    get cacheBytes() {
      return loader.bytes;
    },
    middleware(ctx, next) {
      const address = readAddress(ctx);
      if (!address) return next();
      const site = findSite(address);
      if (site instanceof Promise)
        return site.then((found) => (found ? serve({ ctx, loader, site: found, maxWaitMs }, address) : next()));
      return site ? serve({ ctx, loader, site, maxWaitMs }, address) : next();
    },
  };
}

function serve(request: SiteRequest, address: SiteAddress): void | Promise<void> {
  try {
    return answer(request, address)?.catch((error) => answerError(request, error));
  } catch (error) {
    answerError(request, error);
  }
}

function answer(request: SiteRequest, { path }: SiteAddress): void | Promise<void> {
  const { ctx, site } = request;
  const { basePath, isShared } = site;
  const { method } = ctx.req;
  if (method === 'OPTIONS') return sendText(ctx, { status: 204, text: '', isShared, headers: ['Allow', METHODS] });
  if (method !== 'GET' && method !== 'HEAD') {
    return sendText(ctx, { status: 405, text: 'Method not allowed', isShared, headers: ['Allow', METHODS] });
  }
  if (!path.startsWith(basePath)) throw new Error(`Cannot serve "${path}": it is not below "${basePath}"`);
  if (path === basePath) return redirect(request, '/');
  const asked = parseSitePath(path.slice(basePath.length));
  if (asked === 400) return sendText(ctx, { status: 400, text: 'The address is malformed', isShared });
  if (asked === 414) return sendText(ctx, { status: 414, text: 'The address is too long', isShared });
  return asked === 404 ? answerMissing(request, undefined) : answerPath(request, asked);
}

/** Too many open files will be fewer in a moment; everything else is for the one who handles errors. */
function answerError(request: SiteRequest, error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if ((code !== 'EMFILE' && code !== 'ENFILE') || request.ctx.headerSent) throw error;
  sendBusy(request, 'Too many requests at once, try again');
}
