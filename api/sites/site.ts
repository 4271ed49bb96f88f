import type { CdnHeaders } from '../../platform/cdn/cdn-settings.ts';
import type { SiteHome } from '../../platform/sites/choose-home.ts';
import type { SiteIndex } from '../../platform/sites/site-indexes.ts';
import type { PublishedSite } from '../../platform/sites/site-storage.ts';

/** A published site and its place. */
export interface Site {
  readonly files: PublishedSite;
  /** The part of request paths that stands for the site, as received: '' or e.g. `/docs/name`; no final `/`. */
  readonly basePath: string;
  /** Names of the language folders, which may have their own 404 page. */
  readonly languages: readonly string[];
  /** Homes of the languages that its latest version has, the default one first; none or undefined where its root is a page. */
  readonly homes?: readonly SiteHome[] | undefined;
  /** What is known of its pages; undefined where it cannot be had at the moment, or only one folder is served. */
  readonly index?: SiteIndex | undefined;
  /** Whether the site shares its host with the API, the console or other sites, so that what its authors write must not act as its visitors. */
  readonly isShared: boolean;
  /** Content-Security-Policy of its pages where it shares its host, see `createPagePolicy`; without one they are sandboxed. */
  readonly pagePolicy?: string | undefined;
  /** Headers for a CDN that is told of changes. */
  readonly cdn?: CdnHeaders | undefined;
}
