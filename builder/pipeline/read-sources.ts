import { BuildError } from '../build-error.ts';
import type { LanguageLayout } from '../source/find-languages.ts';
import { restoreLayout, type VersionNotes } from './build-notes.ts';
import { normalizeFolder, readVersionSource, type Version, type VersionSource } from './read-version.ts';
import type { Workshop } from './workshop.ts';

/** The sources of a site's versions, read when they are needed. */
export interface VersionSources {
  /** Gives a version's source, or undefined when it has no source folder. */
  read(version: Version): Promise<VersionSource | undefined>;
  /** Gives the layouts of all versions that have a source folder, in their order; reads only what is not known. */
  collectLayouts(versions: readonly Version[]): Promise<readonly LanguageLayout[]>;
  /** Name of the source folder for messages. */
  readonly folderName: string;
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
  const sources = new Map<string, Promise<VersionSource | undefined>>();
  const read = (version: Version): Promise<VersionSource | undefined> => {
    let source = sources.get(version.ref.name);
    if (!source) {
      source = readVersionSource(version, { reader: workshop.reader, walk: workshop.walk, sourceDir, lang }).catch(
        (error: unknown) => {
          throw error instanceof BuildError ? error.at({ ref: version.ref.name }) : error;
        },
      );
      sources.set(version.ref.name, source);
    }
    return source;
  };
  return {
    read,
    folderName: sourceDir ?? 'docs',
    async collectLayouts(versions) {
      const layouts: LanguageLayout[] = [];
      for (const version of versions) {
        const known = findNotes(version.ref.name);
        if (known?.tree === version.rootTree) {
          if (known.layout) layouts.push(restoreLayout(known.layout));
        } else {
          const source = await read(version);
          if (source) layouts.push(source.layout);
        }
      }
      return layouts;
    },
  };
}
