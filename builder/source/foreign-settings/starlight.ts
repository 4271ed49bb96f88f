import { listScripts } from '../navigation/navigation-items.ts';
import { map, own, ownOf, text } from '../text/data-values.ts';
import { readScriptConfig } from './config-values.ts';
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
} from './foreign-settings.ts';

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
export const starlight: SettingsFormat = {
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
