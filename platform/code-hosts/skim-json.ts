const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The byte order mark, which decoders skip. */
const MARK = Buffer.from('\ufeff');
/** Most bytes that are kept, names included. */
const MAX_KEPT = 1_000_000;
const MAX_DEPTH = 100;

/**
 * Returns the bytes of a JSON object with nothing but some of its fields, however their names are spelled there, in a time that
 * grows with the number of bytes and no more, whatever they are: the parser of the engine takes 7 s for 25 MB of `{},{},…`. What
 * is left out is only checked for closed strings and brackets. Returns undefined for what is no object, or one that keeps too
 * much.
 */
export function skimJson(bytes: Buffer, fields: ReadonlySet<string>): Buffer | undefined {
  const findName = createNameFinder(fields);
  /** The last of fields with one name counts, as for the parser. */
  const kept = new Map<string, Buffer>();
  let keptBytes = 0;
  let at = skipSpace(bytes, bytes.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_OBJECT) return isEnd(bytes, at + 1) ? writeObject(kept) : undefined;
  for (;;) {
    const nameEnd = bytes[at] === QUOTE ? findStringEnd(bytes, at) : -1;
    const colon = nameEnd < 0 ? -1 : skipSpace(bytes, nameEnd);
    if (bytes[colon] !== COLON) return undefined;
    const start = skipSpace(bytes, colon + 1);
    const end = findValueEnd(bytes, start);
    if (end < 0) return undefined;
    const name = findName(bytes.subarray(at, nameEnd));
    if (name !== undefined) {
      keptBytes += end - at;
      if (keptBytes > MAX_KEPT) return undefined;
      kept.set(name, bytes.subarray(start, end));
    }
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_OBJECT) return isEnd(bytes, at + 1) ? writeObject(kept) : undefined;
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
  }
}

function writeObject(fields: ReadonlyMap<string, Buffer>): Buffer {
  const parts = [...fields].flatMap(([name, value], place) => [
    Buffer.from(`${place === 0 ? '' : ','}${JSON.stringify(name)}:`),
    value,
  ]);
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
}

/** A character of a name may be written as `\u0072`. */
const MAX_ESCAPE = 6;

/** Returns what gives the field that a string is the name of, however it is spelled; undefined for all that are not wanted. */
function createNameFinder(fields: ReadonlySet<string>): (string: Buffer) => string | undefined {
  const lengths = new Set([...fields].map((name) => name.length + 2));
  const longest = Math.max(0, ...lengths) * MAX_ESCAPE;
  return (string) => {
    if (string.length > longest) return undefined;
    const isEscaped = string.includes(BACKSLASH);
    if (!isEscaped && !lengths.has(string.length)) return undefined;
    const text = string.toString('latin1');
    const name = isEscaped ? parseName(text) : text.slice(1, -1);
    return name !== undefined && fields.has(name) ? name : undefined;
  };
}

function parseName(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined; // an escape that JSON does not have
  }
}

function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

function isEnd(bytes: Buffer, at: number): boolean {
  return skipSpace(bytes, at) === bytes.length;
}

/** Returns the place behind a string that begins here, or -1. */
function findStringEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; ; at++) {
    at = bytes.indexOf(QUOTE, at);
    if (at < 0) return -1;
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
}

/** Returns the place behind a value that begins here, or -1. */
function findValueEnd(bytes: Buffer, start: number): number {
  if (bytes[start] === QUOTE) return findStringEnd(bytes, start);
  const isNested = bytes[start] === OPEN_OBJECT || bytes[start] === OPEN_LIST;
  return isNested ? findClose(bytes, start) : findWordEnd(bytes, start);
}

function findClose(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = findStringEnd(bytes, at) - 1;
      if (at < 0) return -1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (++depth > MAX_DEPTH) return -1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (--depth === 0) return at + 1;
    }
  }
  return -1;
}

/** Numbers, true, false and null end where something else begins. */
function findWordEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && !isMark(bytes[at]!)) at++;
  return at === start ? -1 : at;
}

function isMark(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === QUOTE;
}
