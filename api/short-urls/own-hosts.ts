import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Context } from 'koa';
import type { Store } from '../../data/store.ts';
import { hostOf } from '../../lib/url-text.ts';
import type { Settings } from '../../platform/config/settings.ts';

/** Recognises URLs of this service. */
export interface OwnHosts {
  /** Checks whether a URL belongs to the API: configured, the one that a request arrived at, or this process itself. */
  isService(url: URL, ctx: Context): boolean;
  /** Also checks whether the documentation of a project is served there. */
  isOwn(url: URL, ctx: Context): Promise<boolean>;
}

/** Creates the check. A named host is own on every port, an IP address and `localhost` on its port only. */
export function createOwnHosts({
  settings,
  store,
  baseUrl,
  docsApiUrl,
}: {
  readonly settings: Settings;
  readonly store: Pick<Store, 'projects'>;
  readonly baseUrl: string;
  readonly docsApiUrl: string;
}): OwnHosts {
  const { api } = settings.current();
  const configured = [baseUrl, docsApiUrl, api.hub_url, api.auth_url]
    .filter((url) => url !== '')
    .map((url) => new URL(url));
  const isService = (url: URL, ctx: Context): boolean => {
    const asked = `${ctx.protocol}://${ctx.host}`;
    const own = URL.canParse(asked) ? [...configured, new URL(asked)] : configured;
    return own.some((one) => isSameHost(url, one)) || isThisProcess(url, ctx);
  };
  return {
    isService,
    async isOwn(url, ctx) {
      const host = hostOf(url);
      if (isService(url, ctx)) return true;
      const { docs } = settings.current();
      if (docs.domain !== '' && (host === docs.domain || host.endsWith(`.${docs.domain}`))) return true;
      return (await store.projects.findByDomain(host)) !== undefined;
    },
  };
}

function isSameHost(url: URL, own: URL): boolean {
  const host = hostOf(url);
  const isNamed = isIP(host) === 0 && host !== 'localhost';
  return host === hostOf(own) && (isNamed || portOf(url) === portOf(own));
}

/** Any spelling of this machine, with the port at which the request arrived. */
function isThisProcess(url: URL, { req: { socket } }: Context): boolean {
  if (portOf(url) !== socket.localPort) return false;
  const host = hostOf(url);
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
