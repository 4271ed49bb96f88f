import { pathToFileURL } from 'node:url';
import { DataError } from '../../data/data-error.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { createHttpClient, HttpError } from '../../lib/http-client.ts';
import { isWebUrl } from '../../lib/url-text.ts';
import { locateSite, openFolderSite } from '../sites/folder-sites.ts';
import { closeFile, readSiteFile } from '../sites/site-files.ts';
import type { PublishedSite } from '../sites/site-storage.ts';
import type { SiteSource } from './documented-sites.ts';

/** The largest file that is read: the search index of some ten thousand pages. */
const MAX_FILE_BYTES = 64_000_000;
const MAX_TRIES = 3;

/** Returns the bytes of a file of a published site; undefined where there is none. Throws DataError `busy` while it is being changed. */
export async function readPublished(site: PublishedSite, path: string): Promise<Uint8Array | undefined> {
  // Paths come from the site's own lists; nothing else is asked for in its name.
  if (path.split('/').some((part) => part === '' || part.startsWith('.'))) return undefined;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const found = await site.find({ path: `/${path}`, isFolder: false });
    if (found.kind !== 'file' || found.path !== `/${path}`) return undefined;
    const opened = await site.open(found.path);
    if (!opened) continue;
    try {
      const content = await readSiteFile(opened, MAX_FILE_BYTES);
      if (content?.body) return content.body;
      if (content) throw new DataError('refused', `"${path}" of the site is too large: ${content.size} bytes`);
    } finally {
      closeFile(opened);
    }
  }
  throw new DataError('busy', 'The site is being changed, try again');
}

/** A site that a command was pointed to. */
export interface OpenedSite extends SiteSource {
  close(): Promise<void>;
}

/**
 * Opens the site in a folder, as an export or a server leaves it there, or at an address. Throws DataError `not-found` where docbuild has
 * published none.
 */
export async function openSite(place: string): Promise<OpenedSite> {
  return isWebUrl(place) ? openSiteAt(place) : openSiteIn(place);
}

function openSiteIn(place: string): OpenedSite {
  const folder = locateSite(place);
  const site = openFolderSite(folder);
  return {
    key: folder,
    url: pathToFileURL(`${folder}/`).href,
    read: (path) => readPublished(site, path),
    close: async () => {},
  };
}

const TIMEOUT_MS = 20_000;
/** Folders above an address in which a site is looked for. */
const MAX_PARENTS = 6;
/** For how long a file counts as it was, ms, and bytes of files that are kept. */
const FRESH_MS = 30_000;
const MAX_KEPT_BYTES = 64_000_000;

async function openSiteAt(address: string): Promise<OpenedSite> {
  const client = createHttpClient({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_FILE_BYTES });
  const kept = createBoundedMap<string, { readonly atMs: number; readonly body: Buffer | undefined }>({
    maxWeight: MAX_KEPT_BYTES,
    weigh: ({ body }) => (body?.length ?? 0) + 500,
  });
  const fetchFile = async (url: URL): Promise<Buffer | undefined> => {
    const known = kept.get(url.href);
    if (known && performance.now() - known.atMs < FRESH_MS) return known.body;
    const body = await ask(url);
    kept.set(url.href, { atMs: performance.now(), body });
    return body;
  };
  const ask = async (url: URL): Promise<Buffer | undefined> => {
    try {
      const { status, body } = await client.send(url, { mayFollow: () => true });
      if (status === 200) return body;
      if (status === 404 || status === 410) return undefined;
      throw new DataError('busy', `"${url.host}" answered with ${status}; try again later`);
    } catch (error) {
      if (error instanceof HttpError) throw new DataError('busy', error.message, { cause: error });
      throw error;
    }
  };
  if (!URL.canParse(address)) throw new DataError('invalid', `"${address}" is not a URL`);
  try {
    let root = new URL('./', address);
    for (let parent = 0; parent < MAX_PARENTS; parent++) {
      const index = await fetchFile(new URL('versions.json', root));
      if (index && isIndex(index)) {
        const found = root;
        return {
          key: found.href,
          url: found.href,
          read: (path) => fetchFile(new URL(path.split('/').map(encodeURIComponent).join('/'), found)),
          close: () => client.close(),
        };
      }
      if (root.pathname === '/') break;
      root = new URL('../', root);
    }
    throw new DataError(
      'not-found',
      `There is no site of docbuild at "${address}": neither there nor above it is a "versions.json"`,
    );
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Sites that have no such file may answer with a page. */
function isIndex(body: Buffer): boolean {
  try {
    const { format, versions } = JSON.parse(body.toString()) as { format?: unknown; versions?: unknown };
    return format === 1 && typeof versions === 'object' && versions !== null;
  } catch {
    return false;
  }
}
