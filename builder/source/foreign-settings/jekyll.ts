import { text } from '../text/data-values.ts';
import { readDataConfig } from './config-values.ts';
import {
  addressTarget,
  BASE_URL_ADVICE,
  createSettings,
  handled,
  type KeyTable,
  note,
  type Reading,
  readText,
  readWords,
  reportKeys,
  type SettingsFormat,
  unreadableSettings,
} from './foreign-settings.ts';

const KEYS: KeyTable = {
  ...handled(`title baseurl repository github_username permalink defaults exclude include collections
    collections_dir source destination markdown kramdown highlighter sass logo favicon_ico lang
    languages default_lang search_enabled search enable_copy_code_button mermaid heading_anchors
    aux_links aux_links_new_tab nav_enabled nav_sort nav_error_report liquid back_to_top
    back_to_top_text footer_content last_edit_timestamp last_edit_time_format gh_edit_link
    gh_edit_link_text gh_edit_repository gh_edit_branch gh_edit_source gh_edit_view_mode color_scheme
    callouts callouts_level callouts_opacity plugins gems timezone encoding port host incremental safe
    keep_files strict_front_matter author email name future ext_nav_new_tab feed compress_html version
    show_drafts`),
  url: BASE_URL_ADVICE,
  description: 'give pages a description in their front matter',
  theme: 'templates of the theme are not used',
  remote_theme: 'templates of the theme are not used',
  nav_external_links: 'add the links to "nav" or to "theme.links"',
  ga_tracking: 'docbuild loads nothing from third parties',
  google_analytics: 'docbuild loads nothing from third parties',
};
/** Plugins whose work docbuild does, too, or of which pages need nothing. */
const PLUGINS =
  /^jekyll-(?:redirect-from|seo-tag|sitemap|feed|optional-front-matter|readme-index|relative-links|titles-from-headings|default-layout|include-cache|github-metadata|gist|commonmark.*|remote-theme|last-modified-at|toc|coffeescript|paginate)$|^(?:jemoji|kramdown.*|just-the-docs|minima|github-pages)$/;

/** Jekyll: `_config.yml`. Redirects stand in its pages. */
export const jekyll: SettingsFormat = {
  listFiles: ({ home }) => [`${home}_config.yml`, `${home}_config.yaml`],
  async read(file, _site, read) {
    const config = await readDataConfig(file, (await read(file)) ?? '');
    if ('reason' in config) return unreadableSettings(file, config);
    const settings = createSettings();
    const reading: Reading = { config, settings };
    settings.title = readWords(reading, 'title') ?? readWords(reading, 'name');
    settings.logo = readText(reading, 'logo');
    settings.favicon = readText(reading, 'favicon_ico');
    settings.footer = readWords(reading, 'footer_content');
    for (const title of config.keys('aux_links')) {
      const url = text([config.get('aux_links', title)].flat()[0]);
      const place = config.placeOf('aux_links', title);
      if (url !== undefined) settings.links.push({ title, target: addressTarget(url), place });
    }
    for (const key of ['plugins', 'gems']) {
      for (let at = 0; at < config.count(key); at++) {
        const name = text(config.get(key, at));
        if (name !== undefined && !PLUGINS.test(name))
          note(settings, config.placeOf(key, at), `Plugin "${name}" is not run`);
      }
    }
    reportKeys(reading, KEYS);
    return settings;
  },
};
