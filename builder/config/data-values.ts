/** An unchecked map of front matter or of a configuration. */
export type Data = Readonly<Record<string, unknown>>;

/** Returns the line, from 1, of the key or item at a path. */
export type LineOf = (path: readonly PropertyKey[]) => number;

/** A URL as an author wrote it, with its line in the file, from 1. */
export interface WrittenUrl {
  readonly url: string;
  readonly line: number;
}

/** Returns a map's own value; inherited ones, such as `constructor`, do not count. */
export function own(data: Data, key: string): unknown {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}

/** Returns the value of the first of several keys that has one. */
export function ownOf(data: Data, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = own(data, key);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Returns a trimmed text; undefined if it is empty or not a text. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Returns a number, which may have been written as a text or, so that YAML left its spelling, as `1.0` or `1e3`; undefined for everything else. */
export function number(value: unknown): number | undefined {
  const isNumber =
    typeof value === 'number' ||
    (typeof value === 'string' && /^[-+]?(?:\d{1,9}(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,2})?$/i.test(value));
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : undefined;
}

/** Returns a map, or undefined for everything else. */
export function map(value: unknown): Data | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : undefined;
}

/** Returns the first hundred items of a list; an empty one for everything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 100) : [];
}

/** Returns whether a value is true; generators also accept the word, and those of YAML 1.1. */
export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(?:true|yes|on)$/i.test(value));
}

export function isFalse(value: unknown): boolean {
  return value === false || (typeof value === 'string' && /^(?:false|no|off)$/i.test(value));
}

/** Returns whether a value is a word that YAML 1.1 reads as true or false, and YAML 1.2 as a text. */
export function isYamlWord(value: unknown): boolean {
  return typeof value === 'string' && /^(?:yes|no|on|off)$/i.test(value);
}

/** Returns the time of a date that begins with year, month and day, in milliseconds since 1970. */
export function readDate(value: unknown): number | undefined {
  const [, year, month, day] = (typeof value === 'string' && /^(\d{4})-(\d{2})-(\d{2})/.exec(value)) || [];
  if (year === undefined) return undefined;
  // `Date` takes 2024-02-30 for the first of March.
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)) return undefined;
  const date = Date.parse((value as string).slice(0, 40));
  return Number.isNaN(date) ? undefined : date;
}
