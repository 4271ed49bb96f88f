import { hash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BuildError } from '../build-error.ts';
import { COMPONENT_NAME, type CodeTheme, type Config, type Extension, listNames } from '../extension.ts';
import { checkLanguages, findBadPattern } from './check-languages.ts';

/** A configuration that is code, of whoever runs the build. It is plain data, so that it can be handed to other processes. */
export interface ConfigFile {
  /** Absolute path. */
  readonly path: string;
  /** Hash of the module, the files beside it that it names, and the packages that it loads. */
  readonly key: string;
}

/** Names of the file in the order in which they are looked for. */
export const CONFIG_NAMES = ['docbuild.config.ts', 'docbuild.config.mts', 'docbuild.config.mjs', 'docbuild.config.js'];

/** Ends that a module may leave out of the names of others, by the rules of `require()`. */
const LEFT_OUT = ['', '.js', '.cjs', '.mjs', '.json', '.ts', '/index.js', '/index.cjs', '/index.json'];

const MAX_FILES = 1_000;
const MAX_BYTES = 50_000_000;

/** Finds the configuration in a folder. */
export function findConfigFile(folder: string): string | undefined {
  return CONFIG_NAMES.map((name) => join(folder, name)).find((path) => existsSync(path));
}

/** Looks at a configuration without running it. Throws `bad-option`. */
export function readConfigFile(given: string): ConfigFile {
  const { path, texts } = collectFiles(given);
  return { path, key: hash('sha1', JSON.stringify([...texts.values()]), 'hex') };
}

/** Returns the absolute paths of the files that decide the key of a configuration. Throws `bad-option`. */
export function listConfigFiles(path: string): readonly string[] {
  return [...collectFiles(path).texts.keys()];
}

