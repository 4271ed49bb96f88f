import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TranslationBoard } from '../../builder/translations/translation-board.ts';

/** Reads the board of a language of a published site. */
export function readBoard(out: string, language: string): TranslationBoard {
  return JSON.parse(readFileSync(join(out, `_docbuild/translations/${language}.json`), 'utf8')) as TranslationBoard;
}

/** Returns the pages that are not up to date in a version, with what they lack: `changed use since v1.1.0 (v1.0.0)`. */
export function listLate(
  { versions, pages }: TranslationBoard,
  name: string,
): Readonly<Record<string, readonly string[]>> {
  const place = versions.findIndex((version) => version.name === name);
  const late = pages.flatMap(({ path, states }): (readonly [string, readonly string[]])[] => {
    const found = states.find((state) => state.versions.includes(place));
    if (!found || found.state === 'current') return [];
    const { state, since, sections = [] } = found;
    if (state === 'missing') return [[path, [`missing since ${since}`]]];
    const rows = sections.map(
      (section) => `${section.state} ${section.id} since ${section.since} (${section.inStep ?? ''})`,
    );
    return [[path, rows]];
  });
  return Object.fromEntries(late);
}
