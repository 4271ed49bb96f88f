import { append } from '../../lib/append.ts';
import { parseConfigScript } from '../config/config-script.ts';
import { readDataConfig, readScriptConfig } from '../config/config-values.ts';
import { type Data, map, own, ownOf, text } from '../config/data-values.ts';
import type { ReadFile } from '../config/parse-script.ts';
import { readScript } from '../config/script-data.ts';
import type { GeneratorProfile } from './generator.ts';
import { readPressSidebars } from './press/navigation.ts';
import { joinTitles, readLogo, readMenu } from './press/settings.ts';
import {
  addressTarget,
  BASE_URL_ADVICE,
  createSettings,
  type ForeignLink,
  handled,
  type KeyTable,
  nameService,
  note,
  type Reading,
  readText,
  readWords,
  reportKeys,
  type SettingsFormat,
  unreadableSettings,
} from './shared/foreign-settings.ts';
import {
  createNavBuilder,
  groupByLabels,
  listScripts,
  type NavBuilder,
  type NavItem,
  type NavigationFormat,
  type NavigationSite,
  plainText,
  readCollapsed,
  readTranslations,
} from './shared/navigation-items.ts';

const listConfigs = ({ home }: NavigationSite): readonly string[] => listScripts(`${home}rspress.config`);

/** The names of languages with the folders of their pages. */
function listRoots({
  content,
  languageFolders,
}: NavigationSite): readonly (readonly [language: string, root: string])[] {
  const folders = [...languageFolders].map(([key, folder]) => [key, `${content}${folder}/`] as const);
  return folders.length > 0 ? folders : [['', content]];
}

/**
 * `_meta.json` in the folders of pages. Where the folder of all has none, each section of `_nav.json` has a sidebar, which becomes a
 * group. A sidebar in the configuration counts in the place of them.
 */
const navigation: NavigationFormat = {
  listFiles: listConfigs,
  async read(file, site, read) {
    const script = await readScript(file, read);
    const configured = script && readPressSidebars([{ script, languageKey: undefined }], true);
    if (configured && Object.keys(configured.languages).length > 0) return configured;
    const builder = createNavBuilder();
    const words = map(parseJson(await read(`${site.home}i18n.json`))) ?? {};
    const languages: Record<string, readonly NavItem[]> = {};
    for (const [language, root] of listRoots(site)) {
      const items = await readSidebars({ root, words, builder, read });
      if (items) languages[language] = items;
    }
    if (Object.keys(languages).length === 0 && builder.notes.length === 0) return undefined;
    return { languages, isComplete: builder.isComplete, notes: builder.notes };
  },
};

interface Folder {
  /** Folder of all pages of a language, from the repository's root. */
  readonly root: string;
  /** Labels in several languages, by the keys that stand in their place. */
  readonly words: Data;
  readonly builder: NavBuilder;
  readonly read: ReadFile;
}

async function readSidebars(context: Folder): Promise<readonly NavItem[] | undefined> {
  const { root, builder, read } = context;
  const whole = await readFolder('', 0, context);
  if (whole) return whole;
  const file = `${root}_nav.json`;
  const groups: NavItem[] = [];
  for (const [folder, title] of listSections(parseJson(await read(file)))) {
    const children = await readFolder(`${folder}/`, 1, context);
    const place = { file, line: 0 };
    if (children) append(groups, builder.add({ ...titleIn(title, context), children, place }, 0));
  }
  return groups.length > 0 ? groups : undefined;
}

/** Returns the folders that the links of a navigation bar lead to, each with the title of the first. */
function listSections(nav: unknown, sections = new Map<string, string>()): ReadonlyMap<string, string> {
  for (const item of Array.isArray(nav) ? nav.slice(0, 200) : []) {
    const data = map(item) ?? {};
    const folder = /^\/([^/]+)\//.exec(text(own(data, 'link')) ?? '')?.[1];
    const title = plainText(own(data, 'text'));
    if (folder !== undefined && title !== undefined && !sections.has(folder)) sections.set(folder, title);
    listSections(own(data, 'items'), sections);
  }
  return sections;
}

