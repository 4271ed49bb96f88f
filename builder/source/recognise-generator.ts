import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { Generator, ObjectReader, TreeEntry } from '../model.ts';
import { describeSite, type GeneratorSite } from './describe-site.ts';
import { remember } from './remember.ts';

/** Largest configuration file that is looked at, in bytes. */
const MAX_CONFIG_BYTES = 500_000;

interface Recognised {
  readonly generator: Generator;
  /** The configuration's file. */
  readonly config: TreeEntry | undefined;
}

/** What recognising reads by. */
interface Context {
  readonly readTree: ObjectReader['readTree'];
  readonly readConfig: (oid: string) => Promise<string>;
}

/** Configurations, and homes, that are remembered; versions share most of them. */
const MAX_REMEMBERED = 2_000;

/**
 * Creates a function that returns the site whose home a folder is, by the names in it and, where several generators share a
 * name, by what the file says. The folder is given by its tree and its path from the repository's root with a final `/`,
 * or ''. What is known of a tree is remembered, and what a configuration says.
 */
export function createRecogniser(
  reader: ObjectReader,
): (tree: string, home: string) => Promise<GeneratorSite | undefined> {
  const texts = createBoundedMap<string, Promise<string>>({ maxEntries: MAX_REMEMBERED });
  const sites = createBoundedMap<string, Promise<GeneratorSite>>({ maxEntries: MAX_REMEMBERED });
  const homes = createBoundedMap<string, Promise<GeneratorSite | undefined>>({ maxEntries: MAX_REMEMBERED });
  const readConfig = (oid: string): Promise<string> =>
    remember(texts, oid, async () => {
      const bytes = await reader.readBlob(oid);
      return bytes.length > MAX_CONFIG_BYTES || bytes.includes(0) ? '' : new TextDecoder().decode(bytes);
    });

  async function recogniseAnew(tree: string, home: string): Promise<GeneratorSite | undefined> {
    const found = await recognise(await reader.readTree(tree), { readTree: reader.readTree, readConfig });
    if (!found) return undefined;
    const { generator, config } = found;
    return remember(sites, `${generator} ${home} ${config?.name} ${config?.oid}`, async () => {
      const text = config === undefined ? '' : await readConfig(config.oid);
      return describeSite({ generator, home, configName: config?.name ?? '', config: text });
    });
  }

  return (tree, home) => remember(homes, `${tree} ${home}`, () => recogniseAnew(tree, home));
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
    return { generator: 'starlight', config: astro };
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
    // Hexo's configuration has the same name; it always says where its pages are.
    const text = await reader.readConfig(jekyll.oid);
    if (!/^source_dir:/m.test(text)) return { generator: 'jekyll', config: jekyll };
  }
  return undefined;
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
