import { posix } from 'node:path';
import { type Data, isFalse, list, map, own, text } from '../../config/data-values.ts';
import type { GeneratorProfile } from '../generator.ts';
import { pathOfUrl } from '../shared/locations.ts';
import { readMkdocsConfig } from './config.ts';
import { navigation } from './navigation.ts';
import { settings } from './settings.ts';

/** Extensions of Python-Markdown that include files from folders of their own. */
const INCLUDERS = /^(?:mdx_include|markdown_include|pymdownx[._]snippets)(?:\.|$)/;
/** Plugins that link `[text][id]` to headings of other pages. */
const REFERENCE_PLUGINS = new Set(['autorefs', 'mkdocstrings']);
const MAX_LISTED = 50;

export const mkdocs: GeneratorProfile = {
  name: 'MkDocs',
  async recognise(folder) {
    const config = folder.file(/^mkdocs\.ya?ml$/);
    return config && { config };
  },
  /** The files that it names as its base; they may lie anywhere in the repository. */
  async listMore({ home, configName, config }, read) {
    const found = new Map<string, string>();
    if (!/^["']?INHERIT\b/m.test(config)) return found;
    await readMkdocsConfig(home + configName, async (path) => {
      if (path === home + configName) return config;
      const content = await read(path);
      if (content !== undefined) found.set(path, content);
      return content;
    });
    return found;
  },
  async describe({ home, configName, config, more }) {
    const file = home + configName;
    const found = await readMkdocsConfig(file, async (path) => (path === file ? config : more?.get(path)));
    const data = 'reason' in found ? {} : found.data;
    const content = text(own(data, 'docs_dir')) ?? 'docs';
    const extensions = readOptions(data, 'markdown_extensions');
    const bases = [...extensions].flatMap(([name, options]) =>
      INCLUDERS.test(name) ? listTexts(own(options, 'base_path')).map((path) => toFolder(path, content)) : [],
    );
    const snippets = [...extensions].find(([name]) => /^pymdownx[._]snippets$/.test(name))?.[1] ?? {};
    return {
      content,
      bases: [pathOfUrl(text(own(data, 'site_url')))],
      statics: [],
      hasPageFolders: !isFalse(own(data, 'use_directory_urls')),
      languages: listLocales(data),
      defaultLanguage: text(own(map(own(data, 'theme')) ?? {}, 'language')),
      exclude: (text(own(data, 'exclude_docs')) ?? '').split('\n').filter((line) => line !== '' && !/^[#!]/.test(line)),
      includeFolders: [...new Set([...bases, '.'])],
      appended: listTexts(own(snippets, 'auto_append')),
      hasReferences: [...readOptions(data, 'plugins').keys()].some((name) => REFERENCE_PLUGINS.has(name)),
    };
  },
  languages: { areSites: true, besideContent: true },
  navigation,
  settings,
  frontMatter: { hasYamlWords: true },
  dialect: { pymdown: true, hasCodePipes: true, mustache: 'macro', headingIds: 'ascii' },
};

/** Returns the options of extensions or plugins by name: a list of names and of maps, or one map. */
function readOptions(data: Data, key: string): ReadonlyMap<string, Data> {
  const value = own(data, key);
  const items = Array.isArray(value) ? list(value) : [value];
  return new Map(
    items.flatMap((item) => {
      const name = text(item);
      if (name !== undefined) return [[name, {}] as const];
      return Object.entries(map(item) ?? {}).map(([own, options]) => [own, map(options) ?? {}] as const);
    }),
  );
}

function listTexts(value: unknown): readonly string[] {
  const items = Array.isArray(value) ? list(value) : [value];
  return items.map(text).filter((item) => item !== undefined);
}

/** Returns the folder that a base path means: `!relative $docs_dir` names one, and a file stands for its folder. */
function toFolder(path: string, content: string): string {
  if (path.startsWith('$config_dir')) return `.${path.slice('$config_dir'.length)}`;
  if (path.startsWith('$docs_dir')) return content + path.slice('$docs_dir'.length);
  return /\.(?:md|markdown|txt)$/.test(path) ? posix.dirname(path) : path;
}

/** Returns the values of all keys `locale` inside others: those of the i18n plugin, and that of the theme. */
function listLocales(data: Data): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || found.size >= MAX_LISTED) return;
    for (const [key, inner] of Object.entries(value)) {
      const code = depth > 0 && key === 'locale' ? text(inner) : undefined;
      if (code !== undefined) found.add(code);
      else visit(inner, depth + 1);
    }
  };
  visit(data, 0);
  return [...found];
}
