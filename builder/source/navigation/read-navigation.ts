import { posix } from 'node:path';
import type { Generator } from '../../model.ts';
import { type Data, map } from '../front-matter-values.ts';
import { readSidebars } from './docusaurus.ts';
import { readJekyllData } from './jekyll.ts';
import { readMkdocs } from './mkdocs.ts';
import type { GeneratorNavigation } from './navigation-items.ts';
import type { ReadFile } from './parse-script.ts';
import { readScript, type ScriptData } from './script-data.ts';
import { readStarlightSidebar } from './starlight.ts';
import { readSummary } from './summary.ts';
import { type PressConfig, readPressSidebars } from './vitepress.ts';

/** Where a generator keeps its pages and its configuration; all folders from the repository's root, with a final `/`, or ''. */
export interface NavigationSite {
  /** Undefined where nothing shows one: a `SUMMARY.md` counts then, too. */
  readonly generator: Generator | undefined;
  /** Folder of its configuration. */
  readonly home: string;
  /** Folder of its pages. */
  readonly content: string;
  /** Folders of languages inside that of the pages, by language key. */
  readonly languageFolders: ReadonlyMap<string, string>;
}

const SCRIPT_ENDINGS = ['ts', 'js', 'mts', 'mjs', 'cjs', 'cts'];

/** Returns the files one of which has a generator's navigation, or leads to it: the first that exists counts. */
export function listNavigationFiles({ generator, home, content }: NavigationSite): readonly string[] {
  const scripts = (name: string): readonly string[] => SCRIPT_ENDINGS.map((ending) => `${home}${name}.${ending}`);
  switch (generator) {
    case 'docusaurus':
      return [...scripts('docusaurus.config'), `${home}siteConfig.js`];
    case 'jekyll':
      return ['navigation', 'nav', 'toc', 'sidebar', 'docs', 'menu'].flatMap((name) =>
        ['yml', 'yaml'].map((ending) => `${home}_data/${name}.${ending}`),
      );
    case 'mkdocs':
      return [`${home}mkdocs.yml`, `${home}mkdocs.yaml`];
    case 'starlight':
      return scripts('astro.config');
    case 'vitepress':
    case 'vuepress':
      return [...scripts(`.${generator}/config`), ...scripts(`.${generator}/config/index`)];
    case 'hugo':
    case 'zola':
      return [];
    case 'mdbook':
    case undefined:
      return [`${content}SUMMARY.md`];
  }
}

/**
 * Reads the navigation that the generator's own files describe, beginning with `file`, one of `listNavigationFiles`. Scripts are
 * read as data and never run. Returns undefined when there is none, so that the folders are the navigation.
 */
export async function readNavigation(
  site: NavigationSite,
  file: string,
  read: ReadFile,
): Promise<GeneratorNavigation | undefined> {
  const { generator, content } = site;
  switch (generator) {
    case 'docusaurus':
      return readDocusaurus(site, file, read);
    case 'jekyll':
      return readJekyllData((await read(file)) ?? '', file);
    case 'mkdocs': {
      const navigation = await readMkdocs((await read(file)) ?? '', file, content);
      const summary = navigation ? undefined : await read(`${content}SUMMARY.md`);
      return summary === undefined ? navigation : readSummary(summary, `${content}SUMMARY.md`);
    }
    case 'starlight': {
      const script = await readScript(file, read);
      return script ? readStarlightSidebar(script) : unreadable(file);
    }
    case 'vitepress':
    case 'vuepress':
      return readPress(site, file, read, generator);
    default:
      return readSummary((await read(file)) ?? '', file);
  }
}

async function readDocusaurus(
  { home, languageFolders }: NavigationSite,
  file: string,
  read: ReadFile,
): Promise<GeneratorNavigation | undefined> {
  const text = (await read(file)) ?? '';
  const folder = posix.dirname(file) === '.' ? '' : `${posix.dirname(file)}/`;
  const named = /\bsidebarPath['"]?\s*:\s*(?:require\.resolve\s*\(\s*)?(?:(['"`])([^'"`$\n]+)\1|(false))/.exec(text);
  if (named?.[3]) return undefined;
  const paths = named
    ? [posix.normalize(`${folder}${named[2]}`)]
    : [...SCRIPT_ENDINGS, 'json'].map((ending) => `${folder}sidebars.${ending}`);
  for (const path of paths) {
    if (path.startsWith('../') || (await read(path)) === undefined) continue;
    const script = await readScript(path, read);
    if (!script) return unreadable(path);
    const messages = new Map<string, Data>();
    for (const [key, folder] of languageFolders) {
      const translated = await readScript(`${home}i18n/${folder}/docusaurus-plugin-content-docs/current.json`, read);
      const data = map(translated?.exported());
      if (data) messages.set(key, data);
    }
    return readSidebars(script, await readScript(file, read), messages);
  }
  return undefined;
}

/** Since its second version, VitePress takes up a configuration in the folder of each language, too. */
async function readPress(
  { content, languageFolders }: NavigationSite,
  file: string,
  read: ReadFile,
  generator: 'vitepress' | 'vuepress',
): Promise<GeneratorNavigation | undefined> {
  const main = await readScript(file, read);
  if (!main) return unreadable(file);
  const configs: PressConfig[] = [{ script: main, languageKey: undefined }];
  if (generator === 'vitepress') {
    const folders = [['', ''] as const, ...[...languageFolders].map(([key, folder]) => [key, `${folder}/`] as const)];
    for (const [languageKey, folder] of folders) {
      const script = await readFirst(
        SCRIPT_ENDINGS.map((ending) => `${content}${folder}config.${ending}`),
        read,
      );
      if (script) configs.push({ script, languageKey });
    }
  }
  return readPressSidebars(configs, generator);
}

async function readFirst(paths: readonly string[], read: ReadFile): Promise<ScriptData | undefined> {
  for (const path of paths) {
    const script = (await read(path)) === undefined ? undefined : await readScript(path, read);
    if (script) return script;
  }
  return undefined;
}

function unreadable(file: string): GeneratorNavigation {
  const message = 'Navigation left out: the script cannot be parsed';
  return { languages: {}, isComplete: false, notes: [{ file, line: 0, message }] };
}
