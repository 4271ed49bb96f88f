import type { Context, Middleware } from 'koa';
import { memoize } from '../../lib/bounded-map.ts';
import type { Area, Route } from './route.ts';

/** Base URLs of areas; '' = none. */
type AreaAddresses = Readonly<Record<Area, string>>;

/** Which areas of the service answer at which host. */
export interface Areas {
  /** Returns the areas that answer a request: those at whose base URL it arrived, and those without one. */
  find(ctx: Context): ReadonlySet<Area>;
  /** Returns a middleware that is skipped at hosts where the area does not answer. */
  only(area: Area, middleware: Middleware): Middleware;
}

/** Remembered spellings of hosts. */
const MAX_HOSTS = 1000;

export const AREAS: readonly Area[] = ['base', 'hub', 'auth', 'docs'];

/**
 * Maps hosts to areas. Names decide, and ports only between base URLs that share a name: proxies and containers often use
 * another port or omit it from `Host`.
 */
export function createAreas(addresses: AreaAddresses): Areas {
  const open = AREAS.filter((area) => addresses[area] === '');
  const own = AREAS.filter((area) => addresses[area] !== '').map((area) => {
    const url = new URL(addresses[area]);
    return { area, url, name: url.hostname };
  });
  const isShared = (one: (typeof own)[number]): boolean =>
    own.some(({ name, url }) => name === one.name && url.host !== one.url.host);
  const places = own.map((one) => ({ ...one, needsPort: isShared(one) }));
  const everything: ReadonlySet<Area> = new Set(AREAS);
  const atHost = memoize((host): ReadonlySet<Area> => {
    const name = host.replace(/:\d*$/, '');
    const here = places.filter((one) => one.name === name && (!one.needsPort || isAtHost(one.url, host)));
    return new Set([...open, ...here.map(({ area }) => area)]);
  }, MAX_HOSTS);
  const find = (ctx: Context): ReadonlySet<Area> => (places.length === 0 ? everything : atHost(ctx.host));
  return {
    find,
    only: (area, middleware) => (ctx, next) => (find(ctx).has(area) ? middleware(ctx, next) : next()),
  };
}

/** Returns the areas that a route belongs to; undefined = it answers at every host. */
export function areasOf({ area }: Pick<Route, 'area'>): readonly Area[] | undefined {
  return typeof area === 'string' ? [area] : area;
}

/** Checks whether a `Host` header, as returned by `parseHost`, names the host and port of a URL; default ports may be omitted. */
export function isAtHost({ protocol, host }: URL, header: string): boolean {
  const asked = `${protocol}//${header}`;
  return header !== '' && URL.canParse(asked) && new URL(asked).host === host;
}
