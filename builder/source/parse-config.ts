import { parseYaml } from './parse-yaml.ts';

/** A generator's configuration in TOML, YAML or JSON as plain values; empty where it is not readable. */
export interface ConfigData {
  /** Returns the text at a path of keys; their case does not matter, as to Hugo. */
  text(...path: readonly string[]): string | undefined;
  /** Returns whether the value at a path is this truth value. */
  is(value: boolean, ...path: readonly string[]): boolean;
  /** Returns the texts of the list at a path; of a single text, that one. */
  list(...path: readonly string[]): readonly string[];
  /** Returns the keys of the map at a path; of a list of maps or texts, what names them. */
  keys(...path: readonly string[]): readonly string[];
}

const MAX_LENGTH = 500_000;
const MAX_LISTED = 200;

/** Parses a configuration by the ending of its name. */
export async function parseConfig(name: string, text: string): Promise<ConfigData> {
  const data = text.length > MAX_LENGTH ? undefined : await parseData(name, text);
  const at = (path: readonly string[]): unknown =>
    path.reduce<unknown>((value, key) => {
      if (typeof value !== 'object' || value === null) return undefined;
      const own = Object.keys(value).find((other) => other.toLowerCase() === key.toLowerCase());
      return own === undefined ? undefined : (value as Record<string, unknown>)[own];
    }, data);
  const toText = (value: unknown): string | undefined =>
    typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  return {
    text: (...path) => toText(at(path)),
    is: (value, ...path) => at(path) === value,
    list(...path) {
      const value = at(path);
      const items: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_LISTED) : [value];
      return items.map(toText).filter((item) => item !== undefined);
    },
    keys(...path) {
      const value = at(path);
      if (typeof value !== 'object' || value === null) return [];
      if (!Array.isArray(value)) return Object.keys(value).slice(0, MAX_LISTED);
      return value.slice(0, MAX_LISTED).flatMap((item: unknown) => {
        const name = toText(item) ?? (typeof item === 'object' && item !== null ? Object.keys(item)[0] : undefined);
        return name === undefined ? [] : [name];
      });
    },
  };
}

async function parseData(name: string, text: string): Promise<unknown> {
  if (/\.ya?ml$/.test(name)) {
    const yaml = await parseYaml(text, MAX_LENGTH);
    return 'reason' in yaml ? undefined : yaml.data;
  }
  try {
    if (name.endsWith('.json')) return JSON.parse(text);
    const { parse } = await import('smol-toml');
    return parse(text);
  } catch {
    return undefined;
  }
}
