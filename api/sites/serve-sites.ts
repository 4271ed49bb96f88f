import type { Context, Middleware } from 'koa';
import { DataError } from '../../data/data-error.ts';
import type { Store } from '../../data/store.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { hasCode } from '../../lib/system-error.ts';
import { createCdnHeaders } from '../../platform/cdn/cdn-settings.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { listServiceHosts } from '../../platform/projects/project-hosts.ts';
import { createPagePolicy } from '../../platform/sites/shared-host.ts';
import type { SiteIndexes } from '../../platform/sites/site-indexes.ts';
import { parseSitePath } from '../../platform/sites/site-paths.ts';
import { EMPTY_SITE, type SiteStorage } from '../../platform/sites/site-storage.ts';
import type { Route } from '../http/route.ts';
import { parseRequestTarget } from '../http/trusted-request.ts';
import { sendText } from './file-answer.ts';
import { redirect } from './redirects.ts';
import type { Site } from './site.ts';
import { answerMissing, answerPath, sendBusy } from './site-answer.ts';
import type { SiteRequest } from './site-request.ts';
import { createViewLoader } from './view-loader.ts';

interface SitesContext {
  readonly settings: Settings;
  readonly store: Pick<Store, 'projects'>;
  /** Published sites: `peek` answers from memory, `read` looks at the site. */
  readonly sites: Pick<SiteIndexes, 'peek' | 'read'>;
  readonly siteStorage: Pick<SiteStorage, 'find'>;
  /** All routes; a project's own host has those that are `isAtSites`: what the nav button on its pages requests. */
  readonly routes: readonly Pick<Route, 'paths' | 'isAtSites'>[];
}

/**
 * How long a page waits, ms, until it is known which site it is of: a database that hangs is given no more. What it then takes of a
 * site has a limit of the site's storage.
 */
const FIND_MS = 5_000;
/** How long it waits of these for what else the site has. */
const INDEX_MS = 2_500;
const LATE = phrase`This page cannot be loaded at the moment, try again`;

/**
 * Serves published sites: on `<project>.<docs.domain>`, on the project's own domain, and below `/docs/<project>/` on the
 * service's own hosts. A project's host serves nothing else, and a host below `docs.domain` without a project serves nothing;
 * the configured hosts of the service never belong to a project.
 */
export function serveSites({ settings, store, sites, siteStorage, routes }: SitesContext): Middleware {
  const shared = routes.filter(({ isAtSites }) => isAtSites === true).flatMap(({ paths }) => paths);
  const serviceHosts = listServiceHosts(settings.current());
  const nothing: Site = { files: EMPTY_SITE, basePath: '', isShared: true, languages: [] };
  const createSite = async (name: string): Promise<Omit<Site, 'basePath' | 'isShared'>> => {
    // Languages rarely change, and the end of each build reads them again, so the site is not read for each request.
    const index = sites.peek(name) ?? (await withinLimit(sites.read(name), INDEX_MS, LATE).catch(forgiveBusy));
    const found = siteStorage.find(name);
    const files = found instanceof Promise ? await found : found;
    const cdn = createCdnHeaders(name, settings.current().cdn);
    return {
      files,
      // A CDN that is told of the next edition may ask again at once, and must not keep the last one then.
      cdn: cdn && files.isOutdated ? { ...cdn, age: [] } : cdn,
      languages: index?.languages ?? [],
      homes: index?.homes,
      index,
    };
  };
  /** Finds the project of a host; '' = there could be one, but there is none; undefined = no host of a project. */
  const findByHost = async (host: string): Promise<string | undefined> => {
    const project = await store.projects.findByDomain(host);
    if (project) return project.name;
    const { domain } = settings.current().docs;
    if (domain === '' || !host.endsWith(`.${domain}`)) return undefined;
    return (await store.projects.find(host.slice(0, -domain.length - 1)))?.name ?? '';
  };
  const find = async ({ host, path }: SiteAddress): Promise<Site | undefined> => {
    const own = serviceHosts.has(host) ? undefined : await findByHost(host);
    if (own === '') return nothing;
    if (own !== undefined) {
      if (shared.some((pattern) => pattern.replace(':project', own) === path)) return undefined;
      return { ...(await createSite(own)), basePath: '', isShared: false };
    }
    const name = /^\/docs\/([^/]+)/.exec(path)?.[1];
    if (name === undefined) return undefined;
    const project = await store.projects.find(name.toLowerCase());
    if (!project) return undefined;
    const basePath = `/docs/${name}`;
    const { docs_api_url: apiUrl, server_static_url: scriptUrl } = settings.current().api;
    const pagePolicy = createPagePolicy({ basePath, project: project.name, apiUrl, scriptUrl });
    return { ...(await createSite(project.name)), basePath, isShared: true, pagePolicy };
  };
  return createSiteServer({
    findSite: (address) => withinLimit(find(address), FIND_MS, LATE),
  }).middleware;
}

