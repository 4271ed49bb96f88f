import { append } from '../../../lib/append.ts';
import { type ConfigValues, readableText, readScriptConfig } from '../../config/config-values.ts';
import { map, own, ownOf, text } from '../../config/data-values.ts';
import type { ReadFile } from '../../config/parse-script.ts';
import { COMPUTED } from '../../config/script-values.ts';
import {
  addRepositoryLink,
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
} from '../shared/foreign-settings.ts';
import { listScripts, type NavTarget } from '../shared/navigation-items.ts';
import type { Press } from './navigation.ts';

const KEYS: KeyTable = {
  ...handled(`title titleTemplate lang dir locales themeConfig theme head rewrites srcDir srcExclude outDir dest
    cacheDir cleanUrls lastUpdated appearance ignoreDeadLinks sitemap port host label extends metaChunk
    useWebFonts themePlugins shouldPrefetch bundler extraWatchFiles evergreen temp cache public debug
    open`),
  description: 'give pages a description in their front matter',
  base: BASE_URL_ADVICE,
  markdown: 'docbuild reads Markdown in its own way',
  vite: 'programs are not run',
  vue: 'programs are not run',
  plugins: 'programs are not run',
};
const THEME_KEYS: KeyTable = {
  ...handled(`logo siteTitle nav navbar sidebar socialLinks footer locales outline editLink editLinks editLinkText
    lastUpdated search docFooter aside darkModeSwitchLabel lightModeSwitchTitle darkModeSwitchTitle
    i18nRouting sidebarMenuLabel returnToTopLabel langMenuLabel skipToContentLabel notFound
    externalLinkIcon repo docsRepo docsDir docsBranch lastUpdatedText label selectText
    selectLanguageName selectLanguageText sidebarDepth algolia smoothScroll nextLinks prevLinks
    repoLabel colorMode colorModeSwitch ariaLabel contributors toggleColorMode toggleSidebar backToHome
    tip`),
};

/** VitePress and VuePress: their configuration, and since version 2 of VitePress that of the folder of pages. */
export function createPressSettings({ folder, isVite }: Press): SettingsFormat {
  return {
    listFiles: ({ home }) => [
      ...listScripts(`${home}${folder}/config`),
      ...listScripts(`${home}${folder}/config/index`),
    ],
    async read(file, { content, languageFolders }, read) {
      const config = await readScriptConfig(file, read);
      if (!config) return unreadableSettings(file);
      const settings = createSettings();
      readPress({ config, settings }, content);
      if (!isVite) return settings;
      const more = await readFirst(listScripts(`${content}config`), read);
      if (more) readPress({ config: more, settings }, content);
      for (const language of languageFolders.values()) {
        const own = await readFirst(listScripts(`${content}${language}/config`), read);
        if (own) readLanguage({ config: own, settings }, language, ['themeConfig']);
      }
      return settings;
    },
  };
}

async function readFirst(paths: readonly string[], read: ReadFile): Promise<ConfigValues | undefined> {
  for (const path of paths) {
    if ((await read(path)) === undefined) continue;
    const config = await readScriptConfig(path, read);
    // A file of this name in a folder of pages may be anything.
    if (config && (config.get('themeConfig') !== undefined || config.get('description') !== undefined)) return config;
  }
  return undefined;
}

function readPress(reading: Reading, content: string): void {
  const { config, settings } = reading;
  if (config.get() === COMPUTED) note(settings, config.placeOf(), 'The configuration is computed');
  // VuePress 2 has the settings of the theme inside the theme, VitePress those of the root's language in its locale.
  const parts = [
    ['themeConfig'],
    ['theme'],
    ...['root', '/'].flatMap((key) => [
      ['locales', key, 'themeConfig'],
      ['themeConfig', 'locales', key],
    ]),
  ].filter((path) => config.keys(...path).length > 0);
  const roots = config.keys('locales').filter((key) => key === 'root' || key === '/');
  settings.title ??= first(parts.map((path) => readWords(reading, ...path, 'siteTitle')));
  settings.title ??=
    readWords(reading, 'title') ?? first(roots.map((key) => readWords(reading, 'locales', key, 'title')));
  settings.logo ??= first(parts.map((path) => readLogo(config.get(...path, 'logo'))));
  settings.logoDark ??= first(parts.map((path) => text(own(map(config.get(...path, 'logo')) ?? {}, 'dark'))));
  settings.footer ??= first(parts.map((path) => readFooter(reading, path)));
  // In version 1 of VuePress it is the text before the date.
  const dated = [[], ...parts].map((path) => config.get(...path, 'lastUpdated'));
  if (dated.some((value) => value === true || text(value) !== undefined)) settings.lastUpdated = true;
  readHead(reading);
  for (const path of parts) {
    for (const key of ['nav', 'navbar']) append(settings.links, readMenu(reading, [...path, key]));
    readSocial(reading, [...path, 'socialLinks']);
    readRepository(reading, path);
    reportKeys(reading, THEME_KEYS, ...path);
  }
  readRewrites(reading, content);
  for (const key of config.keys('locales').filter((name) => name !== 'root' && name !== '/')) {
    const folder = key.replaceAll('/', '');
    readLanguage(reading, folder, ['locales', key, 'themeConfig']);
    readLanguage(reading, folder, ['themeConfig', 'locales', key]);
  }
  reportKeys(reading, KEYS);
}

function first<T>(values: readonly (T | undefined)[]): T | undefined {
  return values.find((value) => value !== undefined);
}

export function readLogo(value: unknown): string | undefined {
  return text(value) ?? text(ownOf(map(value) ?? {}, ['src', 'light']));
}

