import { trimCharacters } from '../../lib/trim-characters.ts';
import { isAbsoluteUrl } from '../../lib/url-text.ts';
import { parseConfigScript } from '../config/config-script.ts';
import { readScriptConfig, readTsconfigPaths } from '../config/config-values.ts';
import { map, own, ownOf, text } from '../config/data-values.ts';
import type { Place } from '../config/parse-script.ts';
import { readScript, type ScriptData } from '../config/script-data.ts';
import type { GeneratorProfile } from './generator.ts';
import {
  addressTarget,
  BASE_URL_ADVICE,
  createSettings,
  handled,
  type KeyTable,
  nameService,
  note,
  noteTitles,
  type Reading,
  readRedirects,
  readText,
  readWords,
  reportKeys,
  type SettingsFormat,
  STYLES_ADVICE,
  unreadableSettings,
} from './shared/foreign-settings.ts';
import { readLocales } from './shared/locations.ts';
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
  readTranslations,
} from './shared/navigation-items.ts';

const ASTRO_KEYS: KeyTable = {
  ...handled(`base redirects integrations srcDir publicDir outDir trailingSlash build server image i18n
    compressHTML prefetch devToolbar scopedStyleStrategy experimental output security legacy`),
  site: BASE_URL_ADVICE,
  markdown: 'docbuild reads Markdown in its own way',
  vite: 'programs are not run',
  adapter: 'the site needs no server',
};
const KEYS: KeyTable = {
  ...handled(`title titleDelimiter logo favicon social sidebar locales defaultLocale editLink lastUpdated pagefind
    pagination tableOfContents expressiveCode credits disable404Route routeMiddleware prerender markdown`),
  description: 'give pages a description in their front matter',
  customCss: STYLES_ADVICE,
  head: 'pages can set "head" in their front matter',
  components: 'programs are not run',
  plugins: 'programs are not run',
};

/** Starlight: the integration in Astro's configuration, and Astro's own settings. */
const settings: SettingsFormat = {
  listFiles: ({ home }) => listScripts(`${home}astro.config`),
  async read(file, _site, read) {
    const astro = await readScriptConfig(file, read);
    const config = await readScriptConfig(file, read, (script) => script.argumentsOfCalls('@astrojs/starlight')[0]);
    if (!astro || !config) return unreadableSettings(file);
    const settings = createSettings();
    const reading: Reading = { config, settings };
    // A title may have a text for each language.
    const [first = '', ...others] = config.keys('title');
    settings.title = readWords(reading, 'title') ?? readWords(reading, 'title', first);
    noteTitles(
      reading,
      others.map((language) => ({ at: ['title', language], place: config.placeOf('title', language) })),
    );
    const logo = config.get('logo');
    settings.logo = text(logo) ?? text(ownOf(map(logo) ?? {}, ['src', 'light']));
    settings.logoDark = text(own(map(logo) ?? {}, 'dark'));
    settings.favicon = readText(reading, 'favicon');
    if (config.get('lastUpdated') === true) settings.lastUpdated = true;
    readSocial(reading);
    readRedirects({ config: astro, settings }, 'redirects');
    reportKeys({ config: astro, settings }, ASTRO_KEYS);
    reportKeys(reading, KEYS);
    return settings;
  },
};

/** A list of links with icons, or a map of icons to URLs. */
function readSocial({ config, settings }: Reading): void {
  const add = (icon: string, link: string | undefined, label: string | undefined, key: string | number): void => {
    const title = label ?? nameService(icon);
    const place = config.placeOf('social', key);
    if (link !== undefined) settings.links.push({ title, target: addressTarget(link), icon, place });
  };
  for (let at = 0; at < config.count('social'); at++) {
    const { icon, href, label } = map(config.get('social', at)) ?? {};
    add(text(icon) ?? '', text(href), text(label), at);
  }
  if (config.count('social') === 0) {
    for (const icon of config.keys('social')) add(icon, text(config.get('social', icon)), undefined, icon);
  }
  if (config.isPartial('social'))
    note(settings, config.placeOf('social'), 'Links that are computed are not taken over');
}

