import type { Alias, ConfiguredSite, Mount } from '../../generators/generator.ts';
import { type Generator, profileOf } from '../../generators/generators.ts';
import { isLanguageCode } from '../../language-tag.ts';

/** A generator's site inside a repository: the generator, and the literal values of its configuration. */
export interface GeneratorSite {
  readonly generator: Generator;
  /** Folder of its configuration from the repository's root with a final `/`, or ''. */
  readonly home: string;
  /** Name and text of its configuration; '' if there is none, or if it is not text of reasonable size. */
  readonly configName: string;
  readonly config: string;
  /** Folder of its pages, in the form of `home`; it may not exist. */
  readonly content: string;
  /** Prefixes of the URLs of its pages, the longest first, each with slashes around it: `/guide/`, `/`. */
  readonly bases: readonly string[];
  /** Whether each page has its own folder, to which URLs are relative. */
  readonly hasPageFolders: boolean;
  /** Folders, in the form of `home`, whose files are published at its root. */
  readonly statics: readonly string[];
  /** Aliases for folders in its pages' links and includes, the longest first, each with its folder, in the form of `home`. */
  readonly aliases: readonly Alias[];
  /** Codes of the languages that it names. */
  readonly languages: readonly string[];
  /** Code of the language of pages without a stated language. */
  readonly defaultLanguage: string | undefined;
  /** Folders of languages, as `home`, where the configuration names them. */
  readonly languageFolders: readonly (readonly [code: string, folder: string])[];
  /** Other folders of pages. */
  readonly mounts: readonly Mount[];
  /** Globs, relative to `content`, of excluded files. */
  readonly exclude: readonly string[];
  /** How its pages are read. */
  readonly reading: PageReading;
}

/** The part of a configuration that decides about the text of pages. */
export interface PageReading {
  /** Folders, in the form of `home`, from which included files are named; the first that has one counts. */
  readonly includeFolders: readonly string[];
  /** Files that are included at the end of each page, as an include names them. */
  readonly appended: readonly string[];
  /** `[text][id]` links to the heading with this id on any page. */
  readonly hasReferences: boolean;
}

/** Reads the locations that a site's configuration sets. */
export async function describeSite(generator: Generator, site: ConfiguredSite): Promise<GeneratorSite> {
  const { home, configName, config } = site;
  const said = await profileOf(generator).describe(site);
  const join = (folder: string): readonly string[] => {
    const joined = joinFolder(home, folder);
    return joined === undefined ? [] : [joined];
  };
  const bases = [...said.bases.map(normalizeBase), '/'];
  return {
    generator,
    home,
    configName,
    config,
    content: join(said.content)[0] ?? home,
    bases: [...new Set(bases)].sort((a, b) => b.length - a.length),
    hasPageFolders: said.hasPageFolders ?? false,
    statics: said.statics.flatMap(join),
    aliases: (said.aliases ?? [])
      .toSorted(([one], [other]) => other.length - one.length)
      .flatMap(([prefix, folder]): readonly Alias[] => join(folder).map((joined) => [prefix, joined])),
    languages: (said.languages ?? []).filter(isLanguageCode),
    defaultLanguage:
      said.defaultLanguage !== undefined && isLanguageCode(said.defaultLanguage) ? said.defaultLanguage : undefined,
    languageFolders: (said.languageFolders ?? []).flatMap(([code, folder]) =>
      isLanguageCode(code) ? join(folder).map((joined) => [code, joined] as const) : [],
    ),
    mounts: (said.mounts ?? []).flatMap(({ folder, shown, id }) => {
      const place = joinFolder('', shown);
      return place ? join(folder).map((joined) => ({ folder: joined, shown: place, id })) : [];
    }),
    exclude: said.exclude ?? [],
    reading: {
      includeFolders: (said.includeFolders ?? []).flatMap(join),
      appended: said.appended ?? [],
      hasReferences: said.hasReferences ?? false,
    },
  };
}

/** Joins a folder that a configuration names with its home; undefined when it points outside the repository. */
function joinFolder(home: string, folder: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${home}${folder}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return folder.startsWith('/') ? undefined : parts.map((part) => `${part}/`).join('');
}

function normalizeBase(base: string | undefined): string {
  const inner = (base ?? '').split('/').filter((part) => part !== '' && part !== '.');
  return inner.length === 0 || /[:?#\s]/.test(base!) ? '/' : `/${inner.join('/')}/`;
}
