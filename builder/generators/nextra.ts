import { append } from '../../lib/append.ts';
import { parseConfigScript } from '../config/config-script.ts';
import { readScriptConfig } from '../config/config-values.ts';
import { map, own, text } from '../config/data-values.ts';
import type { ReadFile } from '../config/parse-script.ts';
import { readScript, type ScriptData } from '../config/script-data.ts';
import { COMPUTED } from '../config/script-values.ts';
import type { GeneratorProfile, SiteFolder } from './generator.ts';
import {
  addRepositoryLink,
  createSettings,
  handled,
  type Reading,
  readRedirects,
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
  type NavTarget,
  plainText,
} from './shared/navigation-items.ts';

/** Folders of pages, the likelier first: version 4 has `content`, earlier ones `pages`; `app` holds `page.mdx` files. */
const FOLDERS = ['content', 'src/content', 'pages', 'src/pages', 'app', 'src/app'];
const ENDINGS = ['js', 'jsx', 'ts', 'tsx', 'json'];
const MAX_FOLDERS = 500;

const listConfigs = ({ home }: NavigationSite): readonly string[] => listScripts(`${home}next.config`);

/** `_meta` files in the folders of pages, of each language, or one `_meta.global` for all folders. */
const navigation: NavigationFormat = {
  listFiles: listConfigs,
  async read(_config, { content, languageFolders, languageSuffixes }, read) {
    const builder = createNavBuilder();
    const hides: NavTarget[] = [];
    const languages: Record<string, readonly NavItem[]> = {};
    const places = [
      { language: '', root: content, suffix: '' },
      ...[...languageFolders].map(([language, name]) => ({ language, root: `${content}${name}/`, suffix: '' })),
      ...[...(languageSuffixes ?? [])].map(([language, name]) => ({ language, root: content, suffix: `.${name}` })),
    ];
    for (const { language, ...place } of places) {
      const items = await readMetas({ ...place, builder, hides, read });
      if (items) languages[language] = items;
    }
    const isHidden = hides.some(({ path }) => path === '/');
    if (Object.keys(languages).length === 0) return undefined;
    return { languages, isComplete: false, hides, leavesOutHome: isHidden, notes: builder.notes };
  },
};

interface Context {
  /** Folder of all pages of a language, from the repository's root. */
  readonly root: string;
  /** `.de`, where the names of files end with the language. */
  readonly suffix: string;
  readonly builder: NavBuilder;
  readonly hides: NavTarget[];
  readonly read: ReadFile;
}

async function readMetas({ root, suffix, builder, hides, read }: Context): Promise<readonly NavItem[] | undefined> {
  let folders = 0;
  const all = await open('', '.global');
  if (all) return readItems(all, all.exported(), '', 0);
  return readFolder('', 0);

  async function open(folder: string, kind = ''): Promise<ScriptData | undefined> {
    if (++folders > MAX_FOLDERS) return undefined;
    for (const ending of ENDINGS) {
      const path = `${root}${folder}_meta${kind}${suffix}.${ending}`;
      if ((await read(path)) !== undefined) return readScript(path, read);
    }
    return undefined;
  }

  async function readFolder(folder: string, depth: number): Promise<readonly NavItem[] | undefined> {
    const script = await open(folder);
    return script && readItems(script, script.exported(), folder, depth);
  }

  /** Reads what a map of names to titles or settings says of a folder; `path` counts from the root. */
  async function readItems(
    script: ScriptData,
    value: unknown,
    folder: string,
    depth: number,
  ): Promise<readonly NavItem[]> {
    const data = map(value) ?? {};
    if (value === COMPUTED || script.isPartial(data)) {
      const place = { file: script.file, line: 0 };
      builder.skip(place, 'Parts of the navigation are computed; their pages are shown at the end');
    }
    const items: NavItem[] = [];
    for (const [key, entry] of Object.entries(data)) {
      const place = script.placeOf(data, key);
      const settings = map(entry) ?? {};
      const title = plainText(typeof entry === 'string' ? entry : own(settings, 'title'));
      const below = own(settings, 'items');
      const href = text(own(settings, 'href'));
      const type = own(settings, 'type');
      const target = { kind: 'address', path: key === 'index' ? `/${folder}` : `/${folder}${key}` } as const;
      if (key === '*') continue;
      if (own(settings, 'display') === 'hidden') hides.push(target);
      else if (type === 'separator') append(items, builder.add({ title, children: [], isLabel: true, place }, depth));
      else if (href !== undefined) {
        append(items, builder.add({ title, target: { kind: 'address', path: href }, children: [], place }, depth));
      } else if (type === 'menu') {
        const children = await readItems(script, below, folder === '' ? `${key}/` : folder, depth + 1);
        append(items, builder.add({ title: title ?? titleOf(key), children, place }, depth));
      } else {
        const inner = `${folder}${key}/`;
        const children =
          below === undefined ? await readFolder(inner, depth + 1) : await readItems(script, below, inner, depth + 1);
        if (children) {
          const index = children.findIndex((child) => child.target?.path === `/${inner}`);
          const isOwn = await hasIndex(inner);
          items.push(
            ...builder.add(
              {
                title: title ?? (isOwn || index >= 0 ? undefined : titleOf(key)),
                target: isOwn || index >= 0 ? { kind: 'address', path: `/${inner}` } : undefined,
                children: children.filter((_, at) => at !== index),
                place,
              },
              depth,
            ),
          );
        } else if (key === 'index' || (await hasPage(`${folder}${key}`)) || (await hasIndex(inner))) {
          append(items, builder.add({ title, target, children: [], place }, depth));
        } else {
          const content = { title: undefined, children: [], folder: inner, place };
          append(items, builder.add({ title: title ?? titleOf(key), children: [content], place }, depth));
        }
      }
    }
    return groupByLabels(items);
  }

  async function hasPage(path: string): Promise<boolean> {
    const file = `${root}${path}${suffix}.md`;
    return (await read(`${file}x`)) !== undefined || (await read(file)) !== undefined;
  }

  async function hasIndex(folder: string): Promise<boolean> {
    return (await hasPage(`${folder}index`)) || hasPage(`${folder}page`);
  }
}

