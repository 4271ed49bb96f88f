import { BuildError } from '../build-error.ts';
import type { LanguageLayout } from '../source/find-languages.ts';
import { restoreLayout, type VersionNotes } from './build-notes.ts';
import {
  hasSource,
  type MissingSource,
  normalizeFolder,
  readVersionSource,
  type Version,
  type VersionSource,
} from './read-version.ts';
import { attempt, type Failures } from './version-choices.ts';
import type { Workshop } from './workshop.ts';

/** The sources of a site's versions, read when they are needed. */
export interface VersionSources {
  /** Returns a version's documentation, or what was looked for in vain. */
  read(version: Version): Promise<VersionSource | MissingSource>;
  /**
   * Returns the layouts of all versions that have documentation, in their order; reads only what is not known. Versions that
   * cannot be read are noted in `failures`.
   */
  collectLayouts(versions: readonly Version[], failures: Failures): Promise<readonly LanguageLayout[]>;
}

/** Creates the reader of sources; `findNotes` gives what is known of a version from the last build. */
export function createVersionSources(options: {
  readonly workshop: Workshop;
  readonly sourceDir: string | undefined;
  readonly lang: readonly string[] | undefined;
  readonly findNotes: (ref: string) => VersionNotes | undefined;
}): VersionSources {
  const { workshop, sourceDir, lang, findNotes } = options;
  if (sourceDir !== undefined) normalizeFolder(sourceDir);
  const sources = new Map<Version, Promise<VersionSource | MissingSource>>();
  const read = (version: Version): Promise<VersionSource | MissingSource> => {
    let source = sources.get(version);
    if (!source) {
      source = readVersionSource(version, { ...workshop, sourceDir, lang }).catch((error: unknown) => {
        throw error instanceof BuildError ? error.at({ ref: version.ref.name }) : error;
      });
      sources.set(version, source);
    }
    return source;
  };
  return {
    read,
    async collectLayouts(versions, failures) {
      const layouts: LanguageLayout[] = [];
      for (const version of versions) {
        const known = findNotes(version.ref.name);
        if (known?.tree === version.rootTree) {
          if (known.layout) layouts.push(restoreLayout(known.layout));
        } else {
          const source = await attempt(version.ref.name, failures, () => read(version));
          if (source && hasSource(source)) layouts.push(source.layout);
        }
      }
      return layouts;
    },
  };
}
