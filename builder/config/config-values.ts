import { decodeHTML } from 'entities';
import { withoutComments } from './config-script.ts';
import { map, text } from './data-values.ts';
import type { Place, ReadFile } from './parse-script.ts';
import { parseYaml } from './parse-yaml.ts';
import { readScript, type ScriptData } from './script-data.ts';
import { COMPUTED } from './script-values.ts';

/** The values of a generator's configuration, with their lines. Keys are found whatever their case, as in Hugo. */
export interface ConfigValues {
  readonly file: string;
  /** Why it has no values, where it cannot be read. */
  readonly problem?: ConfigProblem | undefined;
  /** Returns the value at a path of keys; undefined where there is none, COMPUTED where a script would have to be run. */
  get(...path: Path): unknown;
  /** Returns the text at a path, trimmed; undefined where there is none, or something else. */
  text(...path: Path): string | undefined;
  /** Returns the texts of the list at a path; of a single text, that one. */
  list(...path: Path): readonly string[];
  /** Returns where the value at a path stands. */
  placeOf(...path: Path): Place;
  /** Returns the keys of the map at a path. */
  keys(...path: Path): readonly string[];
  /** Returns the keys of the map at a path, or the names in a list of maps or texts. */
  names(...path: Path): readonly string[];
  /** Returns the number of items of the list at a path; 0 for everything else. */
  count(...path: Path): number;
  /** Returns whether some of what a path leads to is computed. */
  isPartial(...path: Path): boolean;
}

/** The first fault of a file; the line counts from 1, 0 where it is not known. */
interface ConfigProblem {
  readonly reason: string;
  readonly line: number;
}

type Path = readonly (string | number)[];

const MAX_LENGTH = 500_000;
const MAX_ITEMS = 2_000;
const MAX_LISTED = 200;

/** Reads a configuration in TOML, YAML, JSON or JSONC, by the ending of its name. */
export async function readDataConfig(file: string, content: string): Promise<ConfigValues> {
  const fail = (problem: ConfigProblem): ConfigValues =>
    createConfig(file, undefined, { placeOf: () => ({ file, line: 0 }), problem });
  if (content.length > MAX_LENGTH) return fail({ reason: `it has more than ${MAX_LENGTH} characters`, line: 0 });
  // JSON with comments and with commas at the ends of lists; those YAML allows, but no tabs.
  const yaml = file.endsWith('.jsonc') ? withoutComments(content).replaceAll('\t', ' ') : content;
  if (/\.(?:ya?ml|jsonc)$/.test(file)) {
    const parsed = await parseYaml(yaml, MAX_LENGTH, { isLenient: true });
    if ('reason' in parsed) return fail(parsed);
    return createConfig(file, parsed.data, { placeOf: (path) => ({ file, line: parsed.lineOf(path) }) });
  }
  try {
    const data: unknown = file.endsWith('.json') ? JSON.parse(content) : (await import('smol-toml')).parse(content);
    return createConfig(file, data, { placeOf: (path) => ({ file, line: findLine(content, path) }) });
  } catch (error) {
    const { message, line = 0 } = error as Error & { readonly line?: number };
    return fail({ reason: message.split('\n')[0]!, line });
  }
}

/** Reads folders that `tsconfig.json` gives names: `"@assets/*": ["src/assets/*"]`. */
export async function readTsconfigPaths(
  tsconfig: string,
): Promise<readonly (readonly [prefix: string, folder: string])[]> {
  const data = await readDataConfig('tsconfig.jsonc', tsconfig);
  const base = data.text('compilerOptions', 'baseUrl') ?? '.';
  return data.names('compilerOptions', 'paths').flatMap((name) => {
    const [target = ''] = data.list('compilerOptions', 'paths', name);
    const isFolder = /^[^.].*\/\*$/.test(name) && target.endsWith('/*') && !target.startsWith('/');
    return isFolder ? [[name.slice(0, -1), `${base}/${target.slice(0, -1)}`] as const] : [];
  });
}