/** `docs-theme` → `Docs Theme`. */
function titleOf(name: string): string {
  return name.replace(/[-_]+/g, ' ').replace(/(?:^|\s)\S/g, (letter) => letter.toUpperCase());
}

/** The theme's configuration of versions before 4, else that of Next.js. */
const settings: SettingsFormat = {
  listFiles: (site) => [
    ...['js', 'jsx', 'ts', 'tsx'].map((ending) => `${site.home}theme.config.${ending}`),
    ...listConfigs(site),
  ],
  async read(file, _site, read) {
    const config = await readScriptConfig(file, read);
    if (!config) return unreadableSettings(file);
    const settings = createSettings();
    const reading: Reading = { config, settings };
    if (!file.includes('theme.config')) {
      readRedirects(reading, 'redirects');
      return settings;
    }
    settings.title = readWords({ config, settings: createSettings() }, 'logo');
    settings.footer = readWords({ config, settings: createSettings() }, 'footer', 'text');
    const repository = readText(reading, 'project', 'link');
    if (repository !== undefined) addRepositoryLink(settings, repository, config.placeOf('project', 'link'));
    const KEYS = handled(`logo logoLink project docsRepositoryBase sidebar toc i18n editLink feedback navigation search
      darkMode nextThemes themeSwitch gitTimestamp useNextSeoProps footer color primaryHue primarySaturation direction
      backgroundColor notFound serverSideError chat`);
    reportKeys(reading, { ...KEYS, head: 'pages can set "head" in their front matter' });
    return settings;
  },
};

/** Nextra: a site of Next.js whose configuration names it. */
export const nextra: GeneratorProfile = {
  name: 'Nextra',
  async recognise(folder) {
    const config = folder.file(/^next\.config\.[cm]?[jt]s$/);
    if (!config || !/['"]nextra['"]/.test(await folder.read(config))) return undefined;
    const pages = await findPages(folder);
    return pages === undefined ? undefined : { config, pages };
  },
  describe({ config, pages = 'content' }) {
    const i18n = parseConfigScript(config).findObject('i18n');
    const script = parseConfigScript(config);
    return {
      content: pages,
      bases: [script.findText('basePath'), script.findText('contentDirBasePath')],
      statics: ['public'],
      languages: i18n?.findList('locales') ?? [],
      defaultLanguage: i18n?.findText('defaultLocale'),
    };
  },
  // Dynamic routes, routes of the API and pages of failures.
  leavesOut: { paths: /\[[^/[\]]+\]|(?:^|\/)(?:404|500)\.mdx?$|^api\/.*\.[jt]sx?$/ },
  navigation,
  folders: { isMixed: true },
  settings,
  addresses: {
    /** In `app`, each page is the file `page` of its folder. */
    isFolderPage: (path) => /\/page\.mdx?$/.test(path),
  },
  dialect: { jsx: true, liquid: 'text' },
};

/** Finds the folder of pages: the first that has some, or settings of its content; of languages, the first at all. */
async function findPages(folder: SiteFolder): Promise<string | undefined> {
  const existing: string[] = [];
  for (const path of FOLDERS) {
    const found = await folder.open(path);
    if (found?.file(/^_meta\.|\.mdx?$/)) return path;
    if (found) existing.push(path);
  }
  return existing[0];
}
