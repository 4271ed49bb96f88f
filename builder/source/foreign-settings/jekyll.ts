import { text } from '../text/data-values.ts';
import { readDataConfig } from './config-values.ts';
import {
  addressTarget,
  BASE_URL_ADVICE,
  createSettings,
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
  ...{
    title: true,
    baseurl: true,
    repository: true,
    github_username: true,
    permalink: true,
    defaults: true,
    exclude: true,
  },
  ...{
    include: true,
    collections: true,
    collections_dir: true,
    source: true,
    destination: true,
    markdown: true,
    kramdown: true,
  },
  ...{ highlighter: true, sass: true, logo: true, favicon_ico: true, lang: true, languages: true, default_lang: true },
  ...{
    search_enabled: true,
    search: true,
    enable_copy_code_button: true,
    mermaid: true,
    heading_anchors: true,
    aux_links: true,
  },
  ...{
    aux_links_new_tab: true,
    nav_enabled: true,
    nav_sort: true,
    nav_error_report: true,
    liquid: true,
    back_to_top: true,
  },
  ...{
    back_to_top_text: true,
    footer_content: true,
    last_edit_timestamp: true,
    last_edit_time_format: true,
    gh_edit_link: true,
  },
  ...{
    gh_edit_link_text: true,
    gh_edit_repository: true,
    gh_edit_branch: true,
    gh_edit_source: true,
    gh_edit_view_mode: true,
  },
  ...{
    color_scheme: true,
    callouts: true,
    callouts_level: true,
    callouts_opacity: true,
    plugins: true,
    gems: true,
    timezone: true,
  },
  ...{
    encoding: true,
    port: true,
    host: true,
    incremental: true,
    safe: true,
    keep_files: true,
    strict_front_matter: true,
    author: true,
  },
  ...{
    email: true,
    name: true,
    future: true,
    ext_nav_new_tab: true,
    feed: true,
    compress_html: true,
    version: true,
    show_drafts: true,
  },
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
