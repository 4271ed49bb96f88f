import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { Generator } from '../../model.ts';
import { isLanguageCode } from '../language-tag.ts';
import { describeMkdocs } from './describe-mkdocs.ts';
import { type ConfigScript, parseConfig, parseConfigScript } from './parse-config.ts';
import { readAliases } from './read-aliases.ts';

/** A generator's site inside a repository: the generator, and the literal values of its configuration. */
export interface GeneratorSite {
  readonly generator: Generator;
  /** Folder of its configuration from the repository's root with a final `/`, or ''. */
  readonly home: string;
  /** Name and text of its configuration; '' if there is none, or if it is not text of reasonable size. */
  readonly configName: string;
  readonly config: string;
  /** Folder of its pages, in the form of `home`; it may not exist. */
  readonly content: string;
  /** Prefixes of the URLs of its pages, the longest first, each with slashes around it: `/guide/`, `/`. */
  readonly bases: readonly string[];
  /** Whether each page has its own folder, to which URLs are relative. */
  readonly hasPageFolders: boolean;
  /** Folders, in the form of `home`, whose files are published at its root. */
  readonly statics: readonly string[];
  /** Aliases for folders in its pages' links and includes, the longest first, each with its folder, in the form of `home`. */
  readonly aliases: readonly (readonly [prefix: string, folder: string])[];
  /** Codes of the languages that it names. */
  readonly languages: readonly string[];
  /** Code of the language of pages without a stated language. */
  readonly defaultLanguage: string | undefined;
  /** Folders of languages, as `home`, where the configuration names them. */
  readonly languageFolders: readonly (readonly [code: string, folder: string])[];
  /** Other folders of pages. */
  readonly mounts: readonly Mount[];
  /** Globs, relative to `content`, of excluded files. */
  readonly exclude: readonly string[];
  /** How its pages are read. */
  readonly reading: PageReading;
}

/** What a configuration decides about the text of pages. */
export interface PageReading {
  /** Folders, in the form of `home`, from which included files are named; the first that has one counts. */
  readonly includeFolders: readonly string[];
  /** Files that are included at the end of each page, as an include names them. */
  readonly appended: readonly string[];
  /** `[text][id]` links to the heading with this id on any page. */
  readonly hasReferences: boolean;
}

/** A folder of pages that is not below the others, or that is shown in another place than its own. */
export interface Mount {
  /** From the repository's root with a final `/`. */
  readonly folder: string;
  /** The place where its pages are shown, from the content, with a final `/`. */
  readonly shown: string;
  /** The name that distinguishes its translations from those of the content. */
  readonly id: string;
}

/** The values read from a configuration; paths are from its folder. */
interface Description {
  readonly content: string;
  readonly bases: readonly (string | undefined)[];
  readonly statics: readonly string[];
  readonly hasPageFolders?: boolean;
  readonly languages?: readonly string[];
  readonly defaultLanguage?: string | undefined;
  readonly languageFolders?: readonly (readonly [string, string])[];
  readonly mounts?: readonly Mount[];
  readonly exclude?: readonly string[];
  readonly includeFolders?: readonly string[];
  readonly appended?: readonly string[];
  readonly hasReferences?: boolean;
}

interface RecognisedSite extends Pick<GeneratorSite, 'generator' | 'home' | 'configName' | 'config'> {
  /** Text of the site's `tsconfig.json`, if its `paths` are aliases. */
  readonly tsconfig?: string | undefined;
  /** Texts of the files from which its configuration inherits, by path from the repository's root. */
  readonly inherited?: ReadonlyMap<string, string> | undefined;
}

/** Reads the locations that a site's configuration sets. */
export async function describeSite(site: RecognisedSite): Promise<GeneratorSite> {
  const { home } = site;
  const said = await READERS[site.generator](site);
  const join = (folder: string): readonly string[] => {
    const joined = joinFolder(home, folder);
    return joined === undefined ? [] : [joined];
  };
  const bases = [...said.bases.map(normalizeBase), '/'];
  return {
    ...site,
    content: join(said.content)[0] ?? home,
    bases: [...new Set(bases)].sort((a, b) => b.length - a.length),
    hasPageFolders: said.hasPageFolders ?? false,
    statics: said.statics.flatMap(join),
    aliases: (await readAliases(site)).flatMap(([prefix, folder]) =>
      join(folder).map((joined) => [prefix, joined] as const),
    ),
    languages: (said.languages ?? []).filter(isLanguageCode),
    defaultLanguage:
      said.defaultLanguage !== undefined && isLanguageCode(said.defaultLanguage) ? said.defaultLanguage : undefined,
    languageFolders: (said.languageFolders ?? []).flatMap(([code, folder]) =>
      isLanguageCode(code) ? join(folder).map((joined) => [code, joined] as const) : [],
    ),
    mounts: (said.mounts ?? []).flatMap(({ folder, shown, id }) => {
      const place = joinFolder('', shown);
      return place ? join(folder).map((joined) => ({ folder: joined, shown: place, id })) : [];
    }),
    exclude: said.exclude ?? [],
    reading: {
      includeFolders: (said.includeFolders ?? []).flatMap(join),
      appended: said.appended ?? [],
      hasReferences: said.hasReferences ?? false,
    },
  };
}

