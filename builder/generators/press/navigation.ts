import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { type Data, map, own, ownOf, text } from '../../config/data-values.ts';
import type { Place, ReadFile } from '../../config/parse-script.ts';
import { readScript, type ScriptData } from '../../config/script-data.ts';
import { languageKey, rateLanguageCode } from '../../language-tag.ts';
import {
  createNavBuilder,
  type GeneratorNavigation,
  listScripts,
  type NavBuilder,
  type NavItem,
  type NavigationFormat,
  noteUnreadable,
  plainText,
  readCollapsed,
  readList,
} from '../shared/navigation-items.ts';

/** Which of the two it is. */
export interface Press {
  /** Folder of the configuration, from the home. */
  readonly folder: string;
  readonly isVite: boolean;
}

/** A configuration of VitePress or VuePress, and its language; undefined = it names its own. */
interface PressConfig {
  readonly script: ScriptData;
  readonly languageKey: string | undefined;
}

/** VitePress and VuePress. Since version 2, VitePress also reads a configuration in each language's folder. */
export function createPressFormat({ folder, isVite }: Press): NavigationFormat {
  return {
    listFiles: ({ home }) => [
      ...listScripts(`${home}${folder}/config`),
      ...listScripts(`${home}${folder}/config/index`),
    ],
    async read(file, { content, languageFolders }, read) {
      const main = await readScript(file, read);
      if (!main) return noteUnreadable(file);
      const configs: PressConfig[] = [{ script: main, languageKey: undefined }];
      if (isVite) {
        for (const [languageKey, name] of [['', ''] as const, ...languageFolders]) {
          const script = await readFirst(listScripts(`${content}${name === '' ? '' : `${name}/`}config`), read);
          if (script) configs.push({ script, languageKey });
        }
      }
      return readPressSidebars(configs, isVite);
    },
  };
}

async function readFirst(paths: readonly string[], read: ReadFile): Promise<ScriptData | undefined> {
  for (const path of paths) {
    const script = (await read(path)) === undefined ? undefined : await readScript(path, read);
    if (script) return script;
  }
  return undefined;
}

/** A sidebar for the pages of one section. */
interface Sidebar {
  /** URL prefix of the pages it is for. */
  readonly prefix: string;
  readonly items: readonly NavItem[];
  readonly place: Place;
}

/**
 * Reads the sidebars of VitePress and VuePress for each language, if a configuration contains them as data. Sidebars of
 * several sections become groups, with the titles of the navigation bar. Returns undefined if there are none.
 */
export function readPressSidebars(configs: readonly PressConfig[], isVite: boolean): GeneratorNavigation | undefined {
  const builder = createNavBuilder();
  const languages: Record<string, readonly NavItem[]> = Object.create(null) as Record<string, readonly NavItem[]>;
  for (const { script, languageKey: key } of configs) {
    const whole = map(script.exported());
    if (!whole) {
      // A file with this name in a folder of pages may be anything.
      if (key === undefined) {
        builder.skip({ file: script.file, line: 0 }, 'Navigation left out: the configuration is computed');
      }
      continue;
    }
    // VuePress 2 has the theme's settings inside the theme.
    const theme = { ...map(own(whole, 'theme')), ...map(own(whole, 'themeConfig')) };
    for (const [code, locale] of [['', theme] as const, ...listLocales(whole, theme)]) {
      const found = readTheme(locale, { script, builder, isVite });
      for (const [language, items] of found) {
        const own = language || code || key || '';
        languages[own] = [...(languages[own] ?? []), ...items];
      }
    }
  }
  const isEmpty = Object.values(languages).every((items) => items.length === 0);
  if (isEmpty && builder.notes.length === 0) return undefined;
  return { languages: { ...languages }, isComplete: builder.isComplete, notes: builder.notes };
}

/** Returns the settings of each language, by its key; `root` is the default language. */
function listLocales(whole: Data, theme: Data): readonly (readonly [string, Data])[] {
  const found: (readonly [string, Data])[] = [];
  for (const [code, value] of Object.entries(map(own(whole, 'locales')) ?? {})) {
    found.push([keyOfLocale(code), map(own(map(value) ?? {}, 'themeConfig')) ?? {}]);
  }
  for (const [code, value] of Object.entries(map(own(theme, 'locales')) ?? {})) {
    found.push([keyOfLocale(code), map(value) ?? {}]);
  }
  return found;
}

function keyOfLocale(code: string): string {
  const name = code.replaceAll('/', '');
  return name === 'root' ? '' : languageKey(name);
}

