import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import type { Generator, ObjectReader, TreeEntry } from '../../model.ts';
import { createTreePaths } from '../files/tree-paths.ts';
import { looksLikeLanguage } from '../language-tag.ts';
import { readMkdocsConfig } from '../text/mkdocs-config.ts';
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

  /** A Jekyll configuration at the root may only name the theme in which GitHub shows the README. */
  async function isOnlyTheme(rootTree: string, { generator, content }: GeneratorSite): Promise<boolean> {
    if (generator !== 'jekyll' || content !== '') return false;
    const names = (await reader.readTree(rootTree)).map(({ name }) => name);
    return !names.some((name) => /^(?:index\.(?:md|markdown|html)|_(?:layouts|includes|posts|docs|data))$/.test(name));
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

interface Recognised {
  readonly generator: Generator;
  /** The configuration's file. */
  readonly config: TreeEntry | undefined;
  /** The `tsconfig.json` beside it, if the generator resolves links by that, too. */
  readonly tsconfig?: TreeEntry | undefined;
}

/** What the recognition reads with. */
interface Context {
  readonly readTree: ObjectReader['readTree'];
  readonly readConfig: (oid: string) => Promise<string>;
}

/** Number of cached configurations, and of homes; versions share most of them. */
const MAX_REMEMBERED = 2_000;

/**
 * Creates a function that returns the site whose home a folder is, by the names in it and, where several generators
 * share a name, by what the file says. The folder is given by its tree and its path from the repository's root with a
 * final `/`, or ''. Results are cached by tree and by configuration.
 */
function createRecogniser(
  reader: ObjectReader,
): (tree: string, home: string, rootTree: string) => Promise<GeneratorSite | undefined> {
  const texts = createBoundedMap<string, Promise<string>>({ maxEntries: MAX_REMEMBERED });
  const sites = createBoundedMap<string, Promise<GeneratorSite>>({ maxEntries: MAX_REMEMBERED });
  const homes = createBoundedMap<string, Promise<Recognised | undefined>>({ maxEntries: MAX_REMEMBERED });
  const readConfig = (oid: string): Promise<string> =>
    remember(texts, oid, async () => {
      const bytes = await reader.readBlob(oid);
      return bytes.length > MAX_CONFIG_BYTES || bytes.includes(0) ? '' : new TextDecoder().decode(bytes);
    });

  return async (tree, home, rootTree) => {
    const found = await remember(homes, tree, async () =>
      recognise(await reader.readTree(tree), { readTree: reader.readTree, readConfig }),
    );
    if (!found) return undefined;
    const { generator, config, tsconfig } = found;
    const configName = config?.name ?? '';
    const text = config === undefined ? '' : await readConfig(config.oid);
    const inherited = await readInherited(found, { path: home + configName, text }, rootTree);
    const parts = [generator, home, configName, config?.oid, tsconfig?.oid, ...[...inherited].flat()];
    return remember(sites, JSON.stringify(parts), async () =>
      describeSite({
        ...{ generator, home, configName, config: text, inherited },
        tsconfig: tsconfig && (await readConfig(tsconfig.oid)),
      }),
    );
  };

  /** Returns the texts of the files that a configuration names as its base; they may lie anywhere in the repository. */
  async function readInherited(
    { generator }: Recognised,
    config: { readonly path: string; readonly text: string },
    rootTree: string,
  ): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    if (generator !== 'mkdocs' || !/^["']?INHERIT\b/m.test(config.text)) return found;
    const paths = createTreePaths(reader, rootTree);
    await readMkdocsConfig(config.path, async (path) => {
      if (path === config.path) return config.text;
      const entry = await paths.find(path);
      if (entry?.kind === 'file') found.set(path, await readConfig(entry.oid));
      return found.get(path);
    });
    return found;
  }
}

async function recognise(entries: readonly TreeEntry[], reader: Context): Promise<Recognised | undefined> {
  const file = (pattern: RegExp): TreeEntry | undefined =>
    entries.find(({ name, kind }) => kind === 'file' && pattern.test(name));
  const folder = (name: string): string | undefined =>
    entries.find((entry) => entry.kind === 'folder' && entry.name === name)?.oid;
  const docusaurus = file(/^docusaurus\.config\.[cm]?[jt]s$/) ?? file(/^siteConfig\.js$/);
  if (docusaurus) return { generator: 'docusaurus', config: docusaurus };
  for (const generator of ['vitepress', 'vuepress'] as const) {
    const own = folder(`.${generator}`);
    if (own !== undefined) return { generator, config: await findScript(reader, own) };
  }
  const mkdocs = file(/^mkdocs\.ya?ml$/);
  if (mkdocs) return { generator: 'mkdocs', config: mkdocs };
  const astro = file(/^astro\.config\.[cm]?[jt]s$/);
  if (astro && (await hasFolders(reader, folder('src'), ['content', 'docs']))) {
    return { generator: 'starlight', config: astro, tsconfig: file(/^tsconfig\.json$/) };
  }
  const book = file(/^book\.toml$/);
  if (book) return { generator: 'mdbook', config: book };
  const hugo = file(/^hugo\.(?:toml|ya?ml|json)$/) ?? (await findHugoDefaults(reader, folder('config')));
  if (hugo) return { generator: 'hugo', config: hugo };
  const shared = file(/^config\.(?:toml|ya?ml|json)$/);
  if (shared) {
    const text = await reader.readConfig(shared.oid);
    if (folder('content') !== undefined && /^base_url[ \t]*=/m.test(text)) return { generator: 'zola', config: shared };
    if (/^[ \t{"']*(?:baseURL|contentDir|languageCode|theme)["']?[ \t]*[:=]/im.test(text)) {
      const isHugo = ['content', 'layouts', 'themes', 'archetypes'].some((name) => folder(name) !== undefined);
      if (isHugo) return { generator: 'hugo', config: shared };
    }
  }
  const jekyll = file(/^_config\.ya?ml$/);
  if (jekyll && !file(/^_toc\.ya?ml$/)) {
    const manifest = file(/^package\.json$/);
    const isHexo =
      folder('scaffolds') !== undefined ||
      /^source_dir:/m.test(await reader.readConfig(jekyll.oid)) ||
      (manifest !== undefined && namesHexo(await reader.readConfig(manifest.oid)));
    return { generator: isHexo ? 'hexo' : 'jekyll', config: jekyll };
  }
  const shell = file(/^index\.html$/);
  if (shell && file(/\.md$/i)) {
    // Docsify's only configuration is the page that loads it.
    if (/\$docsify\b|\bdocsify(?:@[\w.-]+)?\/|\bdocsify(?:\.min)?\.js\b/.test(await reader.readConfig(shell.oid))) {
      return { generator: 'docsify', config: shell };
    }
  }
  return undefined;
}

/** Hexo's configuration has the name of Jekyll's: the `package.json` beside it tells them apart. */
function namesHexo(manifest: string): boolean {
  try {
    const { hexo, dependencies, devDependencies } = (JSON.parse(manifest) ?? {}) as Record<string, unknown>;
    const names = [dependencies, devDependencies].flatMap((value) => Object.keys(value ?? {}));
    const isPart = (name: string): boolean => /^hexo(?:$|-(?:renderer|generator|server|deployer)\b)/.test(name);
    return (typeof hexo === 'object' && hexo !== null) || names.some(isPart);
  } catch {
    return false;
  }
}

/** Finds the configuration of VitePress or VuePress in its folder. */
async function findScript(reader: Context, tree: string): Promise<TreeEntry | undefined> {
  const entries = await reader.readTree(tree);
  const file = entries.find(({ name, kind }) => kind === 'file' && /^config\.[cm]?[jt]s$/.test(name));
  if (file) return file;
  const folder = entries.find(({ name, kind }) => kind === 'folder' && name === 'config');
  if (!folder) return undefined;
  const inside = await reader.readTree(folder.oid);
  return inside.find(({ name, kind }) => kind === 'file' && /^index\.[cm]?[jt]s$/.test(name));
}

async function findHugoDefaults(reader: Context, config: string | undefined): Promise<TreeEntry | undefined> {
  if (config === undefined) return undefined;
  const defaults = (await reader.readTree(config)).find(({ name, kind }) => kind === 'folder' && name === '_default');
  if (!defaults) return undefined;
  const files = await reader.readTree(defaults.oid);
  return files.find(({ name, kind }) => kind === 'file' && /^(?:hugo|config)\.(?:toml|ya?ml|json)$/.test(name));
}

async function hasFolders(reader: Context, tree: string | undefined, path: readonly string[]): Promise<boolean> {
  let at = tree;
  for (const part of path) {
    if (at === undefined) return false;
    at = (await reader.readTree(at)).find(({ name, kind }) => kind === 'folder' && name === part)?.oid;
  }
  return at !== undefined;
}
