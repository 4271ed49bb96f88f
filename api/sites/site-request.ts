import type { Context } from 'koa';
import type { Site } from './site.ts';
import type { ViewLoader } from './view-loader.ts';

/** A request to a site. */
export interface SiteRequest {
  readonly ctx: Context;
  readonly loader: ViewLoader;
  readonly site: Site;
  readonly maxWaitMs: number;
  /** A reader who takes nothing for so long is no longer sent to. */
  readonly stallMs: number;
}
