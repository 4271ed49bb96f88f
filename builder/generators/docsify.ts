import { posix } from 'node:path';
import { isAbsoluteUrl, unfoldHashRoute } from '../../lib/url-text.ts';
import { type ConfigScript, parseConfigScript } from '../config/config-script.ts';
import { readableText } from '../config/config-values.ts';
import type { ReadFile } from '../config/parse-script.ts';
import type { GeneratorProfile } from './generator.ts';
import { addRepositoryLink, createSettings, note, type SettingsFormat } from './shared/foreign-settings.ts';
import type { NavItem, NavigationFormat, NavTarget } from './shared/navigation-items.ts';
import { decodeAddress, readSummary } from './shared/summary.ts';

/** Limit of folders whose own sidebar is looked for. */
const MAX_FOLDERS = 100;

/**
 * Docsify: `_sidebar.md`, or what the page that loads it names, of the pages' folder and of languages. Other folders may have one, too, which Docsify shows
 * instead; its entries are placed below the one that links to the folder.
 */
export const sidebars: NavigationFormat = {
  listFiles: ({ home }) => [`${home}index.html`],
  async read(shell, { content, languageFolders }, read) {
    const name = parseDocsifyConfig((await read(shell)) ?? '').findOwnText('loadSidebar') ?? '_sidebar.md';
    const sidebars = [['', ''] as const, ...languageFolders].map(async ([key, folder]) => {
      const sidebar = await readSidebar({ content, name, read }, folder === '' ? '' : `${folder}/`);
      return sidebar && { ...sidebar, key };
    });
    const found = (await Promise.all(sidebars)).filter((sidebar) => sidebar !== undefined);
    if (found.length === 0) return undefined;
    return {
      languages: Object.fromEntries(found.map(({ key, items }) => [key, items])),
      isComplete: found.every(({ isComplete }) => isComplete),
      notes: found.flatMap(({ notes }) => notes),
    };
  },
};

/** Reads the sidebar of a folder, from the content with a final `/`, or ''; undefined when it has none. */
async function readSidebar(
  { content, name, read }: { readonly content: string; readonly name: string; readonly read: ReadFile },
  root: string,
) {
  const seen = new Set<string>();
  return readFolder(root);

  async function readFolder(folder: string) {
    if (seen.has(folder) || seen.size >= MAX_FOLDERS) return undefined;
    seen.add(folder);
    const file = content + folder + name;
    const text = await read(file);
    if (text === undefined) return undefined;
    const { languages, isComplete, notes } = readSummary(text, file, (address) => findTarget(address, folder));
    return { items: await addFolders(languages['']!), isComplete, notes };
  }

  async function addFolders(items: readonly NavItem[]): Promise<readonly NavItem[]> {
    const added: NavItem[] = [];
    for (const item of items) {
      const folder = item.target?.kind === 'address' ? /^\/(.+\/)$/.exec(item.target.path)?.[1] : undefined;
      const inside = folder === undefined || item.children.length > 0 ? undefined : await readFolder(folder);
      const others = inside?.items.filter(({ target }) => target?.path !== item.target?.path);
      added.push({ ...item, children: others ?? (await addFolders(item.children)) });
    }
    return added;
  }
}

/** URLs are relative to the root; Docsify has an option to make those in a folder relative to it. */
function findTarget(address: string, folder: string): NavTarget | undefined {
  if (address === '') return undefined;
  if (isAbsoluteUrl(address)) return { kind: 'address', path: address };
  const path = decodeAddress(unfoldHashRoute(address));
  const isFromRoot = path.startsWith('/') || path.startsWith(folder);
  return { kind: 'address', path: posix.join('/', isFromRoot ? '' : folder, path) };
}

/** The settings in the page that loads it. */
const settings: SettingsFormat = {
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

/** Returns the settings in the page that loads Docsify, `window.$docsify = {…}`. */
function parseDocsifyConfig(html: string): ConfigScript {
  const start = html.indexOf('$docsify');
  const script = start < 0 ? '' : html.slice(start).split(/<\/script/i, 1)[0]!;
  return parseConfigScript(script).findObject('\\$docsify') ?? parseConfigScript('');
}

export const docsify: GeneratorProfile = {
  name: 'Docsify',
  async recognise(folder) {
    const shell = folder.file(/^index\.html$/);
    if (!shell || !folder.file(/\.md$/i)) return undefined;
    // Its only configuration is the page that loads it.
    const isShell = /\$docsify\b|\bdocsify(?:@[\w.-]+)?\/|\bdocsify(?:\.min)?\.js\b/.test(await folder.read(shell));
    return isShell ? { config: shell } : undefined;
  },
  describe({ config }) {
    const script = parseDocsifyConfig(config);
    const base = script.findOwnText('basePath') ?? '';
    const parts = ['loadSidebar', 'loadNavbar', 'coverpage'].flatMap((key) => script.findOwnText(key) ?? []);
    // Pages may come from another server; the local ones are shown then.
    const content = isAbsoluteUrl(base) ? '' : base.replace(/^\/+/, '');
    return { content, bases: [], statics: [content], exclude: parts.filter((name) => /\.md$/i.test(name)) };
  },
  navigation: sidebars,
  settings,
  addresses: { linksFromContent: true },
  dialect: { docsify: true },
};
