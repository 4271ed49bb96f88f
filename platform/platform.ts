import type { AttemptCounter } from '../data/attempts.ts';
import type { Project } from '../data/records/project.ts';
import type { ShortTermMemory } from '../data/short-term-memory.ts';
import type { Store } from '../data/store.ts';
import type { Accounts } from './accounts/users.ts';
import type { Audit } from './audit/audit.ts';
import type { Blocks } from './blocks/blocks.ts';
import type { BuildLogs } from './builds/build-logs.ts';
import type { BuildQueue } from './builds/queue/build-queue.ts';
import type { CodeHosts } from './code-hosts/code-hosts.ts';
import type { Settings } from './config/settings.ts';
import type { ProxyWatch } from './diagnosis/proxy-watch.ts';
import type { GithubApp } from './github-app/github-app.ts';
import type { DailyImages } from './images/daily-images.ts';
import type { IpRegions } from './ip/ip-regions.ts';
import type { Limits } from './limits/limits.ts';
import type { OperationsFor } from './operations/operations.ts';
import type { WebhookContext } from './pushes/handle-webhook.ts';
import type { SecretGuesses } from './pushes/secret-guesses.ts';
import type { Quotas } from './quotas/quotas.ts';
import type { RedirectCounter } from './short-urls/redirect-counter.ts';
import type { SiteIndexes } from './sites/site-indexes.ts';
import type { SiteStorage } from './sites/site-storage.ts';
import type { WriteCheck } from './write-check.ts';

/** The service without a way in: HTTP and the command line are built on it. */
export interface Platform {
  /** The configuration, which may change while the service runs: read it when it is used. */
  readonly settings: Settings;
  readonly store: Store;
  readonly publishing: Publishing;
  readonly people: People;
  readonly utilities: Utilities;
  readonly operationsFor: OperationsFor;
  /** Values kept between two requests, shared by all nodes. */
  readonly memory: ShortTermMemory;
  /** Says why nothing can be stored, published or logged. */
  readonly checkWrites: WriteCheck;
  /** Notes how requests come. */
  readonly proxyWatch: ProxyWatch;
  readonly now: () => Date;
}

/** From a push to a published site. */
export interface Publishing {
  readonly queue: BuildQueue;
  readonly logs: BuildLogs;
  readonly sites: SiteIndexes;
  readonly siteStorage: SiteStorage;
  readonly webhooks: WebhookContext;
  readonly guesses: SecretGuesses;
  /** The GitHub App, or which settings are missing for it. */
  readonly githubApp: GithubApp | { readonly missing: string };
  readonly codeHosts: CodeHosts;
  /** Base URL of the documentation-build API, without a final slash. */
  readonly docsApiUrl: string;
  /** Returns the URL of a project's site, with a final slash. */
  readonly siteUrl: (project: Pick<Project, 'name' | 'domain'>) => string;
}

/** Who calls, and what they may. */
export interface People {
  readonly accounts: Accounts;
  readonly attempts: AttemptCounter;
  readonly audit: Audit;
  readonly quotas: Quotas;
  readonly blocks: Blocks;
  /** Limits of rates, and who meets them. */
  readonly rateLimits: Limits;
}

/** The public utilities. */
export interface Utilities {
  readonly dailyImages: DailyImages;
  readonly ipRegions: IpRegions;
  readonly redirects: RedirectCounter;
  /** Base URL of short URLs and inclusion queries, without a final slash. */
  readonly baseUrl: string;
}

export const FAILING_PARTS = ['store', 'image'] as const;
/** A part of the service that may fail without a request that says so. */
export type FailingPart = (typeof FAILING_PARTS)[number];
