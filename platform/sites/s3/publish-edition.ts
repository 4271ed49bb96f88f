import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import pMap from 'p-map';
import { findFormer, readSite, withoutFormer } from '../../../builder/index.ts';
import {
  COMPRESSIONS,
  type Compression,
  compressBody,
  isWorthSending,
  MIN_COMPRESSED_SIZE,
} from '../../../lib/body-compression.ts';
import { COMPRESSION_SUFFIX, MAX_COMPRESSED_SIZE } from '../compressed-folder.ts';
import { findContentType, isCompressible } from '../media-types.ts';
import { type ContentCache, objectNames, partNames } from './content-cache.ts';
import {
  type Content,
  divideBytes,
  divideFiles,
  type EditionFiles,
  formatList,
  formatParts,
  formatPieces,
  formatRoot,
  hashBytes,
  MAX_WHOLE_BYTES,
} from './edition.ts';
import type { EditionParts } from './open-edition.ts';
import { type Bucket, listKeys, MAX_OBJECT_BYTES, type Patience } from './s3-bucket.ts';

/** Contents that are compressed and uploaded at once, and of those that take memory. */
const AT_ONCE = 16;
const LARGE_AT_ONCE = 2;
const LARGE_BYTES = 1_000_000;
/** So few contents are uploaded without a look at what an interrupted upload may have left. */
const FEW = 16;
/** What is not sent as it is needs one coding. */
const INTERNAL: readonly Compression[] = ['br'];

/** Counts of an upload. */
export interface UploadResult {
  /** The root of the edition. */
  readonly root: Content;
  readonly objects: number;
  readonly bytes: number;
}

/**
 * Uploads the site in a folder, apart from what `base` has. The theme's files that are kept (see `findFormer`) are those of the
 * previous edition, which another machine may have built. Contents that a build has left are recognised by their keys, which are noted
 * in `notes` with their hashes. Throws what disk and bucket throw; a repetition goes on where this one ended.
 */
