import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { type Callout, createCalloutClosing, createCalloutOpening, findCalloutKind } from './callout.ts';

/** Not `[!](a)` nor `[!a][b]`, which are links. */
const marker = /^\[!([a-z][a-z0-9_-]{0,30})\](?![[(:])([+-]?)[ \t]*([^\n]*)(?:\n|$)/i;

/**
 * Makes callouts of GitHub's alerts, `> [!NOTE] Optional title`, and of those of Obsidian and Hugo: of any kind, and closed
 * (`[!NOTE]-`) or open (`[!NOTE]+`) until the reader wills otherwise.
 */
export function addAlerts(md: MarkdownIt): void {
  md.core.ruler.after('block', 'alerts', (state: StateCore) => {
    if (state.src.includes('[!')) state.tokens = replaceAlerts(state);
  });
}

function replaceAlerts(state: StateCore): Token[] {
  const { tokens } = state;
  const result: Token[] = [];
  const closeTags: (string | undefined)[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.type === 'blockquote_open') {
      const inline = tokens[i + 1]?.type === 'paragraph_open' ? tokens[i + 2] : undefined;
      const match = inline?.type === 'inline' ? marker.exec(inline.content) : null;
      if (inline && match) {
        const opening = createCalloutOpening(state, readMarker(match), token.map ?? [0, 0]);
        opening.open.level = token.level;
        result.push(opening.open, ...opening.title);
        closeTags.push(opening.closeTag);
        inline.content = inline.content.slice(match[0].length);
        if (inline.map) inline.map = [inline.map[0] + 1, inline.map[1]];
        if (inline.content.trim() === '') i += 3;
        continue;
      }
      closeTags.push(undefined);
    } else if (token.type === 'blockquote_close') {
      const tag = closeTags.pop();
      if (tag !== undefined) {
        const close = createCalloutClosing(state, tag);
        close.level = token.level;
        result.push(close);
        continue;
      }
    }
    result.push(token);
  }
  return result;
}

function readMarker([, written, sign, rest]: RegExpExecArray): Callout {
  const name = written!.toLowerCase();
  const kind = findCalloutKind(name);
  return {
    kind: kind ?? 'note',
    name,
    title: rest!.trim() || (kind === undefined ? written!.charAt(0).toUpperCase() + written!.slice(1) : undefined),
    details: sign === '-' ? 'closed' : sign === '+' ? 'open' : 'no',
  };
}
