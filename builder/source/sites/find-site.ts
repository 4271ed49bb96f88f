import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import type { RecognisedHome, SiteFolder } from '../../generators/generator.ts';
import { GENERATORS, type Generator, profileOf } from '../../generators/generators.ts';
import { looksLikeLanguage } from '../../language-tag.ts';
import type { ObjectReader, TreeEntry } from '../../model.ts';
import { createTreePaths } from '../files/tree-paths.ts';
import { describeSite, type GeneratorSite } from './describe-site.ts';
import { remember } from './remember.ts';

/** Finds the sites of documentation generators in root trees. */
export interface SiteFinder {
  /** Returns the site that contains the documentation; undefined if no generator has one with pages. */
  find(rootTree: string): Promise<GeneratorSite | undefined>;
  /** Returns the site that a source folder belongs to: the site of its pages, or the one whose folder contains it. */
  findOwner(rootTree: string, folder: string): Promise<GeneratorSite | undefined>;
}

/** Names of folders in which the sites of generators usually are. */
const USUAL_HOMES = /^(?:docs?|documentation|website|site|www|web|guide|book|userguide)$|^docs?[-_.]|[-_.]docs?$/i;
/** Folders of workspaces: their `docs`, `website` … may be homes, too. */
const WORKSPACES = /^(?:packages|apps|docs?|website|projects|sites|src)$/i;
/** A site in any other folder of these must have most of the pages there: `docs/astro`. */
const FULL_HOMES = /^docs?\//i;
const MIN_SHARE = 0.5;
/** Folders inside those in which they may be, too: `packages/docs/src/.vuepress`. */
const INNER_HOMES = /^(?:docs?|src|site|website)$/i;
/** Names of folders whose sites try out a generator and are not meant to be read. */
const TRIALS = /^\.|^_|^node_modules$|test|spec|fixture|benchmark/i;
/**
 * Names of folders whose sites demonstrate a generator; one named like documentation, as in `book-example`, may be the
 * only one.
 */
const SHOWPIECES = /example|template|demo|sample|starter|playground|theme/i;
const DOCUMENTATION = /docs?|book|guide|manual/i;
const MAX_HOMES = 200;

/** A folder that may be the home of a site; higher ranks count only if lower ones contain no site. */
interface Home {
  readonly oid: string;
  readonly folder: string;
  readonly rank: 0 | 1 | 2;
}

/**
 * Creates a finder. Looks at the root, at its folders, and at those of workspaces that are named like documentation;
 * among several sites the one with most pages counts. `weigh` returns the number of pages in a folder, 0 when there is none.
 */
export function createSiteFinder(options: {
  readonly reader: ObjectReader;
  readonly weigh: (rootTree: string, folder: string) => Promise<number>;
}): SiteFinder {
  const { reader, weigh } = options;
  const recognise = createRecogniser(reader);
  const siteAt = (rootTree: string, { oid, folder }: Home): Promise<GeneratorSite | undefined> =>
    recognise(oid, folder, rootTree).catch(ignoreDamage);

  return {
    async find(rootTree) {
      const homes = await listHomes(rootTree);
      for (const rank of [0, 1, 2]) {
        let best: { readonly site: GeneratorSite; readonly pages: number } | undefined;
        for (const home of homes.filter((candidate) => candidate.rank === rank)) {
          const site = await siteAt(rootTree, home);
          if (!site || (await isOnlyTheme(rootTree, site))) continue;
          // Do not walk a whole repository just to count.
          const pages = site.content === '' ? 1 : await weigh(rootTree, site.content);
          const isOwn = pages >= 1 && pages > (best?.pages ?? 0);
          if (isOwn && (rank === 0 || (await hasMostPages(rootTree, home.folder, pages)))) best = { site, pages };
        }
        if (best) return best.site;
      }
      return undefined;
    },
    async findOwner(rootTree, folder) {
      let owner: GeneratorSite | undefined;
      for (const home of await listHomes(rootTree)) {
        const site = await siteAt(rootTree, home);
        if (site?.content === folder) return site;
        if (site && folder.startsWith(site.home) && site.home.length >= (owner?.home.length ?? 0)) owner = site;
      }
      return owner;
    },
  };

  /** Returns whether a home that is not named like one has most pages of the documentation around it. */
  async function hasMostPages(rootTree: string, home: string, pages: number): Promise<boolean> {
    const around = FULL_HOMES.exec(home)?.[0];
    // The site of one language has fewer pages the more translations there are.
    if (around !== undefined && looksLikeLanguage(home.slice(around.length).replace(/\/$/, ''))) return true;
    return around === undefined || home === around || pages >= MIN_SHARE * (await weigh(rootTree, around));
  }

  async function listHomes(rootTree: string): Promise<readonly Home[]> {
    const homes = new Map<string, Home>([['', { oid: rootTree, folder: '', rank: 0 }]]);
    const add = ({ name, kind, oid }: TreeEntry, above: string, isInner = false): void => {
      if (kind !== 'folder' || isTrial(name) || homes.size >= MAX_HOMES) return;
      const rank = SHOWPIECES.test(name) ? 2 : isInner || USUAL_HOMES.test(name) ? 0 : 1;
      const folder = `${above}${name}/`;
      if (!homes.has(folder)) homes.set(folder, { oid, folder, rank });
    };
    const top = await reader.readTree(rootTree);
    for (const entry of top) add(entry, '');
    for (const { name, kind, oid } of top) {
      if (kind !== 'folder' || !WORKSPACES.test(name)) continue;
      const entries = (await reader.readTree(oid).catch(ignoreDamage)) ?? [];
      for (const entry of entries) {
        // Each language may be a site of its own: `docs/en/mkdocs.yml`.
        const isUsual = USUAL_HOMES.test(entry.name) || looksLikeLanguage(entry.name);
        if (isUsual || FULL_HOMES.test(`${name}/`)) add(entry, `${name}/`);
      }
    }
    for (const { folder, oid, rank } of [...homes.values()]) {
      if (folder === '' || rank > 0) continue;
      const entries = (await reader.readTree(oid).catch(ignoreDamage)) ?? [];
      for (const entry of entries) if (INNER_HOMES.test(entry.name)) add(entry, folder, true);
    }
    return [...homes.values()];
  }

  async function isOnlyTheme(rootTree: string, { generator, content }: GeneratorSite): Promise<boolean> {
    const { isOnlyTheme: isTheme } = profileOf(generator);
    if (!isTheme || content !== '') return false;
    return isTheme(await openFolder(rootTree, reader, async () => ''));
  }
}

