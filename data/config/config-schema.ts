import { z } from 'zod';

/** An absolute http(s) address without query and fragment, final slashes dropped; '' = not set. */
const origin = z
  .string()
  .trim()
  .max(2000)
  .refine(
    (value) => value === '' || isHttpUrl(value),
    'must be an http or https address such as https://docs.example.org',
  )
  .transform((value) => value.replace(/\/+$/, ''))
  .default('');
const text = z.string().trim().max(10_000).default('');
const count = (least: number, most: number, usual: number) =>
  z
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be a whole number from ${least} to ${most}`)
    .max(most, `must be a whole number from ${least} to ${most}`)
    .default(usual);
const host = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    /^(?:(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)?$/,
    'must be a host name',
  )
  .max(253)
  .default('');
const timeZone = z.string().refine(isTimeZone, 'must be a time zone such as UTC or Asia/Shanghai').default('UTC');

/** The configuration file: every key has a default, unknown keys are errors. */
export const configSchema = z.strictObject({
  /** Folder of everything that is kept: store/, repos/, cache/, sites/, logs/. Relative to the file. */
  base_dir: z.string().trim().min(1, 'must not be empty').max(1000).default('./.docbuild'),
  timezone: timeZone,
  api: z
    .strictObject({
      host: z.string().trim().min(1, 'must not be empty').max(253).default('127.0.0.1'),
      port: count(0, 65_535, 5000),
      base_url: origin,
      hub_url: origin,
      auth_url: origin,
      docs_api_url: origin,
      server_static_url: origin,
      /** How many proxies in front are believed about the caller's address. */
      trusted_proxies: count(0, 10, 0),
    })
    .prefault({}),
  docs: z.strictObject({ domain: host }).prefault({}),
  builds: z
    .strictObject({
      /** Builds that run at once; undefined = one less than the cores. */
      concurrency: z.int().min(1, 'must be from 1 to 64').max(64, 'must be from 1 to 64').optional(),
      timeout_s: count(1, 86_400, 600),
      max_fetch_mb: count(1, 100_000, 500),
      max_files: count(1, 10_000_000, 50_000),
      max_output_mb: count(1, 1_000_000, 1000),
    })
    .prefault({}),
  utility: z
    .strictObject({
      alpha: z
        .strictObject({ base_url: origin, json_query: text, html_query: text, timeout_s: count(1, 120, 8) })
        .prefault({}),
      beta: z
        .strictObject({ base_url: origin, rss_query: text, html_query: text, timeout_s: count(1, 120, 8) })
        .prefault({}),
      image: z.strictObject({ base_url: origin, market: z.string().max(20).default('zh-CN') }).prefault({}),
      ip: z.strictObject({ db4: text, db6: text }).prefault({}),
    })
    .prefault({}),
  auth: z
    .strictObject({ registration: z.boolean('must be true or false').default(false), token_days: count(1, 3650, 30) })
    .prefault({}),
  github_app: z
    .strictObject({
      enabled: z.boolean('must be true or false').default(false),
      app_id: z.union([z.int().transform(String), z.string().trim().max(50)]).default(''),
      private_key: text,
      webhook_secret: text,
      api_url: origin,
    })
    .prefault({}),
});

/** What the operator has set, defaults filled in. Units are in the names. */
export type Config = z.infer<typeof configSchema>;

function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, search, hash, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '' && password === '';
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
