import { isAbsoluteUrl } from '../../lib/url-text.ts';
import { readDataConfig } from '../config/config-values.ts';
import { type Data, isTrue, map, own, ownOf, text } from '../config/data-values.ts';
import { parseYaml } from '../config/parse-yaml.ts';
import type { GeneratorProfile } from './generator.ts';
import {
  addressTarget,
  BASE_URL_ADVICE,
  handled,
  type KeyTable,
  note,
  readDataSettings,
  readText,
  readWords,
  reportKeys,
  type SettingsFormat,
} from './shared/foreign-settings.ts';
import {
  createNavBuilder,
  type GeneratorNavigation,
  type NavItem,
  type NavigationFormat,
  plainText,
} from './shared/navigation-items.ts';

const KEYS: KeyTable = {
  ...handled(`title baseurl repository github_username permalink defaults exclude include collections
    collections_dir source destination markdown kramdown highlighter sass logo favicon_ico lang
    languages default_lang search_enabled search enable_copy_code_button mermaid heading_anchors
    aux_links aux_links_new_tab nav_enabled nav_sort nav_error_report liquid back_to_top
    back_to_top_text footer_content last_edit_timestamp last_edit_time_format gh_edit_link
    gh_edit_link_text gh_edit_repository gh_edit_branch gh_edit_source gh_edit_view_mode color_scheme
    callouts callouts_level callouts_opacity plugins gems timezone encoding port host incremental safe
    keep_files strict_front_matter author email name future ext_nav_new_tab feed compress_html version
    show_drafts`),
  url: BASE_URL_ADVICE,
  description: 'give pages a description in their front matter',
  theme: 'templates of the theme are not used',
  remote_theme: 'templates of the theme are not used',
  nav_external_links: 'add the links to "nav" or to "theme.links"',
  ga_tracking: 'docbuild loads nothing from third parties',
  google_analytics: 'docbuild loads nothing from third parties',
};
/** Plugins whose work docbuild does, too, or of which pages need nothing. */
const PLUGINS =
  /^jekyll-(?:redirect-from|seo-tag|sitemap|feed|optional-front-matter|readme-index|relative-links|titles-from-headings|default-layout|include-cache|github-metadata|gist|commonmark.*|remote-theme|last-modified-at|toc|coffeescript|paginate)$|^(?:jemoji|kramdown.*|just-the-docs|minima|github-pages)$/;

/** Jekyll: `_config.yml`. Redirects stand in its pages. */
const settings: SettingsFormat = {
  listFiles: ({ home }) => [`${home}_config.yml`, `${home}_config.yaml`],
  read: readDataSettings((reading) => {
    const { config, settings } = reading;
    settings.title = readWords(reading, 'title') ?? readWords(reading, 'name');
    settings.logo = readText(reading, 'logo');
    settings.favicon = readText(reading, 'favicon_ico');
    settings.footer = readWords(reading, 'footer_content');
    for (const title of config.keys('aux_links')) {
      const url = text([config.get('aux_links', title)].flat()[0]);
      const place = config.placeOf('aux_links', title);
      if (url !== undefined) settings.links.push({ title, target: addressTarget(url), place });
    }
    for (const key of ['plugins', 'gems']) {
      for (let at = 0; at < config.count(key); at++) {
        const name = text(config.get(key, at));
        if (name !== undefined && !PLUGINS.test(name))
          note(settings, config.placeOf(key, at), `Plugin "${name}" is not run`);
      }
    }
    reportKeys(reading, KEYS);
  }),
};

const MAX_LENGTH = 1_000_000;
/** Names of the data file, the most usual first; a site's own layout may have any. */
const NAMES = [
  ...['navigation', 'nav', 'toc', 'sidebar', 'docs', 'menu'],
  ...['docs_nav', 'docs-nav', 'docs_navigation', 'docs-navigation', 'docs_menu', 'docs_sidebar', 'docs-sidebar'],
  ...['docs_toc', 'docs-toc', 'nav_docs', 'sidebar_docs', 'doc_nav', 'sidebars'],
];
/** Themes differ in their keys for the title, the URL and the children of an entry. */
const TITLES = ['title', 'text', 'name', 'label', 'page'];
const ADDRESSES = ['url', 'link', 'href', 'path', 'permalink', 'page'];
const BELOW = [
  'children',
  'items',
  'subitems',
  'sublinks',
  'links',
  'pages',
  'docs',
  'subfolders',
  'subfolderitems',
  'folderitems',
  'folders',
  'entries',
];

/** Jekyll: navigation in the data of themes. */
const navigation: NavigationFormat = {
  listFiles: ({ home }) => NAMES.flatMap((name) => ['yml', 'yaml'].map((ending) => `${home}_data/${name}.${ending}`)),
  read: async (file, _site, read) => readJekyllData((await read(file)) ?? '', file),
};

/**
 * Reads a navigation from the data of Jekyll themes: nested lists of titles and URLs; of several, `docs` or the longest
 * counts. Returns undefined if the file contains none.
 */
