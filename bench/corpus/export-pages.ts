import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { gitBytes } from './git.ts';
import type { Corpus } from './open-corpus.ts';

const LANGUAGES: ReadonlySet<string> = new Set(['en', 'es', 'fa', 'ko', 'pt', 'ru', 'zh']);

/**
 * Lays out the Markdown pages of tags as one tree, `<language>/<tag>/<page>`, for generators that know no versions.
 * `rename` and `edit` may give a page another name and text. Returns the number of pages.
 */
export function exportPages(
  corpus: Corpus,
  options: {
    readonly tags: readonly string[];
    readonly folder: string;
    readonly rename?: (path: string) => string;
    readonly edit?: (text: string) => string;
  },
): number {
  const { tags, folder, rename = same, edit = same } = options;
  const tree = join(folder, '.tree');
  let pages = 0;
  for (const tag of tags) {
    mkdirSync(tree, { recursive: true });
    execFileSync('tar', ['-x', '-C', tree], { input: gitBytes(corpus.repository, ['archive', tag, 'docs']) });
    const source = join(tree, 'docs');
    for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.md')) continue;
      const [first = '', ...rest] = path.split(sep);
      const [language, page] = LANGUAGES.has(first) ? [first, rest.join(sep)] : ['en', path];
      const target = join(folder, language, tag, rename(page));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, edit(readFileSync(join(source, path), 'utf8')));
      pages++;
    }
    rmSync(tree, { recursive: true });
  }
  return pages;
}

function same(text: string): string {
  return text;
}