/** Returns whether a folder contains what tries or demonstrates a generator, or nothing that is meant to be read. */
export function isTrial(name: string): boolean {
  return TRIALS.test(name) || (SHOWPIECES.test(name) && !DOCUMENTATION.test(name));
}

/** Damage is reported when the documentation itself is read. */
export function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof BuildError)) throw error;
}

/** Size limit of a configuration file, in bytes. */
const MAX_CONFIG_BYTES = 500_000;

/** Number of cached configurations, and of homes; versions share most of them. */
const MAX_REMEMBERED = 2_000;

/**
 * Creates a function that returns the site whose home a folder is. The folder is given by its tree and its path from the
 * repository's root with a final `/`, or ''. Results are cached by tree and by configuration.
 */
function createRecogniser(
  reader: ObjectReader,
): (tree: string, home: string, rootTree: string) => Promise<GeneratorSite | undefined> {
  const texts = createBoundedMap<string, Promise<string>>({ maxEntries: MAX_REMEMBERED });
  const sites = createBoundedMap<string, Promise<GeneratorSite>>({ maxEntries: MAX_REMEMBERED });
  const homes = createBoundedMap<string, ReturnType<typeof recognise>>({ maxEntries: MAX_REMEMBERED });
  const readConfig = (oid: string): Promise<string> =>
    remember(texts, oid, async () => {
      const bytes = await reader.readBlob(oid);
      return bytes.length > MAX_CONFIG_BYTES || bytes.includes(0) ? '' : new TextDecoder().decode(bytes);
    });

  return async (tree, home, rootTree) => {
    const found = await remember(homes, tree, async () => recognise(await openFolder(tree, reader, readConfig)));
    if (!found) return undefined;
    const { generator, config, pages } = found;
    const site = { home, configName: config?.name ?? '', config: config ? await readConfig(config.oid) : '', pages };
    const paths = createTreePaths(reader, rootTree);
    const more = await profileOf(generator).listMore?.(site, async (path) => {
      const entry = await paths.find(path);
      return entry?.kind === 'file' ? readConfig(entry.oid) : undefined;
    });
    const parts = [generator, home, pages, site.configName, config?.oid, ...[...(more ?? [])].flat()];
    return remember(sites, JSON.stringify(parts), () => describeSite(generator, more ? { ...site, more } : site));
  };
}

async function recognise(
  folder: SiteFolder,
): Promise<(RecognisedHome & { readonly generator: Generator }) | undefined> {
  for (const generator of GENERATORS) {
    const home = await profileOf(generator).recognise(folder);
    if (home) return { ...home, generator };
  }
  return undefined;
}

async function openFolder(
  tree: string,
  { readTree }: Pick<ObjectReader, 'readTree'>,
  readConfig: (oid: string) => Promise<string>,
): Promise<SiteFolder> {
  const entries = await readTree(tree);
  const find = (name: string): TreeEntry | undefined =>
    entries.find((entry) => entry.kind === 'folder' && entry.name === name);
  return {
    file: (pattern) => entries.find(({ name, kind }) => kind === 'file' && pattern.test(name)),
    has: (name) => find(name) !== undefined,
    listFolders: () => entries.filter(({ kind }) => kind === 'folder').map(({ name }) => name),
    async open(path) {
      const [first, ...rest] = path.split('/');
      const entry = find(first!);
      const folder = entry && (await openFolder(entry.oid, { readTree }, readConfig));
      return rest.length === 0 ? folder : folder?.open(rest.join('/'));
    },
    read: ({ oid }) => readConfig(oid),
  };
}
