import type { BuildLogs, BuildQueue } from '../builder/index.ts';
import type { Settings } from '../data/config/settings.ts';
import type { Store } from '../data/store.ts';
import type { GithubApp } from './docbuild/github-app/create-github-app.ts';
import type { SiteIndexes } from './docbuild/site-indexes.ts';
import type { WebhookContext } from './docbuild/webhooks/webhook-context.ts';
import type { CompressionKeeper } from './sites/keep-compressed.ts';
import type { Utility } from './utility/open-utility.ts';

/** What the routes work with. */
export interface Platform extends Utility {
  /** What is configured. It may change while the service runs: ask when it is used. */
  readonly settings: Settings;
  readonly store: Store;
  readonly queue: BuildQueue;
  readonly logs: BuildLogs;
  readonly sites: SiteIndexes;
  readonly compression: Pick<CompressionKeeper, 'forget'>;
  /** Folder of the published sites. */
  readonly sitesFolder: string;
  /** Origin that short URLs and inclusion queries are reached at, without a final slash. */
  readonly baseUrl: string;
  /** Origin that the documentation-build API is reached at, without a final slash. */
  readonly docsApiUrl: string;
  /** Returns the address at which readers find a project's site, with a final slash. */
  readonly siteUrl: (project: { readonly name: string; readonly domain: string }) => string;
  /** What webhooks work with. */
  readonly webhooks: WebhookContext;
  /** The GitHub App, or what is missing to have one. */
  readonly githubApp: GithubApp | { readonly missing: string };
  readonly now: () => Date;
}