const READERS: Readonly<Record<Generator, (site: RecognisedSite) => Description | Promise<Description>>> = {
  docsify({ config }) {
    const script = parseDocsifyConfig(config);
    const base = script.findOwnText('basePath') ?? '';
    const parts = ['loadSidebar', 'loadNavbar', 'coverpage'].flatMap((key) => script.findOwnText(key) ?? []);
    // Pages may come from another server; the local ones are shown then.
    const content = isAbsoluteUrl(base) ? '' : base.replace(/^\/+/, '');
    return { content, bases: [], statics: [content], exclude: parts.filter((name) => /\.md$/i.test(name)) };
  },
  docusaurus({ config }) {
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
  vitepress({ config }) {
    const content = parseConfigScript(config).findText('srcDir') ?? '';
    const exclude = parseConfigScript(config).findList('srcExclude');
    return {
      ...readLocales(config),
      content,
      statics: [`${content || '.'}/public`, 'public', '.vitepress/public'],
      exclude,
    };
  },
  vuepress: ({ config }) => ({ ...readLocales(config), content: '', statics: ['.vuepress/public', 'public'] }),
  starlight({ config }) {
    const source = parseConfigScript(config).findText('srcDir') ?? 'src';
    return {
      ...readLocales(config),
      content: `${source}/content/docs`,
      statics: ['public', source],
      hasPageFolders: true,
    };
  },
  mkdocs: ({ home, configName, config, inherited }) => {
    const own = home + configName;
    return describeMkdocs(own, async (path) => (path === own ? config : inherited?.get(path)));
  },
  async mdbook({ configName, config }) {
    const data = await parseConfig(configName, config);
    return {
      content: data.text('book', 'src') ?? 'src',
      bases: [data.text('output', 'html', 'site-url')],
      statics: [],
      defaultLanguage: data.text('book', 'language'),
      exclude: ['SUMMARY.md'],
    };
  },
  async hexo({ configName, config }) {
    const data = await parseConfig(configName, config);
    const content = data.text('source_dir') ?? 'source';
    const theme = data.text('theme');
    const languages = data.list('language');
    return {
      content,
      bases: [data.text('root') ?? pathOf(data.text('url'))],
      statics: [content, ...(theme === undefined ? [] : [`themes/${theme}/source`])],
      // The files of a page are in a folder of its name.
      hasPageFolders: data.is(true, 'post_asset_folder'),
      languages,
      defaultLanguage: languages[0],
      exclude: [...data.list('skip_render'), ...data.list('exclude')],
    };
  },
  async hugo({ configName, config }) {
    const data = await parseConfig(configName, config);
    const content = data.text('contentDir') ?? 'content';
    const languages = data.keys('languages');
    return {
      content,
      bases: [pathOf(data.text('baseURL'))],
      statics: ['static', 'assets', ...data.list('staticDir')],
      hasPageFolders: !data.is(true, 'uglyURLs'),
      languages,
      defaultLanguage: data.text('defaultContentLanguage'),
      languageFolders: languages.flatMap((code) => {
        const folder = data.text('languages', code, 'contentDir');
        return folder === undefined ? [] : [[code, folder] as const];
      }),
    };
  },
  async zola({ configName, config }) {
    const data = await parseConfig(configName, config);
    return {
      content: 'content',
      bases: [pathOf(data.text('base_url'))],
      statics: ['static'],
      hasPageFolders: true,
      languages: data.keys('languages'),
      defaultLanguage: data.text('default_language'),
    };
  },
  async jekyll({ configName, config }) {
    const data = await parseConfig(configName, config);
    const content = data.text('source') ?? '';
    const above = data.text('collections_dir');
    const collections = data.keys('collections').filter((name) => name !== 'posts' && /^[\w-]+$/.test(name));
    return {
      content,
      bases: [data.text('baseurl')],
      statics: [content],
      hasPageFolders: [
        data.text('permalink'),
        ...collections.map((name) => data.text('collections', name, 'permalink')),
      ].some((pattern) => /^(?:pretty|.*\/)$/.test(pattern ?? '')),
      languages: data.list('languages'),
      defaultLanguage: data.text('default_lang') ?? data.text('lang'),
      mounts: collections.map((name) => ({ folder: `./${content}/${above ?? ''}/_${name}`, shown: name, id: name })),
      exclude: ['vendor/bundle', 'vendor/cache', 'vendor/gems', 'vendor/ruby', ...data.list('exclude')],
    };
  },
};

/** Reads the languages of VitePress, VuePress and Starlight: an object of locales, the root's under `root` or `/`. */
function readLocales(config: string): Pick<Description, 'bases' | 'languages' | 'defaultLanguage'> {
  const script = parseConfigScript(config);
  const locales = script.findObject('locales')?.listObjects() ?? [];
  const root = locales.find(([key]) => key === 'root' || key === '/')?.[1];
  return {
    bases: [script.findText('base')],
    languages: locales.map(([key]) => key.replace(/^\/|\/$/g, '')),
    // Without an object of locales, only the site's own language remains.
    defaultLanguage:
      root?.findText('lang') ??
      script.findText('defaultLocale') ??
      (locales.length === 0 ? script.findText('lang') : undefined),
  };
}

/** Returns the settings in the page that loads Docsify, `window.$docsify = {…}`. */
export function parseDocsifyConfig(html: string): ConfigScript {
  const start = html.indexOf('$docsify');
  const script = start < 0 ? '' : html.slice(start).split(/<\/script/i, 1)[0]!;
  return parseConfigScript(script).findObject('\\$docsify') ?? parseConfigScript('');
}

/** Joins a folder that a configuration names with its home; undefined when it points outside the repository. */
function joinFolder(home: string, folder: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${home}${folder}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return folder.startsWith('/') ? undefined : parts.map((part) => `${part}/`).join('');
}

function pathOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).pathname : url;
}

function normalizeBase(base: string | undefined): string {
  const inner = (base ?? '').split('/').filter((part) => part !== '' && part !== '.');
  return inner.length === 0 || /[:?#\s]/.test(base!) ? '/' : `/${inner.join('/')}/`;
}
