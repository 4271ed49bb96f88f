import { readDataConfig } from '../config/config-values.ts';
import { isFalse, own, text } from '../config/data-values.ts';
import { folderOf } from '../page-path.ts';
import type { GeneratorProfile } from './generator.ts';
import {
  BASE_URL_ADVICE,
  handled,
  readDataSettings,
  readWords,
  reportKeys,
  type SettingsFormat,
} from './shared/foreign-settings.ts';
import { pathOfUrl } from './shared/locations.ts';

/** Zola: `config.toml`. Redirects stand in its pages, as `aliases`. */
const settings: SettingsFormat = {
  listFiles: ({ home }) => [`${home}config.toml`, `${home}zola.toml`],
  read: readDataSettings((reading) => {
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

export const zola: GeneratorProfile = {
  name: 'Zola',
  async recognise(folder) {
    const config = folder.file(/^config\.(?:toml|ya?ml|json)$/);
    const isOwn = config && folder.has('content') && /^base_url[ \t]*=/m.test(await folder.read(config));
    return isOwn ? { config } : undefined;
  },
  async describe({ configName, config }) {
    const data = await readDataConfig(configName, config);
    return {
      content: 'content',
      bases: [pathOfUrl(data.text('base_url'))],
      statics: ['static'],
      hasPageFolders: true,
      aliases: [['@/', 'content']],
      languages: data.names('languages'),
      defaultLanguage: data.text('default_language'),
    };
  },
  folders: { isMixed: true },
  settings,
  frontMatter: {
    findDraft: (data) => (isFalse(own(data, 'render')) ? 'render: false' : undefined),
    findAddress: (data) => (text(own(data, 'path')) === undefined ? ['name', 'slug'] : ['whole', 'path']),
    hasAliases: true,
    redirectsFromRoot: true,
  },
  addresses: {
    /** A date before the name is no part of it. */
    rename(place) {
      const folder = folderOf(place);
      return folder + place.slice(folder.length).replace(/^\d{4}-\d{2}-\d{2}(?:T[^-_]*)?[-_ ]+(?=[^.])/, '');
    },
    hasSectionDrafts: true,
    simplifiesNames: true,
  },
  dialect: { mustache: 'shortcode' },
};