/** Returns the items of a theme's sidebar by language key: `''`, or the URL prefixes of its parts. */
function readTheme(
  theme: Data,
  context: { readonly script: ScriptData; readonly builder: NavBuilder; readonly isVite: boolean },
): ReadonlyMap<string, readonly NavItem[]> {
  const { script, builder, isVite } = context;
  /** URLs are relative to the root, in VuePress to the section that the sidebar is for. */
  const rootOf = (prefix: string): string => (isVite ? '/' : prefix);
  const value = own(theme, 'sidebar');
  const place: Place = { file: script.file, line: 0 };
  const byLanguage = new Map<string, readonly NavItem[]>();
  // VuePress' `auto` lists the headings of each page.
  if (value === undefined || typeof value === 'string' || typeof value === 'boolean') return byLanguage;
  const parts = map(value);
  if (!parts) return byLanguage.set('', readItems(value, { prefix: '/', isBase: false, depth: 0, where: place }));
  if (script.isPartial(parts)) {
    builder.skip(script.placeOf(parts), 'Parts of the navigation are computed; their pages are shown at the end');
  }
  const sidebars = Object.entries(parts).map(([prefix, part]) => readPart(prefix, part));
  for (const key of new Set(sidebars.map(({ prefix }) => languageOf(prefix)))) {
    const own = sidebars.filter(({ prefix }) => languageOf(prefix) === key);
    byLanguage.set(key, joinSidebars(own, readTitles(theme), builder));
  }
  return byLanguage;

  function readPart(prefix: string, part: unknown): Sidebar {
    const data = map(part);
    const base = data && text(own(data, 'base'));
    const items = typeof part === 'string' ? undefined : data ? own(data, 'items') : part;
    const where = data ? script.placeOf(data) : Array.isArray(part) ? script.placeOf(part) : place;
    const at = { prefix: base ?? rootOf(prefix), isBase: base !== undefined, depth: 1, where };
    return { prefix, items: readItems(items, at), place: where };
  }

  function readItems(
    value: unknown,
    at: { readonly prefix: string; readonly isBase: boolean; readonly depth: number; readonly where: Place },
  ): readonly NavItem[] {
    return readList(value, context, at.where, (item, where) => {
      if (typeof item === 'string') return addPage(undefined, item, where);
      if (Array.isArray(item)) return addPage(plainText(item[1]), text(item[0]) ?? '', where);
      const data = map(item);
      if (!data) {
        builder.skip(where, 'An entry of the navigation is computed; its pages are shown at the end');
        return [];
      }
      const base = text(own(data, 'base'));
      const prefix = base ?? joinAddress(text(own(data, 'prefix')) ?? '', at);
      const here = { ...at, prefix: base ?? at.prefix, isBase: at.isBase || base !== undefined };
      const inside = { ...here, prefix, depth: at.depth + 1, where };
      const path = text(ownOf(data, ['link', 'path']));
      const children = readItems(ownOf(data, ['items', 'children']), inside);
      const isCollapsed =
        readCollapsed(data) ?? readCollapsed(data, 'collapsible') ?? readCollapsed(data, 'collapsable');
      const title = plainText(ownOf(data, ['text', 'title']));
      const target = path === undefined ? undefined : addressOf(path, here);
      if (title === undefined && target === undefined && children.length === 0) return [];
      return builder.add({ title, target, children, isCollapsed, place: where }, at.depth);
    });

    function addPage(title: string | undefined, path: string, where: Place): readonly NavItem[] {
      return builder.add({ title, target: addressOf(path, at), children: [], place: where }, at.depth);
    }
  }
}

interface Base {
  readonly prefix: string;
  /** Absolute URLs begin with the prefix, too. */
  readonly isBase: boolean;
}

function addressOf(path: string, base: Base): NavItem['target'] {
  return { kind: 'address', path: joinAddress(path, base) };
}

function joinAddress(path: string, { prefix, isBase }: Base): string {
  if (isAbsoluteUrl(path) || (path.startsWith('/') && !isBase)) return path;
  const whole = isBase ? prefix + path.replace(/^\//, prefix.endsWith('/') ? '' : '/') : `${prefix}/${path}`;
  return `/${whole}`.replace(/\/{2,}/g, '/');
}

/** Sites in several languages may have the sidebars of all of them side by side. */
function languageOf(prefix: string): string {
  const [first = ''] = prefix.split('/').filter((part) => part !== '');
  return /^(?:sure|likely)$/.test(rateLanguageCode(first)) ? languageKey(first) : '';
}

function joinSidebars(sidebars: readonly Sidebar[], titles: readonly Title[], builder: NavBuilder): readonly NavItem[] {
  const seen = new Set<string>();
  const distinct = sidebars.filter(({ items }) => {
    // One sidebar may be for several sections.
    const key = JSON.stringify(items, (name, value: unknown) => (name === 'place' ? undefined : value));
    return items.length > 0 && !seen.has(key) && seen.add(key);
  });
  if (distinct.length === 1) return distinct[0]!.items;
  return distinct.flatMap(({ prefix, items, place }) => {
    if (items.length === 1 && items[0]!.children.length > 0) return items;
    const title = titles.find(({ path }) => path === prefix || path.startsWith(prefix))?.title ?? titleOf(prefix);
    return builder.add({ title, children: items, place }, 0);
  });
}

interface Title {
  readonly path: string;
  readonly title: string;
}

/** Returns the targets of the navigation bar, with their titles. */
function readTitles(theme: Data): readonly Title[] {
  const titles: Title[] = [];
  const visit = (value: unknown, depth: number): void => {
    for (const item of Array.isArray(value) && depth < 5 ? value : []) {
      const data = map(item) ?? {};
      const [path, title] = [text(ownOf(data, ['activeMatch', 'link'])), plainText(own(data, 'text'))];
      if (path !== undefined && title !== undefined && titles.length < 200)
        titles.push({ path: path.replace(/^\^/, ''), title });
      visit(ownOf(data, ['items', 'children']), depth + 1);
    }
  };
  visit(ownOf(theme, ['nav', 'navbar']), 0);
  return titles;
}

/** `/guide/` → `Guide`. */
function titleOf(prefix: string): string {
  const name =
    prefix
      .split('/')
      .filter((part) => part !== '')
      .at(-1) ?? 'Home';
  const words = name.replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
