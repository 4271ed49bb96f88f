import { readableText, readDataConfig } from '../config/config-values.ts';
import { type Data, isFalse, isTrue, map, own, ownOf, text } from '../config/data-values.ts';
import type { GeneratorProfile } from './generator.ts';
import {
  addressTarget,
  BASE_URL_ADVICE,
  type ForeignLink,
  handled,
  type KeyTable,
  note,
  noteTitles,
  type Reading,
  readDataSettings,
  readText,
  readWords,
  reportKeys,
  type SettingsFormat,
} from './shared/foreign-settings.ts';
import { pathOfUrl } from './shared/locations.ts';

const KEYS: KeyTable = {
  ...handled(`title languageCode locale languages defaultContentLanguage menu menus defaultContentLanguageInSubdir
    contentDir staticDir publishDir enableRobotsTXT enableGitInfo markup taxonomies outputs
    outputFormats mediaTypes build caches minify imaging sitemap rssLimit pluralizeListTitles
    refLinksErrorLevel services privacy security uglyURLs timeout enableEmoji disableKinds server
    related pagination paginate copyright params disableAliases frontmatter ignoreLogs ignoreErrors
    summaryLength timeZone hasCJKLanguage cleanDestinationDir resourceDir ignoreFiles
    enableInlineShortcodes HTTPCache canonifyURLs relativeURLs cascade page disableHugoGeneratorInject
    footnoteReturnLinkContents`),
  baseURL: BASE_URL_ADVICE,
  theme: 'templates of the theme are not used',
  module: 'modules are not fetched',
  permalinks: 'pages are published where their files are',
  deployment: 'publish the folder of "docbuild site" instead',
};

/** Hugo: `hugo.*`, `config.*` or `config/_default/`. */
const settings: SettingsFormat = {
  listFiles: ({ home }) =>
    ['hugo', 'config', 'config/_default/hugo', 'config/_default/config'].flatMap((name) =>
      ['toml', 'yaml', 'yml', 'json'].map((ending) => `${home}${name}.${ending}`),
    ),
  read: readDataSettings((reading) => {
    const { config, settings } = reading;
    const language = config.get('defaultContentLanguage');
    const own = ['languages', typeof language === 'string' ? language : 'en'];
    settings.title = readWords(reading, ...own, 'title') ?? readWords(reading, 'title');
    const languages = config.keys('languages').filter((name) => name !== own[1]);
    noteTitles(
      reading,
      languages.map((name) => ({ at: ['languages', name, 'title'], place: config.placeOf('languages', name) })),
    );
    settings.footer = readWords(reading, 'copyright') ?? readWords(reading, 'params', 'copyright');
    if (config.get('enableGitInfo') === true) settings.lastUpdated = true;
    settings.logo = readText(reading, 'params', 'logo');
    settings.favicon = readText(reading, 'params', 'favicon');
    for (const path of [['menus'], ['menu'], [...own, 'menus'], [...own, 'menu']]) readMenus(reading, path);
    const others = config.keys('params').filter((key) => !/^(?:copyright|logo|favicon|description)$/i.test(key));
    if (others.length > 0) {
      note(
        settings,
        config.placeOf('params'),
        `"params" of the theme are not taken over: ${others.slice(0, 20).join(', ')}`,
      );
    }
    reportKeys(reading, KEYS);
  }),
};

interface Entry {
  readonly id: string;
  readonly parent: string | undefined;
  readonly weight: number;
  readonly link: ForeignLink;
}

/** The menu `main` is the header's; entries name the one above them. */
function readMenus(reading: Reading, path: readonly string[]): void {
  const { config, settings } = reading;
  const entries: Entry[] = [];
  for (let at = 0; at < config.count(...path, 'main'); at++) {
    const item = map(config.get(...path, 'main', at)) ?? {};
    const title = readableText(ownOf(item, ['name', 'title', 'identifier']));
    const url = text(ownOf(item, ['url', 'pageRef']));
    if (title === undefined) continue;
    const icon = text(ownOf(map(ownOf(item, ['params'])) ?? {}, ['icon']));
    entries.push({
      id: text(ownOf(item, ['identifier'])) ?? title,
      parent: text(ownOf(item, ['parent'])),
      weight: Number(ownOf(item, ['weight']) ?? Number.POSITIVE_INFINITY),
      link: {
        title,
        target: url === undefined ? undefined : addressTarget(url),
        icon,
        place: config.placeOf(...path, 'main', at),
      },
    });
  }
  entries.sort((a, b) => a.weight - b.weight || 0);
  for (const { id, parent, link } of entries) {
    if (parent !== undefined) continue;
    const links = entries.filter((other) => other.parent === id).map((other) => other.link);
    if (links.length > 0) settings.links.push({ ...link, target: undefined, links });
    else if (link.target) settings.links.push(link);
  }
  const others = config.keys(...path).filter((name) => name !== 'main');
  for (const name of others) note(settings, config.placeOf(...path, name), `Menu "${name}" is not taken over`);
}

export const hugo: GeneratorProfile = {
  name: 'Hugo',
  async recognise(folder) {
    const own = folder.file(/^hugo\.(?:toml|ya?ml|json)$/);
    const config = own ?? (await folder.open('config/_default'))?.file(/^(?:hugo|config)\.(?:toml|ya?ml|json)$/);
    if (config) return { config };
    const shared = folder.file(/^config\.(?:toml|ya?ml|json)$/);
    const isOwn =
      shared !== undefined &&
      ['content', 'layouts', 'themes', 'archetypes'].some((name) => folder.has(name)) &&
      /^[ \t{"']*(?:baseURL|contentDir|languageCode|theme)["']?[ \t]*[:=]/im.test(await folder.read(shared));
    return isOwn ? { config: shared } : undefined;
  },
  async describe({ configName, config }) {
    const data = await readDataConfig(configName, config);
    const languages = data.names('languages');
    return {
      content: data.text('contentDir') ?? 'content',
      bases: [pathOfUrl(data.text('baseURL'))],
      statics: ['static', 'assets', ...data.list('staticDir')],
      hasPageFolders: data.get('uglyURLs') !== true,
      languages,
      defaultLanguage: data.text('defaultContentLanguage'),
      languageFolders: languages.flatMap((code) => {
        const folder = data.text('languages', code, 'contentDir');
        return folder === undefined ? [] : [[code, folder] as const];
      }),
    };
  },
  languages: { besideContent: true },
  folders: { isMixed: true, isByTitle: true, hidesBelow: true },
  settings,
  frontMatter: {
    ignoresCase: true,
    isByDate: true,
    findDraft(data) {
      if (isTrue(own(data, 'headless'))) return 'headless: true';
      const build: Data = map(own(data, 'build')) ?? map(own(data, '_build')) ?? {};
      const render = own(build, 'render');
      return isFalse(render) || render === 'never' || render === 'link' ? `build.render: ${render}` : undefined;
    },
    findAddress: (data) => (text(own(data, 'url')) === undefined ? ['name', 'slug'] : ['whole', 'url']),
    hasAliases: true,
  },
  addresses: { ownsFolder: true, aliasesBeside: true, simplifiesNames: true },
  dialect: { hugo: true, hasDashes: true },
};
