import type { Generator, ObjectReader, TreeEntry } from '../model.ts';
import { findBlock, findLiteral, findSetting, withoutComments } from './config-literals.ts';

/** A site of some generator inside a repository: whose it is, and what its configuration says literally. */
export interface GeneratorSite {
  readonly generator: Generator;
  /** Folder of its configuration from the repository's root with a final `/`, or ''. */
  readonly home: string;
  /** Folder of its pages, in the same form; it need not exist. */
  readonly content: string;
  /** What its addresses begin with, e.g. `/guide/`; `/` where the configuration names nothing. */
  readonly base: string;
  /** Text of its configuration; '' where there is none, or it is no text of reasonable size. */
  readonly config: string;
}

/** Largest configuration file that is looked at, in bytes. */
const MAX_CONFIG_BYTES = 500_000;

interface Recognised {
  readonly generator: Generator;
  /** The configuration's blob. */
  readonly config: string | undefined;
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
  const config = found.config === undefined ? '' : await context.readConfig(found.config);
  return describe({ generator: found.generator, home, content: '', base: '/', config });
}

async function recognise(entries: readonly TreeEntry[], reader: Context): Promise<Recognised | undefined> {
  const file = (pattern: RegExp): string | undefined =>
    entries.find(({ name, kind }) => kind === 'file' && pattern.test(name))?.oid;
  const folder = (name: string): string | undefined =>
    entries.find((entry) => entry.kind === 'folder' && entry.name === name)?.oid;
  const docusaurus = file(/^docusaurus\.config\.[cm]?[jt]s$/) ?? file(/^siteConfig\.js$/);
  if (docusaurus !== undefined) return { generator: 'docusaurus', config: docusaurus };
  for (const generator of ['vitepress', 'vuepress'] as const) {
    const own = folder(`.${generator}`);
    if (own !== undefined) return { generator, config: await findScript(reader, own) };
  }
  const mkdocs = file(/^mkdocs\.ya?ml$/);
  if (mkdocs !== undefined) return { generator: 'mkdocs', config: mkdocs };
  const astro = file(/^astro\.config\.[cm]?[jt]s$/);
  if (astro !== undefined && (await hasFolders(reader, folder('src'), ['content', 'docs']))) {
    return { generator: 'starlight', config: astro };
  }
  const book = file(/^book\.toml$/);
  if (book !== undefined) return { generator: 'mdbook', config: book };
  const hugo = file(/^hugo\.(?:toml|ya?ml|json)$/) ?? (await findHugoDefaults(reader, folder('config')));
  if (hugo !== undefined) return { generator: 'hugo', config: hugo };
  const shared = file(/^config\.(?:toml|ya?ml|json)$/);
  if (shared !== undefined) {
    const text = await reader.readConfig(shared);
    if (folder('content') !== undefined && /^base_url[ \t]*=/m.test(text)) return { generator: 'zola', config: shared };
    if (/^[ \t{"']*(?:baseURL|contentDir|languageCode|theme)["']?[ \t]*[:=]/im.test(text)) {
      const isHugo = ['content', 'layouts', 'themes', 'archetypes'].some((name) => folder(name) !== undefined);
      if (isHugo) return { generator: 'hugo', config: shared };
    }
  }
  const jekyll = file(/^_config\.ya?ml$/);
  if (jekyll !== undefined && file(/^_toc\.ya?ml$/) === undefined) {
    // Hexo's configuration has the same name; it always says where its pages are.
    const text = await reader.readConfig(jekyll);
    if (!/^source_dir:/m.test(text)) return { generator: 'jekyll', config: jekyll };
  }
  return undefined;
}

/** Finds the configuration of VitePress or VuePress in its folder. */
async function findScript(reader: Context, tree: string): Promise<string | undefined> {
  const entries = await reader.readTree(tree);
  const file = entries.find(({ name, kind }) => kind === 'file' && /^config\.[cm]?[jt]s$/.test(name));
  if (file) return file.oid;
  const folder = entries.find(({ name, kind }) => kind === 'folder' && name === 'config');
  if (!folder) return undefined;
  const inside = await reader.readTree(folder.oid);
  return inside.find(({ name, kind }) => kind === 'file' && /^index\.[cm]?[jt]s$/.test(name))?.oid;
}

async function findHugoDefaults(reader: Context, config: string | undefined): Promise<string | undefined> {
  if (config === undefined) return undefined;
  const defaults = (await reader.readTree(config)).find(({ name, kind }) => kind === 'folder' && name === '_default');
  if (!defaults) return undefined;
  const files = await reader.readTree(defaults.oid);
  return files.find(({ name, kind }) => kind === 'file' && /^(?:hugo|config)\.(?:toml|ya?ml|json)$/.test(name))?.oid;
}

async function hasFolders(reader: Context, tree: string | undefined, path: readonly string[]): Promise<boolean> {
  let at = tree;
  for (const part of path) {
    if (at === undefined) return false;
    at = (await reader.readTree(at)).find(({ name, kind }) => kind === 'folder' && name === part)?.oid;
  }
  return at !== undefined;
}

/** Adds what the configuration says to a site that was recognised. */
function describe(site: GeneratorSite): GeneratorSite {
  const { generator, home, config } = site;
  const at = (content: string, base: string | undefined): GeneratorSite => ({
    ...site,
    content: joinFolder(home, content) ?? home,
    base: normalizeBase(base),
  });
  switch (generator) {
    case 'docusaurus': {
      const script = withoutComments(config);
      const docs = findBlock(script, /\bdocs['"]?\s*:\s*\{/g) ?? findBlock(script, /plugin-content-docs['"]\s*,\s*\{/g);
      const legacy = findLiteral(script, 'customDocsPath');
      // Its first version kept the pages beside the folder of the site.
      const isFirstVersion = !/\bpresets\b|\bplugins\b|\bthemeConfig\b/.test(script) && /\bheaderLinks\b/.test(script);
      const path = (docs && findLiteral(docs, 'path')) ?? (isFirstVersion ? `../${legacy ?? 'docs'}` : 'docs');
      return at(path, findLiteral(script, 'baseUrl'));
    }
    case 'vitepress':
    case 'vuepress': {
      const script = withoutComments(config);
      return at((generator === 'vitepress' && findLiteral(script, 'srcDir')) || '', findLiteral(script, 'base'));
    }
    case 'starlight': {
      const script = withoutComments(config);
      return at(`${findLiteral(script, 'srcDir') ?? 'src'}/content/docs`, findLiteral(script, 'base'));
    }
    case 'mkdocs':
      return at(findSetting(config, 'docs_dir') ?? 'docs', pathOf(findSetting(config, 'site_url')));
    case 'mdbook':
      return at(findSetting(config, 'src') ?? 'src', findSetting(config, 'site-url'));
    case 'hugo':
      return at(findSetting(config, 'contentDir') ?? 'content', pathOf(findSetting(config, 'baseURL')));
    case 'zola':
      return at('content', pathOf(findSetting(config, 'base_url')));
    case 'jekyll':
      return at(findSetting(config, 'source') ?? '', findSetting(config, 'baseurl'));
  }
}

/** Joins a folder that a configuration names with its home; undefined when it leads out of the repository. */
function joinFolder(home: string, folder: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${home}${folder}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return folder.startsWith('/') ? undefined : parts.map((part) => `${part}/`).join('');
}

function pathOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).pathname : url;
}

function normalizeBase(base: string | undefined): string {
  const inner = base?.replace(/^\/+|\/+$/g, '') ?? '';
  return inner === '' || /[:?#\s]/.test(inner) ? '/' : `/${inner}/`;
}
