import { posix } from 'node:path';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import { type Data, map, own, ownOf, text } from '../../config/data-values.ts';
import type { Place } from '../../config/parse-script.ts';
import { readScript, type ScriptData } from '../../config/script-data.ts';
import { COMPUTED } from '../../config/script-values.ts';
import {
  createNavBuilder,
  type GeneratorNavigation,
  listScripts,
  type NavItem,
  type NavigationFormat,
  noteUnreadable,
  plainText,
  readCollapsed,
  readList,
} from '../shared/navigation-items.ts';

/** Docusaurus: the sidebars that its configuration names, with their labels in other languages. */
export const navigation: NavigationFormat = {
  listFiles: ({ home }) => [...listScripts(`${home}docusaurus.config`), `${home}siteConfig.js`],
  async read(file, { home, languageFolders }, read) {
    const config = (await read(file)) ?? '';
    const folder = posix.dirname(file) === '.' ? '' : `${posix.dirname(file)}/`;
    const named = /\bsidebarPath['"]?\s*:\s*(?:require\.resolve\s*\(\s*)?(?:(['"`])([^'"`$\n]+)\1|(false))/.exec(
      config,
    );
    if (named?.[3]) return undefined;
    const paths = named
      ? [posix.normalize(`${folder}${named[2]}`)]
      : [...listScripts(`${folder}sidebars`), `${folder}sidebars.json`];
    for (const path of paths) {
      if (path.startsWith('../') || (await read(path)) === undefined) continue;
      const script = await readScript(path, read);
      if (!script) return noteUnreadable(path);
      const messages = new Map<string, Data>();
      for (const [key, folder] of languageFolders) {
        const translated = await readScript(`${home}i18n/${folder}/docusaurus-plugin-content-docs/current.json`, read);
        const data = map(translated?.exported());
        if (data) messages.set(key, data);
      }
      return readSidebars(script, await readScript(file, read), messages);
    }
    return undefined;
  },
};

/** Where Docusaurus keeps the labels of its sidebars in other languages, by language key: `sidebar.docs.category.Guide`. */
type SidebarMessages = ReadonlyMap<string, Data>;

/**
 * Reads the sidebars of Docusaurus: `script` is `sidebars.js` or one of its other forms, `config` the site's
 * configuration, whose navigation bar titles them. Each of several becomes a group.
 */
function readSidebars(
  script: ScriptData,
  config: ScriptData | undefined,
  messages: SidebarMessages,
): GeneratorNavigation {
  const builder = createNavBuilder();
  const context = { script, builder };
  const whole = script.exported();
  const sidebars = map(whole);
  if (!sidebars) builder.skip({ file: script.file, line: 0 }, 'Navigation left out: the sidebars are computed');
  const read = Object.entries(sidebars ?? {}).map(([name, value]) => ({
    name,
    items: translate(readItems(value, 1, placeOf(value)), name, messages),
  }));
  const shown = read.filter(({ items }) => items.length > 0);
  const titles = config ? readNavbar(config) : new Map<string, string>();
  const items =
    shown.length === 1
      ? shown[0]!.items
      : shown.flatMap(({ name, items: children }) =>
          builder.add({ title: titles.get(name) ?? titleOf(name), children, place: placeOf(own(sidebars!, name)) }, 0),
        );
  return { languages: { '': items }, isComplete: builder.isComplete, notes: builder.notes };

  function placeOf(value: unknown): Place {
    return typeof value === 'object' && value !== null ? script.placeOf(value) : { file: script.file, line: 0 };
  }

  /** A list of items, or a map of titles to lists. */
  function readItems(value: unknown, depth: number, where: Place): readonly NavItem[] {
    const groups = map(value);
    if (!groups) return readList(value, context, where, (item, place) => readItem(item, depth, place));
    return own(groups, 'type') === undefined ? readGroups(groups, depth, where) : readItem(groups, depth, where);
  }

  function readGroups(groups: Data, depth: number, place: Place): readonly NavItem[] {
    return Object.entries(groups).flatMap(([title, items]) =>
      builder.add({ title: plainText(title), children: readItems(items, depth + 1, place), place }, depth),
    );
  }

  function readItem(item: unknown, depth: number, place: Place): readonly NavItem[] {
    if (typeof item === 'string')
      return builder.add({ title: undefined, target: idTarget(item), children: [], place }, depth);
    const data = map(item);
    if (!data) {
      builder.skip(place, 'An entry of the navigation is computed; its pages are shown at the end');
      return [];
    }
    const title = plainText(own(data, 'label'));
    switch (own(data, 'type')) {
      case 'doc':
      case 'ref':
        return builder.add({ title, target: idTarget(text(own(data, 'id')) ?? ''), children: [], place }, depth);
      case 'link': {
        const path = text(own(data, 'href'));
        return path === undefined
          ? []
          : builder.add({ title, target: { kind: 'address', path }, children: [], place }, depth);
      }
      case 'autogenerated': {
        const folder = trimCharacters((text(own(data, 'dirName')) ?? '.').replace(/^\.?\/|^\.$/, ''), '/');
        return builder.add({ title: undefined, children: [], folder: folder === '' ? '' : `${folder}/`, place }, depth);
      }
      case 'category':
      case 'subcategory': {
        const link = map(own(data, 'link'));
        const id = link && own(link, 'type') === 'doc' ? text(own(link, 'id')) : undefined;
        const items = ownOf(data, ['items', 'ids']);
        const children = readItems(items === undefined ? [] : items, depth + 1, place);
        const isCollapsed = own(data, 'collapsible') === false ? false : readCollapsed(data);
        return builder.add(
          { title, target: id === undefined ? undefined : idTarget(id), children, isCollapsed, place },
          depth,
        );
      }
      case undefined:
        return readGroups(data, depth, place);
      default:
        // HTML items are not pages.
        if (own(data, 'type') === COMPUTED)
          builder.skip(place, 'An entry of the navigation is computed; its pages are shown at the end');
        return [];
    }
  }
}

function translate(items: readonly NavItem[], sidebar: string, messages: SidebarMessages): readonly NavItem[] {
  if (messages.size === 0) return items;
  return items.map((item) => {
    const kind = item.target?.kind === 'address' ? 'link' : item.children.length > 0 ? 'category' : 'doc';
    const found = [...messages].flatMap(([language, data]) => {
      const title = text(own(map(own(data, `sidebar.${sidebar}.${kind}.${item.title}`)) ?? {}, 'message'));
      return title === undefined ? [] : [[language, title] as const];
    });
    const translations = found.length > 0 ? Object.fromEntries(found) : undefined;
    return { ...item, translations, children: translate(item.children, sidebar, messages) };
  });
}

function idTarget(path: string): NavItem['target'] {
  return { kind: 'id', path };
}

/** Returns the titles that the navigation bar has for sidebars, by name. */
function readNavbar(config: ScriptData): ReadonlyMap<string, string> {
  const theme = map(own(map(config.exported()) ?? {}, 'themeConfig')) ?? {};
  const items = own(map(own(theme, 'navbar')) ?? {}, 'items');
  const titles = new Map<string, string>();
  for (const item of Array.isArray(items) ? items : []) {
    const data = map(item) ?? {};
    const [name, label] = [text(own(data, 'sidebarId')), plainText(own(data, 'label'))];
    if (name !== undefined && label !== undefined) titles.set(name, label);
  }
  return titles;
}

/** `tutorialSidebar` → `Tutorial`. */
function titleOf(name: string): string {
  const words = name
    .replace(/[-_]?sidebar$/i, '')
    .replace(/[-_]+/g, ' ')
    .replace(/([a-z\d])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .trim();
  const title = words === '' ? name : words;
  return title.charAt(0).toUpperCase() + title.slice(1);
}
