import { decodeHTML } from 'entities';
import type { Place, ReadFile } from '../navigation/parse-script.ts';
import { COMPUTED, readScript, type ScriptData } from '../navigation/script-data.ts';
import { map, text } from '../text/data-values.ts';
import { parseYaml } from '../text/parse-yaml.ts';

/** The values of a generator's configuration, with their lines. */
export interface ConfigValues {
  readonly file: string;
  /** Returns the value at a path of keys; undefined where there is none, COMPUTED where a script would have to be run. */
  get(...path: readonly (string | number)[]): unknown;
  /** Returns where the value at a path stands. */
  placeOf(...path: readonly (string | number)[]): Place;
  /** Returns the keys of the map at a path. */
  keys(...path: readonly (string | number)[]): readonly string[];
  /** Returns the number of items of the list at a path; 0 for everything else. */
  count(...path: readonly (string | number)[]): number;
  /** Returns whether some of what a path leads to is computed. */
  isPartial(...path: readonly (string | number)[]): boolean;
}

const MAX_LENGTH = 500_000;
const MAX_ITEMS = 2_000;

/** Reads a configuration in YAML, TOML or JSON. Returns the reason if it cannot be read. */
export async function readDataConfig(
  file: string,
  content: string,
): Promise<ConfigValues | { readonly reason: string; readonly line: number }> {
  if (content.length > MAX_LENGTH) return { reason: `it has more than ${MAX_LENGTH} characters`, line: 0 };
  if (/\.ya?ml$/.test(file)) {
    const parsed = await parseYaml(content, MAX_LENGTH, { isLenient: true });
    if ('reason' in parsed) return parsed;
    return createConfig(file, parsed.data, { placeOf: (path) => ({ file, line: parsed.lineOf(path) }) });
  }
  try {
    const { parse } = await import('smol-toml');
    const data: unknown = file.endsWith('.json') ? JSON.parse(content) : parse(content);
    return createConfig(file, data, { placeOf: (path) => ({ file, line: findLine(content, path) }) });
  } catch (error) {
    return { reason: (error as Error).message.split('\n')[0]!, line: (error as { line?: number }).line ?? 0 };
  }
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
    readonly placeOf: (path: readonly (string | number)[]) => Place;
    readonly isPartial?: (value: object) => boolean;
  },
): ConfigValues {
  const get = (...path: readonly (string | number)[]): unknown => follow(data, path);
  return {
    file,
    get,
    placeOf: (...path) => known.placeOf(path),
    keys: (...path) => Object.keys(map(get(...path)) ?? {}).slice(0, MAX_ITEMS),
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

/** Keys of maps are found whatever their case, as in Hugo. */
function follow(data: unknown, path: readonly (string | number)[]): unknown {
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

function placeInScript(script: ScriptData, data: unknown, path: readonly (string | number)[]): Place {
  let place: Place = { file: script.file, line: 0 };
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) break;
    place = script.placeOf(value, key);
    value = follow(value, [key]);
  }
  return place;
}

/** Returns the line of the last key of a path that stands in a TOML or JSON text, by its looks; 0 if none does. */
function findLine(content: string, path: readonly (string | number)[]): number {
  const lines = content.split('\n');
  for (const key of path.filter((part) => typeof part === 'string').toReversed()) {
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
