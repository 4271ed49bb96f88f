import { fstatSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Collection } from '../collection.ts';
import { DataError } from '../data-error.ts';
import type { Page } from '../vault.ts';
import { adoptRow, type CollectionDocument, parseDocument, parseHeader, parseJson } from './collection-document.ts';
import { MAX_FILE_BYTES } from './collection-file.ts';

/** Records that are read at once, and characters of them. */
const PAGE = 200;
const PAGE_LENGTH = 4_000_000;
/** A line has at most a record, and JSON may write a character with six. */
const MAX_LINE_BYTES = 8_000_000;
const CHUNK_BYTES = 262_144;
const readBytes = promisify(read);

/** A file of a collection that was opened for reading. */
export interface OpenRows {
  readonly head: Omit<CollectionDocument, 'rows'>;
  readonly pages: AsyncIterable<Page>;
}

/**
 * Opens the file of a collection and reads it line by line: as docbuild writes it, a record is a line. One that somebody has laid out
 * otherwise is read as a whole. Throws DataError `damaged`, and `invalid` for one that a newer docbuild wrote; so do the pages.
 */
export async function openRows(path: string, fd: number, collection: Collection<unknown>): Promise<OpenRows> {
  const explain = (error: unknown): unknown =>
    error instanceof DataError || !(error instanceof Error) || 'errno' in error
      ? error
      : new DataError(
          'damaged',
          `Cannot read "${path}": ${error.message}; a server that starts there says what can be done`,
        );
  const lines = splitLines(fd);
  try {
    const first = String((await lines.next().catch(() => undefined))?.value ?? '');
    if (!first.endsWith('"records":[')) {
      const { document, records } = parseDocument(readWhole(fd), collection);
      return { head: document, pages: cut(records) };
    }
    const { records: _, ...head } = parseHeader(`${first}]}`, collection);
    return { head, pages: readPages() };
  } catch (error) {
    throw explain(error);
  }

  async function* readPages(): AsyncGenerator<Page> {
    try {
      let page: unknown[] = [];
      let length = 0;
      let count = 0;
      for await (const line of lines) {
        if (line === ']}' || line === '') {
          if (page.length > 0) yield page;
          if (line === ']}') return;
          continue;
        }
        page.push(adoptRow(parseJson(line.endsWith(',') ? line.slice(0, -1) : line), count++, collection));
        length += line.length;
        if (page.length < PAGE && length < PAGE_LENGTH) continue;
        yield page;
        page = [];
        length = 0;
      }
      throw new Error('it ends too early');
    } catch (error) {
      throw explain(error);
    }
  }
}

function readWhole(fd: number): Buffer {
  const { size } = fstatSync(fd);
  if (size > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES} bytes`);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const read = readSync(fd, bytes, at, size - at, at);
    if (read === 0) throw new Error('it ends too early');
    at += read;
  }
  return bytes;
}

async function* cut(records: Page): AsyncGenerator<Page> {
  for (let at = 0; at < records.length; at += PAGE) yield records.slice(at, at + PAGE);
}

async function* splitLines(fd: number): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let bytes = 0;
  for (let place = 0; ; ) {
    // Nothing is read ahead: whoever stops may close the file.
    const { bytesRead, buffer } = await readBytes(fd, Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, place);
    if (bytesRead === 0) break;
    place += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString();
      rest = [];
      bytes = 0;
      from = at + 1;
    }
    rest.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > MAX_LINE_BYTES) throw new Error('it has a line that is too long');
  }
  const last = Buffer.concat(rest).toString();
  if (last !== '') yield last;
}
