import { encodePath } from '../../../lib/url-text.ts';

export interface HostUrls {
  readonly view: (path: string, isFolder: boolean) => string;
  readonly edit: (path: string) => string;
}

/** URL patterns of a code host below the home page of a repository, in which `{ref}` and `{path}` stand for a branch and a path. */
export interface HostUrlPatterns {
  /** Name of the code host, for `icon` of a link in the header. */
  readonly id: string;
  /** The path of an SVG of 24 by 24 units, filled by the even-odd rule. */
  readonly icon: string;
  /** Regular expression for the names of hosts that have these URLs, in lower case. */
  readonly hosts: string;
  readonly file: string;
  readonly folder: string;
  readonly edit: string;
}

/** Returns the URLs on one branch of a repository by the first pattern for its host, or undefined where there is none. */
export function createHostUrls(
  patterns: readonly HostUrlPatterns[],
  webUrl: string | undefined,
  branch: string | undefined,
): HostUrls | undefined {
  if (webUrl === undefined || branch === undefined || !URL.canParse(webUrl)) return undefined;
  const pattern = findHostPatterns(patterns, webUrl);
  if (!pattern) return undefined;
  const fill = (form: string, path: string): string =>
    webUrl + form.replace('{ref}', () => encodePath(branch)).replace('{path}', () => encodePath(path));
  return {
    view: (path, isFolder) => fill(isFolder ? pattern.folder : pattern.file, path),
    edit: (path) => fill(pattern.edit, path),
  };
}

/** Returns the first patterns for the host of a URL. */
export function findHostPatterns(patterns: readonly HostUrlPatterns[], url: string): HostUrlPatterns | undefined {
  const { hostname } = new URL(url);
  return patterns.find(({ hosts }) => new RegExp(hosts).test(hostname));
}
