import { parseConfigScript, splitParts } from '../../config/config-script.ts';
import type { Alias, ConfiguredSite } from '../generator.ts';

const MAX_ALIASES = 100;
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

/**
 * Reads `alias` of webpack, Vite and VuePress, and what replaces the beginning of paths of included code; `folder` is that of the
 * configuration, from the home. Scripts are scanned, never run.
 */
export function readBundlerAliases({ configName, config }: ConfiguredSite, folder: string): readonly Alias[] {
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
  const own = `${folder}/${configName.startsWith('index.') ? 'config/' : ''}`;
  return found.slice(0, MAX_ALIASES).flatMap(([written, value]) => {
    const name = written.replace(/\/$/, '');
    return /^\.{0,2}$/.test(name) ? [] : readFolders(value, own).map((path): Alias => [`${name}/`, path]);
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
