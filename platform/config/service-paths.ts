import { endOfSegment } from '../../lib/url-text.ts';

/** The service's own paths that begin in one way. */
interface ServicePath {
  /** Value of the label `area` in metrics; default: the last segment. */
  readonly area?: string;
  /** People read pages there, and so are failures. */
  readonly hasPages?: true;
  /** Blocked sources are refused there. */
  readonly isUtility?: true;
  /** A project may be called like the last segment: no path can be taken for another one. */
  readonly isFree?: true;
}

/** All of the service's own paths, by their first segment, and below `/docbuild/` by the second one, too. */
const SERVICE_PATHS: ReadonlyMap<string, ServicePath> = new Map([
  ['/docbuild', { isFree: true }],
  ['/docbuild/api', { area: 'docbuild' }],
  ['/docbuild/assets', {}],
  ['/docbuild/badge', {}],
  ['/docbuild/build', {}],
  ['/docbuild/builds', { hasPages: true }],
  ['/docbuild/desc', {}],
  ['/docbuild/github', {}],
  ['/docbuild/language', { area: 'docbuild', isFree: true }],
  ['/docbuild/mcp', { isFree: true }],
  ['/docbuild/projects', { hasPages: true, isFree: true }],
  ['/docbuild/webhook', {}],
  ['/api', { isUtility: true }],
  ['/control', {}],
  ['/docs', { hasPages: true }],
  ['/healthz', { isFree: true }],
  ['/livez', { isFree: true }],
  ['/metrics', { isFree: true }],
  ['/openapi.json', { area: 'site' }],
  ['/openservice', { isUtility: true }],
  ['/readyz', { isFree: true }],
  ['/t', { isUtility: true }],
]);
const lastSegment = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const listWords = (paths: readonly string[]): ReadonlySet<string> => new Set(['www', ...paths.map(lastSegment)]);

/** Words of the service's own paths, and `www`. */
export const SERVICE_WORDS = listWords([...SERVICE_PATHS.keys()]);
const RESERVED = listWords([...SERVICE_PATHS].flatMap(([path, { isFree }]) => (isFree ? [] : [path])));

/** Returns whether no project can have this name, because it is reserved for the service's own URLs. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}

/** Returns whether blocked sources are refused at a path, which is in lower case. */
export function isUtility(path: string): boolean {
  return SERVICE_PATHS.get(findBeginning(path))?.isUtility === true;
}

/** Returns whether people read pages at a path, which is in lower case. */
export function hasPages(path: string): boolean {
  return SERVICE_PATHS.get(findBeginning(path))?.hasPages === true;
}

/** Returns a word for a path of a request, one of a few whatever the path; `site` = none of the service's own. */
export function areaOfPath(path: string): string {
  const found = findBeginning(path);
  const row = SERVICE_PATHS.get(found);
  return row === undefined ? 'site' : (row.area ?? lastSegment(found));
}

/** Throws Error for a path of a route (`/docbuild/badge/:project`) of which `SERVICE_PATHS` does not know. */
export function checkServicePath(path: string): void {
  const [, start = ''] = /^(\/docbuild\/[^/:]+|\/[^/]*)/.exec(path)!;
  if (path !== '/' && !SERVICE_PATHS.has(start)) throw new Error(`SERVICE_PATHS needs a row for "${start}"`);
}

/** Returns the longest beginning of which something is known; '' = none. */
function findBeginning(path: string): string {
  const firstEnd = endOfSegment(path, 1);
  const ends = [endOfSegment(path, firstEnd + 1), firstEnd, 0];
  return path.slice(
    0,
    ends.find((end) => end === 0 || SERVICE_PATHS.has(path.slice(0, end))),
  );
}
