import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { inflateSync } from 'node:zlib';
import { FormatError } from './delta.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** An object of a repository. Its bytes may be cached and must not be changed. */
export interface RawObject {
  readonly type: ObjectType;
  readonly bytes: Buffer;
}

/** Returns git's id for an object. */
export function hashObject({ type, bytes }: RawObject): string {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The loose objects of some object folders. */
export interface LooseObjects {
  /** Returns an object, or undefined when it is not there. Throws `FormatError`. */
  read(oid: string): RawObject | undefined;
  has(oid: string): boolean;
}

/** Returns an object folder and those it borrows from (`git clone --shared` or `--reference`), nearest first. */
export function findObjectFolders(objects: string): readonly string[] {
  const found = new Set<string>();
  const visit = (folder: string, depth: number) => {
    if (found.has(folder) || depth > 5) return; // git, too, follows five levels
    found.add(folder);
    for (const line of readLines(join(folder, 'info/alternates'))) {
      visit(isAbsolute(line) ? resolve(line) : resolve(folder, line), depth + 1);
    }
  };
  visit(objects, 0);
  return [...found];
}

/** Returns the paths of all indexes of packs. */
export function listPackIndexes(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    listFolder(join(folder, 'pack')).flatMap((name) => (name.endsWith('.idx') ? [join(folder, 'pack', name)] : [])),
  );
}

/**
 * Opens the loose objects of some folders. They are in folders by the first byte of their ids, and each folder is listed
 * once, when needed: an error for each of thousands of packed objects would be slow.
 */
export function openLooseObjects(folders: readonly string[], maxBytes: number): LooseObjects {
  const fanOuts = new Map<string, string[]>();
  for (const folder of folders) {
    for (const name of listFolder(folder)) {
      if (/^[0-9a-f]{2}$/.test(name)) fanOuts.set(name, [...(fanOuts.get(name) ?? []), join(folder, name)]);
    }
  }
  const listed = new Map<string, ReadonlyMap<string, string>>();
  const list = (fanOut: string): ReadonlyMap<string, string> => {
    const files = new Map<string, string>();
    for (const folder of fanOuts.get(fanOut) ?? []) {
      for (const name of listFolder(folder)) files.set(name, files.get(name) ?? join(folder, name));
    }
    listed.set(fanOut, files);
    return files;
  };
  return {
    read(oid) {
      const path = find(oid);
      return path === undefined ? undefined : readLooseObject(path, maxBytes);
    },
    has: (oid) => find(oid) !== undefined,
  };

  function find(oid: string): string | undefined {
    const fanOut = oid.slice(0, 2);
    return (listed.get(fanOut) ?? list(fanOut)).get(oid.slice(2));
  }
}

/** Format: `<type> <size>\0<content>`, packed by zlib. */
function readLooseObject(path: string, maxBytes: number): RawObject | undefined {
  let packed: Buffer;
  try {
    if (statSync(path).size > maxBytes) throw new FormatError(`it is larger than ${maxBytes} bytes`);
    packed = readFileSync(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  const content = inflate(packed, maxBytes);
  const end = content.indexOf(0);
  const [, type, size] = /^(commit|tree|blob|tag) (\d+)$/.exec(content.toString('latin1', 0, Math.min(end, 40))) ?? [];
  const bytes = content.subarray(end + 1);
  if (type === undefined || Number(size) !== bytes.length) throw new FormatError('its header is wrong');
  return { type: type as ObjectType, bytes };
}

function inflate(packed: Buffer, maxBytes: number): Buffer {
  try {
    return inflateSync(packed, { maxOutputLength: maxBytes });
  } catch (cause) {
    throw new FormatError('it cannot be unpacked', { cause });
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith('#'));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Returns whether an error means that a file does not exist. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
