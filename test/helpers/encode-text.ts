const tables = new Map<string, ReadonlyMap<string, Buffer>>();

/** Encodes a text as `TextDecoder` would read it; every character must be one or two bytes there. */
export function encodeText(text: string, label: string): Buffer {
  let table = tables.get(label);
  if (!table) {
    table = invert(label);
    tables.set(label, table);
  }
  return Buffer.concat(
    [...text].map((character) => {
      const bytes = table.get(character);
      if (!bytes) throw new Error(`"${character}" does not exist in ${label}`);
      return bytes;
    }),
  );
}

function invert(label: string): ReadonlyMap<string, Buffer> {
  const table = new Map<string, Buffer>();
  const add = (...bytes: number[]): void => {
    const text = new TextDecoder(label).decode(Buffer.from(bytes));
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, Buffer.from(bytes));
  };
  for (let byte = 0; byte < 256; byte++) add(byte);
  for (let first = 0x81; first < 0xff; first++) for (let second = 0x40; second < 0xff; second++) add(first, second);
  return table;
}
