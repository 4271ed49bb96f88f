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
  /** Keys whose new values do not apply, since others are set instead of them. */
  readonly overridden: readonly string[];
}

/** Settings whose owner may replace them. */
export interface ReplaceableSettings extends Settings {
  /** Returns the current configuration as the file says, without numbers that are set instead. */
  configured(): Config;
  replace(next: Config): Replacement;
  /** Takes over some keys only, so that nothing else of a file that somebody is editing takes effect. */
  replaceKeys(next: Config, keys: readonly string[]): Replacement;
  /**
   * Lets numbers hold, by their keys, instead of what the configuration says, and instead of those before. When the service starts,
   * all apply, later those that need no restart. They must be what the configuration accepts, see `checkNumbers`.
   */
  override(numbers: ReadonlyMap<string, number>, options?: { readonly isStart: boolean }): void;
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
  'events',
  'limits',
  'utility.short_url',
  'utility.requests_per_minute',
];

/** Creates settings that start with this configuration. */
export function createSettings(first: Config): ReplaceableSettings {
  let configured = first;
  let numbers: ReadonlyMap<string, number> = new Map();
  let now = first;
  const takeOver = (next: Config, keys: readonly string[]): void => {
    configured = keys.reduce((config, key) => copyKey(config, next, key.split('.')), configured);
    now = putNumbers(configured, numbers);
  };
  return {
    current: () => now,
    configured: () => configured,
    replace(next) {
      const before = flatten(configured);
      const after = flatten(next);
      const keys = [...new Set([...before.keys(), ...after.keys()])].filter(
        (key) => before.get(key) !== after.get(key),
      );
      takeOver(next, LIVE_KEYS);
      const free = keys.filter((key) => !numbers.has(key));
      return {
        changed: free.filter(isLive),
        waiting: free.filter((key) => !isLive(key)),
        overridden: keys.filter((key) => numbers.has(key)),
      };
    },
    replaceKeys(next, keys) {
      const changed = keys.filter(isLive);
      takeOver(next, changed);
      return { changed, waiting: keys.filter((key) => !isLive(key)), overridden: [] };
    },
    override(next, { isStart } = { isStart: false }) {
      const kept = [...numbers].filter(([key]) => !isLive(key));
      numbers = isStart ? next : new Map([...kept, ...[...next].filter(([key]) => isLive(key))]);
      now = putNumbers(configured, numbers);
    },
  };
}

function putNumbers(config: Config, numbers: ReadonlyMap<string, number>): Config {
  return [...numbers].reduce(
    (to, [key, value]) => copyKey(to, nestNumber(key, value) as Config, key.split('.')),
    config,
  );
}

/** Returns the object that has a number at a path (`builds.quick`). */
export function nestNumber(key: string, value: number): object {
  return key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
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

/** Keys of maps whose own keys others choose: one value. */
const MAPS: ReadonlySet<string> = new Set(['code_hosts', 'cdn.headers']);

/** Returns the values of a configuration by their keys, as JSON; lists and maps count as one value. */
export function flatten(value: object, prefix = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, item] of Object.entries(value)) {
    const key = `${prefix}${name}`;
    if (typeof item !== 'object' || item === null || Array.isArray(item) || MAPS.has(key))
      found.set(key, JSON.stringify(item) ?? '');
    else for (const [inner, text] of flatten(item, `${key}.`)) found.set(inner, text);
  }
  return found;
}
