import { createHash } from 'node:crypto';

/*
 * The objects of a project in S3, below `<project>/`:
 *
 *     20261122/<hash>, <hash>.br, <hash>.gz    bytes by the SHA-256 of what they stand for, in the folder of the day on which they came
 *     garbage/<time>.json                      keys that are to be removed
 *
 * Bytes that become smaller are there compressed only; what is too large for one object is `<hash>.0`, `<hash>.1`, … An edition,
 * a site as one build left it, is such bytes, too: a root that names the lists of its folders, and lists that name files. The
 * record of the project names the root of the edition that readers get.
 */

/** Bytes that S3 holds. */
export interface Content {
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  /** Without compression. */
  readonly size: number;
  /** Day on which they were uploaded: `20261122`. */
  readonly day: string;
  readonly isBrotli: boolean;
  /** Whether they are there as gzip, too. */
  readonly isGzip: boolean;
}

/** Files of one folder of a site, by their paths in it. */
export type EditionFiles = ReadonlyMap<string, Content>;

/** Folders of a site, with the contents that list their files: '' or a path that ends with `/`. */
export type EditionGroups = readonly (readonly [prefix: string, list: Content])[];

/** Hash, size, day, bits: 1 = Brotli, 2 = gzip. */
type StoredContent = readonly [hash: string, size: number, day: string, bits: number];

/** Writes the root of an edition: equal editions are equal bytes. */
export function formatRoot(groups: EditionGroups): Buffer {
  return Buffer.from(JSON.stringify({ format: 1, groups: groups.map(([prefix, list]) => [prefix, pack(list)]) }));
}

/** Reads the root of an edition, from bytes that have its hash. */
export function parseRoot(bytes: Buffer): EditionGroups {
  const { groups } = parse<{ groups: readonly (readonly [string, StoredContent])[] }>(bytes);
  return groups.map(([prefix, list]) => [prefix, unpack(list)]);
}

/** Writes the list of a folder. */
export function formatList(files: Iterable<readonly [path: string, content: Content]>): Buffer {
  const places = new Map<string, number>();
  const contents: unknown[] = [];
  const flat: (string | number)[] = [];
  for (const [path, content] of files) {
    let place = places.get(content.hash);
    if (place === undefined) {
      place = contents.push(pack(content)) - 1;
      places.set(content.hash, place);
    }
    flat.push(path, place);
  }
  return Buffer.from(JSON.stringify({ format: 1, contents, files: flat }));
}

/** Reads the list of a folder, from bytes that have its hash. */
export function parseList(bytes: Buffer): EditionFiles {
  const stored = parse<{ contents: readonly StoredContent[]; files: readonly (string | number)[] }>(bytes);
  const contents = stored.contents.map(unpack);
  const files = new Map<string, Content>();
  for (let at = 0; at + 1 < stored.files.length; at += 2) {
    files.set(stored.files[at] as string, contents[stored.files[at + 1] as number]!);
  }
  return files;
}

/** Bytes with the right hash are as docbuild wrote them, if not as this release does. */
function parse<T>(bytes: Buffer): T {
  const stored = JSON.parse(bytes.toString()) as { readonly format: number };
  if (stored.format !== 1) throw new Error(`The site was published by a newer release (format ${stored.format})`);
  return stored as T;
}

/** Names an edition, as the record of its project does. */
export function formatEdition(root: Content): string {
  return pack(root).join('-');
}

/** Reads the name of an edition; undefined for '', where nothing is published. Throws for any other text. */
export function parseEdition(name: string): Content | undefined {
  if (name === '') return undefined;
  const match = /^([0-9a-f]{64})-(\d{1,15})-(\d{8})-([0-3])$/.exec(name);
  if (!match) throw new Error(`"${name.slice(0, 120)}" is no edition of a site`);
  return unpack([match[1]!, Number(match[2]), match[3]!, Number(match[4])]);
}

function pack({ hash, size, day, isBrotli, isGzip }: Content): StoredContent {
  return [hash, size, day, (isBrotli ? 1 : 0) + (isGzip ? 2 : 0)];
}

function unpack([hash, size, day, bits]: StoredContent): Content {
  return { hash, size, day, isBrotli: (bits & 1) !== 0, isGzip: (bits & 2) !== 0 };
}

/** Returns the SHA-256 of bytes, hexadecimal. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the folder of a day: `20261122`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10).replaceAll('-', '');
}

/** The folders of a project. */
export const DAY_FOLDER = /^\d{8}\/$/;
export const GARBAGE_FOLDER = 'garbage/';
