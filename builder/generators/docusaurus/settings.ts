import { append } from '../../../lib/append.ts';
import { type ConfigValues, readableText, readScriptConfig } from '../../config/config-values.ts';
import { map, own, text } from '../../config/data-values.ts';
import { COMPUTED } from '../../config/script-values.ts';
import {
  addressTarget,
  BASE_URL_ADVICE,
  createSettings,
  type ForeignLink,
  handled,
  type KeyTable,
  note,
  type Reading,
  readText,
  readWords,
  reportKeys,
  type SettingsFormat,
  STYLES_ADVICE,
  unreadableSettings,
} from '../shared/foreign-settings.ts';
import { listScripts, type NavTarget } from '../shared/navigation-items.ts';

const KEYS: KeyTable = {
  ...handled(`title titleDelimiter favicon i18n presets plugins themes themeConfig baseUrl trailingSlash
    organizationName projectName noIndex deploymentBranch githubHost onBrokenLinks onBrokenMarkdownLinks
    onBrokenAnchors onDuplicateRoutes staticDirectories future markdown webpack baseUrlIssueBanner
    siteConfig headerLinks headerIcon copyright colors highlight docsUrl customDocsPath footerIcon
    cleanUrl onPageNav users`),
  tagline: 'give pages a description in their front matter',
  url: BASE_URL_ADVICE,
  scripts: 'docbuild loads no scripts of a site',
  clientModules: 'docbuild loads no scripts of a site',
  stylesheets: STYLES_ADVICE,
  headTags: 'pages can set "head" in their front matter',
};
const THEME_KEYS: KeyTable = {
  ...handled(`navbar footer announcementBar colorMode prism docs algolia tableOfContents zoom liveCodeBlock
    mermaid hideableSidebar sidebarCollapsible blog autoCollapseSidebarCategories image`),
  metadata: 'pages can set "head" in their front matter',
  metadatas: 'pages can set "head" in their front matter',
};
const PRESET_KEYS: KeyTable = {
  ...handled('docs theme sitemap svgr'),
  blog: 'blogs are not published',
  pages: 'pages in src/pages are not published',
  gtag: 'docbuild loads nothing from third parties',
  googleAnalytics: 'docbuild loads nothing from third parties',
  googleTagManager: 'docbuild loads nothing from third parties',
};
/** Plugins of which nothing is missed, and those whose pages the source finder reads. */
const PLUGINS =
  /plugin-(?:content-docs|client-redirects|sitemap|ideal-image|svgr|debug|css-cascade-layers|rsdoctor)|lunr|search-local|docs-search|copy-page|llms/;

/** Docusaurus: `docusaurus.config`, and version 1's `siteConfig.js`. */
export const settings: SettingsFormat = {
  listFiles: ({ home }) => [...listScripts(`${home}docusaurus.config`), `${home}siteConfig.js`],
  async read(file, { home, languageFolders }, read) {
    const config = await readScriptConfig(file, read);
    if (!config) return unreadableSettings(file);
    const settings = createSettings();
    const reading: Reading = { config, settings };
    if (config.get() === COMPUTED) note(settings, config.placeOf(), 'The configuration is computed');
    settings.title = readWords(reading, 'themeConfig', 'navbar', 'title') ?? readWords(reading, 'title');
    settings.favicon = readText(reading, 'favicon');
    settings.logo = readText(reading, 'themeConfig', 'navbar', 'logo', 'src') ?? readText(reading, 'headerIcon');
    settings.logoDark = readText(reading, 'themeConfig', 'navbar', 'logo', 'srcDark');
    settings.image = readText(reading, 'themeConfig', 'image');
    settings.footer = readWords(reading, 'themeConfig', 'footer', 'copyright') ?? readWords(reading, 'copyright');
    append(settings.links, readItems(reading, 'header', ['themeConfig', 'navbar', 'items']));
    append(settings.columns, readColumns(reading, ['themeConfig', 'footer', 'links']));
    for (const folder of languageFolders.values()) {
      const messages = await readScriptConfig(`${home}i18n/${folder}/docusaurus-theme-classic/navbar.json`, read);
      if (messages) settings.links.splice(0, settings.links.length, ...translate(settings.links, folder, messages));
    }
    readAnnouncement(reading);
    readPlugins(reading);
    reportKeys(reading, KEYS);
    reportKeys(reading, THEME_KEYS, 'themeConfig');
    return settings;
  },
};

