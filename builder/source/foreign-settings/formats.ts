import { posix } from 'node:path';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { Generator } from '../../model.ts';
import { parseDocsifyConfig } from '../generators/describe-site.ts';
import { readableText, readDataConfig } from './config-values.ts';
import { docusaurus } from './docusaurus.ts';
import {
  addRepositoryLink,
  addressTarget,
  BASE_URL_ADVICE,
  createSettings,
  handled,
  note,
  type Reading,
  readRedirects,
  readWords,
  reportKeys,
  type SettingsFormat,
  unreadableSettings,
} from './foreign-settings.ts';
import { hugo } from './hugo.ts';
import { jekyll } from './jekyll.ts';
import { mkdocs } from './mkdocs.ts';
import { vitepress, vuepress } from './press.ts';
import { starlight } from './starlight.ts';

/** Reads settings that are data in one file; `take` takes over what it says. */
function readData(take: (reading: Reading) => void): SettingsFormat['read'] {
  return async (file, _site, read) => {
    const config = await readDataConfig(file, (await read(file)) ?? '');
    if ('reason' in config) return unreadableSettings(file, config);
    const settings = createSettings();
    take({ config, settings });
    return settings;
  };
}

/** mdBook: `book.toml`. */
const mdbook: SettingsFormat = {
  listFiles: ({ home }) => [`${home}book.toml`],
  read: readData((reading) => {
    const { config, settings } = reading;
    settings.title = readWords(reading, 'book', 'title');
    const repository = readWords(reading, 'output', 'html', 'git-repository-url');
    if (repository !== undefined) {
      addRepositoryLink(settings, repository, config.placeOf('output', 'html', 'git-repository-url'));
    }
    readRedirects(reading, 'output', 'html', 'redirect');
    // Targets are relative to the old page.
    const redirects = settings.redirects.splice(0);
    settings.redirects.push(
      ...redirects.map((redirect) => {
        const { path } = redirect.to;
        const to = isAbsoluteUrl(path) ? path : posix.join('/', posix.dirname(redirect.from), path);
        return { ...redirect, to: addressTarget(to) };
      }),
    );
    for (const name of config.keys('preprocessor').filter((key) => key !== 'index' && key !== 'links')) {
      note(settings, config.placeOf('preprocessor', name), `Preprocessor "${name}" is not run`);
    }
    for (const key of ['additional-css', 'additional-js', 'theme']) {
      if (config.get('output', 'html', key) === undefined) continue;
      note(settings, config.placeOf('output', 'html', key), `"output.html.${key}" is not taken over`);
    }
  }),
};

/** Zola: `config.toml`. Redirects stand in its pages, as `aliases`. */
const zola: SettingsFormat = {
  listFiles: ({ home }) => [`${home}config.toml`, `${home}zola.toml`],
  read: readData((reading) => {
    reading.settings.title = readWords(reading, 'title');
    reportKeys(reading, {
      ...handled(`title default_language languages markdown search link_checker slugify build_search_index minify_html
        output_dir compile_sass author feed_filenames generate_feed generate_feeds generate_sitemap
        generate_robots_txt ignored_content`),
      base_url: BASE_URL_ADVICE,
      description: 'give pages a description in their front matter',
      theme: 'templates of the theme are not used',
      extra: 'templates of the theme are not used',
    });
  }),
};

/** Hexo: `_config.yml`. */
const hexo: SettingsFormat = {
  listFiles: ({ home }) => [`${home}_config.yml`, `${home}_config.yaml`],
  read: readData((reading) => {
    reading.settings.title = readWords(reading, 'title');
    reportKeys(reading, {
      ...handled(`title language source_dir root exclude include skip_render post_asset_folder public_dir tag_dir archive_dir
        category_dir code_dir i18n_dir permalink permalink_defaults pretty_urls new_post_name default_layout titlecase
        filename_case render_drafts relative_link future highlight prismjs syntax_highlighter index_generator
        default_category category_map tag_map meta_generator date_format time_format updated_option use_date_for_updated
        per_page pagination_dir timezone author email keywords external_link server feed sitemap marked ignore archive
        archive_generator category_generator tag_generator deploy logger logger_format port config`),
      url: BASE_URL_ADVICE,
      subtitle: 'give the home page a description in its front matter',
      description: 'give pages a description in their front matter',
      theme: 'templates of the theme are not used',
      theme_config: 'templates of the theme are not used',
    });
  }),
};

/** Docsify: the settings in the page that loads it. */
const docsify: SettingsFormat = {
  listFiles: ({ home }) => [`${home}index.html`],
  async read(file, _site, read) {
    const script = parseDocsifyConfig((await read(file)) ?? '');
    const settings = createSettings();
    settings.title = readableText(script.findOwnText('name'));
    settings.logo = script.findOwnText('logo');
    const repository = script.findOwnText('repo');
    const place = { file, line: 0 };
    if (repository) addRepositoryLink(settings, repository, place);
    if (script.has(/\bplugins\s*:/)) note(settings, place, 'Plugins are not run');
    return settings;
  },
};

/** The format of each generator's settings. */
export const SETTINGS_FORMATS: Readonly<Record<Generator, SettingsFormat>> = {
  ...{ docsify, docusaurus, hexo, hugo, jekyll, mdbook, mkdocs, starlight, vitepress, vuepress, zola },
};
