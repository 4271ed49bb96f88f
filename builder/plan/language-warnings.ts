import { countNoun } from '../../lib/count-noun.ts';
import type { Warning } from '../model.ts';
import { markOptions } from '../option-marks.ts';
import { parseLanguageTag } from '../source/language-tag.ts';
import { findStatedLanguage, type Language } from '../source/languages.ts';
import { isPageFile } from '../source/page-path.ts';
import type { VersionSource } from './versions/version-source.ts';

/** Languages that a warning names. */
const MAX_NAMED = 5;

/**
 * Returns what the author should know of the languages of a version: that the default one was guessed, and which pages are left out
 * because their language is not among the declared ones.
 */
export function warnOfLanguages(
  { version, listing, layout }: VersionSource,
  { languages, guessed }: { readonly languages: readonly Language[]; readonly guessed: string | undefined },
): readonly Warning[] {
  const place = { ref: version.ref.name, file: '', line: 0, code: 'language' as const };
  const codes = languages.map(({ code }) => code);
  if (guessed !== undefined) {
    const message = `No language is declared; judging by its script, the text is ${nameLanguage(languages[0]!.tag)} and is published as "${codes[0]}": confirm or change that with ${markOptions('lang')}`;
    return [{ ...place, message }];
  }
  const leftOut = new Map<string, { readonly code: string; pages: number }>();
  for (const { path, isLeftOut } of listing.files) {
    const stated = isPageFile(path) && !isLeftOut ? findStatedLanguage(path, layout) : undefined;
    if (!stated || languages.some(({ key }) => key === stated.key)) continue;
    const known = leftOut.get(stated.key);
    if (known) known.pages++;
    else leftOut.set(stated.key, { code: stated.code, pages: 1 });
  }
  if (leftOut.size === 0) return [];
  const all = [...leftOut.values()].sort((a, b) => b.pages - a.pages);
  const total = all.reduce((sum, { pages }) => sum + pages, 0);
  const named = all.slice(0, MAX_NAMED).map(({ code, pages }) => `${code} (${nameLanguage(code)}, ${pages})`);
  const list = [...named, ...(all.length > MAX_NAMED ? [`${all.length - MAX_NAMED} more`] : [])].join(', ');
  const message = `${countNoun(total, 'page')} left out, whose folder or file name states a language other than ${codes.join(', ')}: ${list}; to publish more languages, name them with ${markOptions('lang')}`;
  return [{ ...place, message }];
}

function nameLanguage(code: string): string {
  const tag = parseLanguageTag(code);
  return (tag && new Intl.DisplayNames('en', { type: 'language' }).of(tag)) ?? code;
}
