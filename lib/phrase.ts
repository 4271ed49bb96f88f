/**
 * A text with values for somebody whose language is known later: the English words are its key in the catalogues of other
 * languages. As a string it is English, so that logs, errors and the command line need no catalogue.
 */
export class Phrase {
  /** `User "{0}" does not exist`; `{0|request|requests}` is the first word for the number 1, otherwise the second. */
  readonly key: string;
  readonly values: PhraseValues;

  constructor(key: string, values: PhraseValues) {
    this.key = key;
    this.values = values;
  }

  toString(): string {
    return fillPhrase(this.key, this.values);
  }
}

/** Values by name, or by their position; one that is a phrase is translated, too. */
export type PhraseValues = Readonly<Record<string, unknown>> | readonly unknown[];

/** Returns a phrase; its values are numbered from 0. A tag of template literals, which a test reads to find what lacks a translation. */
export function phrase(parts: TemplateStringsArray, ...values: readonly unknown[]): Phrase {
  return new Phrase(parts.map((part, i) => (i === 0 ? part : `{${i - 1}}${part}`)).join(''), values);
}

const PLACE = /\{(\w+)(?:\|([^{|}]*)\|([^{|}]*))?\}/g;

/** Returns a pattern with values in its places. What is not a value of its own stays as it is; values are not read as patterns. */
export function fillPhrase(
  pattern: string,
  values: PhraseValues,
  show: { readonly words: (words: string) => string; readonly value: (value: unknown) => string } = PLAIN,
): string {
  let end = 0;
  let filled = '';
  for (const { 0: place, 1: name = '', 2: one, 3: many, index } of pattern.matchAll(PLACE)) {
    if (!Object.hasOwn(values, name)) continue;
    const value = (values as Readonly<Record<string, unknown>>)[name];
    filled += show.words(pattern.slice(end, index));
    filled += one === undefined ? show.value(value) : show.words(value === 1 ? one : many!);
    end = index + place.length;
  }
  return filled + show.words(pattern.slice(end));
}

const PLAIN = { words: (words: string): string => words, value: String };

/** Returns the names in a pattern that values take the place of; those of plurals are not among them. */
export function listPlaces(pattern: string): readonly string[] {
  return [...pattern.matchAll(PLACE)].filter(([, , one]) => one === undefined).map(([, name]) => name!);
}

/** Creates a function that recognises English texts which were made from one of these phrases, whose values do not matter. */
export function createPhraseReader(phrases: readonly Phrase[]): (text: string) => Phrase | undefined {
  const patterns = phrases.map(({ key }) => {
    const parts = key.split(/\{\d+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return { key, pattern: new RegExp(`^${parts.join('([^]{0,500}?)')}$`) };
  });
  return (text) => {
    for (const { key, pattern } of patterns) {
      const found = pattern.exec(text);
      if (found) return new Phrase(key, found.slice(1));
    }
    return undefined;
  };
}
