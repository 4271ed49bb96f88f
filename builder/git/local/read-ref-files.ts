import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuildError } from '../../build-error.ts';
import type { GitFolders } from './find-git-folder.ts';

/** One ref according to the files of the repository. */
export interface RefFile {
  /** Object id; for an annotated tag that of the tag object. */
  readonly oid: string;
  /** Its peeled object id in packed-refs; null if packed-refs says that it is not a tag object. */
  readonly peeled: string | null | undefined;
}

/** All refs by their full names (`refs/heads/main`), and HEAD. */
export interface RefFiles {
  readonly refs: ReadonlyMap<string, RefFile>;
  /** Full name of the ref HEAD names; undefined when it is detached. */
  readonly headTarget: string | undefined;
  /** Commit id of a detached HEAD. */
  readonly headOid: string | undefined;
}

const MAX_SYMBOLIC_REFS = 5;

/**
 * Reads HEAD, packed-refs and the loose refs below the given prefixes (`refs/heads`), each file once. Symbolic refs are
 * followed; those without a target are left out.
 */
export function readRefFiles({ gitFolder, commonFolder }: GitFolders, prefixes: readonly string[]): RefFiles {
  const refs = parsePackedRefs(readText(join(commonFolder, 'packed-refs')) ?? '');
  const symbolic = new Map<string, string>();
  for (const prefix of prefixes) {
    for (const name of listRefNames(join(commonFolder, prefix), prefix)) {
      const value = parseRef(name, readText(join(commonFolder, name)));
      if (value === undefined) continue; // packed or deleted since the folder was listed
      if ('target' in value) symbolic.set(name, value.target);
      else refs.set(name, { oid: value.oid, peeled: undefined });
    }
  }
  for (const name of symbolic.keys()) {
    const ref = refs.get(followSymbolic(name, symbolic));
    if (ref === undefined) refs.delete(name);
    else refs.set(name, ref);
  }
  const head = parseRef('HEAD', readText(join(gitFolder, 'HEAD')));
  if (head === undefined) throw new BuildError('damaged-repository', `Cannot read HEAD of "${gitFolder}"`);
  return 'target' in head
    ? { refs, headTarget: followSymbolic(head.target, symbolic), headOid: undefined }
    : { refs, headTarget: undefined, headOid: head.oid };
}

/** Returns the commit that HEAD leads to; undefined before the first one. */
export function readHead({ gitFolder, commonFolder }: GitFolders): string | undefined {
  let head = parseRef('HEAD', readText(join(gitFolder, 'HEAD')));
  for (let depth = 0; head && 'target' in head && depth < MAX_SYMBOLIC_REFS; depth += 1) {
    const { target } = head;
    head = parseRef(target, readText(join(commonFolder, target)));
    if (!head) return parsePackedRefs(readText(join(commonFolder, 'packed-refs')) ?? '').get(target)?.oid;
  }
  return head && 'oid' in head ? head.oid : undefined;
}

/** Format: git's Documentation/gitrepository-layout and the comment on top of its refs/packed-backend.c. */
function parsePackedRefs(text: string): Map<string, RefFile> {
  const refs = new Map<string, RefFile>();
  const header = /^# pack-refs with:.*$/m.exec(text)?.[0] ?? '';
  const isPeeled = (name: string) =>
    / fully-peeled( |$)/.test(header) || (/ peeled( |$)/.test(header) && name.startsWith('refs/tags/'));
  let last = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('^')) {
      const ref = refs.get(last);
      if (ref !== undefined) refs.set(last, { oid: ref.oid, peeled: line.slice(1, 41) });
    } else if (line !== '' && !line.startsWith('#')) {
      last = line.slice(41).trimEnd();
      const oid = line.slice(0, 40);
      if (!/^[0-9a-f]{40}$/.test(oid)) throw damagedRef(last);
      refs.set(last, { oid, peeled: isPeeled(last) ? null : undefined });
    }
  }
  return refs;
}

function parseRef(name: string, text: string | undefined) {
  if (text === undefined) return undefined;
  const target = /^ref:\s*(\S.*?)\s*$/.exec(text)?.[1];
  if (target !== undefined) return { target };
  const oid = /^([0-9a-f]{40})(\s|$)/.exec(text)?.[1];
  if (oid === undefined) throw damagedRef(name);
  return { oid };
}

function followSymbolic(name: string, symbolic: ReadonlyMap<string, string>): string {
  let current = name;
  for (let depth = 0; depth < MAX_SYMBOLIC_REFS; depth += 1) {
    const target = symbolic.get(current);
    if (target === undefined) return current;
    current = target;
  }
  return current;
}

function listRefNames(folder: string, prefix: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const name = `${prefix}/${entry.name}`;
      if (entry.isDirectory()) return listRefNames(join(folder, entry.name), name);
      return entry.name.endsWith('.lock') ? [] : [name]; // git is about to write it
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR') return undefined;
    throw error;
  }
}

function damagedRef(name: string): BuildError {
  return new BuildError('damaged-repository', `Ref "${name}" is damaged: its file does not contain an object id`);
}
