import { BuildError } from '../../build-error.ts';
import { type Generator, profileOf } from '../../generators/generators.ts';
import type { ForeignSettings } from '../../generators/shared/foreign-settings.ts';
import type { NavigationSite, NavNote } from '../../generators/shared/navigation-items.ts';
import type { ObjectReader } from '../../model.ts';
import { createTreePaths, type TreePaths } from '../../source/files/tree-paths.ts';
import { guessLanguage } from '../../source/guess-language.ts';
import { chooseLanguages } from '../../source/languages.ts';
import type { LanguagePages, SourceTree } from '../../source/pages/collect-pages.ts';
import { decodeText } from '../../source/text/decode-text.ts';
import type { BuildTools } from '../build-tools.ts';
import type { HostUrlPatterns } from '../links/host-urls.ts';
import {
  createTargetFinder,
  listMissing,
  type PlacedNavigation,
  placeGeneratorNavigation,
} from '../navigation/place-navigation.ts';
import { sortPages } from '../pages/render-versions.ts';
import { parseProjectFile } from '../project-file.ts';
import type { ThemeFooter, ThemeLink } from '../project-file-schema.ts';
import type { ProjectFile } from '../site-options.ts';
import { createVersionSources, hasSource, type Version, type VersionSource } from '../versions/version-source.ts';
import { createTargetNames } from './target-names.ts';
import { type WrittenEntry, writeNavigation } from './write-navigation.ts';

/** A project file for another generator's documentation. */
export interface Migration {
  readonly generator: Generator;
  /** The generator's configuration, from the repository's root. */
  readonly config: string;
  readonly text: string;
  readonly project: ProjectFile;
  /** Settings that could not be taken over, in the order of files and lines. */
  readonly notes: readonly NavNote[];
}

/** Creates the migration of a tree. Throws `no-source` where no generator is recognised. */
export async function createMigration(
  version: Version,
  context: {
    readonly tools: BuildTools;
    readonly label: string;
    readonly sourceDir: string | undefined;
    readonly codeHosts: readonly HostUrlPatterns[];
  },
): Promise<Migration> {
  const { tools, label, sourceDir, codeHosts } = context;
  const { rootTree } = version;
  const { reader } = tools;
  const sources = createVersionSources({ tools, sourceDir, lang: undefined, findNotes: () => undefined });
  const source = await sources.read(version);
  if (!hasSource(source) || source.generator === undefined || !source.site) throw notFound(label);
  const paths = createTreePaths(reader, rootTree);
  const languages = chooseLanguages([source.layout], undefined, await guessLanguage(source, reader));
  const renderer = tools.rendererFor({ html: 'raw', emoji: true, math: false, mermaid: false, allowedHosts: [] });
  const tree = await sortPages(source, renderer, { languages, single: false });
  const [first] = tree.languages;
  if (!first) throw notFound(label);
  const { config, settings } = await readSettings(source, { paths, reader });
  const own = await tools.readNavigation(source, paths.find);
  const placed = tree.languages.map((language) => placeGeneratorNavigation(own, { source, tree, language }));
  const notes: NavNote[] = [...settings.notes, ...own.notes, ...listMissing(placed)];
  const names = await createTargetNames({
    source,
    tree,
    language: first,
    codeHosts,
    finder: createTargetFinder({ source, tree, language: first }),
    sidebars: own.navigation,
  });
  const found: ProjectFileParts = {
    title: settings.title,
    sourceDir: source.sourceFolder.replace(/\/$/, '') || undefined,
    lang: listLanguages(tree),
    nav: writeNav(placed, tree.languages, notes, config),
    lastUpdated: settings.lastUpdated,
    announcement: settings.announcement && {
      text: settings.announcement.text,
      url: settings.announcement.target && names.siteUrlOf(settings.announcement.target),
    },
    redirects: names.placeRedirects(settings.redirects, notes),
    theme: {
      accent: settings.accent,
      logo: await findImage(settings.logo, source, { paths, config, notes }),
      logoDark: await findImage(settings.logoDark, source, { paths, config, notes }),
      favicon: await findImage(settings.favicon, source, { paths, config, notes }),
      image: await findImage(settings.image, source, { paths, config, notes }),
      links: names.placeLinks(settings.links, notes),
      footer: joinFooter(settings.footer, names.placeLinks(settings.columns, notes, 'footer')),
    },
  };
  const { text, project } = await checkProject(found, { generator: source.generator, config }, notes);
  return { generator: source.generator, config, text, project, notes: sortNotes(notes) };
}

