import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import type * as z from 'zod';
import { DataError } from '../../data/data-error.ts';
import { type Config, configSchema } from './config-schema.ts';
import { findHomeFolder } from './home-folder.ts';

/** A configuration and where it comes from. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file, or undefined when there is none and all is default. */
  readonly file: string | undefined;
  /** `base_dir` as an absolute path. */
  readonly baseDir: string;
}

/** The file's name in the working folder and, with a dot before it, in the home folder. */
const CONFIG_NAME = 'docbuild.yml';

/**
 * Reads the configuration: the file that is named, else `./docbuild.yml`, else `~/.docbuild.yml`, else defaults. Throws
 * DataError `not-found` for a named file that does not exist, `invalid` for one that cannot be used. `mayBeEmpty`: whether a
 * file without any key means all defaults; `{}` always does.
 */
export function readConfig(named: string | undefined, cwd: string, { mayBeEmpty = true } = {}): LoadedConfig {
  const candidates = named === undefined ? listUsualFiles(cwd) : [resolve(cwd, named)];
  const file = candidates.find((path) => existsSync(path));
  if (file === undefined && named !== undefined) {
    throw new DataError('not-found', `Configuration "${named}" does not exist; "docbuild init" writes one`);
  }
  const text = file === undefined ? '' : readText(file);
  const config = parseConfig(text, file ?? CONFIG_NAME, { mayBeEmpty: mayBeEmpty || file === undefined });
  return { config, file, baseDir: resolve(file === undefined ? cwd : dirname(file), config.base_dir) };
}

/** Returns where a configuration is looked for, in this order. */
function listUsualFiles(cwd: string): readonly string[] {
  const home = findHomeFolder();
  return [join(cwd, CONFIG_NAME), ...(home === undefined ? [] : [join(home, `.${CONFIG_NAME}`)])];
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DataError('invalid', `Cannot read configuration "${file}": ${(cause as Error).message}`, { cause });
  }
}

/** Longest configuration in characters. */
const MAX_LENGTH = 100_000;

/**
 * Parses a configuration file's text (YAML). Throws DataError `invalid` that names file, line and key for text that is not
 * YAML, unknown keys and values of the wrong kind. Keys without a value (`domain: `) count as not set.
 */
export function parseConfig(yaml: string, file: string, { mayBeEmpty = true } = {}): Config {
  if (yaml.length > MAX_LENGTH) throw fail(file, 1, `it has more than ${MAX_LENGTH} characters`);
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error) {
    // Something missing at the end is reported where the text ends, not on the empty line below.
    const at = Math.min(error.pos[0], Math.max(0, yaml.trimEnd().length - 1));
    throw fail(file, lines.linePos(at).line, error.message.split('\n')[0]!);
  }
  const written: unknown = document.toJS({ maxAliasCount: 10 });
  if (!mayBeEmpty && (written === null || written === undefined))
    throw fail(file, 1, 'it has no key; "{}" means all defaults');
  const data = withoutEmpty(written ?? {});
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw fail(file, 1, 'it must be a map of keys to values, such as "timezone: UTC"');
  }
  const result = configSchema.safeParse(data);
  if (result.success) return result.data;
  const { issues } = result.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!;
  const path = [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])];
  const line = lines.linePos(findStart(document.contents, path)).line;
  throw fail(file, line, describe(issue, path.join('.')));
}

function describe(issue: z.core.$ZodIssue, key: string): string {
  if (issue.code === 'unrecognized_keys') return `unknown key "${key}"`;
  return `key "${key}": ${issue.message.replace(/^Invalid input: /, '')}`;
}

/** Drops keys without a value, so that they get their default. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutEmpty(item)]));
}

/** Returns the place of a key in the text, or of the nearest one above it. */
function findStart(root: Node | null, path: readonly PropertyKey[]): number {
  let start = 0;
  let node: unknown = root;
  for (const key of path) {
    const pair = isMap(node) ? node.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
    if (!pair) return start;
    start = (pair.key as Node).range?.[0] ?? start;
    node = pair.value;
  }
  return start;
}

function fail(file: string, line: number, message: string): DataError {
  return new DataError('invalid', `Cannot use configuration "${file}", line ${line}: ${message}`);
}
