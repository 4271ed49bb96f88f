import MarkdownIt from 'markdown-it';
import { git, gitBytes } from './git.ts';
import type { Corpus } from './open-corpus.ts';

/** A block of code in a language. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** Returns the text of every distinct page over all tags. */
export function readDistinctPages({ repository, tags }: Corpus): readonly string[] {
  const entries = tags.flatMap((tag) => git(repository, ['ls-tree', '-r', tag, '--', 'docs']).split('\n'));
  const oids = new Set(entries.filter((line) => line.endsWith('.md')).map((line) => line.split(/\s/)[2]!));
  return [...oids].map((oid) => gitBytes(repository, ['cat-file', 'blob', oid]).toString());
}

/** Returns every distinct fenced code block of pages that names a language. */
export function collectBlocks(pages: readonly string[]): readonly Block[] {
  const parser = new MarkdownIt({ html: true });
  const blocks = new Map<string, Block>();
  for (const page of pages) {
    for (const { type, info, content } of parser.parse(page, {})) {
      const [language = ''] = /^[\w+-]+/.exec(info.trim()) ?? [];
      if (type === 'fence' && language !== '') blocks.set(`${language}\n${content}`, { language, text: content });
    }
  }
  return [...blocks.values()];
}
