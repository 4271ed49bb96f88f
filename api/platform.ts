import type { BuildLogs, BuildQueue } from '../builder/index.ts';
import type { Store } from '../data/store.ts';
import type { Accounts } from '../platform/accounts/users.ts';
import type { Blocks } from '../platform/blocks/blocks.ts';
import type { Settings } from '../platform/config/settings.ts';
import type { Operations } from '../platform/operations/operations.ts';
import type { Quotas } from '../platform/quotas/quotas.ts';
import type { Login, Registration } from './accounts/login.ts';
import type { GithubApp } from './docbuild/github-app/create-github-app.ts';
import type { SiteIndexes } from './docbuild/site-indexes.ts';
import type { WebhookContext } from './docbuild/webhooks/webhook-context.ts';
import type { Callers } from './http/callers.ts';
import type { DailyImages } from './image/daily-images.ts';
import type { IpRegions } from './ip/ip-regions.ts';

/** Everything that routes work with; features take the parts they need. */
export interface Platform {
  /** The configuration, which may change while the service runs: read it when it is used. */
  readonly settings: Settings;
  readonly store: Store;
  readonly queue: BuildQueue;
  readonly logs: BuildLogs;
  readonly sites: SiteIndexes;
  /** Folder of the published sites. */
  readonly sitesFolder: string;
  /** Base URL of short URLs and inclusion queries, without a final slash. */
  readonly baseUrl: string;
  /** Base URL of the documentation-build API, without a final slash. */
  readonly docsApiUrl: string;
  /** Returns the URL of a project's site, with a final slash. */
  readonly siteUrl: (project: { readonly name: string; readonly domain: string }) => string;
  readonly webhooks: WebhookContext;
  readonly operations: Operations;
  /** The GitHub App, or which settings are missing for it. */
  readonly githubApp: GithubApp | { readonly missing: string };
  readonly accounts: Accounts;
  readonly callers: Callers;
  /** The login and the registration, which the API and the console share. */
  readonly login: Login;
  readonly registration: Registration;
  readonly quotas: Quotas;
  readonly blocks: Blocks;
  readonly dailyImages: DailyImages;
  readonly ipRegions: IpRegions;
  readonly now: () => Date;
}
