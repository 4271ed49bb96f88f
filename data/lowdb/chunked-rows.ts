/** The rows of a JSON array, one a line, kept as pieces of the file: a change rebuilds one piece, not the file. */
export interface ChunkedRows {
  /** Replaces the row (JSON) of this key, or adds it; undefined removes it. */
  set(key: string, json: string | undefined): void;
  /** Returns all rows, separated by commas; no piece is ever changed in place, so they may be written while rows change. */
  toBuffers(): Buffer[];
  readonly bytes: number;
}

/** Lines of some hundred records: cheap to copy when one of them changes, few enough to write in one go. */
const CHUNK_BYTES = 65_536;
const LINE_END = ',\n';

interface Chunk {
  /** Every line ends in `LINE_END`. */
  bytes: Buffer;
  readonly keys: string[];
  /** Bytes of each line. */
  readonly lengths: number[];
}

/** Creates rows that start with these keys and JSON texts; keys must differ. */
export function createChunkedRows(start: Iterable<readonly [key: string, json: string]> = []): ChunkedRows {
  const chunks = new Set<Chunk>();
  /** Chunks with room for new rows. */
  const roomy = new Set<Chunk>();
  const places = new Map<string, Chunk>();
  let bytes = 0;

  /** Replaces `count` lines of a chunk by others. */
  const splice = (chunk: Chunk, at: number, count: number, rows: readonly (readonly [string, Buffer])[]): void => {
    const from = sum(chunk.lengths, 0, at);
    const to = from + sum(chunk.lengths, at, at + count);
    const lines = rows.map(([, line]) => line);
    const now = Buffer.concat([chunk.bytes.subarray(0, from), ...lines, chunk.bytes.subarray(to)]);
    bytes += now.length - chunk.bytes.length;
    chunk.bytes = now;
    for (const key of chunk.keys.splice(at, count, ...rows.map(([key]) => key))) places.delete(key);
    chunk.lengths.splice(at, count, ...lines.map(({ length }) => length));
    for (const [key] of rows) places.set(key, chunk);
    if (chunk.keys.length === 0) chunks.delete(chunk);
    if (chunk.keys.length > 0 && now.length < CHUNK_BYTES / 2) roomy.add(chunk);
    else roomy.delete(chunk);
  };
  const createChunk = (): Chunk => {
    const chunk: Chunk = { bytes: Buffer.alloc(0), keys: [], lengths: [] };
    chunks.add(chunk);
    return chunk;
  };
  const append = (rows: readonly (readonly [string, Buffer])[]): void => {
    const [chunk = createChunk()] = roomy;
    splice(chunk, chunk.keys.length, 0, rows);
  };

  let rows: (readonly [string, Buffer])[] = [];
  let waiting = 0;
  for (const [key, json] of start) {
    const line = Buffer.from(json + LINE_END);
    if (waiting > 0 && waiting + line.length > CHUNK_BYTES) {
      splice(createChunk(), 0, 0, rows);
      rows = [];
      waiting = 0;
    }
    rows.push([key, line]);
    waiting += line.length;
  }
  if (rows.length > 0) splice(createChunk(), 0, 0, rows);

  return {
    set(key, json) {
      const chunk = places.get(key);
      const at = chunk ? chunk.keys.indexOf(key) : -1;
      if (json === undefined) {
        if (chunk) splice(chunk, at, 1, []);
        return;
      }
      const line = Buffer.from(json + LINE_END);
      if (!chunk) return append([[key, line]]);
      const size = chunk.bytes.length - chunk.lengths[at]! + line.length;
      if (size <= 2 * CHUNK_BYTES || chunk.keys.length === 1) return splice(chunk, at, 1, [[key, line]]);
      splice(chunk, at, 1, []);
      append([[key, line]]);
    },
    toBuffers() {
      const buffers = [...chunks].map((chunk) => chunk.bytes);
      const last = buffers.pop();
      return last ? [...buffers, last.subarray(0, -LINE_END.length)] : [];
    },
    get bytes() {
      return bytes;
    },
  };
}

function sum(numbers: readonly number[], from: number, to: number): number {
  let total = 0;
  for (let i = from; i < to; i++) total += numbers[i]!;
  return total;
}
