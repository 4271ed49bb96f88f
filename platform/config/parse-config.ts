import { isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import { DataError } from '../../data/data-error.ts';
import { type Config, configSchema } from './config-schema.ts';

/** Longest configuration in characters. */
const MAX_LENGTH = 100_000;

/**
 * Reads a configuration file's text (YAML). Throws DataError `invalid` that names file, line and key for text that is
 * no YAML, unknown keys and values of the wrong kind. Keys without a value (`domain: `) count as not set.
 */
export function parseConfig(yaml: string, file: string): Config {
  if (yaml.length > MAX_LENGTH) throw fail(file, 1, `it has more than ${MAX_LENGTH} characters`);
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error) {
    // What is missing at the end is missed where the text ends, not on the empty line below.
    const at = Math.min(error.pos[0], Math.max(0, yaml.trimEnd().length - 1));
    throw fail(file, lines.linePos(at).line, error.message.split('\n')[0]!);
  }
  const data = withoutEmpty(document.toJS({ maxAliasCount: 10 }) ?? {});
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

/** Drops keys without a value, so that they take their default. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutEmpty(item)]));
}

/** Gives where a key stands, or the nearest one above it. */
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
