import { promises as disk, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PromiseFsClient } from 'isomorphic-git';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';

export interface GitFolders {
  /** Holds HEAD; for a linked worktree a folder below `.git/worktrees`. */
  readonly gitFolder: string;
  /** Holds refs, objects and config; the same as `gitFolder` except for a linked worktree. */
  readonly commonFolder: string;
}

const OBJECT_PATH = /^objects\/([0-9a-f]{2})\/([0-9a-f]{38})$/;

/**
 * Creates the file system that isomorphic-git sees in place of a git folder. It adds what isomorphic-git lacks:
 * - Linked work trees: all but HEAD is in the common folder.
 * - Packs: it learns which objects are here, borrowed ones included, and reads none: to find one it would read a whole pack.
 * - Refs are read as git reads them, and lead to refs alone: isomorphic-git would open any file that one names.
 * - Files that it writes appear whole or not at all.
 */
export function createGitFiles(
  { gitFolder, commonFolder }: GitFolders,
  has: (oid: string) => boolean,
): PromiseFsClient {
  const place = (path: string): string => {
    const inside = path.slice(gitFolder.length + 1);
    return inside === '' || inside === 'HEAD' ? path : join(commonFolder, inside);
  };
  const findOid = (path: string): string | undefined => {
    const [, first, rest] = OBJECT_PATH.exec(path.slice(gitFolder.length + 1)) ?? [];
    return first === undefined ? undefined : first + rest;
  };
  const call = async <T>(run: () => T): Promise<T> => {
    // Answers without a pause would hold up timers for as long as isomorphic-git asks.
    const turn = yieldToEventLoop();
    if (turn) await turn;
    return run();
  };
  const { rmdir, readlink, symlink } = disk;
  const files = {
    readFile: (path: string, options: unknown) =>
      // It begins with a call without arguments, to see whether that gives a promise.
      call(() => {
        if (findOid(path ?? '') !== undefined) throw missing(path);
        return readText(path.slice(gitFolder.length + 1), place(path), options);
      }),
    stat: (path: string) =>
      call(() => {
        const oid = findOid(path);
        if (oid === undefined) return statSync(place(path));
        if (!has(oid)) throw missing(path);
        return { isFile: (): boolean => true, isDirectory: (): boolean => false };
      }),
    readdir: (path: string) => call(() => (path === `${gitFolder}/objects/pack` ? [] : readdirSync(place(path)))),
    writeFile: (path: string, content: string | Uint8Array) =>
      call(() => {
        const temporary = join(commonFolder, 'written.tmp');
        writeFileSync(temporary, content);
        renameSync(temporary, place(path));
      }),
    mkdir: (path: string) => disk.mkdir(place(path), { recursive: true }),
    unlink: (path: string) => disk.unlink(place(path)),
    lstat: (path: string) => disk.lstat(place(path)),
    rmdir,
    readlink,
    symlink,
  };
  return { promises: files } as unknown as PromiseFsClient;
}

/** Reads a file of a git folder; refs and packed-refs without what git passes over. */
function readText(name: string, path: string, options: unknown): string | Buffer {
  const isRef = name === 'HEAD' || name.startsWith('refs/');
  if (!isRef && name !== 'packed-refs') return readFileSync(path, options as 'utf8');
  const text = readFileSync(path, 'utf8');
  if (!isRef) return text.replace(/(?<![ \t\r])[ \t\r]+$/gm, '').replace(/\n{2,}/g, '\n');
  const [, target, oid] = /^ref:\s*(refs\/\S.*)$|^([0-9a-f]{40})(?:\s|$)/s.exec(text.trimEnd()) ?? [];
  const isSafe = target !== undefined && !/(?:^|\/)\.\.?(?:\/|$)|\n|\0/.test(target);
  return isSafe ? `ref: ${target}\n` : (oid ?? '');
}

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: no such object, "${path}"`), { code: 'ENOENT' });
}
