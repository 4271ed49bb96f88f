import { parseConfigScript } from '../../config/config-script.ts';
import type { Alias, GeneratorProfile, RecognisedHome, SiteFolder } from '../generator.ts';
import { readLocales } from '../shared/locations.ts';
import { readBundlerAliases } from './aliases.ts';
import { createPressFormat, type Press } from './navigation.ts';
import { createPressSettings } from './settings.ts';

/** Creates the part of the profile that VitePress and VuePress share. */
function createPress(press: Press) {
  return {
    async recognise(home: SiteFolder): Promise<RecognisedHome | undefined> {
      const folder = await home.open(press.folder);
      const config = folder?.file(/^config\.[cm]?[jt]s$/);
      return folder && { config: config ?? (await folder.open('config'))?.file(/^index\.[cm]?[jt]s$/) };
    },
    navigation: createPressFormat(press),
    settings: createPressSettings(press),
    dialect: { liquid: 'text', mustache: 'vue', fencesEndHtml: true, headingIds: 'decomposed' },
  } as const;
}

const LAYOUTS = ['doc', 'Layout'];

export const vitepress: GeneratorProfile = {
  ...createPress({ folder: '.vitepress', isVite: true }),
  name: 'VitePress',
  describe(site) {
    const script = parseConfigScript(site.config);
    const content = script.findText('srcDir') ?? '';
    return {
      ...readLocales(site.config),
      content,
      statics: [`${content || '.'}/public`, 'public', '.vitepress/public'],
      aliases: readBundlerAliases(site, '.vitepress'),
      exclude: script.findList('srcExclude'),
    };
  },
  leavesOut: { paths: /\[[^/[\]]+\]/ },
  frontMatter: { hasNeighbourTexts: true, layouts: LAYOUTS },
};

const ALIASES: readonly Alias[] = [
  ['@source/', ''],
  ['@theme/', '.vuepress/theme'],
  ['@vuepress/', '.vuepress'],
];

export const vuepress: GeneratorProfile = {
  ...createPress({ folder: '.vuepress', isVite: false }),
  name: 'VuePress',
  describe(site) {
    const aliases = [...readBundlerAliases(site, '.vuepress'), ...ALIASES];
    return {
      ...readLocales(site.config),
      content: '',
      statics: ['.vuepress/public', 'public'],
      // For webpack, `~` marks what is not relative.
      aliases: [...aliases, ...aliases.map(([prefix, folder]): Alias => [`~${prefix}`, folder])],
    };
  },
  frontMatter: { layouts: LAYOUTS, findAddress: () => ['whole', 'permalink'] },
  addresses: { includesFromAbove: true },
};
