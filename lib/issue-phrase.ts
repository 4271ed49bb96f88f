import * as z from 'zod';
import { createBoundedMap } from './bounded-map.ts';
import { Phrase, phrase } from './phrase.ts';

/** Returns the words of a schema's own complaint. A tag of template literals, which a test reads like `phrase`. */
export function complaint(parts: TemplateStringsArray, ...values: readonly unknown[]): string {
  const words = phrase(parts, ...values);
  complaints.set(String(words), words);
  return String(words);
}

/** Schemas know strings only. Most complaints are made once, with the schema; the others, which quote, are read at once. */
const complaints = createBoundedMap<string, Phrase>({ maxEntries: 1_000 });

/** A value of each type, by the name that Zod has for it. */
const SAMPLES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['string', ''],
  ['number', 0],
  ['NaN', Number.NaN],
  ['boolean', true],
  ['array', []],
  ['object', {}],
  ['null', null],
]);

/** A schema's complaint, in its own words or in Zod's. */
export class IssuePhrase extends Phrase {
  readonly #issue: z.core.$ZodIssue;

  constructor(issue: z.core.$ZodIssue) {
    const own = complaints.get(issue.message);
    super(own?.key ?? issue.message.replace(/^Invalid input: /, ''), own?.values ?? {});
    this.#issue = issue;
  }

  /** Returns Zod's words in Chinese; undefined where the message is the schema's own. */
  inChinese(): string | undefined {
    const { message, ...issue } = this.#issue;
    // Zod does not keep the value, and names its type.
    const input = SAMPLES.get(/, received (\w+)$/.exec(message)?.[1] ?? '');
    const say = (locale: { readonly localeError: z.core.$ZodErrorMap }): string | undefined => {
      const said = locale.localeError({ ...issue, input } as z.core.$ZodRawIssue);
      return typeof said === 'string' ? said : said?.message;
    };
    return say(z.locales.en()) === message ? say(z.locales.zhCN()) : undefined;
  }
}
