import type { Middleware } from 'koa';
import { siteFolder } from '../../builder/index.ts';
import type { Platform } from '../platform.ts';
import { createSiteServer } from './create-site-server.ts';
import { compressedFolder } from './keep-compressed.ts';
import type { Site } from './site.ts';

/** What a project's own host answers besides its site: what the nav button on its pages asks for. */
const BUTTON_PATH = /^\/docbuild\/(?:assets\/docbuild\.js|desc\/([^/]+)|([^/]+)\/desc)$/;

/**
 * Serves published sites: on `<project>.<docs.domain>`, on the project's own domain, and below `/docs/<project>/` on the
 * service's own host. A project's host answers nothing else.
 */
export function serveSites({ config, store, sites, sitesFolder }: Platform): Middleware {
  const suffix = config.docs.domain === '' ? undefined : `.${config.docs.domain}`;
  const present = async (name: string, basePath: string, isShared: boolean): Promise<Site> => {
    // Languages hardly ever change, and a build's end reads them anew: no need to look at each request.
    const index = sites.peek(name) ?? (await sites.read(name));
    const folder = siteFolder(sitesFolder, name);
    return { folder, basePath, isShared, languages: index?.languages ?? [], compressed: compressedFolder(folder) };
  };
  const findByHost = async (host: string): Promise<string | undefined> => {
    const project = await store.projects.findByDomain(host);
    if (project) return project.name;
    if (suffix === undefined || !host.endsWith(suffix)) return undefined;
    return (await store.projects.find(host.slice(0, -suffix.length)))?.name;
  };
  return createSiteServer({
    async findSite({ host, path }) {
      const own = await findByHost(host);
      if (own !== undefined) {
        const asked = BUTTON_PATH.exec(path);
        const isOwn = asked && (asked[1] ?? asked[2] ?? own) === own;
        return isOwn ? undefined : present(own, '', false);
      }
      const name = /^\/docs\/([^/]+)/.exec(path)?.[1];
      if (name === undefined) return undefined;
      const project = await store.projects.find(name);
      return project && present(project.name, `/docs/${name}`, true);
    },
  }).middleware;
}
