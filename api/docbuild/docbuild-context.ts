import type { Store } from '../../data/store.ts';
import type { BuildLogs } from '../../platform/builds/build-logs.ts';
import type { BuildQueue } from '../../platform/builds/queue/build-queue.ts';
import type { CodeHosts } from '../../platform/code-hosts/code-hosts.ts';
import type { SecretGuesses } from '../../platform/pushes/secret-guesses.ts';
import type { SiteIndexes } from '../../platform/sites/site-indexes.ts';
import type { Callers } from '../http/callers.ts';

export interface DocbuildContext {
  readonly store: Store;
  readonly queue: BuildQueue;
  readonly logs: BuildLogs;
  readonly sites: SiteIndexes;
  readonly codeHosts: CodeHosts;
  readonly callers: Pick<Callers, 'sourceOf'>;
  readonly guesses: SecretGuesses;
  /** Base URL of the API, without a final slash. */
  readonly docsApiUrl: string;
  /** Returns the URL of a project's site, with a final slash. */
  readonly siteUrl: (project: { readonly name: string; readonly domain: string }) => string;
  readonly now: () => Date;
}
