import { z } from 'zod';
import { DataError } from '../data-error.ts';
import type { CollectionName } from '../tables/table.ts';
import type { ChunkedRows } from './chunked-rows.ts';

/** The content of a collection's file. */
export interface CollectionDocument {
  readonly collection: CollectionName;
  /** How often the collection has been written. */
  write: number;
  /** Only in `projects.json`, see `Removal`. */
  removed: readonly Removal[];
  readonly rows: ChunkedRows;
}

/**
 * A project that was removed with its builds and deliveries. The three files cannot change in one step, so `projects.json`
 * decides: what its files of this or an earlier `write` hold of the project counts as removed. -1 = there was nothing.
 */
export interface Removal {
  readonly project: string;
  readonly builds: number;
  readonly deliveries: number;
}

const FORMAT = 1;
const count = z.int().min(0);
const header = z.object({
  format: z.int().min(1),
  collection: z.string(),
  write: count,
  removed: z.array(z.object({ project: z.string(), builds: z.int().min(-1), deliveries: z.int().min(-1) })),
  records: z.array(z.unknown()),
});

/** A file as it was read; `records` are not checked yet. */
export type ParsedDocument = Omit<CollectionDocument, 'rows'> & { readonly records: readonly unknown[] };

/**
 * Reads a collection's file. Throws an error that says what is wrong with a damaged one, and DataError `invalid` for one
 * that a newer docbuild has written.
 */
export function parseDocument(text: string, collection: CollectionName): ParsedDocument {
  const result = header.safeParse(parseJson(text));
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    throw new Error(`"${path.join('.')}": ${message}`);
  }
  const { format, collection: name, write, removed, records } = result.data;
  if (format > FORMAT) {
    throw new DataError(
      'invalid',
      `Cannot open "${collection}.json": a newer docbuild has written it (format ${format})`,
    );
  }
  if (name !== collection) throw new Error(`it holds the collection "${name}"`);
  return { collection, write, removed, records };
}

/** Gives the file of a document: JSON with one record a line. */
export function formatDocument({ collection, write, removed, rows }: CollectionDocument): Buffer[] {
  const head = JSON.stringify({ format: FORMAT, collection, write, removed });
  return [Buffer.from(`${head.slice(0, -1)},"records":[\n`), ...rows.toBuffers(), Buffer.from('\n]}\n')];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(text === '' ? 'it is empty' : 'it is no JSON'); // the parser's message quotes the text
  }
}
