import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createGunzip, createGzip } from 'node:zlib';
import { Header, Parser, Pax, type ReadEntry } from 'tar';
import { DataError } from '../../data/data-error.ts';
import { describeSystemError, hasCode } from '../../lib/system-error.ts';

/*
 * A backup is a tar file, compressed by gzip. Its last file, `end.json`, has the number of all others and a hash of their names and
 * bytes: without it the backup is not whole.
 */

export interface BackupWriter {
  add(name: string, bytes: Buffer): Promise<void>;
  /** Writes the end, and gives the file its name. */
  finish(): Promise<{ readonly files: number; readonly bytes: number }>;
  /** Removes what was written. */
  abort(): Promise<void>;
}

/** A file of a backup. */
export interface BackupEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

const END = 'end.json';
const BLOCK = 512;
/** Ends a tar file: two blocks of zeros. */
const TAIL_BYTES = 2 * BLOCK;
/** A file of a backup is held in memory. */
const MAX_ENTRY_BYTES = 2_000_000_000;
const MODE = 0o600;
const SYSTEM_ERRORS = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EFBIG'];

/** Opens a backup for writing; only the user may read it. It has its name when it is whole. Throws DataError `taken`, `unwritable`. */
export async function createBackupFile(path: string, { mayReplace = false } = {}): Promise<BackupWriter> {
  const unfinished = `${path}.unfinished`;
  await refuseExisting(path, mayReplace);
  await withSystemErrors(path, () => rm(unfinished, { force: true }));
  const file = await withSystemErrors(path, () => open(unfinished, 'wx', MODE));
  const gzip = createGzip();
  const pump = async (): Promise<void> => {
    for await (const chunk of gzip) await file.writeFile(chunk as Buffer);
  };
  const written = pump();
  written.catch(() => {});
  const chain = createChain();
  const write = async (bytes: Buffer): Promise<void> => {
    if (bytes.length === 0) return;
    const flushed = new Promise<void>((resolve, reject) => {
      gzip.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await Promise.race([flushed, written.then(() => flushed)]);
  };
  const addFile = async (name: string, bytes: Buffer): Promise<void> => {
    await withSystemErrors(path, async () => {
      await write(formatHeader(name, bytes.length));
      await write(bytes);
      await write(Buffer.alloc(-bytes.length & (BLOCK - 1)));
    });
  };
  return {
    async add(name, bytes) {
      await addFile(name, bytes);
      chain.add(name, bytes);
    },
    async finish() {
      await addFile(END, Buffer.from(JSON.stringify(chain.result())));
      return withSystemErrors(path, async () => {
        await write(Buffer.alloc(TAIL_BYTES));
        gzip.end();
        await written;
        await file.sync();
        const { size } = await file.stat();
        await file.close();
        await refuseExisting(path, mayReplace);
        await rename(unfinished, path);
        await syncFolder(dirname(path));
        return { files: chain.result().files, bytes: size };
      });
    },
    async abort() {
      gzip.destroy();
      await written.catch(() => {});
      await file.close().catch(() => {});
      await rm(unfinished, { force: true });
    },
  };
}

/**
 * Yields the files of a backup, each when it has been read. Throws DataError `not-found`, and `damaged` for anything but a whole
 * backup; what was yielded before may be damaged, too.
 */
export async function* readBackupFile(path: string): AsyncGenerator<BackupEntry> {
  const waiting: BackupEntry[] = [];
  const chain = createChain();
  let end: string | undefined;
  let failure: unknown;
  const parser = new Parser({ strict: true, maxMetaEntrySize: 100_000 });
  parser.on('error', (error: unknown) => {
    failure ??= error;
  });
  parser.on('entry', (entry: ReadEntry) => {
    const chunks: Buffer[] = [];
    if (entry.size > MAX_ENTRY_BYTES) failure ??= new Error(`"${entry.path.slice(0, 100)}" is too large`);
    if (entry.type !== 'File') failure ??= new Error(`"${entry.path.slice(0, 100)}" is no file`);
    entry.on('data', (chunk: Buffer) => void (failure === undefined && chunks.push(chunk)));
    entry.on('end', () => void waiting.push({ name: entry.path, bytes: Buffer.concat(chunks) }));
  });
  const source = createReadStream(path);
  const plain = source.pipe(createGunzip());
  source.on('error', (error) => plain.destroy(error));
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      parser.write(chunk);
      yield* take();
    }
    await new Promise<void>((resolve, reject) => {
      parser.once('end', resolve);
      parser.once('error', reject);
      parser.end();
    });
    yield* take();
    if (end === undefined) throw new Error('it ends too early');
  } catch (cause) {
    if (cause instanceof DataError) throw cause;
    if (hasCode(cause, 'ENOENT')) throw new DataError('not-found', `Backup "${path}" does not exist`, { cause });
    const message = `Cannot use backup "${path}": ${describeSystemError(cause)}; nothing was changed`;
    throw new DataError('damaged', message, { cause });
  } finally {
    source.destroy();
    plain.destroy();
  }

  /** Takes the files that the parser has read. */
  function* take(): Generator<BackupEntry> {
    for (const entry of waiting.splice(0)) {
      if (failure !== undefined) break;
      if (end !== undefined) throw new Error('something follows its end');
      if (entry.name === END) {
        end = entry.bytes.toString();
        if (end !== JSON.stringify(chain.result())) throw new Error('its checksum is wrong');
        continue;
      }
      chain.add(entry.name, entry.bytes);
      yield entry;
    }
    if (failure !== undefined) throw failure;
  }
}

/** Hashes names and bytes of files in their order. */
function createChain() {
  const hash = createHash('sha256');
  let files = 0;
  return {
    add(name: string, bytes: Buffer): void {
      files++;
      hash.update(`${name}\0${bytes.length}\0${createHash('sha256').update(bytes).digest('hex')}\n`);
    },
    result: () => ({ files, sha256: hash.copy().digest('hex') }),
  };
}

function formatHeader(path: string, size: number): Buffer {
  const values = { path, size, mode: MODE, type: 'File', mtime: new Date(0) } as const;
  const block = Buffer.alloc(BLOCK);
  const needsPax = new Header(values).encode(block, 0);
  return needsPax ? Buffer.concat([new Pax({ path, size }).encode(), block]) : block;
}

async function refuseExisting(path: string, mayReplace: boolean): Promise<void> {
  if (mayReplace) return;
  const there = await open(path, 'r').catch(() => undefined);
  if (!there) return;
  await there.close();
  throw new DataError('taken', `"${path}" exists already; name another file`);
}

async function syncFolder(path: string): Promise<void> {
  const folder: FileHandle = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Runs a write to a path; throws DataError `unwritable` where the system refuses. */
export async function withSystemErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DataError || !hasCode(cause, ...SYSTEM_ERRORS)) throw cause;
    throw new DataError('unwritable', `Cannot write "${path}": ${describeSystemError(cause)}`, { cause });
  }
}
