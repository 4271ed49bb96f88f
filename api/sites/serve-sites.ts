import { join } from 'node:path';
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
 * service's own hosts. A project's host answers nothing else, and hosts below `docs.domain` without a project nothing at
 * all; the configured addresses of the service are never a project's.
 */
export function serveSites({ settings, store, sites, sitesFolder }: Platform): Middleware {
  const { base_url, hub_url, auth_url, docs_api_url } = settings.current().api;
  const serviceHosts = new Set(
    [base_url, hub_url, auth_url, docs_api_url].filter(Boolean).map((url) => new URL(url).hostname),
  );
  // No project has a name with a dot.
  const nothing: Site = { folder: join(sitesFolder, '.none'), basePath: '', isShared: true, languages: [] };
  const present = async (name: string, basePath: string, isShared: boolean): Promise<Site> => {
    // Languages hardly ever change, and a build's end reads them again: no need to look at each request.
    const index = sites.peek(name) ?? (await sites.read(name));
    const folder = siteFolder(sitesFolder, name);
    return { folder, basePath, isShared, languages: index?.languages ?? [], compressed: compressedFolder(folder) };
  };
  /** Returns the project whose host it is; '' = there may be one, but there is not; undefined = one of the service's. */
  const findByHost = async (host: string): Promise<string | undefined> => {
    if (serviceHosts.has(host)) return undefined;
    const project = await store.projects.findByDomain(host);
    if (project) return project.name;
    const { domain } = settings.current().docs;
    if (domain === '' || !host.endsWith(`.${domain}`)) return undefined;
    return (await store.projects.find(host.slice(0, -domain.length - 1)))?.name ?? '';
  };
  return createSiteServer({
    async findSite({ host, path }) {
      const own = await findByHost(host);
      if (own === '') return nothing;
      if (own !== undefined) {
        const asked = BUTTON_PATH.exec(path);
        const isOwn = asked && (asked[1] ?? asked[2] ?? own) === own;
        return isOwn ? undefined : present(own, '', false);
      }
      const name = /^\/docs\/([^/]+)/.exec(path)?.[1];
      if (name === undefined) return undefined;
      const project = await store.projects.find(name.toLowerCase());
      return project && present(project.name, `/docs/${name}`, true);
    },
  }).middleware;
}
