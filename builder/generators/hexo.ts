import { readDataConfig } from '../config/config-values.ts';
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

/** Hexo: `_config.yml`. */
const settings: SettingsFormat = {
  listFiles: ({ home }) => [`${home}_config.yml`, `${home}_config.yaml`],
  read: readDataSettings((reading) => {
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

export const hexo: GeneratorProfile = {
  name: 'Hexo',
  async recognise(folder) {
    // Jekyll's configuration has the same name.
    const config = folder.file(/^_config\.ya?ml$/);
    if (!config || folder.file(/^_toc\.ya?ml$/)) return undefined;
    const manifest = folder.file(/^package\.json$/);
    const isOwn =
      folder.has('scaffolds') ||
      /^source_dir:/m.test(await folder.read(config)) ||
      (manifest !== undefined && namesHexo(await folder.read(manifest)));
    return isOwn ? { config } : undefined;
  },
  async describe({ configName, config }) {
    const data = await readDataConfig(configName, config);
    const content = data.text('source_dir') ?? 'source';
    const theme = data.text('theme');
    const languages = data.list('language');
    return {
      content,
      bases: [data.text('root') ?? pathOfUrl(data.text('url'))],
      statics: [content, ...(theme === undefined ? [] : [`themes/${theme}/source`])],
      // The files of a page are in a folder of its name.
      hasPageFolders: data.get('post_asset_folder') === true,
      languages,
      defaultLanguage: languages[0],
      exclude: [...data.list('skip_render'), ...data.list('exclude')],
    };
  },
  settings,
  dialect: { mustache: 'liquid', headingIds: 'cased' },
};

function namesHexo(manifest: string): boolean {
  try {
    const { hexo, dependencies, devDependencies } = (JSON.parse(manifest) ?? {}) as Record<string, unknown>;
    const names = [dependencies, devDependencies].flatMap((value) => Object.keys(value ?? {}));
    const isPart = (name: string): boolean => /^hexo(?:$|-(?:renderer|generator|server|deployer)\b)/.test(name);
    return (typeof hexo === 'object' && hexo !== null) || names.some(isPart);
  } catch {
    return false;
  }
}
