import { parseConfigScript } from '../config/config-script.ts';
import { readDataConfig, readScriptConfig } from '../config/config-values.ts';
import { map, own, text } from '../config/data-values.ts';
import { looksLikeLanguage } from '../language-tag.ts';
import type { GeneratorProfile, SiteFolder } from './generator.ts';
import {
  addRepositoryLink,
  addressTarget,
  BASE_URL_ADVICE,
  createSettings,
  handled,
  nameService,
  note,
  type Reading,
  readRedirects,
  readText,
  readWords,
  reportKeys,
  type SettingsFormat,
  STYLES_ADVICE,
  unreadableSettings,
} from './shared/foreign-settings.ts';
import { listScripts, type NavigationSite } from './shared/navigation-items.ts';
import { withoutNumbers } from './shared/numbered-names.ts';

/**
 * Nuxt Content and what is made with it: Docus, Undocs, the documentation themes of Nuxt UI, the theme of version 1.
 * Sources: https://content.nuxt.com, https://docus.dev, https://github.com/unjs/undocs
 */
const NUXT = /^nuxt\.config\.[cm]?[jt]s$/;
const UNDOCS = /^docs\.ya?ml$/;
/** Modules and themes, as configurations and manifests name them. */
const NAMES =
  /['"](?:@nuxt\/content(?:-theme-docs)?|docus|@docus\/(?:app|core)|@nuxt-themes\/docus|@nuxthq\/docus|shadcn-docs-nuxt)['"]/;
/** Settings of a folder: of version 3, of version 2. */
const OF_FOLDER = /^(?:\.navigation|_dir)\.ya?ml$/;

const appConfigs = (home: string): readonly string[] => [
  ...listScripts(`${home}app/app.config`),
  ...listScripts(`${home}app.config`),
];
const listConfigs = ({ home }: NavigationSite): readonly string[] => [
  `${home}.config/docs.yaml`,
  `${home}.config/docs.yml`,
  ...listScripts(`${home}nuxt.config`),
  ...appConfigs(home),
];

/** The configuration of Undocs; or Nuxt's, the application's, and the file in which the theme of version 1 has its settings. */
const settings: SettingsFormat = {
  listFiles: listConfigs,
  async read(file, { home }, read) {
    const settings = createSettings();
    if (/\.ya?ml$/.test(file)) {
      const config = await readDataConfig(file, (await read(file)) ?? '');
      if (config.problem) return unreadableSettings(file, config.problem);
      readUndocs({ config, settings });
      return settings;
    }
    const config = await readScriptConfig(file, read);
    if (!config) return unreadableSettings(file);
    if (NUXT.test(file.slice(home.length))) readNuxt({ config, settings });
    for (const path of appConfigs(home)) {
      const app = (await read(path)) === undefined ? undefined : await readScriptConfig(path, read);
      if (app) readApp({ config: app, settings });
      if (app) break;
    }
    const theme = `${home}content/settings.json`;
    const json = await read(theme);
    if (json !== undefined) readTheme({ config: await readDataConfig(theme, json), settings });
    return settings;
  },
};

function readUndocs(reading: Reading): void {
  const { settings } = reading;
  settings.title = readWords(reading, 'name');
  settings.logo = readText(reading, 'logo');
  addRepository(reading, 'github');
  addServices(reading, 'socials');
  readRedirects(reading, 'redirects');
  reportKeys(reading, {
    ...handled('name logo github socials redirects branch dir shortDescription automd versions lang'),
    url: BASE_URL_ADVICE,
    description: 'give the home page a description in its front matter',
    themeColor: '"theme.accent" takes a CSS colour',
    landing: 'an "index.md" with "layout: home" is a landing page',
    sponsors: 'programs are not run',
  });
}

function readNuxt(reading: Reading): void {
  const { config, settings } = reading;
  settings.title = readWords(reading, 'site', 'name');
  for (const from of config.keys('routeRules')) {
    const rule = config.get('routeRules', from, 'redirect');
    const to = text(rule) ?? text(own(map(rule) ?? {}, 'to'));
    const place = config.placeOf('routeRules', from);
    if (to !== undefined) settings.redirects.push({ from, to: addressTarget(to), place });
  }
  const place = config.placeOf('routeRules');
  if (config.isPartial('routeRules')) note(settings, place, 'Redirects that are computed are not taken over');
}

/** Docus, and the themes of Nuxt UI. */
function readApp(reading: Reading): void {
  const { settings } = reading;
  settings.title ??= readWords(reading, 'docus', 'title') ?? readWords(reading, 'header', 'title');
  settings.title ??= readWords(reading, 'seo', 'siteName');
  settings.logo = readText(reading, 'header', 'logo', 'light');
  settings.logoDark = readText(reading, 'header', 'logo', 'dark');
  for (const path of [['github'], ['docus', 'github']]) addRepository(reading, ...path);
  for (const path of [['socials'], ['docus', 'socials']]) addServices(reading, ...path);
  const STYLES = { ui: STYLES_ADVICE, uiPro: STYLES_ADVICE, theme: STYLES_ADVICE };
  reportKeys(reading, { ...handled('docus header github seo site socials toc'), ...STYLES });
}

/** The theme of version 1. */
function readTheme(reading: Reading): void {
  const { config, settings } = reading;
  settings.title ??= readWords(reading, 'title');
  settings.logo ??= readText(reading, 'logo', 'light') ?? readText(reading, 'logo');
  settings.logoDark ??= readText(reading, 'logo', 'dark');
  addRepository(reading, 'github');
  const account = readText(reading, 'twitter');
  const place = config.placeOf('twitter');
  if (account !== undefined)
    settings.links.push({ title: 'Twitter', target: addressTarget(accountUrl(account)), icon: 'twitter', place });
}

/** The first of a site's: a URL or `owner/name`, or a map that has it, in one key or two. */
function addRepository({ config, settings }: Reading, ...path: readonly string[]): void {
  const [owner, name] = [config.text(...path, 'owner'), config.text(...path, 'repo')];
  const whole = config.text(...path) ?? config.text(...path, 'url');
  const repository = whole ?? (owner !== undefined && name !== undefined ? `${owner}/${name}` : undefined);
  if (repository !== undefined && !settings.links.some(({ icon }) => icon === 'github')) {
    addRepositoryLink(settings, repository, config.placeOf(...path));
  }
}

/** A map of services to URLs, in some as `href`; of Twitter, as of GitHub, the account is enough. */
function addServices(reading: Reading, ...path: readonly string[]): void {
  const { config, settings } = reading;
  for (const icon of config.keys(...path)) {
    const at = [...path, icon];
    if (icon === 'github') {
      addRepository(reading, ...at);
      continue;
    }
    const written = config.text(...at) ?? config.text(...at, 'href');
    const url = icon === 'twitter' ? written && accountUrl(written) : written;
    if (url === undefined || !/^https?:/.test(url)) continue;
    settings.links.push({ title: nameService(icon), target: addressTarget(url), icon, place: config.placeOf(...at) });
  }
}

function accountUrl(account: string): string {
  return /^https?:/.test(account) ? account : `https://twitter.com/${account.replace(/^@/, '')}`;
}

/** Returns the folder of the pages: that of their language, where they are in the folder of one. */
function findPages(content: SiteFolder): string {
  const [only, ...others] = content.listFolders();
  const isOfLanguage = only !== undefined && others.length === 0 && looksLikeLanguage(only) && !content.file(/\.md$/i);
  return isOfLanguage ? `content/${only}` : 'content';
}

export const nuxtContent: GeneratorProfile = {
  name: 'Nuxt Content',
  async recognise(folder) {
    const undocs = (await folder.open('.config'))?.file(UNDOCS);
    if (undocs) return { config: undocs, pages: '' };
    const content = await folder.open('content');
    if (content) {
      const pages = findPages(content);
      const nuxt = folder.file(NUXT);
      const manifest = folder.file(/^package\.json$/);
      if (nuxt && NAMES.test(await folder.read(nuxt))) return { config: nuxt, pages };
      if (folder.file(/^content\.config\.[cm]?[jt]s$/) || (manifest && NAMES.test(await folder.read(manifest))))
        return { config: nuxt, pages };
    }
    // Pages that a site in another repository shows.
    return folder.file(OF_FOLDER) ? { config: undefined, pages: '' } : undefined;
  },
  describe({ configName, config, pages = '' }) {
    const script = parseConfigScript(NUXT.test(configName) ? config : '');
    const i18n = script.findObject('i18n');
    return {
      content: pages,
      bases: [script.findObject('app')?.findText('baseURL') ?? script.findObject('router')?.findText('base')],
      // The folder of version 3 and 2, that of version 1, that of Undocs.
      statics: ['public', 'static', '.docs/public'],
      languages: i18n?.findList('locales') ?? [],
      defaultLanguage: i18n?.findText('defaultLocale') ?? /^content\/(.+)/.exec(pages)?.[1],
    };
  },
  // Parts of other pages, and hidden files.
  leavesOut: { paths: /(?:^|\/)[_.][^/]*\.md$/ },
  folders: { isMixed: true, isNumbered: true, settingsFile: OF_FOLDER },
  settings,
  frontMatter: { hasPositions: true },
  addresses: {
    rename: withoutNumbers,
    isFolderPage: (path) => /(?:^|\/)\d+\.index\.md$/.test(path),
    hasNoBundles: true,
    linksFromContent: true,
    startsWithFirst: true,
  },
};