function readItems(
  reading: Reading,
  part: 'header' | 'footer',
  path: readonly (string | number)[],
): readonly ForeignLink[] {
  const { config, settings } = reading;
  if (config.isPartial(...path))
    note(settings, config.placeOf(...path), `Links of the ${part} that are computed are not taken over`);
  return Array.from({ length: config.count(...path) }).flatMap((_, at): readonly ForeignLink[] => {
    const place = config.placeOf(...path, at);
    const item = map(config.get(...path, at)) ?? {};
    const target = targetOf(item);
    const type = text(own(item, 'type'));
    const below = readItems(reading, part, [...path, at, 'items']);
    const icon = /github/i.test(text(own(item, 'className')) ?? '') ? 'github' : undefined;
    const label =
      readableText(own(item, 'label')) ?? readableText(own(item, 'title')) ?? readableText(own(item, 'aria-label'));
    const title = label ?? (icon === undefined ? undefined : 'GitHub');
    if (below.length > 0 && title !== undefined) return [{ title, links: below, place }];
    if (target !== undefined && title !== undefined) return [{ title, target, icon, place }];
    // The switches of versions and languages are part of every page.
    const isOurs = /^(?:docsVersion|docsVersionDropdown|localeDropdown|search)$/.test(type ?? '');
    if (!isOurs)
      note(settings, place, `${label === undefined ? 'A link' : `Link "${label}"`} of the ${part} is not taken over`);
    return [];
  });
}

/** Labels in a language have keys: `item.label.Docs`. */
function translate(links: readonly ForeignLink[], language: string, messages: ConfigValues): readonly ForeignLink[] {
  return links.map((link) => {
    const found = readableText(messages.get(`item.label.${link.title}`, 'message'));
    return {
      ...link,
      titles: found === undefined ? link.titles : { ...link.titles, [language]: found },
      ...(link.links && { links: translate(link.links, language, messages) }),
    };
  });
}

function targetOf(item: Readonly<Record<string, unknown>>): NavTarget | undefined {
  const path = text(own(item, 'to')) ?? text(own(item, 'href'));
  if (path !== undefined) {
    // `pathname://` leads to what is not a page.
    return addressTarget(/^(?:[a-z]+:|\/)/.test(path) ? path : `/${path}`);
  }
  const id = text(own(item, 'docId')) ?? text(own(item, 'doc'));
  if (id !== undefined) return { kind: 'id', path: id };
  const isSidebar = text(own(item, 'sidebarId')) !== undefined;
  return isSidebar ? { kind: 'sidebar', path: text(own(item, 'docsPluginId')) ?? '' } : undefined;
}

function readAnnouncement(reading: Reading): void {
  const content = readText(reading, 'themeConfig', 'announcementBar', 'content');
  const words = readableText(content);
  if (words === undefined) return;
  const [, href] = /<a\s[^<>]*href=["']([^"']+)["']/i.exec(content!) ?? [];
  reading.settings.announcement = { text: words, target: href === undefined ? undefined : addressTarget(href) };
}

/** Presets and plugins are names, or lists of a name and options. */
function readPlugins(reading: Reading): void {
  const { config, settings } = reading;
  for (let at = 0; at < config.count('presets'); at++) {
    const options = ['presets', at, 1];
    reportKeys(reading, PRESET_KEYS, ...options);
    if (config.get(...options, 'docs', 'showLastUpdateTime') === true) settings.lastUpdated = true;
    if (config.get(...options, 'theme', 'customCss') !== undefined) {
      note(settings, config.placeOf(...options, 'theme', 'customCss'), STYLES_ADVICE);
    }
  }
  for (let at = 0; at < config.count('plugins'); at++) {
    const isList = Array.isArray(config.get('plugins', at));
    const name = text(isList ? config.get('plugins', at, 0) : config.get('plugins', at));
    if (name !== undefined && /client-redirects/.test(name)) readClientRedirects(reading, ['plugins', at, 1]);
    else if (name === undefined || !PLUGINS.test(name)) {
      note(
        settings,
        config.placeOf('plugins', at),
        `${name === undefined ? 'A plugin' : `Plugin "${name}"`} is not run`,
      );
    }
  }
  if (config.isPartial('plugins')) note(settings, config.placeOf('plugins'), 'Plugins that are computed are not run');
}

function readClientRedirects({ config, settings }: Reading, options: readonly (string | number)[]): void {
  const path = [...options, 'redirects'];
  for (let at = 0; at < config.count(...path); at++) {
    const to = text(config.get(...path, at, 'to'));
    const place = config.placeOf(...path, at);
    const froms = [config.get(...path, at, 'from')].flat().flatMap((from) => text(from) ?? []);
    if (to === undefined || froms.length === 0) note(settings, place, 'A redirect that is computed is not taken over');
    else for (const from of froms) settings.redirects.push({ from, to: addressTarget(to), place });
  }
  if (config.isPartial(...path))
    note(settings, config.placeOf(...path), 'Redirects that are computed are not taken over');
  if (config.get(...options, 'createRedirects') !== undefined) {
    note(settings, config.placeOf(...options, 'createRedirects'), 'Redirects of "createRedirects" are not taken over');
  }
}

/** A footer has columns of links, or a single row of them. */
function readColumns(reading: Reading, path: readonly (string | number)[]): readonly ForeignLink[] {
  const { settings } = reading;
  return readItems(reading, 'footer', path).filter(({ links, title, place }) => {
    if (links === undefined)
      note(settings, place, `Link "${title}" of the footer is not taken over: it is in no column`);
    return links !== undefined;
  });
}