function notFound(folder: string): BuildError {
  const message = `No documentation of another generator found in "${folder}"`;
  return new BuildError(
    'no-source',
    `${message}: it is recognised by a file such as mkdocs.yml or docusaurus.config.js`,
  );
}

async function readSettings(
  { generator, site, sourceFolder, layout }: VersionSource,
  { paths, reader }: { readonly paths: TreePaths; readonly reader: ObjectReader },
): Promise<{ readonly config: string; readonly settings: ForeignSettings }> {
  const format = profileOf(generator!).settings;
  const coordinates: NavigationSite = {
    home: site!.home,
    content: site!.content || sourceFolder,
    languageFolders: layout.folders,
    languageSuffixes: layout.suffixes,
  };
  const read = async (path: string): Promise<string | undefined> => {
    const entry = await paths.find(path);
    if (entry?.kind !== 'file') return undefined;
    const decoded = decodeText(await reader.readBlob(entry.oid));
    return 'text' in decoded ? decoded.text : undefined;
  };
  for (const file of format.listFiles(coordinates)) {
    if ((await paths.find(file))?.kind === 'file')
      return { config: file, settings: await format.read(file, coordinates, read) };
  }
  const config = `${site!.home}${site!.configName}`;
  return { config, settings: { links: [], columns: [], redirects: [], notes: [] } };
}

/** Returns the codes of the languages, unless they would be found without being named. */
function listLanguages({ languages }: SourceTree): readonly string[] | undefined {
  const codes = languages.map(({ language }) => language.code);
  return codes.length === 1 && codes[0] === 'en' ? undefined : codes;
}

/** Returns the generator's navigation; undefined where folders are the navigation, or where one tree cannot say the same. */
function writeNav(
  placed: readonly PlacedNavigation[],
  languages: readonly LanguagePages[],
  notes: NavNote[],
  config: string,
): ProjectFileParts['nav'] {
  const written = writeNavigation(placed, languages);
  if (written === undefined) return undefined;
  if ('reason' in written) {
    notes.push({
      ...(written.place ?? { file: config, line: 0 }),
      message: `"nav" is not written: ${written.reason}; docbuild goes on reading the navigation here`,
    });
    return undefined;
  }
  return written.nav;
}

