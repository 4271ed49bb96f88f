import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { BACKUP, TEMPORARY } from '../../lib/durable-file.ts';
import type { Collection } from '../collection.ts';

/** Folders with the files of an earlier release begin with this. */
const KEPT = 'before-update-';
/** Enough for the beginning of a file, which has its format. */
const HEAD_BYTES = 100;

/** Returns the collections whose files are of an earlier format. */
export function findOutdated(
  folder: string,
  collections: readonly Collection<unknown>[],
): readonly Collection<unknown>[] {
  return collections.filter((collection) => {
    const format = readFormat(join(folder, fileOf(collection)));
    return format !== undefined && format < collection.format;
  });
}

/**
 * Keeps a copy of the files of all collections in a folder beside them, with which an earlier release can go on; returns the
 * folder of the copy. Throws the system's error.
 */
export function keepFiles(folder: string, collections: readonly Collection<unknown>[]): string {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(KEPT) && name.endsWith(TEMPORARY)) rmSync(join(folder, name), { recursive: true });
  }
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  let kept = join(folder, KEPT + time);
  for (let i = 2; existsSync(kept); i++) kept = join(folder, `${KEPT}${time}-${i}`);
  mkdirSync(kept + TEMPORARY, { mode: 0o700 });
  for (const collection of collections) {
    for (const name of [fileOf(collection), fileOf(collection) + BACKUP]) {
      if (!existsSync(join(folder, name))) continue;
      copyFileSync(join(folder, name), join(kept + TEMPORARY, name), constants.COPYFILE_FICLONE);
      sync(join(kept + TEMPORARY, name));
    }
  }
  sync(kept + TEMPORARY);
  renameSync(kept + TEMPORARY, kept);
  sync(folder);
  return kept;
}

function fileOf({ name }: Collection<unknown>): string {
  return `${name}.json`;
}

/** Returns the format of a file as docbuild writes it; undefined for any other one, and where there is none. */
function readFormat(path: string): number | undefined {
  // What is no file, or cannot be read, is reported when it is opened.
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const head = Buffer.alloc(HEAD_BYTES);
    readSync(file, head, 0, HEAD_BYTES, 0);
    const format = /^\s*\{\s*"format":\s*(\d+)/.exec(head.toString())?.[1];
    return format === undefined ? undefined : Number(format);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
