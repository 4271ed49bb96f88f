import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Context } from 'koa';
import type { Platform } from '../platform.ts';
import { findHost } from './find-host.ts';

/** Knows which addresses are this service's own. */
export interface ServiceHosts {
  /** Checks whether an address is one of the API: configured, the one that a request came to, or this process itself. */
  isService(url: URL, ctx: Context): boolean;
  /** The same, and whether a project's documentation is served there. */
  isOwn(url: URL, ctx: Context): Promise<boolean>;
}

/** Creates the knowledge of own hosts. A host with a name is own on every port; an IP address and `localhost` on its port. */
export function createServiceHosts({
  settings,
  store,
  baseUrl,
  docsApiUrl,
}: Pick<Platform, 'settings' | 'store' | 'baseUrl' | 'docsApiUrl'>): ServiceHosts {
  const { api } = settings.current();
  const configured = [baseUrl, docsApiUrl, api.hub_url, api.auth_url]
    .filter((address) => address !== '')
    .map((address) => new URL(address));
  const isService = (url: URL, ctx: Context): boolean => {
    const asked = `${ctx.protocol}://${ctx.host}`;
    const own = URL.canParse(asked) ? [...configured, new URL(asked)] : configured;
    return own.some((one) => isSameHost(url, one)) || isThisProcess(url, ctx);
  };
  return {
    isService,
    async isOwn(url, ctx) {
      const host = findHost(url);
      if (isService(url, ctx)) return true;
      const { docs } = settings.current();
      if (docs.domain !== '' && (host === docs.domain || host.endsWith(`.${docs.domain}`))) return true;
      return (await store.projects.findByDomain(host)) !== undefined;
    },
  };
}

function isSameHost(url: URL, own: URL): boolean {
  const host = findHost(url);
  const isNamed = isIP(host) === 0 && host !== 'localhost';
  return host === findHost(own) && (isNamed || portOf(url) === portOf(own));
}

/** Any spelling of this machine, with the port on which the request came in. */
function isThisProcess(url: URL, { req: { socket } }: Context): boolean {
  if (portOf(url) !== socket.localPort) return false;
  const host = findHost(url);
  if (/^(?:.+\.)?localhost$/.test(host)) return true;
  if (!ipaddr.isValid(host)) return false;
  const address = ipaddr.process(host);
  if (/^(?:loopback|unspecified)$/.test(address.range())) return true;
  const { localAddress = '' } = socket;
  return ipaddr.isValid(localAddress) && ipaddr.process(localAddress).toString() === address.toString();
}

function portOf({ port, protocol }: URL): number {
  return port !== '' ? Number(port) : protocol === 'https:' ? 443 : 80;
}
