/** A map of front matter or of a configuration, as anybody may have written it. */
export type Data = Readonly<Record<string, unknown>>;

/** Returns a map's own value; what it inherits, such as `constructor`, is no value. */
export function own(data: Data, key: string): unknown {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}

/** Returns the first of several keys that has a value. */
export function ownOf(data: Data, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = own(data, key);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Returns a text without the blanks around it; undefined for an empty one and for what is no text. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Returns a map, or undefined for everything else. */
export function map(value: unknown): Data | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : undefined;
}

/** Returns the first hundred items of a list; an empty one for everything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 100) : [];
}

/** Returns whether a value says yes; generators also read the word. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

/** Returns whether a value says no. */
export function isFalse(value: unknown): boolean {
  return value === false || value === 'false';
}
