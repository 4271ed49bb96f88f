import type { Config } from '../config/config-schema.ts';

/** Settings of the CDN in front of the sites, see `cdn` in the configuration. */
export type CdnSettings = Config['cdn'];

/** Most tags of one request: Cloudflare takes 100, others 256. */
export const MAX_TAGS = 100;

/** Returns whether a CDN is told of changes; otherwise it is told nothing at all. */
export function hasCdn({ url }: Pick<CdnSettings, 'url'>): boolean {
  return url !== '';
}

/** Returns the tag that all answers of a project's site carry, and by which a CDN is told to forget them. */
export function tagOf(project: string): string {
  return `docbuild-${project}`;
}

/** Headers by which a CDN keeps answers of a site. */
export interface CdnHeaders {
  /** Of each answer. */
  readonly tag: { readonly name: string; readonly value: string };
  /** Of those that stay true until the next publish; names and values alternately. */
  readonly age: readonly string[];
}

/** Returns the headers for a project's site; undefined where no CDN is told what to forget. */
export function createCdnHeaders(project: string, cdn: CdnSettings): CdnHeaders | undefined {
  if (!hasCdn(cdn)) return undefined;
  return {
    tag: { name: cdn.tag_header, value: tagOf(project) },
    age: cdn.keep_s > 0 ? [cdn.age_header, `max-age=${cdn.keep_s}`] : [],
  };
}