/** Reads the `_meta.json` of a folder, from the root with a final `/`, or ''; undefined when it has none. */
async function readFolder(folder: string, depth: number, context: Folder): Promise<readonly NavItem[] | undefined> {
  const { root, builder, read } = context;
  const file = `${root}${folder}_meta.json`;
  const content = await read(file);
  if (content === undefined) return undefined;
  const entries = parseJson(content);
  if (!Array.isArray(entries)) {
    builder.skip({ file, line: 0 }, 'Navigation left out: the file is not a list in JSON');
    return undefined;
  }
  const items: NavItem[] = [];
  for (const entry of entries) append(items, await readEntry(entry));
  return groupByLabels(items);

  async function readEntry(entry: unknown): Promise<readonly NavItem[]> {
    const data: Data = typeof entry === 'string' ? { type: 'file', name: entry } : (map(entry) ?? {});
    const name = text(own(data, 'name'))?.replace(/\.(?:mdx?|[jt]sx?)$/, '');
    const place = { file, line: findLine(content!, name) };
    const titles = titleIn(plainText(own(data, 'label')), context);
    const address = { kind: 'address', path: `/${folder}${name}` } as const;
    switch (text(own(data, 'type')) ?? 'file') {
      case 'file':
        return name === undefined ? [] : builder.add({ ...titles, target: address, children: [], place }, depth);
      case 'dir':
      case 'dir-section-header': {
        if (name === undefined) return [];
        const inner = `${folder}${name}/`;
        const all = { title: undefined, children: [], folder: inner, place };
        const children = (await readFolder(inner, depth + 1, context)) ?? builder.add(all, depth + 1);
        const hasIndex = (await read(`${root}${inner}index.mdx`)) ?? (await read(`${root}${inner}index.md`));
        const target = hasIndex === undefined ? undefined : { ...address, path: `${address.path}/` };
        const title = titles.title ?? (target ? undefined : titleOf(name));
        const isCollapsed = own(data, 'collapsible') === false ? false : readCollapsed(data);
        return builder.add({ ...titles, title, target, children, isCollapsed, place }, depth);
      }
      case 'section-header':
        return builder.add({ ...titles, children: [], isLabel: true, place }, depth);
      case 'custom-link':
        return readLink(data, depth);
      // A divider.
      default:
        return [];
    }
  }

  function readLink(data: Data, depth: number): readonly NavItem[] {
    const path = text(own(data, 'link'));
    const below = own(data, 'items');
    const children = (Array.isArray(below) ? below : []).flatMap((item) => readLink(map(item) ?? {}, depth + 1));
    const target = path === undefined ? undefined : ({ kind: 'address', path } as const);
    const titles = titleIn(plainText(ownOf(data, ['label', 'text'])), context);
    const place = { file, line: findLine(content!, path) };
    return builder.add({ ...titles, target, children, isCollapsed: readCollapsed(data), place }, depth);
  }
}

/** A label may be a key of `i18n.json`. */
function titleIn(label: string | undefined, { words }: Folder): Pick<NavItem, 'title' | 'translations'> {
  return { title: label, translations: label === undefined ? undefined : readTranslations(own(words, label)) };
}