/** Returns the path of an image that a configuration names, from the repository's root, or its URL. */
async function findImage(
  path: string | undefined,
  { site, statics, sourceFolder }: VersionSource,
  { paths, config, notes }: { readonly paths: TreePaths; readonly config: string; readonly notes: NavNote[] },
): Promise<string | undefined> {
  if (path === undefined || /^https?:\/\//.test(path)) return path;
  const inside = path.replace(/^\.?\/+/, '').replace(/[?#].*/s, '');
  const folders = [...statics, site!.home, sourceFolder, `${site!.home}public/`];
  // URLs may begin with the path of the site.
  const names = [
    inside,
    ...site!.bases.flatMap((base) => (`/${inside}`.startsWith(base) ? [`/${inside}`.slice(base.length)] : [])),
  ];
  for (const folder of folders) {
    for (const name of names) {
      const entry = await paths.find(folder + name).catch(() => undefined);
      if (entry?.kind === 'file') return entry.path;
    }
  }
  notes.push({ file: config, line: 0, message: `Image "${path.slice(0, 100)}" is not in the repository` });
  return undefined;
}

/** Writes the file and reads it again; keys that docbuild would refuse are left out and noted. */
async function checkProject(
  found: ProjectFileParts,
  origin: { readonly generator: Generator; readonly config: string },
  notes: NavNote[],
): Promise<{ readonly text: string; readonly project: ProjectFile }> {
  const parts: Record<string, unknown> = { ...found, theme: { ...found.theme } };
  for (;;) {
    const text = await writeProjectFile(parts, origin);
    const { project, problems } = await parseProjectFile(text);
    const [problem] = problems;
    if (!problem) return { text, project };
    notes.push({ file: origin.config, line: 0, message: `Not taken over: ${problem.message}` });
    const [, top = '', inside = ''] = /"(\w+)(?:\.(\w+))?/.exec(problem.message) ?? [];
    const isOfTheme = top === 'theme' && Reflect.has(parts.theme as object, inside);
    // At least one key is gone after each round.
    const owner = isOfTheme ? (parts.theme as Record<string, unknown>) : parts;
    const key = isOfTheme ? inside : Object.hasOwn(parts, top) ? top : Object.keys(parts)[0]!;
    delete owner[key];
  }
}

/** Returns the footer as a project file writes it: its text alone, where there is no more. */
function joinFooter(text: string | undefined, placed: readonly ThemeLink[]): string | ThemeFooter | undefined {
  const columns = placed.flatMap(({ title, links = [] }) => (links.length > 0 ? [{ title, links }] : []));
  return columns.length > 0 ? { ...(text !== undefined && { text }), columns } : text;
}

function sortNotes(notes: readonly NavNote[]): readonly NavNote[] {
  const distinct = new Map(notes.map((note) => [`${note.file}:${note.line}:${note.message}`, note]));
  return [...distinct.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line);
}

/** Contents of a project file, in the order in which they are written. */
interface ProjectFileParts {
  readonly title?: string | undefined;
  readonly sourceDir?: string | undefined;
  readonly lang?: readonly string[] | undefined;
  readonly lastUpdated?: true | undefined;
  readonly announcement?: { readonly text: string; readonly url?: string | undefined } | undefined;
  readonly theme?: {
    readonly accent?: string | undefined;
    readonly logo?: string | undefined;
    readonly logoDark?: string | undefined;
    readonly favicon?: string | undefined;
    readonly image?: string | undefined;
    readonly links?: readonly ThemeLink[];
    readonly footer?: string | ThemeFooter | undefined;
  };
  readonly redirects?: Readonly<Record<string, string>>;
  readonly nav?: readonly WrittenEntry[] | undefined;
}

/** Writes a project file. Empty parts are left out. */
async function writeProjectFile(
  { title, sourceDir, lang, lastUpdated, announcement, theme, redirects, nav }: ProjectFileParts,
  { generator, config }: { readonly generator: Generator; readonly config: string },
): Promise<string> {
  const { Document, isMap, isScalar, isSeq, visit } = await import('yaml');
  const parts = withoutEmpty({
    title,
    sourceDir,
    lang,
    lastUpdated,
    announcement,
    theme: withoutEmpty(theme ?? {}),
    redirects,
    nav,
  });
  const document = new Document(parts, { aliasDuplicateObjects: false });
  // Titles in several languages and lists of codes stand on one line.
  visit(document, {
    Pair(_, { key, value }) {
      const name = isScalar(key) ? key.value : undefined;
      if ((name === 'title' && isMap(value)) || (name === 'lang' && isSeq(value))) value.flow = true;
    },
  });
  const body = Object.keys(parts).length > 0 ? document.toString({ lineWidth: 0, flowCollectionPadding: false }) : '';
  return `# Written by "docbuild migrate" from ${config.replace(/\s+/g, ' ')} (${profileOf(generator).name}). As long as that file is here, docbuild reads
# Markdown in the dialect of ${profileOf(generator).name}.
${body}`;
}

function withoutEmpty<T extends object>(parts: T): Partial<T> {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => !isEmpty(value))) as Partial<T>;
}
