import type { Token } from 'markdown-it';
import type { Parser } from '../page/extension.ts';
import { getPage } from '../page/page-state.ts';

const EM_DASH = /(?<!-)---(?!-)/g;
/** Between blanks or words: what begins with it is an option of a command. */
const EN_DASH = /(?<=\s)--(?=\s)|(?<=\w)--(?=\w)/g;
/** Lines above the rows of tables lack these, and with them the lines that `dependsOnGenerator` passes over. */
const WORDS = /[^-|:\s]/;

/** Dashes that are written as `--` and `---`, for generators that set them. Ids of headings are those of the text as it is written. */
export function addDashes({ md }: Parser): void {
  md.core.ruler.push('dashes', ({ src, tokens, env }) => {
    const page = getPage(env);
    if (!page.dialect.hasDashes || !src.includes('--')) return;
    for (const { type, content, children } of tokens) {
      if (type === 'inline' && content.includes('--')) setDashes(children ?? []);
    }
    for (const [index, heading] of page.headings.entries()) {
      page.headings[index] = { ...heading, text: withDashes(heading.text) };
    }
  });
}

function setDashes(tokens: readonly Token[]): void {
  let start = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const type = tokens[at]?.type;
    if (type !== undefined && type !== 'softbreak' && type !== 'hardbreak') continue;
    const line = tokens.slice(start, at);
    start = at + 1;
    if (!line.some((token) => token.type !== 'text' || WORDS.test(token.content))) continue;
    for (const token of line) {
      if (token.type === 'text') token.content = withDashes(token.content);
      else if (token.type === 'heading_anchor')
        token.meta = { ...token.meta, text: withDashes(String(token.meta?.text)) };
    }
  }
}

function withDashes(text: string): string {
  return text.includes('--') ? text.replace(EM_DASH, '—').replace(EN_DASH, '–') : text;
}
