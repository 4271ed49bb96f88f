import { append } from '../../../lib/append.ts';
import { createConfig } from '../../config/config-values.ts';
import { map, text } from '../../config/data-values.ts';
import {
  addressTarget,
  BASE_URL_ADVICE,
  createSettings,
  handled,
  type KeyTable,
  nameService,
  note,
  type Reading,
  readText,
  readWords,
  reportKeys,
  type SettingsFormat,
  STYLES_ADVICE,
  unreadableSettings,
} from '../shared/foreign-settings.ts';
import { readMkdocsConfig } from './config.ts';

const KEYS: KeyTable = {
  site_name: true,
  site_url: BASE_URL_ADVICE,
  site_description: 'give pages a description in their front matter',
  // Edit links follow from the repository's own address.
  ...handled(`site_author repo_url repo_name edit_uri edit_uri_template docs_dir site_dir nav exclude_docs
    not_in_nav use_directory_urls markdown_extensions validation strict dev_addr watch remote_branch
    remote_name draft_docs theme plugins extra copyright INHERIT`),
  extra_css: STYLES_ADVICE,
  extra_javascript: 'docbuild loads no scripts of a site',
  hooks: 'programs are not run',
};
const THEME_KEYS: KeyTable = {
  ...handled(`name language locale features palette font logo favicon icon highlightjs hljs_style hljs_languages
    include_sidebar color_mode user_color_mode_toggle navigation_depth direction titles_only
    collapse_navigation nav_style shortcuts locale_dir static_templates`),
  custom_dir: 'templates of the theme are not used',
};
const EXTRA_KEYS: KeyTable = {
  ...handled('social generator homepage version'),
  alternate: 'docbuild finds languages by their folders',
};
/** Plugins of which nothing is missed. */
const PLUGINS =
  /^(?:material\/)?(?:search|offline|redirects|i18n|awesome-pages|awesome-nav|literate-nav|section-index|include-markdown|include|minify|git-committers.*|autorefs|privacy|optimize|glightbox|mike|same-dir|exclude|meta|llmstxt|social|typeset|group|info)$/;
/** Names of Material's colours that CSS does not have. */
const COLOURS: Readonly<Record<string, string>> = {
  'deep-purple': '#7e56c2',
  'light-blue': '#02a6f2',
  'light-green': '#8bc34b',
  'deep-orange': '#ff6e42',
  'blue-grey': '#546d78',
  amber: '#ffc105',
  indigo: '#4051b5',
  teal: '#009485',
  blue: '#2094f3',
};

/** MkDocs: `mkdocs.yml`. */
export const settings: SettingsFormat = {
  listFiles: ({ home }) => [`${home}mkdocs.yml`, `${home}mkdocs.yaml`],
  async read(file, _site, read) {
    const found = await readMkdocsConfig(file, read);
    if ('reason' in found) return unreadableSettings(file, found);
    const settings = createSettings();
    for (const problem of found.notes) note(settings, problem, problem.message);
    for (const { key, ...place } of found.environment) {
      if (KEYS[key] === true) note(settings, place, `"${key}" depends on the environment; its default is taken`);
    }
    const config = createConfig(file, found.data, { placeOf: found.placeOf });
    const reading: Reading = { config, settings };
    settings.title = readWords(reading, 'site_name');
    settings.footer = readWords(reading, 'copyright');
    settings.logo = readText(reading, 'theme', 'logo');
    settings.favicon = readText(reading, 'theme', 'favicon');
    settings.accent = readAccent(reading);
    readSocial(reading);
    readPlugins(reading);
    reportKeys(reading, KEYS);
    reportKeys(reading, THEME_KEYS, 'theme');
    reportKeys(reading, EXTRA_KEYS, 'extra');
    return settings;
  },
};

/** A palette, or several for light and dark. */
function readAccent(reading: Reading): string | undefined {
  const first = reading.config.count('theme', 'palette') > 0 ? [0] : [];
  const colour = readText(reading, 'theme', 'palette', ...first, 'primary');
  if (colour === undefined || /^(?:black|white|custom)$/.test(colour)) return undefined;
  const name = colour.replaceAll(' ', '-');
  return Object.hasOwn(COLOURS, name) ? COLOURS[name] : name;
}

function readSocial({ config, settings }: Reading): void {
  for (let at = 0; at < config.count('extra', 'social'); at++) {
    const item = map(config.get('extra', 'social', at)) ?? {};
    const icon = text(item.icon)?.split('/').at(-1);
    const link = text(item.link);
    const title = text(item.name) ?? (icon === undefined ? link : nameService(icon));
    const place = config.placeOf('extra', 'social', at);
    if (link !== undefined) settings.links.push({ title: title!, target: addressTarget(link), icon, place });
  }
}

/** Plugins are a list of names and of maps from a name to options, or one such map. */
function readPlugins(reading: Reading): void {
  const { config, settings } = reading;
  const found: (readonly (string | number)[])[] = config.keys('plugins').map((name) => ['plugins', name]);
  for (let at = 0; at < config.count('plugins'); at++) {
    const name = text(config.get('plugins', at));
    if (name !== undefined) readPlugin(name, ['plugins', at]);
    append(
      found,
      config.keys('plugins', at).map((key) => ['plugins', at, key]),
    );
  }
  for (const path of found) {
    const name = String(path.at(-1));
    if (name === 'redirects') readRedirectMaps(reading, path);
    else readPlugin(name, path);
  }

  function readPlugin(name: string, path: readonly (string | number)[]): void {
    if (name === 'i18n') noteTranslations(path);
    if (name.startsWith('git-revision-date')) settings.lastUpdated = true;
    else if (!PLUGINS.test(name)) note(settings, config.placeOf(...path), `Plugin "${name}" is not run`);
  }

  /** Titles of the navigation in other languages stand beside the languages. */
  function noteTranslations(path: readonly (string | number)[]): void {
    for (let at = 0; at < config.count(...path, 'languages'); at++) {
      const place = [...path, 'languages', at, 'nav_translations'];
      if (config.keys(...place).length > 0) note(settings, config.placeOf(...place), TRANSLATIONS_ADVICE);
    }
    const older = [...path, 'nav_translations'];
    if (config.keys(...older).length > 0) note(settings, config.placeOf(...older), TRANSLATIONS_ADVICE);
  }
}

const TRANSLATIONS_ADVICE =
  '"nav_translations" is not taken over: a title in "nav" may be a map from languages to titles';

function readRedirectMaps({ config, settings }: Reading, plugin: readonly (string | number)[]): void {
  const path = [...plugin, 'redirect_maps'];
  for (const from of config.keys(...path)) {
    const to = text(config.get(...path, from));
    if (to === undefined) continue;
    settings.redirects.push({ from, to: addressTarget(to), place: config.placeOf(...path, from) });
  }
}
