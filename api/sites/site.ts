/** Where a request goes. */
export interface SiteAddress {
  /** Host that was asked for, lower case, without port; '' where the request names none. */
  readonly host: string;
  /** Path as it came in: begins with `/`, not decoded, without query. */
  readonly path: string;
}

/** A published site and where it stands. */
export interface Site {
  /** The folder that the engine publishes to. It may be exchanged at any moment, and need not exist yet. */
  readonly folder: string;
  /** The beginning of the path, as it came in, that leads to the folder: '' or e.g. `/docs/name`; no final `/`. */
  readonly basePath: string;
  /** Names of the language folders; only they are looked at for a 404 page of their own. */
  readonly languages: readonly string[];
  /** Folder of compressed bodies, see `precompressSite`; undefined = there is none. */
  readonly compressed?: string | undefined;
  /** The site shares its host with the API, the console or other sites: its pages get an origin of their own. */
  readonly isShared: boolean;
}
