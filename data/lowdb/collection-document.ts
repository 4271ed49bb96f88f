import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { type Collection, RECORD_FORMAT } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type ChunkedRows, createChunkedRows } from './chunked-rows.ts';

/** The content of a collection's file: one JSON object with a record a line. */
export interface CollectionDocument {
  readonly collection: string;
  /** How often the collection has been written. */
  write: number;
  /** Only in files of collections that own others. */
  removed: readonly Removal[];
  readonly rows: ChunkedRows;
}

/**
 * An owner that was removed with the records it owned. The files cannot change in one step, so that of the owner decides:
 * what the other files hold of it counts as removed up to these numbers of their `write`. -1, or none = there was nothing.
 */
export interface Removal {
  readonly owner: string;
  readonly lastWrites: ReadonlyMap<string, number>;
}

/** A file as it was read. */
export interface StoredCollection<T> {
  readonly document: CollectionDocument;
  readonly records: readonly T[];
}

const count = z.int().min(0);
const header = z.object({
  format: z.int().min(1),
  collection: z.string(),
  write: count,
  /** `project` is the owner; all other keys are names of collections. */
  removed: z.array(z.object({ project: z.string() }).catchall(z.int().min(-1))),
  records: z.array(z.unknown()),
});

/**
 * Reads the file of a collection. Throws an error that says what is wrong with a damaged one without showing its content,
 * which may be secret, and DataError `invalid` for one that a newer docbuild wrote.
 */
export function parseDocument<T>(bytes: Buffer, collection: Collection<T>): StoredCollection<T> {
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
  const { records: found, ...head } = parseHeader(bytes.toString().replace(/^\uFEFF/, ''), collection);
  const rows = new Map<string, string>();
  const records = found.map((value, i) => {
    const record = adoptRow(value, i, collection);
    const key = collection.keyOf(record);
    if (rows.has(key)) throw new Error(`record ${i + 1} appears twice`);
    rows.set(key, JSON.stringify(record));
    return record;
  });
  return { document: { ...head, rows: createChunkedRows(rows) }, records };
}

/** Reads a file of a collection but for what its records are. Throws like `parseDocument`. */
export function parseHeader(
  text: string,
  collection: Collection<unknown>,
): Omit<CollectionDocument, 'rows'> & { readonly records: readonly unknown[] } {
  const result = header.safeParse(parseJson(text));
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    throw new Error(`"${path.join('.')}": ${message}`);
  }
  const { format, collection: name, write, removed, records } = result.data;
  if (format > RECORD_FORMAT) {
    const message = `Cannot open "${collection.name}.json": a newer docbuild has written it (format ${format})`;
    throw new DataError('invalid', message);
  }
  if (name !== collection.name) throw new Error(`it holds the collection "${name}"`);
  return { collection: name, write, removed: removed.map(parseRemoval), records };
}

/** Returns the file of a document. */
export function formatDocument(document: CollectionDocument): Buffer[] {
  return [Buffer.from(formatHead(document)), ...document.rows.toBuffers(), Buffer.from(TAIL)];
}

/** The text after the last record. */
export const TAIL = '\n]}\n';

/** Returns the line before the first record. */
export function formatHead({ collection, write, removed }: Omit<CollectionDocument, 'rows'>): string {
  const head = JSON.stringify({ format: RECORD_FORMAT, collection, write, removed: removed.map(formatRemoval) });
  return `${head.slice(0, -1)},"records":[\n`;
}

/** Returns the record in a row, of which `index` is the number from 0. Throws an error that shows no value. */
export function adoptRow<T>(value: unknown, index: number, collection: Collection<T>): T {
  try {
    return collection.adopt(value);
  } catch (error) {
    throw new Error(`record ${index + 1}: ${(error as Error).message}`);
  }
}

function parseRemoval({ project, ...writes }: z.infer<typeof header>['removed'][number]): Removal {
  return { owner: project, lastWrites: new Map(Object.entries(writes)) };
}

function formatRemoval({ owner, lastWrites }: Removal): object {
  return { project: owner, ...Object.fromEntries(lastWrites) };
}

/** Returns what a text of a file says. Throws an error that does not quote it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(text === '' ? 'it is empty' : 'it is not JSON'); // the parser's message quotes the text
  }
}
