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
 *
 * What a push uploads follows what it changes, not the size of the site. So a long list names parts, which name files; and a large text
 * that a site has as a whole, such as a search index, is several contents, its pieces, which a list of its own names. Where a part or a
 * piece ends is decided by what is there, a path or some bytes, so that all others stay as they were.
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
  /** The list of the pieces that they are there as; nothing else is there then. */
  readonly pieces?: Content;
}

/** Files of one folder of a site, by their paths in it. */
export type EditionFiles = ReadonlyMap<string, Content>;

/** The list of a folder: its files, or parts, each with the first path that it may have, in order. */
export type EditionList =
  | { readonly kind: 'files'; readonly files: EditionFiles }
  | { readonly kind: 'parts'; readonly parts: ListParts };

export type ListParts = readonly (readonly [first: string, list: Content])[];

/** Folders of a site, with the contents that list their files: '' or a path that ends with `/`. */
export type EditionGroups = readonly (readonly [prefix: string, list: Content])[];

/** Hash, size, day, bits: 1 = Brotli, 2 = gzip; and the list of pieces. */
type StoredContent = readonly [hash: string, size: number, day: string, bits: number, pieces?: StoredContent];

/** Writes the root of an edition: equal editions are equal bytes. */
export function formatRoot(groups: EditionGroups): Buffer {
  return Buffer.from(JSON.stringify({ format: 1, groups: groups.map(([prefix, list]) => [prefix, pack(list)]) }));
}

/** Reads the root of an edition, from bytes that have its hash. */
export function parseRoot(bytes: Buffer): EditionGroups {
  const { groups } = parse<{ groups: readonly (readonly [string, StoredContent])[] }>(bytes);
  return groups.map(([prefix, list]) => [prefix, unpack(list)]);
}

/** Writes a list of files. */
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

/** Writes a list of parts. */
export function formatParts(parts: ListParts): Buffer {
  return Buffer.from(JSON.stringify({ format: 1, parts: parts.map(([first, list]) => [first, pack(list)]) }));
}

/** Writes the list of the pieces of a content. */
export function formatPieces(pieces: readonly Content[]): Buffer {
  return Buffer.from(JSON.stringify({ format: 1, pieces: pieces.map(pack) }));
}

/** Reads the list of the pieces of a content, from bytes that have its hash. */
export function parsePieces(bytes: Buffer): readonly Content[] {
  return parse<{ pieces: readonly StoredContent[] }>(bytes).pieces.map(unpack);
}

/** Reads the list of a folder, or a part of one, from bytes that have its hash. */
export function parseList(bytes: Buffer): EditionList {
  const stored = parse<
    | { parts: readonly (readonly [string, StoredContent])[] }
    | { parts?: never; contents: readonly StoredContent[]; files: readonly (string | number)[] }
  >(bytes);
  if (stored.parts) return { kind: 'parts', parts: stored.parts.map(([first, list]) => [first, unpack(list)]) };
  const contents = stored.contents.map(unpack);
  const files = new Map<string, Content>();
  for (let at = 0; at + 1 < stored.files.length; at += 2) {
    files.set(stored.files[at] as string, contents[stored.files[at + 1] as number]!);
  }
  return { kind: 'files', files };
}

/** So many files, on average, are in a part of a list. */
const PART_FILES = 128;

/** Divides the files of a folder into parts, in the order of their paths; there is at least one. */
export function divideFiles<T>(
  files: readonly (readonly [path: string, T])[],
): readonly (readonly (readonly [path: string, T])[])[] {
  const parts: (readonly [string, T])[][] = [[]];
  for (const file of files.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const isFirst = createHash('sha1').update(file[0]).digest().readUInt32LE() % PART_FILES === 0;
    if (isFirst && parts.at(-1)!.length > 0) parts.push([]);
    parts.at(-1)!.push(file);
  }
  return parts;
}

/** Returns the part of a list that a path is in, if it is in any; undefined where it comes before all. */
export function findPart(parts: ListParts, path: string): Content | undefined {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (parts[middle]![0] <= path) low = middle + 1;
    else high = middle;
  }
  return parts[low - 1]?.[1];
}

/** Pieces have so many bytes at least, at most, and, in between, on average. */
const PIECE_BYTES = { least: 8_192, most: 131_072, average: 32_768 };
/** Texts that are not larger are no pieces: what is larger has two at least. */
export const MAX_WHOLE_BYTES = PIECE_BYTES.most;
/** A number for each byte; what they are does not matter as long as they stay. */
const GEAR = Uint32Array.from({ length: 256 }, (_, byte) =>
  createHash('sha1').update(`docbuild ${byte}`).digest().readUInt32LE(),
);

/** Divides bytes into pieces where the last 32 of them say so (the "gear hash" of FastCDC). */
export function divideBytes(bytes: Buffer): readonly Buffer[] {
  const { least, most, average } = PIECE_BYTES;
  // The upper bits depend on the most bytes.
  const end = 2 ** 32 / average;
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const limit = Math.min(bytes.length, start + most);
    let at = Math.min(limit, start + least);
    let hash = 0;
    while (at < limit) {
      hash = ((hash << 1) + GEAR[bytes[at++]!]!) >>> 0;
      if (hash < end) break;
    }
    pieces.push(bytes.subarray(start, at));
    start = at;
  }
  return pieces;
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

function pack({ hash, size, day, isBrotli, isGzip, pieces }: Content): StoredContent {
  const bits = (isBrotli ? 1 : 0) + (isGzip ? 2 : 0);
  return pieces ? [hash, size, day, bits, pack(pieces)] : [hash, size, day, bits];
}

function unpack([hash, size, day, bits, pieces]: StoredContent): Content {
  const content = { hash, size, day, isBrotli: (bits & 1) !== 0, isGzip: (bits & 2) !== 0 };
  return pieces ? { ...content, pieces: unpack(pieces) } : content;
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
