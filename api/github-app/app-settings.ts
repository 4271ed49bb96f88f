import type { Config } from '../../../platform/config/config-schema.ts';

/** What the GitHub App signs in with. */
export interface AppSettings {
  readonly appId: string;
  /** PEM, PKCS#1 or PKCS#8. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** Address of the API, no slash at its end. */
  readonly apiUrl: string;
}

const PUBLIC_API = 'https://api.github.com';

/** Returns the settings of the App, or, when it is not set up, why not. */
export function findAppSettings(config: Config['github_app']): AppSettings | { readonly missing: string } {
  if (!config.enabled) return { missing: '"github_app.enabled" is false' };
  const required = ['app_id', 'private_key', 'webhook_secret'] as const;
  const missing = required.filter((key) => config[key] === '').map((key) => `"github_app.${key}"`);
  if (missing.length > 0) return { missing: `${missing.join(', ')} not set` };
  return {
    appId: config.app_id,
    privateKey: config.private_key,
    webhookSecret: config.webhook_secret,
    apiUrl: config.api_url === '' ? PUBLIC_API : config.api_url,
  };
}

/** Returns the address that repositories of an API have: an own server's API is at `/api/v3` of its host. */
export function webOrigin(apiUrl: string): string {
  const { origin, pathname } = new URL(apiUrl);
  return pathname.startsWith('/api/v3') ? origin : 'https://github.com';
}