/** Starlight: the sidebar in Astro's configuration. */
const navigation: NavigationFormat = {
  listFiles: ({ home }) => listScripts(`${home}astro.config`),
  async read(file, _site, read) {
    const script = await readScript(file, read);
    return script ? readStarlightSidebar(script) : noteUnreadable(file);
  },
};

/** Reads Starlight's sidebar from a configuration of Astro. Returns undefined if there is none. */
function readStarlightSidebar(script: ScriptData): GeneratorNavigation | undefined {
  const builder = createNavBuilder();
  const options = script
    .argumentsOfCalls('@astrojs/starlight')
    .map(map)
    .find((found) => found && own(found, 'sidebar') !== undefined);
  if (!options) return undefined;
  const items = readItems(own(options, 'sidebar'), 0, script.placeOf(options));
  return { languages: { '': items }, isComplete: builder.isComplete, notes: builder.notes };

  function readItems(value: unknown, depth: number, where: Place): readonly NavItem[] {
    return readList(value, { script, builder }, where, (item, place) => {
      if (typeof item === 'string')
        return builder.add({ title: undefined, target: target(item), children: [], place }, depth);
      const data = map(item);
      if (!data) {
        builder.skip(place, 'An entry of the navigation is computed; its pages are shown at the end');
        return [];
      }
      const path = text(own(data, 'slug')) ?? text(own(data, 'link'));
      const generated = map(own(data, 'autogenerate'));
      const title = plainText(own(data, 'label'));
      const translations = readTranslations(own(data, 'translations'));
      const inside = generated
        ? listFolder(generated, depth + 1, place)
        : readItems(own(data, 'items'), depth + 1, place);
      const isCollapsed = readCollapsed(data);
      const isBare = generated !== undefined && title === undefined;
      if (isBare) return inside;
      return builder.add(
        {
          title,
          translations,
          target: path === undefined ? undefined : target(path),
          children: inside,
          isCollapsed,
          place,
        },
        depth,
      );
    });
  }

  function listFolder(data: NonNullable<ReturnType<typeof map>>, depth: number, place: Place): readonly NavItem[] {
    const folder = trimCharacters((text(own(data, 'directory')) ?? '').replace(/^\.?\//, ''), '/');
    return builder.add({ title: undefined, children: [], folder: folder === '' ? '' : `${folder}/`, place }, depth);
  }
}

/** `''` and `index` are the home. */
function target(path: string): NavItem['target'] {
  return { kind: 'address', path: isAbsoluteUrl(path) || path.startsWith('/') ? path : `/${path}` };
}

const ALIASES = [
  ['~/', 'src'],
  ['@/', 'src'],
] as const;

export const starlight: GeneratorProfile = {
  name: 'Starlight',
  async recognise(folder) {
    const config = folder.file(/^astro\.config\.[cm]?[jt]s$/);
    return config && (await folder.open('src/content/docs')) ? { config } : undefined;
  },
  async listMore({ home }, read) {
    const path = `${home}tsconfig.json`;
    const text = await read(path);
    return new Map(text === undefined ? [] : [[path, text]]);
  },
  async describe({ home, config, more }) {
    const source = parseConfigScript(config).findText('srcDir') ?? 'src';
    const tsconfig = more?.get(`${home}tsconfig.json`);
    return {
      ...readLocales(config),
      content: `${source}/content/docs`,
      statics: ['public', source],
      hasPageFolders: true,
      aliases: [...(tsconfig === undefined ? [] : await readTsconfigPaths(tsconfig)), ...ALIASES],
    };
  },
  navigation,
  folders: { isMixed: true, takesLowest: true },
  settings,
  frontMatter: {
    hasNeighbourTexts: true,
    titlesOpening: true,
    isLandingPage: (data) => map(own(data, 'hero')) !== undefined,
    findAddress: () => ['whole', 'slug'],
  },
  addresses: { simplifiesNames: true },
  dialect: { liquid: 'text', hasDashes: true },
};
