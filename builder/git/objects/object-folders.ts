import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inflateSync } from 'node:zlib';
import { hasCode } from '../../../lib/system-error.ts';
import { FormatError } from './pack-entry.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** An object of a repository. Its bytes may be cached and must not be changed. */
export interface RawObject {
  readonly type: ObjectType;
  readonly bytes: Buffer;
}

export function hashObject({ type, bytes }: RawObject): string {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Returns an object folder and those it borrows from (`git clone --shared` or `--reference`), nearest first. */
export function findObjectFolders(objects: string): readonly string[] {
  const found = new Set<string>();
  const visit = (folder: string, depth: number) => {
    if (found.has(folder) || depth > 5) return; // git, too, follows five levels
    found.add(folder);
    const text = orElse('', () => readFileSync(join(folder, 'info/alternates'), 'utf8'));
    for (const line of text.split(/\r?\n/)) {
      if (line !== '' && !line.startsWith('#')) visit(resolve(folder, line), depth + 1);
    }
  };
  visit(objects, 0);
  return [...found];
}

export function listPackIndexes(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => {
    const names = orElse([], () => readdirSync(join(folder, 'pack')));
    return names.flatMap((name) => (name.endsWith('.idx') ? [join(folder, 'pack', name)] : []));
  });
}

/** Returns the file of an object that is not packed; undefined if there is none. */
export function findLooseObject(folders: readonly string[], oid: string): string | undefined {
  const paths = folders.map((folder) => join(folder, oid.slice(0, 2), oid.slice(2)));
  return paths.find((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
}

/**
 * Reads such a file: `<type> <size>\0<content>`, packed by zlib. isomorphic-git, which has no limit, would unpack some kilobytes to
 * any size, and takes ten times as long. Throws `FormatError`.
 */
export function readLooseObject(path: string, maxBytes: number): RawObject | undefined {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  const packed = orElse(undefined, () => (isFile ? readFileSync(path) : undefined));
  if (!packed) return undefined;
  let content: Buffer;
  try {
    content = inflateSync(packed, { maxOutputLength: maxBytes });
  } catch (cause) {
    throw new FormatError('it cannot be unpacked', { cause });
  }
  const end = content.indexOf(0);
  const [, type, size] = /^(commit|tree|blob|tag) (\d+)$/.exec(content.toString('latin1', 0, Math.min(end, 40))) ?? [];
  const bytes = content.subarray(end + 1);
  if (type === undefined || Number(size) !== bytes.length) throw new FormatError('its header is wrong');
  return { type: type as ObjectType, bytes };
}

/** Returns what is read, or something else where there is nothing. */
function orElse<T>(other: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return other;
    throw error;
  }
}
