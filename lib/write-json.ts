import { closeSync, openSync, writeFileSync } from 'node:fs';

/** Characters that are written at once. */
const CHUNK = 1_000_000;
/** Levels of objects whose values are texts of their own: what is deeper is small. */
const LEVELS = 4;

/** Writes a value as JSON to a file, in pieces: the text of a large one takes several times its length in memory. */
export function writeJson(path: string, value: unknown): void {
  const file = openSync(path, 'w');
  try {
    let text = '';
    for (const piece of listPieces(value, LEVELS)) {
      text += piece;
      if (text.length < CHUNK) continue;
      writeFileSync(file, text);
      text = '';
    }
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** Yields the JSON of a value, which has no method `toJSON` in its upper levels. */
function* listPieces(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  let before = '{';
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ',';
    yield* listPieces(one, levels - 1);
  }
  yield before === '{' ? '{}' : '}';
}