/** `use-mdx` → `Use mdx`. */
function titleOf(name: string): string {
  const words = name.replace(/^\d+[-_.]+/, '').replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function findLine(content: string, name: string | undefined): number {
  const at = name === undefined ? -1 : content.indexOf(`"${name}`);
  return at < 0 ? 0 : content.slice(0, at).split('\n').length;
}

function parseJson(content: string | undefined): unknown {
  try {
    return content === undefined ? undefined : JSON.parse(content);
  } catch {
    return undefined;
  }
}

const KEYS: KeyTable = {
  ...handled(`title lang locales logo logoText icon themeConfig root base outDir route search multiVersion i18nSource
    i18nSourcePath ssg llms languageParity mediumZoom logLevel`),
  description: 'give pages a description in their front matter',
  siteOrigin: BASE_URL_ADVICE,
  head: 'pages can set "head" in their front matter',
  markdown: 'docbuild reads Markdown in its own way',
  plugins: 'programs are not run',
  builderConfig: 'programs are not run',
  builderPlugins: 'programs are not run',
};
const THEME_KEYS: KeyTable = handled(`nav sidebar footer socialLinks lastUpdated editLink locales outline outlineTitle
  prevPageText nextPageText darkMode hideNavbar enableContentAnimation enableAppearanceAnimation enableScrollToTop
  searchPlaceholderText searchNoResultsText localeRedirect fallbackHeadingTitle lastUpdatedText llmsUI`);

const settings: SettingsFormat = {
  listFiles: listConfigs,
  async read(file, site, read) {
    const config = await readScriptConfig(file, read);
    if (!config) return unreadableSettings(file);
    const settings = createSettings();
    const reading: Reading = { config, settings };
    settings.title = readWords(reading, 'title') ?? readWords(reading, 'logoText');
    settings.logo = readLogo(config.get('logo'));
    settings.logoDark = text(own(map(config.get('logo')) ?? {}, 'dark'));
    settings.favicon = readText(reading, 'icon');
    settings.footer = readWords(reading, 'themeConfig', 'footer', 'message');
    if (config.get('themeConfig', 'lastUpdated') === true) settings.lastUpdated = true;
    append(settings.links, await readBars(reading, site, read));
    for (let at = 0; at < config.count('themeConfig', 'socialLinks'); at++) {
      const path = ['themeConfig', 'socialLinks', at];
      const [icon, link] = [text(config.get(...path, 'icon')), text(config.get(...path, 'content'))];
      if (link === undefined || config.get(...path, 'mode') === 'dom') continue;
      const title = icon === undefined ? link : nameService(icon);
      settings.links.push({ title, target: addressTarget(link), icon, place: config.placeOf(...path) });
    }
    reportKeys(reading, KEYS);
    reportKeys(reading, THEME_KEYS, 'themeConfig');
    return settings;
  },
};

/** The navigation bar of the configuration, or those of `_nav.json`, with the titles of each language if they have the same links. */
async function readBars(reading: Reading, site: NavigationSite, read: ReadFile): Promise<readonly ForeignLink[]> {
  const configured = readMenu(reading, ['themeConfig', 'nav']);
  if (configured.length > 0) return configured;
  let links: readonly ForeignLink[] | undefined;
  for (const [language, root] of listRoots(site)) {
    const file = `${root}_nav.json`;
    const content = await read(file);
    const config = content === undefined ? undefined : await readDataConfig(file, content);
    if (!config || config.problem) continue;
    const own = readMenu({ config, settings: links ? createSettings() : reading.settings }, []);
    const joined = links ? joinTitles(links, own, language) : own;
    if (joined) links = joined;
    else
      note(reading.settings, { file, line: 0 }, 'The header of this language has other links, and is not taken over');
  }
  return links ?? [];
}

/** Rspress: `rspress.config`, `_meta.json` and `_nav.json`. */
export const rspress: GeneratorProfile = {
  name: 'Rspress',
  async recognise(folder) {
    const config = folder.file(/^rspress\.config\.[cm]?[jt]s$/);
    return config && { config };
  },
  describe({ config }) {
    const script = parseConfigScript(config);
    const [locales = ''] = /\blocales['"]?\s*:\s*\[[^\]]*/.exec(script.text) ?? [];
    const codes = [...locales.matchAll(/\blang['"]?\s*:\s*['"]([\w-]+)['"]/g)].map(([, code]) => code!);
    const [, root] =
      /\broot['"]?\s*:\s*(?:path\.(?:join|resolve)\(\s*__dirname\s*,\s*)?['"]([^'"\n]+)/.exec(script.text) ?? [];
    const content = root ?? 'docs';
    return {
      content,
      bases: [script.findText('base')],
      statics: [`${content}/public`],
      languages: codes,
      defaultLanguage: parseConfigScript(script.text.replace(locales, '')).findText('lang'),
      exclude: script.findObject('route')?.findList('exclude') ?? [],
    };
  },
  navigation,
  settings,
  frontMatter: {
    hasNeighbourTexts: true,
    isLandingPage: (data, hasOpening) => own(data, 'pageType') === 'home' && hasOpening,
  },
  dialect: { jsx: true, liquid: 'text', hasMagicComments: true },
};
