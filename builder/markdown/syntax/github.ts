import type { StateCore, Token } from 'markdown-it';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import type { Parser } from '../page/extension.ts';
import { type Callout, createCalloutClosing, createCalloutOpening, findCalloutKind } from './callouts.ts';

/** Not `[!](a)` nor `[!a][b]`, which are links. */
const MARKER = /^\[!([a-z][a-z0-9_-]{0,30})\](?![[(:])([+-]?)[ \t]*([^\n]*)\n?/i;

/** How a remark ends, or how long it is, that stands where Obsidian has the title: Svelte's documentation writes `> [!NOTE] A remark.` */
const REMARK = /(?:[.:,;。：，；][*_`")”]*|.{100})$/;

/** `info **Hint** A remark`, as Nest's documentation has it: a kind, and a title that is the name of one. */
const LABEL =
  /^(info|success|tip|hint|note|important|warn|warning|caution|danger|error)[ \t]+\*\*([a-z]{3,12})\*\*[ \t\n]+/i;

/**
 * Turns GitHub's alerts, `> [!NOTE] Optional title`, into callouts, and those of Obsidian and Hugo: of any kind, and
 * initially closed (`[!NOTE]-`) or open (`[!NOTE]+`). What is no title, or has nothing below it, is the text. So are quotes that begin
 * with a kind and a title: `> warning **Notice** A remark`.
 */
export function addAlerts({ md }: Parser): void {
  md.core.ruler.after('block', 'alerts', (state: StateCore) => {
    if (state.src.includes('[!') || /^[ \t>]*>[ \t]*[a-z]+[ \t]+\*\*/im.test(state.src))
      state.tokens = replaceAlerts(state);
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
      const match = inline?.type === 'inline' ? MARKER.exec(inline.content) : null;
      const labelled = inline?.type === 'inline' && !match ? readLabel(inline.content) : undefined;
      if (inline && labelled) {
        const opening = createCalloutOpening(state, labelled.callout, token.map ?? [0, 0]);
        opening.open.level = token.level;
        result.push(opening.open, ...opening.title);
        closeTags.push(opening.closeTag);
        inline.content = inline.content.slice(labelled.length);
        continue;
      }
      if (inline && match) {
        const isAlone = inline.content.length === match[0].length && tokens[i + 4]?.type === 'blockquote_close';
        const isText = match[2] === '' && (isAlone || REMARK.test(match[3]!.trimEnd()));
        const opening = createCalloutOpening(state, readMarker(match, isText), token.map ?? [0, 0]);
        opening.open.level = token.level;
        result.push(opening.open, ...opening.title);
        closeTags.push(opening.closeTag);
        inline.content = inline.content.slice(isText ? match[0].indexOf(']') + 1 : match[0].length).trimStart();
        if (inline.map && !isText) inline.map = [inline.map[0] + 1, inline.map[1]];
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

function readLabel(text: string): { readonly callout: Callout; readonly length: number } | undefined {
  const [start, kind, title] = LABEL.exec(text) ?? [];
  if (start === undefined || (findCalloutKind(title!) === undefined && !/^(?:notice|info)$/i.test(title!)))
    return undefined;
  const name = kind!.toLowerCase();
  return {
    callout: {
      kind: name === 'warn' ? 'warning' : findCalloutKind(name)!,
      name,
      title: title!.charAt(0).toUpperCase() + title!.slice(1),
      details: 'no',
    },
    length: start.length,
  };
}

function readMarker([, written, sign, rest]: RegExpExecArray, isText: boolean): Callout {
  const name = written!.toLowerCase();
  const kind = findCalloutKind(name);
  const title = isText ? '' : rest!.trim();
  return {
    kind: kind ?? 'note',
    name,
    title: title || (kind === undefined ? written!.charAt(0).toUpperCase() + written!.slice(1) : undefined),
    details: sign === '-' ? 'closed' : sign === '+' ? 'open' : 'no',
  };
}

/** Adds GFM's task lists, `- [x] done`. */
export function addTaskLists({ md }: Parser): void {
  md.core.ruler.before('inline', 'task_lists', (state: StateCore) => {
    const { tokens } = state;
    for (let i = 2; i < tokens.length; i++) {
      const inline = tokens[i]!;
      if (inline.type !== 'inline' || tokens[i - 2]!.type !== 'list_item_open') continue;
      const match = /^\[([ xX])\](?:[ \t\n]|$)/.exec(inline.content);
      if (!match) continue;
      inline.content = inline.content.slice(match[0].length);
      inline.meta = { task: match[1] === ' ' ? 'open' : 'done' };
      tokens[i - 2]!.attrJoin('class', 'task');
    }
  });
  md.core.ruler.after('footnote_tail', 'task_boxes', (state: StateCore) => {
    for (const token of state.tokens) {
      if (token.type !== 'inline' || token.meta?.task === undefined || token.children === null) continue;
      const open = new state.Token('task_open', '', 0);
      open.meta = { done: token.meta.task === 'done' };
      token.children.unshift(open);
      token.children.push(new state.Token('task_close', '', 0));
    }
  });
  md.renderer.rules.task_open = (tokens, index) =>
    `<label><input type="checkbox" disabled${tokens[index]!.meta?.done ? ' checked' : ''}> `;
  md.renderer.rules.task_close = () => '</label>';
}

const ADDRESS = /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:[/?#][^\s<>]*)?/uy;

/**
 * Turns URLs in running text into links as GFM does: with a scheme, after `www.`, and e-mail addresses. Names such as
 * `README.md`, which end like a domain, stay text.
 */
export function addAutolinks({ md }: Parser): void {
  const { linkify } = md;
  linkify.set({ fuzzyLink: false });
  // `//example.com` is more often a comment or a path than a URL; GFM leaves it alone, too.
  linkify.add('//', null);
  // Its patterns are slow: they are tried only on text that may contain a URL, not on link destinations.
  const { match } = linkify;
  linkify.test = mayHoldAddress;
  linkify.match = (text) => match.call(linkify, text) ?? [];
  linkify.add('www.', {
    validate(text, pos) {
      ADDRESS.lastIndex = pos;
      const match = ADDRESS.exec(text);
      return match ? trimEnd(match[0]).length : 0;
    },
    normalize(match) {
      match.url = `http://${match.url}`;
    },
  });
}

function mayHoldAddress(text: string): boolean {
  return text.includes('://') || text.includes('@') || /www\./i.test(text);
}

/** Removes characters that more likely end the sentence than the URL. */
function trimEnd(url: string): string {
  const trimmed = trimCharacters(url, '?!.,:;*_~\'"');
  const isOpen = trimmed.endsWith(')') && !trimmed.includes('(');
  return isOpen ? trimmed.slice(0, -1) : trimmed;
}
