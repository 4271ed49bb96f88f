import { parseConfigScript } from '../../config/config-script.ts';
import { own, text } from '../../config/data-values.ts';
import type { GeneratorProfile } from '../generator.ts';
import { CATEGORY_FILE } from '../shared/categories.ts';
import { withoutNumbers } from '../shared/numbered-names.ts';
import { navigation } from './navigation.ts';
import { settings } from './settings.ts';

export const docusaurus: GeneratorProfile = {
  name: 'Docusaurus',
  async recognise(folder) {
    const config = folder.file(/^docusaurus\.config\.[cm]?[jt]s$/) ?? folder.file(/^siteConfig\.js$/);
    return config && { config };
  },
  describe({ config }) {
    const script = parseConfigScript(config);
    const instances = script.listOptionsOf(/plugin-content-docs/);
    const docs = script.findObject('docs') ?? instances[0];
    const i18n = script.findObject('i18n');
    // Version 1 kept the pages beside the folder of the site.
    const isFirst = script.has(/\bheaderLinks\b/) && !script.has(/\b(?:presets|themeConfig)\b/);
    const base = script.findText('baseUrl') ?? '/';
    const route = docs?.findOwnText('routeBasePath') ?? script.findText('docsUrl') ?? 'docs';
    const statics = script.findList('staticDirectories');
    return {
      content: docs?.findOwnText('path') ?? (isFirst ? `../${script.findText('customDocsPath') ?? 'docs'}` : 'docs'),
      bases: [`${base}/${route}`, base, `/${route}`],
      statics: statics.length > 0 ? statics : ['static'],
      aliases: [['@site/', '']],
      languages: i18n?.findList('locales') ?? [],
      defaultLanguage: i18n?.findText('defaultLocale'),
      exclude: docs?.findList('exclude') ?? [],
      mounts: instances
        .filter((instance) => instance !== docs)
        .flatMap((instance) => {
          const [id, path] = [instance.findOwnText('id'), instance.findOwnText('path')];
          if (id === undefined || path === undefined) return [];
          return [{ folder: path, shown: instance.findOwnText('routeBasePath') ?? id, id }];
        }),
    };
  },
  languages: {
    translations: [
      { above: 'i18n/', below: '/docusaurus-plugin-content-docs/current/' },
      { above: 'translated_docs/', below: '/' },
    ],
    mountTranslations: (id) => ({ above: 'i18n/', below: `/docusaurus-plugin-content-docs-${id}/current/` }),
  },
  navigation,
  folders: { isMixed: true, isNumbered: true, settingsFile: CATEGORY_FILE },
  settings,
  frontMatter: {
    hasIds: true,
    findAddress(data) {
      const slug = text(own(data, 'slug'));
      if (slug !== undefined) return [slug.startsWith('/') ? 'whole' : 'beside', 'slug'];
      return text(own(data, 'id'))?.includes('/') ? undefined : ['name', 'id'];
    },
  },
  addresses: {
    rename: withoutNumbers,
    /** `guide/guide.md`. */
    isFolderPage(path) {
      const [folder, name] = path.split('/').slice(-2);
      return name !== undefined && name.replace(/\.[^.]*$/, '').toLowerCase() === folder!.toLowerCase();
    },
    hasNoBundles: true,
    linksFromContent: true,
  },
  dialect: { jsx: true, liquid: 'text', hasMagicComments: true },
};
