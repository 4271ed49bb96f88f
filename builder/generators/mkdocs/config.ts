import { posix } from 'node:path';
import { append } from '../../../lib/append.ts';
import { type Data, map, own, text } from '../../config/data-values.ts';
import { parseYaml, type YamlDocument } from '../../config/parse-yaml.ts';

/** Longest configuration, in characters. */
const MAX_LENGTH = 1_000_000;
/** Longest chain of configurations that inherit from each other. */
const MAX_FILES = 10;

/** A place in a configuration; `file` counts from the repository's root, `line` from 1, 0 = the whole file. */
interface ConfigPlace {
  readonly file: string;
  readonly line: number;
}

/** The values of a `mkdocs.yml` together with those that it inherits. */
export interface MkdocsConfig {
  readonly data: Data;
  /** Returns where the value at a path of keys stands. */
  placeOf(path: readonly PropertyKey[]): ConfigPlace;
  /** Parts of the files that count for nothing. */
  readonly notes: readonly (ConfigPlace & { readonly message: string })[];
  /** Keys whose values are the defaults of values from the environment. */
  readonly environment: readonly (ConfigPlace & { readonly key: string })[];
}

/** Why a `mkdocs.yml` cannot be read. */
export interface MkdocsProblem extends ConfigPlace {
  readonly reason: string;
}

/**
 * Reads a `mkdocs.yml` as Python does: of keys that are written twice the last one counts, values from the environment are
 * their defaults, and `INHERIT` names a file whose values count where this one has none. `read` returns the text of a file.
 */
export async function readMkdocsConfig(
  file: string,
  read: (path: string) => Promise<string | undefined>,
): Promise<MkdocsConfig | MkdocsProblem> {
  const layers: { readonly file: string; readonly data: Data; readonly lineOf: YamlDocument['lineOf'] }[] = [];
  const notes: (ConfigPlace & { readonly message: string })[] = [];
  const environment: (ConfigPlace & { readonly key: string })[] = [];
  let next: string | undefined = file;
  let from: ConfigPlace = { file, line: 0 };
  while (next !== undefined) {
    const path: string = next;
    next = undefined;
    const content = await read(path);
    const isAgain = layers.some((layer) => layer.file === path) || layers.length >= MAX_FILES;
    if (content === undefined || isAgain) {
      const reason = isAgain ? 'the files inherit from each other without end' : 'there is no such file';
      if (layers.length > 0) notes.push({ ...from, message: `"INHERIT" is not followed to "${path}": ${reason}` });
      continue;
    }
    const parsed = await parseYaml(content, MAX_LENGTH, { isLenient: true });
    if ('reason' in parsed) {
      if (layers.length === 0) return { file: path, line: parsed.line, reason: parsed.reason };
      notes.push({ file: path, line: parsed.line, message: `The file is not valid YAML: ${parsed.reason}` });
      continue;
    }
    const data = map(parsed.data) ?? {};
    layers.push({ file: path, data, lineOf: parsed.lineOf });
    for (const { key, line, lastLine } of parsed.repeated) {
      const message = `Key "${key}" is written again in line ${lastLine}, and only the last one counts: remove one of them`;
      notes.push({ file: path, line, message });
    }
    append(
      environment,
      parsed.environment.map((found) => ({ ...found, file: path })),
    );
    const inherited = text(own(data, 'INHERIT'));
    from = { file: path, line: parsed.lineOf(['INHERIT']) };
    if (inherited !== undefined) next = joinPath(path, inherited);
  }
  return {
    data: layers.map((layer) => layer.data).reduceRight((above, data) => merge(above, data), {}),
    placeOf(path) {
      const layer = layers.find(({ data }) => hasPath(data, path)) ?? layers[0];
      return layer === undefined ? { file, line: 0 } : { file: layer.file, line: layer.lineOf(path) };
    },
    notes,
    environment,
  };
}

/** Returns the file that `INHERIT` names; one outside the repository is never found. */
function joinPath(file: string, inherited: string): string {
  return posix.join(posix.dirname(file), inherited);
}

/** Returns values with those of `data` before the ones above; maps are joined, everything else is replaced. */
function merge(above: Data, data: Data): Data {
  const merged = new Map(Object.entries(above));
  for (const [key, value] of Object.entries(data)) {
    const [one, other] = [map(merged.get(key)), map(value)];
    merged.set(key, one && other ? merge(one, other) : value);
  }
  return Object.fromEntries(merged);
}

function hasPath(data: Data, path: readonly PropertyKey[]): boolean {
  let value: unknown = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return true;
}
