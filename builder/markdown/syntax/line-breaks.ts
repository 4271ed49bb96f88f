import type { Token } from 'markdown-it';
import type { Parser } from '../page/extension.ts';

/** Characters of scripts that have no blanks between words, and their punctuation. Korean has blanks. */
const WIDE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\u3001-\u303f\u30fb\u30fc\uff01-\uff60]/u;
/** Quotation marks, dashes and ellipses, which belong to the text that they stand in. */
const EITHER = /[\u2018\u2019\u201c\u201d\u2014\u2026\u00b7]/u;

/** A line that ends within Chinese or Japanese text becomes no blank: browsers show the end of a line as one. */
export function addLineBreaks({ md }: Parser): void {
  const usual = md.renderer.rules.softbreak!;
  md.renderer.rules.softbreak = (tokens, index, ...rest) =>
    isWithinText(tokens, index) ? '' : usual(tokens, index, ...rest);
}

function isWithinText(tokens: readonly Token[], index: number): boolean {
  const before = /.$/su.exec(findText(tokens, index, -1))?.[0] ?? '';
  const after = /^./su.exec(findText(tokens, index, 1))?.[0] ?? '';
  if (WIDE.test(before)) return WIDE.test(after) || EITHER.test(after);
  return EITHER.test(before) && WIDE.test(after);
}

/** Returns the text next to a token, in whatever it stands: `**text**`, a link; '' = what is there is no text. */
function findText(tokens: readonly Token[], from: number, step: 1 | -1): string {
  for (let at = from + step; at >= 0 && at < tokens.length; at += step) {
    const { type, content, nesting } = tokens[at]!;
    if (type === 'text') {
      if (content !== '') return content;
    } else if (nesting === 0) return '';
  }
  return '';
}
