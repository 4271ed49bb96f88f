import { once } from 'node:events';
import { createSharedBudget } from '../../lib/shared-budget.ts';
import { closeFile, readSiteFile } from '../../platform/sites/site-files.ts';
import { parseSitePath } from '../../platform/sites/site-paths.ts';
import type { SitePath } from '../../platform/sites/site-storage.ts';
import { toSource } from '../http/trusted-request.ts';
import { absolutizeContent, siteUrl } from './page-markdown.ts';
import { commonHeaders, REVALIDATE } from './representation.ts';
import type { SiteRequest } from './site-request.ts';

const NAME = /\/llms-full\.txt$/;
/** A page in a list of docbuild. */
const ITEM = /^- \[.*\]\(([^()\s]+\.md)\)/;
const MAX_LIST_BYTES = 4_000_000;
const MAX_PAGE_BYTES = 4_000_000;
/** Such answers at once; each has a page in memory. */
const answers = createSharedBudget(16);

/**
 * Answers a request for `llms-full.txt` with the Markdown of the pages that `llms.txt` beside it lists, one after the other, so that
 * no text is stored twice. Returns false where there is no such list.
 */
export async function answerFullText(request: SiteRequest, { path }: SitePath): Promise<boolean> {
  if (!NAME.test(path)) return false;
  const folder = path.replace(NAME, '/');
  const list = await readFile(request, `${folder}llms.txt`, MAX_LIST_BYTES);
  if (!list) return false;
  const { ctx, site, stallMs } = request;
  const response = ctx.res;
  ctx.respond = false;
  const type = ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', REVALIDATE];
  response.writeHead(200, [...type, ...commonHeaders(site.isShared)]);
  if (ctx.req.method === 'HEAD') {
    response.end();
    return true;
  }
  response.setTimeout(stallMs, () => response.destroy());
  const place = answers.open(toSource(ctx.ip), () => response.destroy());
  place.grow(1);
  try {
    for (const file of listFiles(list.toString(), { folder, site: siteUrl(ctx, site.basePath) })) {
      if (response.destroyed) break;
      const body = await readFile(request, file, MAX_PAGE_BYTES);
      if (!body) continue;
      const text = absolutizeContent(body, { site: siteUrl(ctx, site.basePath), path: file }).body!;
      if (!response.write(`${text}\n`)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end();
  } catch (error) {
    // What has been sent must not be taken for all.
    response.destroy();
    if (!response.headersSent) throw error;
  } finally {
    place.release();
  }
  return true;
}

/** Returns the paths of the files that a list names, each once. */
function listFiles(
  list: string,
  { folder, site }: { readonly folder: string; readonly site: string },
): Iterable<string> {
  const files = new Set<string>();
  for (const line of list.split('\n')) {
    const [, target] = ITEM.exec(line) ?? [];
    if (target === undefined) continue;
    const base = `${site}${folder}`;
    const url = URL.canParse(target, base) ? new URL(target, base).href : '';
    const asked = url.startsWith(`${site}/`) ? parseSitePath(url.slice(site.length)) : undefined;
    if (typeof asked === 'object' && !asked.isFolder) files.add(asked.path);
  }
  return files;
}

/** Returns the bytes of a file of the site; undefined where it is not there, changes meanwhile or is too large. */
async function readFile({ site }: SiteRequest, path: string, maxBytes: number): Promise<Buffer | undefined> {
  const file = await site.files.open(path);
  if (!file) return undefined;
  try {
    return (await readSiteFile(file, maxBytes))?.body;
  } finally {
    closeFile(file);
  }
}