/** Reads a configuration in a script, which is not run. `select` returns the part that is meant; default: what it exports. */
export async function readScriptConfig(
  file: string,
  read: ReadFile,
  select: (script: ScriptData) => unknown = (script) => script.exported(),
): Promise<ConfigValues | undefined> {
  const script = await readScript(file, read);
  if (!script) return undefined;
  const data = select(script);
  return createConfig(file, data, {
    placeOf: (path) => placeInScript(script, data, path),
    isPartial: (value) => script.isPartial(value),
  });
}

/** Creates the values of a configuration from plain data; `isPartial` tells maps and lists of which parts are computed. */
export function createConfig(
  file: string,
  data: unknown,
  known: {
    readonly placeOf: (path: Path) => Place;
    readonly isPartial?: (value: object) => boolean;
    readonly problem?: ConfigProblem;
  },
): ConfigValues {
  const get = (...path: Path): unknown => follow(data, path);
  return {
    file,
    problem: known.problem,
    get,
    text: (...path) => written(get(...path)),
    list(...path) {
      const value = get(...path);
      const items: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_LISTED) : [value];
      return items.map(written).filter((item) => item !== undefined);
    },
    placeOf: (...path) => known.placeOf(path),
    keys: (...path) => Object.keys(map(get(...path)) ?? {}).slice(0, MAX_ITEMS),
    names(...path) {
      const value = get(...path);
      if (!Array.isArray(value)) return Object.keys(map(value) ?? {}).slice(0, MAX_LISTED);
      return value
        .slice(0, MAX_LISTED)
        .map((item: unknown) => written(item) ?? Object.keys(map(item) ?? {})[0])
        .filter((name) => name !== undefined);
    },
    count(...path) {
      const value = get(...path);
      return Array.isArray(value) ? Math.min(value.length, MAX_ITEMS) : 0;
    },
    isPartial(...path) {
      const value = get(...path);
      return value === COMPUTED || (typeof value === 'object' && value !== null && known.isPartial?.(value) === true);
    },
  };
}

/** Returns a trimmed text; undefined for numbers and truths, too, which no path or URL is. */
function written(value: unknown): string | undefined {
  return typeof value === 'string' ? text(value) : undefined;
}

function follow(data: unknown, path: Path): unknown {
  let value = data;
  for (const key of path) {
    if (value === COMPUTED) return COMPUTED;
    if (typeof value !== 'object' || value === null) return undefined;
    const name = String(key);
    const own = Object.hasOwn(value, name)
      ? name
      : Array.isArray(value)
        ? undefined
        : Object.keys(value).find((other) => other.toLowerCase() === name.toLowerCase());
    value = own === undefined ? undefined : (value as Record<string, unknown>)[own];
  }
  return value;
}

function placeInScript(script: ScriptData, data: unknown, path: Path): Place {
  let place: Place = { file: script.file, line: 0 };
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) break;
    place = script.placeOf(value, key);
    value = follow(value, [key]);
  }
  return place;
}

/** Characters of a key that is looked for; a pattern cannot be of any length. */
const MAX_NAME = 1_000;

/** Returns the line of the last key of a path that stands in a TOML or JSON text, by its looks; 0 if none does. */
function findLine(content: string, path: Path): number {
  const lines = content.split('\n');
  for (const key of path.filter((part) => typeof part === 'string').toReversed()) {
    if (key.length > MAX_NAME) continue;
    const name = key.replace(/[^\w-]/g, '\\$&');
    const pattern = new RegExp(`^\\s*(?:["']?${name}["']?\\s*[=:]|\\[+(?:.*[."'\\s])?${name}["']?\\s*[.\\]])`, 'i');
    const at = lines.findIndex((line) => pattern.test(line));
    if (at >= 0) return at + 1;
  }
  return 0;
}

/** Returns a text as readers see it: without HTML and character references, on one line. */
export function readableText(value: unknown): string | undefined {
  const withoutTags = text(value)
    ?.slice(0, 5_000)
    .replace(/<[^<>]*>/g, '');
  return text(decodeHTML(withoutTags ?? '').replace(/\s+/g, ' '));
}
