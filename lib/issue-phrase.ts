import * as z from 'zod';
import { Phrase } from './phrase.ts';

/** What a schema complains of: by the schema's own words, which are a key of the catalogues, or by those of Zod. */
export class IssuePhrase extends Phrase {
  readonly #issue: z.core.$ZodIssue;

  constructor(issue: z.core.$ZodIssue) {
    super(issue.message.replace(/^Invalid input: /, ''), []);
    this.#issue = issue;
  }

  /** Returns Zod's words in Chinese; undefined where the message is the schema's own. */
  inChinese(): string | undefined {
    const { message, ...issue } = this.#issue;
    const say = (locale: { readonly localeError: z.core.$ZodErrorMap }): string | undefined => {
      const said = locale.localeError({ ...issue, input: undefined } as z.core.$ZodRawIssue);
      return typeof said === 'string' ? said : said?.message;
    };
    return say(z.locales.en()) === message ? say(z.locales.zhCN()) : undefined;
  }
}

/** Returns the words of a schema's own complaint. A tag of template literals, which a test reads like `phrase`. */
export function complaint([words = '']: TemplateStringsArray): string {
  return words;
}
