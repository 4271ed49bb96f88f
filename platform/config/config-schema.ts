import * as z from 'zod';
import {
  type BuildLimits,
  DEFAULT_LIMITS,
  LIMIT_SETTINGS,
  type LimitSetting,
  type LimitValues,
  readLimits,
} from '../../builder/index.ts';
import { CODE_HOST_IDS } from '../code-hosts/code-hosts.ts';
import { parseS3Address } from '../sites/s3/s3-address.ts';
import { billingSchema } from './billing-schema.ts';
import { cdnSchema } from './cdn-schema.ts';
import { origin, scriptAddress, serviceAddress } from './config-urls.ts';
import { count, networks, text } from './config-values.ts';
import { eventsSchema } from './events-schema.ts';
import { LIMIT_NUMBERS } from './limit-settings.ts';

/** How a search engine is queried: `{base}` its URL, `{query}` what is searched for, encoded. */
const queryForm = (usual: string) =>
  z
    .string()
    .trim()
    .max(2000)
    .refine(
      (value) =>
        /^(?:\{base\}|https?:\/\/)/.test(value) &&
        value.includes('{query}') &&
        URL.canParse(value.replaceAll('{base}', 'https://search.example').replaceAll('{query}', 'q')),
      'must begin with {base} or http and contain {query}, such as {base}/search?q={query}',
    )
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
/** A market of the daily image. */
const market = z
  .string()
  .regex(/^[a-z]{2}-[A-Z]{2}$/, 'must be a market such as zh-CN or en-US')
  .default('zh-CN');
/** Path of an IP database, relative to the file; '' = the one that comes with docbuild. */
const database = text.refine((path) => /^$|\.(?:xdb|mmdb)$/i.test(path), 'must be an .xdb or .mmdb file');
const timeZone = z.string().refine(isTimeZone, 'must be a time zone such as UTC or Asia/Shanghai').default('UTC');

/** Code hosts by host names that do not tell what runs there: `git.example.org: gitlab`. */
const codeHosts = z
  .record(z.string(), z.enum(CODE_HOST_IDS, `must be one of ${CODE_HOST_IDS.join(', ')}`))
  .refine((hosts) => Object.keys(hosts).length <= 100, 'must not name more than 100 hosts')
  .refine(
    (hosts) => Object.keys(hosts).every((name) => name !== '' && host.unwrap().safeParse(name).success),
    'must name hosts such as git.example.org, without scheme, port and path',
  )
  .default({});

/** Limits of a build. */
const limits = Object.fromEntries(
  Object.values<LimitSetting>(LIMIT_SETTINGS).map(({ key, usual, most }) => [key, count(1, most, usual)]),
) as Record<keyof LimitValues, ReturnType<typeof count>>;

/** Limits against guessing and floods. */
const floodLimits = Object.fromEntries(
  Object.entries(LIMIT_NUMBERS).map(([key, { least, usual, most }]) => [key, count(least, most, usual)]),
) as Record<keyof typeof LIMIT_NUMBERS, ReturnType<typeof count>>;

