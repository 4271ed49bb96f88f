import type { Generator } from '../../model.ts';
import { parseConfig, parseConfigScript, splitParts } from './parse-config.ts';

/** A name that stands for a folder where a path begins with it: `@assets/`; the folder counts from the home of the site. */
type Alias = readonly [prefix: string, folder: string];

/** Names that a generator knows by itself. */
const ALIASES: Readonly<Partial<Record<Generator, readonly Alias[]>>> = {
  docusaurus: [['@site/', '']],
  starlight: [
    ['~/', 'src'],
    ['@/', 'src'],
  ],
  vuepress: [
    ['@source/', ''],
    ['@theme/', '.vuepress/theme'],
    ['@vuepress/', '.vuepress'],
  ],
  zola: [['@/', 'content']],
};
const MAX_ALIASES = 100;

/**
 * Returns the names of folders that a site's generator and its configuration define, the longest first; of several folders
 * for one name the first that has a file counts. Scripts are scanned, never run.
 */
export async function readAliases(site: {
  readonly generator: Generator;
  readonly configName: string;
  readonly config: string;
  readonly tsconfig?: string | undefined;
}): Promise<readonly Alias[]> {
  const { generator, tsconfig } = site;
  const own = ALIASES[generator] ?? [];
  const named = tsconfig === undefined ? [] : await readPaths(tsconfig);
  const bundled = generator === 'vuepress' || generator === 'vitepress' ? readBundlerAliases(site) : [];
  const all = [...named, ...bundled, ...own];
  // For webpack, `~` marks what is not relative.
  const marked = generator === 'vuepress' ? all.map(([prefix, folder]): Alias => [`~${prefix}`, folder]) : [];
  return [...all, ...marked].sort(([one], [other]) => other.length - one.length);
}

/** Reads folders that `tsconfig.json` gives names: `"@assets/*": ["src/assets/*"]`. */
async function readPaths(tsconfig: string): Promise<readonly Alias[]> {
  const data = await parseConfig('tsconfig.jsonc', tsconfig);
  const base = data.text('compilerOptions', 'baseUrl') ?? '.';
  return data.keys('compilerOptions', 'paths').flatMap((name) => {
    const [target = ''] = data.list('compilerOptions', 'paths', name);
    const isFolder = /^[^.].*\/\*$/.test(name) && target.endsWith('/*') && !target.startsWith('/');
    return isFolder ? [[name.slice(0, -1), `${base}/${target.slice(0, -1)}`] as const] : [];
  });
}

const STRING = /'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$]*)`/.source;
/** `'@a': value`, and `a: value`. */
const ENTRY = new RegExp(`^(?:([@~$\\w-]+)|${STRING})\\s*:`);
/** `{ find: '@a', replacement: value }` of Vite. */
const PAIR = new RegExp(
  `\\bfind\\s{0,20}:\\s{0,20}(?:${STRING})\\s{0,20},\\s{0,20}replacement\\s{0,20}:([^{}]{1,500})`,
  'g',
);
/** `path.replace(/^@src/, value)`, as VuePress' documentation resolves the paths of included code. */
const REPLACED = /\.replace\(\s{0,20}\/\^(@[\w-]{0,50})(?:\\?\/)?\/\w?\s{0,20},([^{};]{1,500})/g;

/** Reads `alias` of webpack, Vite and VuePress, and what replaces the beginning of paths of included code. */
function readBundlerAliases({
  generator,
  configName,
  config,
}: {
  readonly generator: Generator;
  readonly configName: string;
  readonly config: string;
}): readonly Alias[] {
  if (!/\balias\b|handleImportPath/.test(config)) return [];
  const script = parseConfigScript(config);
  const found: (readonly [name: string, value: string])[] = [];
  for (const part of splitParts(script.findObject('alias')?.text ?? '', MAX_ALIASES)) {
    const [head, ...names] = ENTRY.exec(part) ?? [''];
    const name = names.find((text) => text !== undefined);
    if (name !== undefined) found.push([name, part.slice(head.length)]);
  }
  for (const [, single, double, template, value] of script.text.matchAll(PAIR)) {
    found.push([(single ?? double ?? template)!, value!]);
  }
  for (const [, name, value] of script.text.matchAll(REPLACED)) found.push([name!, splitParts(value!, 1)[0] ?? '']);
  // A configuration of several files stands in a folder of its own.
  const folder = `.${generator}/${configName.startsWith('index.') ? 'config/' : ''}`;
  return found.slice(0, MAX_ALIASES).flatMap(([written, value]) => {
    const name = written.replace(/\/$/, '');
    return /^\.{0,2}$/.test(name) ? [] : readFolders(value, folder).map((path): Alias => [`${name}/`, path]);
  });
}

/** Returns the folders that an expression may mean: texts, perhaps joined to the folder of the script. */
function readFolders(expression: string, folder: string): readonly string[] {
  const source = expression.replace(/require\(\s*["'](?:node:)?(?:path|url)["']\s*\)/g, '');
  const isFromScript = /__dirname|import\.meta/.test(source);
  const texts = [...source.replace(/\$\{__dirname\}/g, '').matchAll(new RegExp(STRING, 'g'))].slice(0, 10);
  if (texts.length === 0) return [];
  const path = texts.map(([, single, double, template]) => single ?? double ?? template).join('/');
  if (isFromScript) return [folder + path];
  // Others count from the folder in which the command runs: that of the pages, or the one above.
  return path.startsWith('/') ? [] : [path, `../${path}`];
}
