import type { Project } from '../../data/records/project.ts';
import { findRegistrableDomain } from '../../lib/registrable-domain.ts';
import { hostOf } from '../../lib/url-text.ts';
import type { Config } from '../config/config-schema.ts';

/**
 * Pages of authors run scripts of theirs at hosts of their own, and a script may set cookies for the whole domain that its host
 * belongs to, and its requests count as those of the same site. So the console belongs to another domain: `docs.example.org`
 * and `guide.example.net`, never `guide.docs.example.org`. Below `/docs/` no script of an author has an origin that it shares.
 */

/** Returns the hosts at which the console answers, as far as the configuration names them. */
function listConsoleHosts({ api }: Pick<Config, 'api'>): readonly string[] {
  const urls = api.auth_url === '' ? [api.docs_api_url, api.base_url, api.hub_url] : [api.auth_url];
  return [...new Set(urls.filter((url) => url !== '').map((url) => hostOf(new URL(url))))];
}

/** Returns the domain that a host of the console and a host of authors' pages both belong to; undefined if there is none. */
export function findSharedDomain(consoleHost: string, sitesHost: string): string | undefined {
  const domain = sitesHost === '' ? undefined : findRegistrableDomain(sitesHost);
  return domain !== undefined && domain === findRegistrableDomain(consoleHost) ? domain : undefined;
}

/** Returns the domain that the console shares with the sites below `docs.domain`, asked for at a host, with its port or without. */
export function findDomainSharedAt(host: string, { docs }: Pick<Config, 'docs'>): string | undefined {
  // As hosts of projects are parts of `docs.domain`, that one is a public suffix where each project is by itself.
  return findSharedDomain(host.replace(/:\d*$/, ''), docs.domain === '' ? '' : `project.${docs.domain}`);
}

/** Returns what an operator must know about `docs.domain`, one sentence each. */
export function listDomainWarnings(config: Pick<Config, 'api' | 'docs'>): readonly string[] {
  const { domain } = config.docs;
  if (domain === '') return [];
  const hosts = listConsoleHosts(config);
  if (hosts.length === 0) {
    return findRegistrableDomain(`project.${domain}`) === undefined
      ? []
      : [
          `"docs.domain" is set, but not where the console is: set "api.auth_url" to a host that is not in the domain of "${domain}", so that pages of authors cannot set cookies for the console`,
        ];
  }
  return hosts.flatMap((host) => {
    const shared = findDomainSharedAt(host, config);
    return shared === undefined ? [] : [describe(host, `sites at *.${domain}`, shared)];
  });
}

/** A domain that a project's own host shares with the console, and what an operator must know of it. */
export interface SharedDomain {
  readonly domain: string;
  readonly message: string;
}

/** Returns the domain that a project's own host shares with the console; undefined if there is none. */
export function findOwnSharedDomain(
  { name, domain }: Pick<Project, 'name' | 'domain'>,
  config: Pick<Config, 'api'>,
): SharedDomain | undefined {
  for (const host of domain === '' ? [] : listConsoleHosts(config)) {
    const shared = findSharedDomain(host, domain);
    if (shared !== undefined)
      return { domain: shared, message: describe(host, `project "${name}" at ${domain}`, shared) };
  }
  return undefined;
}

function describe(consoleHost: string, sites: string, domain: string): string {
  return `The console at ${consoleHost} and ${sites} share the domain ${domain}: pages of authors can set cookies for it, and make the browser of an operator useless or worse; give the console ("api.auth_url", or the host of "api.docs_api_url") or the sites another domain`;
}
