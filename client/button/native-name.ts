import { toTag } from './to-tag.ts';

/** Returns the name of a language in itself. Throws for what is no code of a language. */
export function nativeName(code: string): string {
  const tag = toTag(code);
  return new Intl.DisplayNames(tag, { type: 'language' }).of(tag)!;
}
