import { BuildError } from './build-error.ts';

/** Limits on what a repository may make of a build. */
export interface BuildLimits {
  readonly timeoutMs: number;
  readonly maxFetchBytes: number;
  /** Files in the source folder of one version. */
  readonly maxFiles: number;
  /** Levels of folders below the source folder. */
  readonly maxDepth: number;
  /** Bytes of one page, and of any other text that is looked into. */
  readonly maxPageBytes: number;
  /** Bytes of one image or download. */
  readonly maxFileBytes: number;
  /** Bytes of a site, each distinct file counted once. */
  readonly maxOutputBytes: number;
  readonly maxCacheBytes: number;
}

/** How a limit is set, and what it is without being set. */
export interface LimitSetting {
  /** Option of `docbuild site`. */
  readonly option: `--${string}`;
  /** Key below `builds:` in the configuration. */
  readonly key: string;
  readonly unit: 's' | 'MB' | 'files' | 'levels';
  readonly usual: number;
  /** The largest value that may be set; the least is 1. */
  readonly most: number;
  /** The limited thing, to follow "the limit for". */
  readonly subject: string;
}

/** All limits that may be set, in the order in which a build meets them. */
export const LIMIT_SETTINGS = {
  timeoutMs: { option: '--timeout', key: 'timeout_s', unit: 's', usual: 600, most: 86_400, subject: 'one build' },
  maxFetchBytes: {
    option: '--max-fetch',
    key: 'max_fetch_mb',
    unit: 'MB',
    usual: 500,
    most: 100_000,
    subject: 'one fetch',
  },
  maxFiles: {
    option: '--max-files',
    key: 'max_files',
    unit: 'files',
    usual: 50_000,
    most: 10_000_000,
    subject: 'one version',
  },
  maxDepth: {
    option: '--max-depth',
    key: 'max_depth',
    unit: 'levels',
    usual: 64,
    most: 350,
    subject: 'nested folders',
  },
  maxPageBytes: { option: '--max-page', key: 'max_page_mb', unit: 'MB', usual: 5, most: 100, subject: 'a page' },
  maxFileBytes: { option: '--max-file', key: 'max_file_mb', unit: 'MB', usual: 50, most: 1_000, subject: 'a file' },
  maxOutputBytes: {
    option: '--max-output',
    key: 'max_output_mb',
    unit: 'MB',
    usual: 1_000,
    most: 1_000_000,
    subject: 'a site',
  },
  maxCacheBytes: {
    option: '--max-cache',
    key: 'max_cache_mb',
    unit: 'MB',
    usual: 500,
    most: 1_000_000,
    subject: 'cached pages',
  },
} as const satisfies Readonly<Record<keyof BuildLimits, LimitSetting>>;

export type LimitValues = { readonly [Name in keyof BuildLimits as (typeof LIMIT_SETTINGS)[Name]['key']]: number };

const NAMES = Object.keys(LIMIT_SETTINGS) as (keyof BuildLimits)[];
/** Factors from each unit to the engine's own. */
export const SCALES: Readonly<Record<LimitSetting['unit'], number>> = { s: 1_000, MB: 1e6, files: 1, levels: 1 };

export const DEFAULT_LIMITS: BuildLimits = readLimits(({ usual }) => usual) as BuildLimits;

/** Returns limits from what is set for each, in its unit; those of which nothing is set are absent. */
export function readLimits(find: (setting: LimitSetting) => number | undefined): Partial<BuildLimits> {
  const values = NAMES.map((name) => {
    const setting: LimitSetting = LIMIT_SETTINGS[name];
    const value = find(setting);
    return [name, value === undefined ? undefined : value * SCALES[setting.unit]] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Returns a whole number from 1 on. Throws `bad-option`. */
export function parseCount(text: string, most: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= 1 && count <= most) return count;
  throw new BuildError('bad-option', `It must be a whole number from 1 to ${most}`);
}
