import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Middleware } from 'koa';
import { packageFile } from '../../lib/package-file.ts';
import { chooseFile } from '../../platform/sites/find-site-file.ts';
import { parseSitePath } from '../../platform/sites/site-paths.ts';
import type { FileStamp, PublishedSite } from '../../platform/sites/site-storage.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { createSiteServer } from './serve-sites.ts';

/** URL of the script that pages of a preview load. */
export const LIVE_SCRIPT = '/_docbuild/live.js';
const EVENTS = '/_docbuild/live';

/** The message to open pages after each build. */
export interface PreviewState {
  /** Number of the last successful build, larger than those before. */
  readonly build: number;
  /** Why the last build failed; undefined = the site is up to date. */
  readonly failure: string | undefined;
  /** Number of problems for the author to fix. */
  readonly count: number;
  /** The problems, equal ones in one line, and the last line may say how many more there are. */
  readonly problems: readonly string[];
}

/** A site whose contents are made when they are asked for, by paths such as `en/latest/index.html`. */
export interface PreviewedSite {
  /** Returns what distinguishes the content at a path from others; undefined where there is no file. */
  find(path: string): string | undefined;
  /** Makes the content at a path; undefined where there is no file. Rejects where it cannot be made at the moment. */
  read(path: string): Promise<Uint8Array> | undefined;
}

/** Serves a site to its author, and notifies open pages of changes. */
export interface PreviewServer extends LocalServer {
  announce(state: PreviewState): void;
  /** Resolves when a page was asked for and browsers had time to show it, or soon; at once where none is open, or `signal` fires. */
  whenShown(signal: AbortSignal): Promise<void>;
}

/** A page that is open asks for itself within this time, and is shown so long after it was sent, in ms. */
const SENT_MS = 50;
const SHOWN_MS = 50;
/** Open pages at a time; each holds a connection. */
const MAX_PAGES = 100;
/** Interval of a line that keeps idle connections open. */
const KEEP_ALIVE_MS = 20_000;

/** Starts the server. Rejects with the error of listening, e.g. `EADDRINUSE`. */
export async function startPreviewServer(options: {
  readonly site: PreviewedSite;
  readonly host: string;
  readonly port: number;
}): Promise<PreviewServer> {
  const { site, host, port } = options;
  const script = readFileSync(packageFile('dist/client/live.js'));
  const pages = new Set<Context['res']>();
  const sent = new EventEmitter();
  let message = '';
  let build = 0;
  const find = createFinder(site);
  const files = presentSite(site, find);
  const { middleware } = createSiteServer({
    findSite({ path }) {
      const [, first = ''] = path.split('/');
      const languages = site.find(`${first}/404.html`) === undefined ? [] : [first];
      return { files, basePath: '', isShared: false, languages };
    },
  });
  const live: Middleware = (ctx, next) => {
    if (ctx.path === EVENTS) return openStream(ctx);
    if (ctx.path !== LIVE_SCRIPT) return next();
    ctx.type = 'text/javascript; charset=utf-8';
    ctx.set('Cache-Control', 'no-store');
    ctx.body = script;
  };
  // Until the first build succeeds.
  const wait: Middleware = (ctx, next) => (site.find('index.html') !== undefined ? next() : showNothingYet(ctx));
  const serve: Middleware = (ctx, next) => {
    // Compressing a page takes longer than sending it.
    delete ctx.req.headers['accept-encoding'];
    // The script compares both with what it hears and gets later: there may have been a build since, or none that changed the page.
    ctx.set('Server-Timing', `build;desc="${build}", page;desc="${pageAt(ctx.path)}"`);
    if (/(?:\.html|\/)$/.test(ctx.path)) ctx.res.once('finish', () => sent.emit('page'));
    return middleware(ctx, next);
  };
  const server = await startLocalServer({ host, port, middlewares: [live, wait, serve] });
  const beat = setInterval(() => send(': \n\n'), KEEP_ALIVE_MS).unref();
  return {
    url: server.url,
    announce(state) {
      build = state.build;
      message = `data: ${JSON.stringify(state)}\n\n`;
      send(message);
    },
    async whenShown(signal) {
      if (pages.size === 0) return;
      await once(sent, 'page', { signal: AbortSignal.any([signal, AbortSignal.timeout(SENT_MS)]) }).catch(() => {});
      await sleep(SHOWN_MS, undefined, { signal }).catch(() => {});
    },
    async close() {
      clearInterval(beat);
      for (const page of pages) page.end();
      await server.close();
    },
  };

  /** Returns what tells the file that is sent for a path from others; '' where there is none. */
  function pageAt(path: string): string {
    const asked = parseSitePath(path);
    const found = typeof asked === 'object' ? chooseFile(find, asked) : undefined;
    return found?.kind === 'file' ? found.stamp.ino.toString(36) : '';
  }

  function openStream(ctx: Context): void {
    if (pages.size >= MAX_PAGES) ctx.throw(503, 'Too many pages are open');
    ctx.respond = false;
    const { res } = ctx;
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    res.write(message === '' ? ': \n\n' : message);
    pages.add(res);
    res.on('close', () => pages.delete(res));
  }

  function send(text: string): void {
    for (const page of pages) page.write(text);
  }
}

type Finder = (path: string) => FileStamp | 'folder' | undefined;

/** Creates a function that finds what is at a path. */
function createFinder(site: PreviewedSite): Finder {
  return (path) => {
    const key = site.find(path.slice(1));
    if (key !== undefined) return stampOf(key);
    return site.find(`${path.slice(1)}/index.html`) === undefined ? undefined : 'folder';
  };
}

/** Presents a site whose contents are made when they are asked for. */
function presentSite(site: PreviewedSite, find: Finder): PublishedSite {
  return {
    id: 'preview',
    find: (asked) => chooseFile(find, asked),
    async open(path) {
      const stamp = find(path);
      const content = site.read(path.slice(1));
      if (typeof stamp !== 'object' || !content) return undefined;
      const body = await content.then(toBuffer, refuseContent);
      const hash = createHash('sha256').update(body).digest('hex');
      return { stamp, descriptor: -1, content: { size: body.length, hash, body } };
    },
    readCompressed: async () => undefined,
  };
}

/** Returns a stamp that is equal where contents are. */
function stampOf(key: string): FileStamp {
  const hash = createHash('sha256').update(key).digest('hex');
  return { dev: -1n, ino: BigInt(`0x${hash.slice(0, 32)}`), size: 0n, mtimeNs: 0n };
}

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** A file that is being saved cannot be read until the next build. */
function refuseContent(error: unknown): never {
  throw Object.assign(new Error((error as Error).message, { cause: error }), { code: 'busy' });
}

/** Answers with a page that waits for the first build and shows why it failed. */
function showNothingYet(ctx: Context): void {
  ctx.status = 503;
  ctx.type = 'text/html; charset=utf-8';
  ctx.set('Cache-Control', 'no-store');
  ctx.body = `<!doctype html>\n<html lang="en">\n<title>docbuild</title>\n<script defer src="${LIVE_SCRIPT}"></script>\n<p>There is no site yet.\n`;
}