function readFooter(reading: Reading, path: readonly string[]): string | undefined {
  const parts = ['message', 'copyright'].flatMap((key) => readWords(reading, ...path, 'footer', key) ?? []);
  return parts.length > 0 ? parts.map((part) => part.replace(/\.?$/, '.')).join(' ') : undefined;
}

/** `head` is a list of elements: `['link', {rel: 'icon', href: '/a.svg'}]`. */
function readHead({ config, settings }: Reading): void {
  for (let at = 0; at < config.count('head'); at++) {
    const [tag, attributes] = (config.get('head', at) ?? []) as readonly unknown[];
    const { rel, href, src } = map(attributes) ?? {};
    const isIcon = tag === 'link' && /\bicon$/.test(text(rel) ?? '');
    if (isIcon) settings.favicon ??= text(href);
    else if (tag === 'script' || rel === 'stylesheet') {
      const name = text(src) ?? text(href);
      const what = `<${text(tag)}>${name === undefined ? '' : ` "${name.slice(0, 200)}"`}`;
      note(settings, config.placeOf('head', at), `${what} of "head" is not taken over`);
    }
  }
}

export function readMenu(reading: Reading, path: readonly (string | number)[]): readonly ForeignLink[] {
  const { config, settings } = reading;
  if (config.isPartial(...path))
    note(settings, config.placeOf(...path), 'Links of the header that are computed are not taken over');
  return Array.from({ length: config.count(...path) }).flatMap((_, at): readonly ForeignLink[] => {
    const place = config.placeOf(...path, at);
    const item = config.get(...path, at);
    const target =
      typeof item === 'string' ? addressTarget(item) : targetOf(ownOf(map(item) ?? {}, ['link', 'activeMatch']));
    const title = typeof item === 'string' ? item : readableText(own(map(item) ?? {}, 'text'));
    const below = ['items', 'children'].flatMap((key) => readMenu(reading, [...path, at, key]));
    const flat = below.flatMap((link) => (link.links && !link.target ? link.links : [link]));
    if (flat.length === 0 && target === undefined) return [];
    // A group inside a menu may have no title.
    if (title === undefined && map(item)?.text === undefined && flat.length > 0) return flat;
    if (title === undefined) {
      note(settings, place, 'A link of the header has a title that is computed, and is not taken over');
      return [];
    }
    return [flat.length > 0 ? { title, links: flat, place } : { title, target, place }];
  });
}

function targetOf(value: unknown): NavTarget | undefined {
  const path = text(value);
  return path === undefined ? undefined : addressTarget(path.replace(/^\^/, ''));
}

function readSocial({ config, settings }: Reading, path: readonly (string | number)[]): void {
  for (let at = 0; at < config.count(...path); at++) {
    const item = map(config.get(...path, at)) ?? {};
    const [icon, link] = [text(own(item, 'icon')), text(own(item, 'link'))];
    if (link === undefined) continue;
    const title = text(own(item, 'ariaLabel')) ?? (icon === undefined ? link : nameService(icon));
    settings.links.push({ title, target: addressTarget(link), icon, place: config.placeOf(...path, at) });
  }
}

/** VuePress links to the repository. */
function readRepository(reading: Reading, path: readonly string[]): void {
  const repository = readText(reading, ...path, 'repo');
  if (repository === undefined) return;
  addRepositoryLink(reading.settings, repository, reading.config.placeOf(...path, 'repo'));
}

/** `rewrites` show pages at other URLs than those of their files; `:name` and `:name*` stand for parts. */
function readRewrites({ config, settings }: Reading, content: string): void {
  if (config.get('rewrites') === COMPUTED) note(settings, config.placeOf('rewrites'), '"rewrites" is computed');
  for (const from of config.keys('rewrites')) {
    const to = text(config.get('rewrites', from));
    const place = config.placeOf('rewrites', from);
    if (to === undefined) note(settings, place, `The rewrite of "${from}" is computed`);
    else settings.redirects.push({ from: to, to: { kind: 'file', path: content + from }, place });
  }
}

/** Adds the titles that the links of the header have in a language, if its links are the same. */
function readLanguage(reading: Reading, folder: string, path: readonly string[]): void {
  const { config, settings } = reading;
  const footer = readFooter(reading, path);
  if (footer !== undefined && footer !== settings.footer) {
    note(settings, config.placeOf(...path, 'footer'), `Language "${folder}" has its own footer, not taken over`);
  }
  for (const key of ['nav', 'navbar']) {
    // Their faults have been reported for the first language.
    const links = readMenu({ config, settings: createSettings() }, [...path, key]);
    if (links.length === 0) continue;
    const menu = settings.links.filter(({ icon }) => icon === undefined);
    const joined = joinTitles(menu, links, folder);
    if (joined)
      settings.links.splice(
        0,
        settings.links.length,
        ...joined,
        ...settings.links.filter(({ icon }) => icon !== undefined),
      );
    else {
      const message = `The header of language "${folder}" has other links, and is not taken over: all languages share one`;
      note(settings, config.placeOf(...path, key), message);
    }
  }
}

/** Returns links with their titles in a language; undefined if those of the language are others. */
export function joinTitles(
  links: readonly ForeignLink[],
  own: readonly ForeignLink[],
  folder: string,
): readonly ForeignLink[] | undefined {
  const pathOf = ({ target }: ForeignLink): string => (target?.path ?? '').replace(`/${folder}/`, '/');
  if (links.length !== own.length) return undefined;
  const joined: ForeignLink[] = [];
  for (const [at, link] of links.entries()) {
    const other = own[at]!;
    const below = joinTitles(link.links ?? [], other.links ?? [], folder);
    if (!below || pathOf(link) !== pathOf(other)) return undefined;
    joined.push({ ...link, titles: { ...link.titles, [folder]: other.title }, ...(link.links && { links: below }) });
  }
  return joined;
}