function collectFiles(given: string): { readonly path: string; readonly texts: ReadonlyMap<string, string> } {
  const path = resolve(given);
  if (!/\.[cm]?[jt]s$/.test(path)) throw badConfig(`"${given}" must be a script, such as docbuild.config.mjs`);
  if (/ts$/.test(path) && !stripsTypes()) {
    const what = `"${given}" is TypeScript, which Node.js runs from 22.18 on, and this is ${process.version}`;
    throw badConfig(`${what}: write docbuild.config.mjs, whose types an editor checks, too (see docs: extensions)`);
  }
  const seen = new Map<string, string>();
  let bytes = 0;
  visit(path);
  return { path, texts: seen };

  /**
   * Adds a file and everything that it names in a text: modules, and data read at run time, such as the `data.json` of
   * `new URL('data.json', import.meta.url)`. A text that names a file and means something else does no harm.
   */
  function visit(file: string): void {
    if (seen.has(file)) return;
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (cause) {
      throw new BuildError('bad-option', `Cannot read "${file}": ${(cause as Error).message}`, { cause });
    }
    bytes += text.length;
    if (seen.size >= MAX_FILES || bytes > MAX_BYTES) {
      throw badConfig(`"${given}" loads more than ${MAX_FILES} files or ${MAX_BYTES / 1e6} MB; make a package of them`);
    }
    seen.set(file, text);
    const names = /(['"`])(\.{1,2}\/[^'"`\n?#]{1,300}|[\w@][^'"`\n?#:]{0,300}\.\w{1,10})(?:[?#][^'"`\n]{0,300})?\1/g;
    for (const [, , name] of text.matchAll(names)) {
      const ends = name!.startsWith('.') ? LEFT_OUT : [''];
      const target = ends.map((end) => resolve(dirname(file), name! + end)).find(isFile);
      if (target !== undefined) visit(target);
    }
    const packages =
      /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*(['"])((?:@[\w.-]+\/)?[\w.-]+)(?:\/[\w./-]*)?\1/g;
    for (const [, , name] of text.matchAll(packages)) addPackage(dirname(file), name!);
  }

  /** A package is known by its version; one that is linked from elsewhere is being worked on, so its entry counts, too. */
  function addPackage(from: string, name: string): void {
    for (let folder = from; ; folder = dirname(folder)) {
      const place = join(folder, 'node_modules', name, 'package.json');
      if (existsSync(place)) {
        const text = readFileSync(place, 'utf8');
        seen.set(place, text);
        const real = realpathSync(place);
        if (!real.includes('node_modules')) {
          const { exports, module, main = 'index.js' } = JSON.parse(text) as Record<string, unknown>;
          const entry = [exports, module, main].find((value) => typeof value === 'string') as string | undefined;
          const file = entry === undefined ? undefined : resolve(dirname(real), entry);
          if (file !== undefined && isFile(file)) visit(file);
        }
        return;
      }
      if (dirname(folder) === folder) return;
    }
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function stripsTypes(): boolean {
  return Boolean((process.features as { readonly typescript?: unknown }).typescript);
}

function badConfig(message: string): BuildError {
  return new BuildError('bad-option', message);
}

/** Modules are kept by Node.js for as long as a process runs; these are the keys that were loaded from a path. */
const loaded = new Map<string, { readonly key: string; readonly config: Promise<readonly Extension[]> }>();
let isRenewing = false;

/** Runs a configuration and returns its extensions. One that has changed since the process loaded it is loaded again. Throws `bad-option`. */
export function loadConfig(file: ConfigFile | undefined): Promise<readonly Extension[]> {
  if (file === undefined) return Promise.resolve([]);
  const { path, key } = file;
  const known = loaded.get(path);
  if (known?.key === key) return known.config;
  if (known && !isRenewing) {
    register(`data:text/javascript,${encodeURIComponent(RENEW)}`);
    isRenewing = true;
  }
  const config = load(path, key);
  loaded.set(path, { key, config });
  config.catch(() => loaded.delete(path));
  return config;
}

/** Hook of Node.js: what a configuration that is loaded again loads itself is loaded again, too, packages excepted. */
const RENEW = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const key = context.parentURL && URL.canParse(context.parentURL) && new URL(context.parentURL).searchParams.get('docbuild');
  return key && found.url.startsWith('file:') && !found.url.includes('/node_modules/')
    ? { ...found, url: found.url.replace(/#.*$/, '') + (found.url.includes('?') ? '&' : '?') + 'docbuild=' + key }
    : found;
}`;

async function load(path: string, key: string): Promise<readonly Extension[]> {
  let module: Record<string, unknown>;
  const moduleUrl = `${pathToFileURL(path).href}?docbuild=${key}`;
  try {
    module = (await import(moduleUrl)) as Record<string, unknown>;
  } catch (cause) {
    const { message = String(cause), stack = '' } = cause as Partial<Error>;
    const line = stack.split('\n').find((row) => row.includes(path));
    const at = line === undefined ? '' : ` (${line.trim().replace(/^at |\?docbuild=\w+/g, '')})`;
    throw new BuildError('bad-option', `Cannot load "${path}": ${message}${at}`, { cause });
  }
  const extensions = checkConfig(module.default, path);
  for (const extension of extensions.filter(({ languages = [] }) => languages.length > 0)) {
    const problem = await findBadPattern(extension);
    if (problem !== undefined) throw badConfig(`"${path}": extension "${extension.name}": ${problem}`);
  }
  return extensions;
}

const PARTS: Readonly<Record<keyof Extension, (value: unknown) => string | undefined>> = {
  name: (value) =>
    typeof value === 'string' && /^[\w@/.-]{1,60}$/.test(value)
      ? undefined
      : 'must be 1 to 60 letters, digits or signs of "@/.-_"',
  applies: (value) => (value instanceof RegExp ? undefined : 'must be a regular expression'),
  markdown: checkFunction,
  components(value) {
    if (typeof value !== 'object' || value === null) return 'must be functions by their names';
    const bad = Object.entries(value).find(([name, one]) => !COMPONENT_NAME.test(name) || typeof one !== 'function');
    return bad && `has "${bad[0]}": names begin with a capital letter, such as "Price", and their values are functions`;
  },
  transform: checkFunction,
  languages: checkLanguages,
  codeTheme: checkCodeTheme,
  pages: checkFunction,
  beforePublish: checkFunction,
};

function checkFunction(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'must be a function';
}

/** Characters of a theme as JSON. */
const MAX_THEME = 1_000_000;

function checkCodeTheme(value: unknown): string | undefined {
  const pair = Object.entries(Object(value)) as [string, Partial<CodeTheme> | null][];
  if (pair.length === 0 || pair.some(([kind]) => kind !== 'light' && kind !== 'dark'))
    return 'must have "light", "dark" or both, and nothing else';
  for (const [kind, theme] of pair) {
    if (theme === undefined) continue;
    const { colors = {}, tokenColors, settings } = theme ?? {};
    const rules: unknown = tokenColors ?? settings;
    const isRule = (rule: unknown): boolean => typeof rule === 'object' && rule !== null;
    if (!Array.isArray(rules) || !rules.every(isRule))
      return `has no theme as "${kind}": it must be an object with "tokenColors", a list of rules`;
    if (Object.values(Object(colors)).some((colour) => typeof colour !== 'string'))
      return `has no texts in "colors" of "${kind}"`;
    if (JSON.stringify(theme).length > MAX_THEME) return `has more than ${MAX_THEME} characters in "${kind}"`;
  }
  return undefined;
}

/** Checks what a configuration exports. Throws `bad-option`, with what is wrong where. */
function checkConfig(given: unknown, path: string): readonly Extension[] {
  const refuse = (what: string): never => {
    throw badConfig(`"${path}": ${what}`);
  };
  const { extensions, ...others } = (typeof given === 'object' && given !== null ? given : {}) as Partial<Config>;
  if (!Array.isArray(extensions)) refuse('it must export { extensions: [ … ] } as its default');
  const [other] = Object.keys(others);
  if (other !== undefined) refuse(`unknown key "${other}"; there is "extensions"`);
  const names = new Set<string>();
  const languages = new Map<string, string>();
  let painter: string | undefined;
  for (const [at, extension] of (extensions as readonly unknown[]).entries()) {
    if (typeof extension !== 'object' || extension === null)
      refuse(`extension ${at + 1} must be an object with a "name"`);
    const own = extension as Record<string, unknown>;
    const label = typeof own.name === 'string' ? `extension "${own.name}"` : `extension ${at + 1}`;
    const problem = own.name === undefined ? 'must have one' : PARTS.name(own.name);
    if (problem) refuse(`${label}: "name" ${problem}`);
    if (names.has(String(own.name))) refuse(`${label} is there twice`);
    names.add(String(own.name));
    for (const [key, value] of Object.entries(own)) {
      if (!Object.hasOwn(PARTS, key))
        refuse(`${label}: unknown key "${key}"; there are ${Object.keys(PARTS).join(', ')}`);
      const wrong = value === undefined ? undefined : PARTS[key as keyof Extension](value);
      if (wrong !== undefined) refuse(`${label}: "${key}" ${wrong}`);
    }
    if (own.codeTheme !== undefined) {
      if (painter !== undefined) refuse(`${label}: "codeTheme" is there a second time, after extension "${painter}"`);
      painter = String(own.name);
    }
    for (const name of (own as unknown as Extension).languages?.flatMap(listNames) ?? []) {
      const other = languages.get(name);
      if (other !== undefined) refuse(`${label}: "languages" has "${name}" a second time, after extension "${other}"`);
      languages.set(name, String(own.name));
    }
  }
  return extensions as readonly Extension[];
}