/** Returns what work leads to. Throws DataError `busy` where it takes longer, ms; the work goes on. */
async function withinLimit<T>(work: Promise<T>, limitMs: number, message: Phrase): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DataError('busy', message)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Without its languages a site has one page for what is missing. */
function forgiveBusy(error: unknown): undefined {
  if (!hasCode(error, 'busy')) throw error;
}

/** Where a request goes. */
interface SiteAddress {
  /** Requested host in lower case, without port; '' where the request names none. */
  readonly host: string;
  /** Path as received: begins with `/`, not decoded, without query. */
  readonly path: string;
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
const STALL_MS = 30_000;
const MAX_CACHE_BYTES = 128_000_000;
/** Larger contents are read from the disk for each answer. */
const MAX_BODY_BYTES = 4_000_000;

/**
 * Creates a server of sites. Each answer is one file as it is at some moment after the request arrived, never older: the file
 * system is asked each time, only bytes are cached.
 */
export function createSiteServer({
  findSite,
  maxCacheBytes = MAX_CACHE_BYTES,
  maxWaitMs = MAX_WAIT_MS,
  stallMs = STALL_MS,
}: {
  /** Finds the site for a request; undefined = the request is not for a site. Called for each request, so it must be fast. */
  readonly findSite: (address: SiteAddress) => Site | undefined | Promise<Site | undefined>;
  /** Memory for contents of files, bytes; default 128 MB. */
  readonly maxCacheBytes?: number | undefined;
  /** Longest wait of an answer for a compressed body before the plain one is sent, ms; default 50. */
  readonly maxWaitMs?: number | undefined;
  /** How long a reader may take nothing, ms; default 30,000. */
  readonly stallMs?: number | undefined;
}): SiteServer {
  const maxBodyBytes = Math.min(MAX_BODY_BYTES, Math.floor(maxCacheBytes / 16));
  const loader = createViewLoader({ maxBytes: maxCacheBytes, maxBodyBytes });
  return {
    get cacheBytes() {
      return loader.bytes;
    },
    middleware(ctx, next) {
      const address = findAddress(ctx);
      if (!address) return next();
      const site = findSite(address);
      if (site instanceof Promise)
        return site.then((found) =>
          found ? serve({ ctx, loader, site: found, maxWaitMs, stallMs }, address) : next(),
        );
      return site ? serve({ ctx, loader, site, maxWaitMs, stallMs }, address) : next();
    },
  };
}

/** Returns where a request goes; undefined for one without a path (`OPTIONS *`). */
function findAddress({ req }: Context): SiteAddress | undefined {
  const { host, target } = parseRequestTarget(req);
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.startsWith('/') ? { host: host.replace(/:\d*$/, ''), path } : undefined;
}

function serve(request: SiteRequest, address: SiteAddress): void | Promise<void> {
  const { cdn } = request.site;
  if (cdn) request.ctx.res.setHeader(cdn.tag.name, cdn.tag.value);
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
  if (asked === 400) return sendText(ctx, { status: 400, text: 'Malformed URL', isShared });
  if (asked === 414) return sendText(ctx, { status: 414, text: 'URL too long', isShared });
  return asked === 404 ? answerMissing(request, undefined) : answerPath(request, asked);
}

/** Too many open files and a storage that is away are temporary; other errors go to the error middleware. */
function answerError(request: SiteRequest, error: unknown): void {
  if (!hasCode(error, 'EMFILE', 'ENFILE', 'busy') || request.ctx.headerSent) throw error;
  sendBusy(request, hasCode(error, 'busy') ? (error as Error).message : 'Too many requests at once, try again');
}
