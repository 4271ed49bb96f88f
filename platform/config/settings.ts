import type { Config } from './config-schema.ts';

/** The configuration, for code that asks when it uses it: it may be replaced while the service runs. */
export interface Settings {
  /** Returns the current configuration, which never changes itself: work in progress keeps the one it began with. */
  current(): Config;
}

/** Keys that a reloaded configuration changed, as in `docs.domain`. */
export interface Replacement {
  /** Keys whose new values apply from now on. */
  readonly changed: readonly string[];
  /** Keys whose new values apply after a restart; until then the old ones do. */
  readonly waiting: readonly string[];
}

/** Settings whose owner may replace them. */
export interface ReplaceableSettings extends Settings {
  replace(next: Config): Replacement;
  /** Takes over some keys only, so that nothing else of a file that somebody is editing takes effect. */
  replaceKeys(next: Config, keys: readonly string[]): Replacement;
}

/** Keys that apply at once, with all below them. All others are used where the service starts. */
const LIVE_KEYS = [
  'docs',
  'builds',
  'auth',
  'billing',
  'api.trusted_proxies',
  'api.never_blocked',
  'api.drain_s',
  'notifications',
  'cdn',
  'limits',
  'utility.short_url',
  'utility.requests_per_minute',
];

/** Creates settings that start with this configuration. */
export function createSettings(first: Config): ReplaceableSettings {
  let now = first;
  return {
    current: () => now,
    replace(next) {
      const before = flatten(now);
      const after = flatten(next);
      const keys = [...new Set([...before.keys(), ...after.keys()])].filter(
        (key) => before.get(key) !== after.get(key),
      );
      now = LIVE_KEYS.reduce((config, key) => copyKey(config, next, key.split('.')), now);
      return { changed: keys.filter(isLive), waiting: keys.filter((key) => !isLive(key)) };
    },
    replaceKeys(next, keys) {
      const changed = keys.filter(isLive);
      now = changed.reduce((config, key) => copyKey(config, next, key.split('.')), now);
      return { changed, waiting: keys.filter((key) => !isLive(key)) };
    },
  };
}

/** Returns an object with the value that another one has at a path. */
function copyKey<T extends object>(to: T, from: T, [name, ...rest]: readonly string[]): T {
  const key = name as keyof T;
  return { ...to, [key]: rest.length === 0 ? from[key] : copyKey(to[key] as object, from[key] as object, rest) };
}

/** Returns the number that a configuration has at a key (`builds.quick`); undefined where it has none. */
export function pickValue(config: Config, key: string): number | undefined {
  const value = key
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], config);
  return typeof value === 'number' ? value : undefined;
}

/** Returns whether a new value of a key applies at once, rather than after a restart. */
export function isLive(key: string): boolean {
  return LIVE_KEYS.some((live) => key === live || key.startsWith(`${live}.`));
}

/** Returns the values of a configuration by their keys; lists count as one value. */
function flatten(value: object, prefix = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, item] of Object.entries(value)) {
    const key = `${prefix}${name}`;
    if (typeof item !== 'object' || item === null || Array.isArray(item)) found.set(key, JSON.stringify(item) ?? '');
    else for (const [inner, text] of flatten(item, `${key}.`)) found.set(inner, text);
  }
  return found;
}
