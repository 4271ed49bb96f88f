import type { Context } from 'koa';
import type { Accounts } from '../../data/accounts/accounts.ts';
import type { Settings } from '../../data/config/settings.ts';
import { createIdentify, type IdentifyOptions } from '../http/callers.ts';
import { addressOf, sourceOf } from '../http/trusted-request.ts';
import { isAtHost } from '../routes/is-at-host.ts';
import type { Identify } from './caller.ts';
import { checkOrigin } from './check-origin.ts';
import { isSecure } from './is-secure.ts';

/** What can be told of those who call, by the configuration's rules. */
export interface Callers {
  readonly identify: Identify;
  /** Gives the full address that calls, see `addressOf`. */
  readonly addressOf: (ctx: Context) => string;
  /** Gives what a caller is counted by, see `sourceOf`. */
  readonly sourceOf: (ctx: Context) => string;
  /** Tells whether the caller came by TLS. */
  readonly isSecure: (ctx: Context) => boolean;
  /** Throws ApiError 403 for requests from pages of other sites, see `checkOrigin`. */
  readonly checkOrigin: (ctx: Context) => void;
}

/** Creates it for a configuration; `checkSource` is asked before anybody is identified. */
export function createCallers(
  settings: Settings,
  {
    accounts,
    checkSource,
  }: Pick<IdentifyOptions, 'accounts' | 'checkSource'> & { readonly accounts: Pick<Accounts, 'store' | 'now'> },
): Callers {
  const { api } = settings.current();
  const urls = [api.base_url, api.hub_url, api.auth_url, api.docs_api_url].filter((url) => url !== '');
  const ownOrigins = new Set(urls.map((url) => new URL(url).origin));
  const secure = urls.map((url) => new URL(url)).filter(({ protocol }) => protocol === 'https:');
  const proxies = (): number => settings.current().api.trusted_proxies;
  const source = ({ req }: Context): string => sourceOf(req, proxies());
  return {
    identify: createIdentify({ accounts, sourceOf: source, ownOrigins, ...(checkSource && { checkSource }) }),
    addressOf: ({ req }) => addressOf(req, proxies()),
    sourceOf: source,
    isSecure: (ctx) => isSecure(ctx.req, proxies()) || secure.some((url) => isAtHost(url, ctx.host)),
    checkOrigin: (ctx) => checkOrigin(ctx, ownOrigins),
  };
}
