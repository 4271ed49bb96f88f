import type { Config } from './config-schema.ts';

/** What is configured, for those who ask when they use it; it may be replaced while the service runs. */
export interface Settings {
  /** Gives the configuration as it counts now. It never changes: who has it keeps it for the work under way. */
  current(): Config;
}

/** What came of a configuration that was read anew; keys as in `docs.domain`. */
export interface Replacement {
  /** Keys whose new values count from now on. */
  readonly changed: readonly string[];
  /** Keys whose new values count after a restart; until then the old ones do. */
  readonly waiting: readonly string[];
}

/** Settings whose owner may replace them. */
export interface ReplaceableSettings extends Settings {
  replace(next: Config): Replacement;
}

/** Keys that count at once, with all below them. What is not among them is used where the service starts. */
const LIVE_KEYS = ['docs', 'builds', 'auth', 'api.trusted_proxies'];

/** Creates settings that begin with this configuration. */
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
      now = {
        ...now,
        docs: next.docs,
        builds: next.builds,
        auth: next.auth,
        api: { ...now.api, trusted_proxies: next.api.trusted_proxies },
      };
      return { changed: keys.filter(isLive), waiting: keys.filter((key) => !isLive(key)) };
    },
  };
}

function isLive(key: string): boolean {
  return LIVE_KEYS.some((live) => key === live || key.startsWith(`${live}.`));
}

/** Gives the values of a configuration by their keys; lists count as one value. */
function flatten(value: object, prefix = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, item] of Object.entries(value)) {
    const key = `${prefix}${name}`;
    if (typeof item !== 'object' || item === null || Array.isArray(item)) found.set(key, JSON.stringify(item) ?? '');
    else for (const [inner, text] of flatten(item, `${key}.`)) found.set(inner, text);
  }
  return found;
}
