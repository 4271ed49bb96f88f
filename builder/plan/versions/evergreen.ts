import { createGlob } from '../../../lib/match-glob.ts';
import { contentKey } from '../../cache/content-key.ts';
import { firstSegment } from '../../source/languages.ts';
import type { VersionSource } from './version-source.ts';

/** The files that all versions take from the newest one. */
export interface EvergreenFiles {
  /** Hash of their paths and contents. */
  readonly key: string;
  /** Returns a version's source with these files in the place of its own; that of the newest version as it is. */
  apply(source: VersionSource): VersionSource;
}

/**
 * Collects the files of the newest version that patterns name: paths below the source folder, or below the folder of a language. A
 * version gets all of them, in the languages that it has itself, and keeps none of its own that a pattern names.
 */
export function collectEvergreen(newest: VersionSource, patterns: readonly string[]): EvergreenFiles {
  const globs = patterns.map((pattern) => createGlob(pattern.replace(/^\.?\/+/, '')));
  const folders = new Set(newest.layout.folders.values());
  const isNamed = (path: string, languageFolders: ReadonlySet<string>): boolean => {
    const first = firstSegment(path);
    const below = languageFolders.has(first) ? path.slice(first.length + 1) : undefined;
    return globs.some((matches) => matches(path) || (below !== undefined && matches(below)));
  };
  const files = newest.listing.files.filter(({ path, isStandIn }) => !isStandIn && isNamed(path, folders));
  return {
    key: contentKey(files.map(({ path, oid }) => `${path}\0${oid}`).join('\0')),
    apply(source) {
      if (source.version === newest.version) return source;
      const own = new Set(source.layout.folders.values());
      const taken = files.filter(({ path }) => {
        const first = firstSegment(path);
        return !folders.has(first) || own.has(first);
      });
      const origins = new Map(taken.map(({ path }) => [path, newest.realPath(path)]));
      const shown = new Map([...origins].map(([path, origin]) => [origin, path]));
      const rest = source.listing.files.filter(({ path }) => !origins.has(path) && !isNamed(path, own));
      return {
        ...source,
        listing: { ...source.listing, files: [...rest, ...taken].sort((a, b) => (a.path < b.path ? -1 : 1)) },
        realPath: (file) => origins.get(file) ?? source.realPath(file),
        pathOf: (file) => shown.get(file) ?? source.pathOf(file),
        evergreen: { rootTree: newest.version.rootTree, has: (file) => origins.has(file) },
      };
    },
  };
}
