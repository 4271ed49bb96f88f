import type { Middleware } from 'koa';
import { openFolderSite } from '../../platform/sites/folder-sites.ts';
import { createSiteIndexes } from '../../platform/sites/site-indexes.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { createSiteServer } from './serve-sites.ts';

/** `docbuild api` has compressed files before readers ask; here the only reader waits for the same answer. */
const MAX_WAIT_MS = 5_000;

/**
 * Starts a server of the site in a folder, as a build published it there and as the next one will; readers get what they would get from
 * `docbuild api`. Rejects with the error of listening, e.g. `EADDRINUSE`.
 */
export async function startFolderServer(options: {
  readonly folder: string;
  /** Path that the site was built for, without a final `/`, '' = the root of its host. What is not below it leads there. */
  readonly basePath: string;
  readonly host: string;
  readonly port: number;
}): Promise<LocalServer> {
  const { folder, basePath, host, port } = options;
  const files = openFolderSite(folder);
  const indexes = createSiteIndexes({ find: () => files });
  const { middleware } = createSiteServer({
    maxWaitMs: MAX_WAIT_MS,
    async findSite({ path }) {
      if (path !== basePath && !path.startsWith(`${basePath}/`)) return undefined;
      // A site that is being published anew has none for a moment.
      const index = await indexes.read(folder).catch(() => indexes.peek(folder));
      return { files, basePath, isShared: false, languages: index?.languages ?? [], homes: index?.homes };
    },
  });
  const leadHome: Middleware = (ctx) => {
    if (ctx.path === '/') return ctx.redirect(`${basePath}/`);
    ctx.status = 404;
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = `The site is below ${basePath}/\n`;
  };
  const server = await startLocalServer({ host, port, middlewares: [middleware, leadHome] });
  return { url: new URL(`${basePath}/`, server.url).href, close: server.close };
}
