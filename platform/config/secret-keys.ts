import type { Config } from './config-schema.ts';

/** Keys whose values are shown to nobody. Of headers, any may be the one with the key. */
const SECRET_KEYS = [
  'metrics.key',
  'cdn.secret',
  'cdn.headers',
  'events.secret',
  'github_app.private_key',
  'github_app.webhook_secret',
];

/** Returns whether the value at a key, such as `cdn.secret`, is a secret, or contains one. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.some((secret) => key === secret || key.startsWith(`${secret}.`));
}

/** Returns a configuration that may be shown: `(set)` in the place of each secret, and of the password in the URL of the database. */
export function hideSecrets(config: Config): object {
  // Wherever a password ends: in it every character may be found.
  const store = config.store
    .replace(/^(\w+:\/\/[^:@]*):.*@/, '$1:(set)@')
    .replace(/([?&]\w*password=)[^&]*/gi, '$1(set)');
  return hideIn({ ...config, store }, '');
}

function hideIn(section: object, prefix: string): object {
  return Object.fromEntries(
    Object.entries(section).map(([name, value]) => {
      const key = `${prefix}${name}`;
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return [name, hideIn(value, `${key}.`)];
      return [name, isSecretKey(key) && value !== '' ? '(set)' : value];
    }),
  );
}