async function readJekyllData(yaml: string, file: string): Promise<GeneratorNavigation | undefined> {
  const builder = createNavBuilder();
  const parsed = await parseYaml(yaml, MAX_LENGTH);
  if ('reason' in parsed) return undefined;
  const { data, lineOf } = parsed;
  const found = findList(data);
  if (!found) return undefined;
  const items = readItems(found.list, found.path, 0);
  return items.length === 0
    ? undefined
    : { languages: { '': items }, isComplete: builder.isComplete, notes: builder.notes };

  function readItems(list: readonly unknown[], path: readonly PropertyKey[], depth: number): readonly NavItem[] {
    return list.flatMap((entry, index) => {
      const place = { file, line: lineOf([...path, index]) };
      const item = map(entry);
      if (!item) return [];
      const title = plainText(ownOf(item, TITLES));
      const address = text(
        ownOf(
          item,
          ADDRESSES.filter((key) => typeof item[key] === 'string'),
        ),
      );
      const below = BELOW.find((key) => Array.isArray(item[key]));
      const children =
        below === undefined ? [] : readItems(item[below] as readonly unknown[], [...path, index, below], depth + 1);
      // Without a title, an entry has that of its page.
      if (address === undefined && (title === undefined || children.length === 0)) return [];
      const target =
        address === undefined || address === '#' ? undefined : ({ kind: 'address', path: withSlash(address) } as const);
      return builder.add({ title, target, children, place }, depth);
    });
  }
}

/** Finds the list that is the navigation: the file itself, its key `docs`, or its longest list. */
function findList(
  data: unknown,
): { readonly list: readonly unknown[]; readonly path: readonly PropertyKey[] } | undefined {
  if (Array.isArray(data)) return { list: data, path: [] };
  const lists = Object.entries((map(data) ?? {}) as Data).flatMap(([key, value]) =>
    Array.isArray(value) ? [{ list: value as readonly unknown[], path: [key] }] : [],
  );
  return (
    lists.find(({ path }) => /^(?:docs|toc|sidebar|navigation)$/.test(path[0]!)) ??
    lists.sort((a, b) => b.list.length - a.list.length)[0]
  );
}

/** URLs are relative to the root, and may contain the variable for it. */
function withSlash(address: string): string {
  const bare = address.replace(/^\{\{[^{}]*\}\}/, '');
  return isAbsoluteUrl(bare) || bare.startsWith('/') ? bare : `/${bare}`;
}

export const jekyll: GeneratorProfile = {
  name: 'Jekyll',
  async recognise(folder) {
    const config = folder.file(/^_config\.ya?ml$/);
    return config && !folder.file(/^_toc\.ya?ml$/) ? { config } : undefined;
  },
  async describe({ configName, config }) {
    const data = await readDataConfig(configName, config);
    const content = data.text('source') ?? '';
    const above = data.text('collections_dir');
    const collections = data.names('collections').filter((name) => name !== 'posts' && /^[\w-]+$/.test(name));
    return {
      content,
      bases: [data.text('baseurl')],
      statics: [content],
      hasPageFolders: [
        data.text('permalink'),
        ...collections.map((name) => data.text('collections', name, 'permalink')),
      ].some((pattern) => /^(?:pretty|.*\/)$/.test(pattern ?? '')),
      languages: data.list('languages'),
      defaultLanguage: data.text('default_lang') ?? data.text('lang'),
      mounts: collections.map((name) => ({ folder: `./${content}/${above ?? ''}/_${name}`, shown: name, id: name })),
      exclude: ['vendor/bundle', 'vendor/cache', 'vendor/gems', 'vendor/ruby', ...data.list('exclude')],
    };
  },
  /** A configuration at the root may only name the theme in which GitHub shows the README. */
  isOnlyTheme: (root) =>
    !root.file(/^index\.(?:md|markdown|html)$/) &&
    !['_layouts', '_includes', '_posts', '_docs', '_data'].some((name) => root.has(name)),
  languages: { translations: [{ above: '_i18n/', below: '/' }] },
  leavesOut: { readmes: true },
  navigation,
  folders: { isMixed: true, isByTitle: true, hidesBelow: true, mayHaveParents: true },
  settings,
  frontMatter: {
    hasYamlWords: true,
    // `home` is the name of an ordinary layout.
    isLandingPage: (data, hasOpening) => hasOpening && (isTrue(own(data, 'home')) || own(data, 'layout') === 'home'),
    findAddress(data) {
      // Names of built-in patterns, which say nothing about a single page.
      const isPattern = /^(?:pretty|date|none|ordinal|weekdate)$/.test(text(own(data, 'permalink')) ?? '');
      return isPattern ? undefined : ['whole', 'permalink'];
    },
  },
  addresses: { hasSiteValues: true },
  dialect: { liquid: 'everywhere', mustache: 'liquid', fencesEndHtml: true, hasCodePipes: true, hasDashes: true },
};
