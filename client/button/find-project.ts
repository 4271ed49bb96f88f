export interface Project {
  /** The site's root; ends in `/`. */
  readonly root: string;
  /** Address of the project's description; undefined or '' = a static export, which has `versions.json` at its root. */
  readonly api: string | undefined;
  /** The page was made by another tool and only includes the script. */
  readonly isForeign: boolean;
  /** Addresses name no version. */
  readonly isSingle: boolean;
}

/**
 * Reads the attributes of the script, or of the header: `data-site` and `data-api` on our pages, `data-project` on others. Returns undefined where
 * there is neither; throws for an invalid URL.
 */
export function findProject({
  dataset: { site, api, project, single },
  src,
}: Pick<HTMLElement, 'dataset'> & { readonly src?: string }): Project | undefined {
  const resolve = (path: string, base = document.URL): string => new URL(path, base).href;
  if (site !== undefined)
    return { root: resolve(site || './'), api: api && resolve(api), isForeign: false, isSingle: single !== undefined };
  if (!project) return undefined;
  const root = resolve(`/docs/${project}/`);
  return {
    root: document.URL.startsWith(root) ? root : resolve('/'),
    api: resolve(`../desc/${project}`, src),
    isForeign: true,
    isSingle: true,
  };
}

/** Returns the page's path from the site's root, as it stands in the address, without leading slash. */
export function pagePath(root: string): string {
  return location.pathname.slice(new URL(root).pathname.length);
}

/** Returns the version in the page's address; undefined for one of no version, as the list of versions. */
export function pageVersion(root: string): string | undefined {
  return /^(?!_)[^/]+\/([^/]+)\//.exec(pagePath(root))?.[1];
}
