const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Most bytes that are kept, names included. */
const MAX_KEPT = 1_000_000;
const MAX_DEPTH = 100;

/**
 * Returns the text of a JSON object with nothing but some of its fields, in a time that grows with the number of bytes
 * and no more, whatever they are: the parser of the engine takes 7 s for 25 MB of `{},{},…`. What is left out is only
 * checked for closed strings and brackets. Returns undefined for what is no object, or one that keeps too much.
 */
export function skimJson(bytes: Buffer, fields: ReadonlySet<string>): string | undefined {
  const lengths = new Set([...fields].map((name) => name.length));
  const kept: string[] = [];
  let keptBytes = 0;
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_OBJECT) return isEnd(bytes, at + 1) ? '{}' : undefined;
  for (;;) {
    const nameEnd = bytes[at] === QUOTE ? findStringEnd(bytes, at) : -1;
    const colon = nameEnd < 0 ? -1 : skipSpace(bytes, nameEnd);
    if (bytes[colon] !== COLON) return undefined;
    const start = skipSpace(bytes, colon + 1);
    const end = findValueEnd(bytes, start);
    if (end < 0) return undefined;
    const isWanted = lengths.has(nameEnd - at - 2) && fields.has(bytes.toString('latin1', at + 1, nameEnd - 1));
    if (isWanted) {
      keptBytes += end - at;
      if (keptBytes > MAX_KEPT) return undefined;
      kept.push(bytes.toString('utf8', at, end));
    }
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_OBJECT) return isEnd(bytes, at + 1) ? `{${kept.join()}}` : undefined;
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
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
