import { toTag } from './to-tag.ts';

/** Returns the name of a language in that language. Throws for an invalid language code. */
export function nativeName(code: string): string {
  const tag = toTag(code);
  return new Intl.DisplayNames(tag, { type: 'language' }).of(tag)!;
}