/** The configuration file: every key has a default, unknown keys are errors. */
export const configSchema = z.strictObject({
  /** Folder of everything that is stored: store/, cache/, sites/, logs/, hooks/. Relative to the file. */
  base_dir: z.string().trim().min(1, 'must not be empty').max(1000).default('./.docbuild'),
  /** URL of a PostgreSQL database; '' = JSON files below `base_dir`. */
  store: z
    .string()
    .trim()
    .max(2000)
    .regex(
      /^(?:postgres(?:ql)?:\/\/.*)?$/,
      'must be the URL of a PostgreSQL database, such as postgres://docbuild@db.example.org/docbuild',
    )
    .default(''),
  /** Folder of published sites, or URL of a bucket: `s3://bucket?endpoint=…`; '' = `sites/` below `base_dir`. */
  sites: z
    .string()
    .trim()
    .max(2000)
    .superRefine((value, { addIssue }) => {
      if (!value.startsWith('s3:')) return;
      try {
        parseS3Address(value);
      } catch (error) {
        addIssue({ code: 'custom', message: (error as Error).message });
      }
    })
    .default(''),
  timezone: timeZone,
  api: z
    .strictObject({
      host: z.string().trim().min(1, 'must not be empty').max(253).default('127.0.0.1'),
      port: count(0, 65_535, 5000),
      base_url: serviceAddress,
      hub_url: serviceAddress,
      auth_url: serviceAddress,
      docs_api_url: serviceAddress,
      server_static_url: scriptAddress,
      /** How many proxies in front are trusted to report the caller's address. */
      trusted_proxies: count(0, 10, 0),
      /** Addresses and ranges that no block stops. */
      never_blocked: networks,
      /** For how long a server that stops goes on to answer, and says in `/readyz` and `/healthz` that it stops. */
      drain_s: count(0, 60, 0),
    })
    .prefault({}),
  docs: z.strictObject({ domain: host }).prefault({}),
  metrics: z
    .strictObject({
      /** Metrics have an address of their own, and are not at the service's; undefined = they are. */
      port: z
        .int('must be a whole number')
        .min(1, 'must be from 1 to 65535')
        .max(65_535, 'must be from 1 to 65535')
        .optional(),
      host: z.string().trim().min(1, 'must not be empty').max(253).default('127.0.0.1'),
      /** Asked for as `Authorization: Bearer <key>`; '' = programs on this machine may read them, or whoever reaches `port`. */
      key: z
        .string()
        .trim()
        .regex(/^(?:[\x21-\x7e]{16,200})?$/, 'must be 16 to 200 ASCII characters without spaces')
        .default(''),
    })
    .prefault({}),
  probes: z
    .strictObject({
      /** `/livez` and `/readyz` have an address of their own, too; undefined = they have none. A node that only builds answers there alone. */
      port: z
        .int('must be a whole number')
        .min(0, 'must be from 0 to 65535')
        .max(65_535, 'must be from 0 to 65535')
        .optional(),
      host: z.string().trim().min(1, 'must not be empty').max(253).default('127.0.0.1'),
    })
    .prefault({}),
  cdn: cdnSchema,
  events: eventsSchema,
  code_hosts: codeHosts,
  notifications: z
    .strictObject({
      /** Addresses and ranges that notifications may go to besides those of the public internet. */
      allowed: networks,
    })
    .prefault({}),
  builds: z
    .strictObject({
      /** Builds that run at once; undefined = one less than the cores. */
      concurrency: z.int().min(1, 'must be from 1 to 64').max(64, 'must be from 1 to 64').optional(),
      /** Further builds that run at once, as long as each takes at most `quick_s`. */
      quick: count(0, 64, 1),
      quick_s: count(1, 3_600, 5),
      /** For how long a process that is told to stop goes on with the builds that it runs; others begin then what is left. */
      drain_s: count(0, 3_600, 5),
      /** Least distance between two runs of a project's schedule, in minutes. */
      schedule_minutes: count(1, 1_440, 5),
      /** How often repositories are compared with what is published, in minutes, where a project sets nothing else; 0 = never. */
      poll_minutes: count(0, 10_080, 60),
      /** Folder of templates that take the place of docbuild's own, relative to the file; '' = none. */
      templates: text,
      /** Script of extensions that all sites are built with, relative to the file; '' = none. */
      extensions: text,
      ...limits,
    })
    .prefault({}),
  utility: z
    .strictObject({
      alpha: z
        .strictObject({
          /** '' = the engine is not asked: what callers ask for goes to a third party only if the operator says so. */
          base_url: origin,
          json_query: queryForm('{base}/s?wd={query}&rn=10&pn=0&tn=json'),
          html_query: queryForm('{base}/s?wd={query}'),
          /** For one request of a caller, including its wait and both methods. */
          timeout_s: count(1, 120, 8),
          /** Queries that the engine gets at once. */
          concurrency: count(1, 100, 4),
        })
        .prefault({}),
      beta: z
        .strictObject({
          base_url: origin,
          rss_query: queryForm('{base}/search?q={query}&format=rss'),
          html_query: queryForm('{base}/search?q={query}'),
          timeout_s: count(1, 120, 8),
          concurrency: count(1, 100, 4),
        })
        .prefault({}),
      image: z.strictObject({ base_url: origin, market }).prefault({}),
      ip: z
        .strictObject({
          db4: database,
          db6: database,
          /** Language of names, where a database has several. */
          lang: z
            .string()
            .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?$/, 'must be a language such as en or zh-CN')
            .default('zh-CN'),
        })
        .prefault({}),
      /** Requests of one source, an address, for each utility: as many at once, then at that rate. */
      requests_per_minute: z
        .strictObject({
          inclusion: count(1, 1_000_000, 600),
          image: count(1, 1_000_000, 600),
          ip: count(1, 1_000_000, 600),
          crontab: count(1, 1_000_000, 300),
        })
        .prefault({}),
      /** URLs found to be indexed are remembered: for how long, and how many. */
      inclusion: z
        .strictObject({ cache_days: count(0, 3650, 30), cache_entries: count(0, 200_000, 20_000) })
        .prefault({}),
      /** The service's name when it queries search engines. */
      user_agent: z
        .string()
        .trim()
        .regex(/^[\x20-\x7e]{1,300}$/, 'must be 1 to 300 ASCII characters')
        .default('Mozilla/5.0 (compatible; docbuild)'),
      /**
       * Short URLs that a user may make in 24 hours; reductions, and redirects from codes that do not exist, that a source may
       * ask for in a minute.
       */
      short_url: z
        .strictObject({
          per_day: count(0, 1_000_000, 1000),
          reductions_per_minute: count(1, 1_000_000, 120),
          unknown_per_minute: count(1, 1_000_000, 60),
        })
        .prefault({}),
    })
    .prefault({}),
  auth: z
    .strictObject({ registration: z.boolean('must be true or false').default(false), token_days: count(1, 3650, 30) })
    .prefault({}),
  /** Limits against guessing and floods, see `LIMIT_NUMBERS`. */
  limits: z.strictObject(floodLimits).prefault({}),
  billing: billingSchema,
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

/** The operator's settings, with defaults filled in. Units are in the names. */
export type Config = z.infer<typeof configSchema>;

/** Returns the limits of builds in the units of the engine. */
export function readBuildLimits(builds: Config['builds']): BuildLimits {
  return { ...DEFAULT_LIMITS, ...readLimits(({ key }) => builds[key as keyof LimitValues]) };
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
