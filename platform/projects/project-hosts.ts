import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { hostOf } from '../../lib/url-text.ts';
import type { Config } from '../config/config-schema.ts';
import { isSecretShort, MIN_SECRET_LENGTH } from './project-secret.ts';
import { findOwnSharedDomain, listDomainWarnings } from './shared-domains.ts';

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

/** Returns all URLs at which readers find a project's site, with a final slash; the first one is that of `findSiteUrl`. */
export function listSiteUrls(
  project: Pick<Project, 'name' | 'domain'>,
  config: Pick<Config, 'docs'> & { readonly docsApiUrl: string },
): readonly string[] {
  const ways = [
    findSiteUrl(project, config),
    findSiteUrl({ ...project, domain: '' }, config),
    findSiteUrl({ ...project, domain: '' }, { ...config, docs: { domain: '' } }),
  ];
  return [...new Set(ways)];
}

/** Throws DataError `taken` for a project whose own domain, or whose host below `docs.domain`, belongs to somebody else. */
export function checkHosts({ name, domain }: Pick<Project, 'name' | 'domain'>, config: Config): void {
  const { domain: shared } = config.docs;
  const hosts = listServiceHosts(config);
  const own = shared === '' ? '' : `${name}.${shared}`;
  const refuse = (host: string, owner: Phrase): never => refuseHost(name, host, owner);
  if (hosts.has(own)) refuse(own, phrase`the service itself; choose another name, or another "docs.domain"`);
  if (domain === '' || domain === own) return;
  if (hosts.has(domain)) refuse(domain, phrase`the service itself`);
  if (shared === '') return;
  if (domain === shared) refuse(domain, phrase`all projects ("docs.domain")`);
  if (domain.endsWith(`.${shared}`)) {
    refuse(domain, phrase`the project "${domain.slice(0, -shared.length - 1)}", being below "docs.domain"`);
  }
}

/** Throws DataError `taken` for the domain at which the console has just been asked for it: the site would be there in its place. */
export function checkConsoleHost({ name, domain }: Pick<Project, 'name' | 'domain'>, consoleHost: string): void {
  if (domain !== '' && domain === consoleHost) refuseHost(name, domain, phrase`the service itself`);
}

function refuseHost(name: string, host: string, owner: Phrase): never {
  throw new DataError('taken', phrase`Project "${name}" cannot have the host "${host}": it belongs to ${owner}`);
}

/** Projects that a warning names. */
const MAX_NAMED = 5;

/**
 * Checks all projects against a configuration. Rejects with DataError `taken` for the first whose hosts it excludes; returns what an
 * operator must know of the others, and of the configuration: hosts that share a domain with the console, and secrets that might be guessed.
 */
export async function checkAllProjects(store: Pick<Store, 'projects'>, config: Config): Promise<readonly string[]> {
  const shared: string[] = [];
  const short: string[] = [];
  for (let after: string | undefined; ; ) {
    const projects = await store.projects.list({ ...(after !== undefined && { after }), limit: 1000 });
    for (const project of projects) {
      checkHosts(project, config);
      const found = findOwnSharedDomain(project, config);
      if (found !== undefined) shared.push(found.message);
      if (isSecretShort(project)) short.push(project.name);
    }
    after = projects.at(-1)?.name;
    if (projects.length < 1000) break;
  }
  const more = shared.length - MAX_NAMED;
  return [
    ...listDomainWarnings(config),
    ...shared.slice(0, MAX_NAMED),
    ...(more > 0 ? [`The domains of ${more} more projects are shared with the console in the same way`] : []),
    ...(short.length > 0 ? [describeShortSecrets(short)] : []),
  ];
}

function describeShortSecrets(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).join(', ') + (names.length > MAX_NAMED ? ', …' : '');
  return `${names.length} ${names.length === 1 ? 'project has a secret' : 'projects have secrets'} of less than ${MIN_SECRET_LENGTH} characters, which might be guessed (${named}): "docbuild project update --generate-secret NAME" makes another one, which code hosts must be told, too`;
}
