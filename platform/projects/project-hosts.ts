import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { hostOf } from '../../lib/url-text.ts';
import type { Config } from '../config/config-schema.ts';

/** Returns the hosts of the service itself, as far as they are configured. They never belong to a project. */
export function listServiceHosts({ api }: Pick<Config, 'api'>): ReadonlySet<string> {
  const urls = [api.base_url, api.hub_url, api.auth_url, api.docs_api_url, api.server_static_url];
  return new Set(urls.filter((url) => url !== '').map((url) => hostOf(new URL(url))));
}

/** Returns the URL of a project's site, with a final slash; `docsApiUrl` has none. */
export function findSiteUrl(
  { name, domain }: Pick<Project, 'name' | 'domain'>,
  { docsApiUrl, docs }: Pick<Config, 'docs'> & { readonly docsApiUrl: string },
): string {
  const host = domain !== '' ? domain : docs.domain !== '' ? `${name}.${docs.domain}` : '';
  return host === '' ? `${docsApiUrl}/docs/${name}/` : `${new URL(docsApiUrl).protocol}//${host}/`;
}

/** Throws DataError `taken` for a project whose own domain, or whose host below `docs.domain`, belongs to somebody else. */
export function checkHosts({ name, domain }: Pick<Project, 'name' | 'domain'>, config: Config): void {
  const { domain: shared } = config.docs;
  const hosts = listServiceHosts(config);
  const own = shared === '' ? '' : `${name}.${shared}`;
  const refuse = (host: string, owner: Phrase): never => {
    throw new DataError('taken', phrase`Project "${name}" cannot have the host "${host}": it belongs to ${owner}`);
  };
  if (hosts.has(own)) refuse(own, phrase`the service itself; choose another name, or another "docs.domain"`);
  if (domain === '' || domain === own) return;
  if (hosts.has(domain)) refuse(domain, phrase`the service itself`);
  if (shared === '') return;
  if (domain === shared) refuse(domain, phrase`all projects ("docs.domain")`);
  if (domain.endsWith(`.${shared}`)) {
    refuse(domain, phrase`the project "${domain.slice(0, -shared.length - 1)}", being below "docs.domain"`);
  }
}

/** Checks the hosts of all projects against a configuration. Rejects with DataError `taken` for the first that it excludes. */
export async function checkAllHosts(store: Pick<Store, 'projects'>, config: Config): Promise<void> {
  for (let after: string | undefined; ; ) {
    const projects = await store.projects.list({ ...(after !== undefined && { after }), limit: 1000 });
    for (const project of projects) checkHosts(project, config);
    after = projects.at(-1)?.name;
    if (projects.length < 1000) return;
  }
}