export async function uploadEdition(options: {
  readonly bucket: Bucket;
  readonly cache: Pick<ContentCache, 'keep'>;
  readonly project: string;
  readonly folder: string;
  /** Path of the notes. */
  readonly notes: string;
  /** Contents that S3 has for sure, by their hashes. */
  readonly base: ReadonlyMap<string, Content>;
  /** The lists of the root folder of the previous edition; none where there is no such edition. */
  readonly atRoot: readonly EditionFiles[];
  /** Folder of new contents. */
  readonly day: string;
  readonly patience: Patience;
}): Promise<UploadResult> {
  const { bucket, cache, project, folder, notes, base, atRoot, day, patience } = options;
  const site = readSite(folder);
  if (!site) throw new Error(`Cannot upload the site of project "${project}": its folder is not as its build left it`);
  const known = await readNotes(notes);
  const present = new Set<string>();
  const added = new Map<string, Promise<Content>>();
  const large = pLimit(LARGE_AT_ONCE);
  let objects = 0;
  let bytes = 0;

  const own = atRoot.length > 0 ? withoutFormer(site.site) : site.site;
  const paths = new Map<string, string>();
  const rootPaths = new Set<string>();
  for (const { prefix, list } of own.values()) {
    for (const [path, key] of list.files) {
      if (prefix === '') rootPaths.add(path);
      if (!paths.has(key)) paths.set(key, prefix + path);
    }
  }
  const unknown = [...paths.keys()].filter((key) => !base.has(known.get(key) ?? ''));
  if (unknown.length > FEW) await findPresent();
  const contents = new Map<string, Content>();
  for (const key of paths.keys()) {
    const content = base.get(known.get(key) ?? '');
    if (content) contents.set(key, content);
  }
  await pMap(unknown, async (key) => contents.set(key, await addFile(paths.get(key)!)), { concurrency: AT_ONCE });
  const groups = await pMap(
    [...own.values()],
    async ({ prefix, list }) => {
      const files = list.files.map(([path, key]) => [path, contents.get(key)!] as const);
      return [prefix, await addList(files)] as const;
    },
    { concurrency: AT_ONCE },
  );
  const former = findFormer(
    (path) => rootPaths.has(path),
    atRoot.map((files) => [...files]),
  ).filter(([, { hash }]) => base.has(hash));
  if (former.length > 0) groups.push(['', await addList(former)]);
  const root = await addBytes(formatRoot(groups.toSorted(([a], [b]) => (a < b ? -1 : 1))), INTERNAL);
  await writeNotes(notes, contents);
  return { root, objects, bytes };

  async function addFile(path: string): Promise<Content> {
    const { size } = await stat(join(folder, path));
    return size > LARGE_BYTES ? large(() => addFromDisk(path)) : addFromDisk(path);
  }

  async function addFromDisk(path: string): Promise<Content> {
    const file = join(folder, path);
    const isText = isCompressible(findContentType(path) ?? '');
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      if (size <= (isText ? MAX_COMPRESSED_SIZE : MAX_OBJECT_BYTES)) {
        const body = await handle.readFile();
        return await (isText && body.length > MAX_WHOLE_BYTES
          ? addPieces(body)
          : addBytes(body, isText ? COMPRESSIONS : []));
      }
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
      const content = { hash: hash.digest('hex'), size, day, isBrotli: false, isGzip: false };
      return await addOnce(content.hash, async () => {
        for (const [at, name] of partNames(content).entries()) {
          const length = Math.min(MAX_OBJECT_BYTES, size - at * MAX_OBJECT_BYTES);
          const part = Buffer.allocUnsafe(length);
          const { bytesRead } = await handle.read(part, 0, length, at * MAX_OBJECT_BYTES);
          if (bytesRead !== length) throw new Error(`"${path}" of project "${project}" changed while it was uploaded`);
          await put(name, part);
        }
        return content;
      });
    } finally {
      await handle.close();
    }
  }

  async function addList(files: readonly (readonly [path: string, content: Content])[]): Promise<Content> {
    const parts = divideFiles(files);
    const lists = await pMap(parts, (part) => addBytes(formatList(part), INTERNAL), { concurrency: AT_ONCE });
    if (lists.length === 1) return lists[0]!;
    // Nothing comes before the first part.
    return addBytes(formatParts(lists.map((list, at) => [at === 0 ? '' : parts[at]![0]![0], list])), INTERNAL);
  }

  function addPieces(body: Buffer): Promise<Content> {
    const hash = hashBytes(body);
    return addOnce(hash, async () => {
      const pieces = await pMap(divideBytes(body), (piece) => addBytes(piece, INTERNAL), { concurrency: AT_ONCE });
      const list = await addBytes(formatPieces(pieces), INTERNAL);
      return { hash, size: body.length, day, isBrotli: false, isGzip: false, pieces: list };
    });
  }

  /** Adds bytes, compressed in these ways if that makes them smaller. */
  function addBytes(body: Buffer, compressions: readonly Compression[]): Promise<Content> {
    const hash = hashBytes(body);
    return addOnce(hash, async () => {
      const content = { hash, size: body.length, day, isBrotli: false, isGzip: false };
      if (body.length >= MIN_COMPRESSED_SIZE) {
        const add = async (compression: Compression): Promise<void> => {
          const stored = await compressBody(body, compression);
          if (!isWorthSending(stored.length, body.length) || stored.length > MAX_OBJECT_BYTES) return;
          await put(hash + COMPRESSION_SUFFIX[compression], stored);
          content[compression === 'br' ? 'isBrotli' : 'isGzip'] = true;
        };
        await Promise.all(compressions.map(add));
      }
      if (!content.isBrotli) {
        for (const [at, name] of partNames(content).entries()) {
          await put(name, body.subarray(at * MAX_OBJECT_BYTES, (at + 1) * MAX_OBJECT_BYTES));
        }
      }
      return content;
    });
  }

  function addOnce(hash: string, add: () => Promise<Content>): Promise<Content> {
    const there = base.get(hash);
    if (there) return Promise.resolve(there);
    const adding = added.get(hash) ?? add();
    added.set(hash, adding);
    return adding;
  }

  async function put(name: string, stored: Buffer): Promise<void> {
    if (!present.has(name)) {
      await bucket.put(`${project}/${day}/${name}`, stored, patience);
      objects++;
      bytes += stored.length;
    }
    // Parts of what is large are not asked for one by one.
    if (!/\.\d+$/.test(name)) await cache.keep(name, stored);
  }

  async function findPresent(): Promise<void> {
    const folder = `${project}/${day}/`;
    for await (const key of listKeys(bucket, folder, patience)) present.add(key.slice(folder.length));
  }
}

/** Returns those of a project's contents, by their hashes, of which S3 has all objects. */
export async function omitLost(
  contents: ReadonlyMap<string, Content>,
  {
    bucket,
    project,
    pieces,
    patience,
  }: Pick<EditionParts, 'pieces'> & {
    readonly bucket: Bucket;
    readonly project: string;
    readonly patience: Patience;
  },
): Promise<ReadonlyMap<string, Content>> {
  const keys = new Set<string>();
  for await (const key of listKeys(bucket, `${project}/`, patience)) keys.add(key);
  const isThere = (content: Content): boolean =>
    objectNames(content).every((name) => keys.has(`${project}/${content.day}/${name}`)) &&
    (!content.pieces || pieces.get(content.hash)!.every(isThere));
  return new Map([...contents].filter(([, content]) => isThere(content)));
}

/** Reads the hashes of contents by their keys; none where the file is missing or damaged. */
async function readNotes(path: string): Promise<ReadonlyMap<string, string>> {
  try {
    const { format, hashes } = JSON.parse(await readFile(path, 'utf8')) as {
      format: number;
      hashes: [string, string][];
    };
    return new Map(format === 1 ? hashes : []);
  } catch {
    return new Map();
  }
}

async function writeNotes(path: string, contents: ReadonlyMap<string, Content>): Promise<void> {
  const hashes = [...contents].map(([key, { hash }]) => [key, hash]);
  await writeFile(`${path}.tmp`, JSON.stringify({ format: 1, hashes }));
  await rename(`${path}.tmp`, path);
}
