import type { Generator, ObjectReader, TreeEntry } from '../model.ts';
import { describeSite, type GeneratorSite } from './describe-site.ts';

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

/** Creates a function that reads configurations, each once; what is too large or no text reads as ''. */
export function createConfigReader(reader: ObjectReader): (oid: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  const read = async (oid: string): Promise<string> => {
    const bytes = await reader.readBlob(oid);
    return bytes.length > MAX_CONFIG_BYTES || bytes.includes(0) ? '' : new TextDecoder().decode(bytes);
  };
  return (oid) => {
    const text = known.get(oid) ?? read(oid);
    known.set(oid, text);
    return text;
  };
}

/**
 * Returns the site whose home a folder is, by the names in it and, where several generators share a name, by what the
 * file says. `home` is the folder from the repository's root with a final `/`, or ''.
 */
export async function recogniseGenerator(
  tree: string,
  home: string,
  context: Context,
): Promise<GeneratorSite | undefined> {
  const found = await recognise(await context.readTree(tree), context);
  if (!found) return undefined;
  const { generator, config } = found;
  const text = config === undefined ? '' : await context.readConfig(config.oid);
  return describeSite({ generator, home, configName: config?.name ?? '', config: text });
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
