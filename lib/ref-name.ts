import { type Phrase, phrase } from './phrase.ts';
import { quoteName } from './quote-name.ts';

const MAX_LENGTH = 255;
/**
 * Matches text that git allows in no name of a branch or tag (git-check-ref-format, with `--branch`), and lone surrogates, which no text in
 * UTF-8 has.
 */
const FORBIDDEN = /[\p{Cc}\p{Cs} ~^:?*[\\]|\.\.|@\{|\/\/|^[/.-]|[/.]$|\/\.|\.lock(?:\/|$)|^@$|^$/u;

/** Returns why no branch or tag can have this name, in a sentence that quotes it; undefined where one can. */
export function findRefNameProblem(name: string): Phrase | undefined {
  if (name.length > MAX_LENGTH) {
    return phrase`Cannot use ref ${quoteName(name)}: it has more than ${MAX_LENGTH} characters`;
  }
  if (FORBIDDEN.test(name)) {
    return phrase`Cannot use ref ${quoteName(name)}: this is not a valid name of a branch or tag`;
  }
  return undefined;
}
