import type { StateInline } from 'markdown-it';
import mark from 'markdown-it-mark';
import type { InlineRule, Parser } from '../page/extension.ts';

/** Adds `==marked==` text, `H~2~O`, `x^2^` and keys (`++ctrl+c++`). */
export function addMarks({ md, rules }: Parser): void {
  rules.inline('=', parseComparison);
  md.use(mark);
  rules.inline('~', createScriptRule('sub', '~'));
  rules.inline('^', createScriptRule('sup', '^'));
  rules.inline('+', parseKeys);
}

const EQUAL_SIGNS = /={2,}/y;

/** Keeps `a==b` as text: between two words of Latin script the signs are an operator. */
function parseComparison(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (!/\w/.test(src[pos - 1] ?? '')) return false;
  EQUAL_SIGNS.lastIndex = pos;
  const signs = EQUAL_SIGNS.exec(src)?.[0];
  if (signs === undefined || !/\w/.test(src[pos + signs.length] ?? '')) return false;
  if (!silent) state.pending += signs;
  state.pos += signs.length;
  return true;
}

/** Creates the rule for text between two signs; it has no spaces, and its content is Markdown. */
function createScriptRule(tag: 'sub' | 'sup', sign: '~' | '^'): InlineRule {
  const [one, other] = [`\\${sign}`, `(?:\\\\\\S|[^\\s\\\\${sign}])`];
  // `^[` begins a footnote.
  const script = new RegExp(`${one}(?!\\[)(${other}{1,1000})${one}(?!${one})`, 'y');
  return (state, silent) => {
    const { src, pos, posMax } = state;
    script.lastIndex = pos;
    const inner = script.exec(src)?.[1];
    if (inner === undefined || src[pos - 1] === sign || script.lastIndex > posMax) return false;
    const end = pos + inner.length + 2;
    if (!isScript(inner, src[pos - 1] ?? ' ', src[end] ?? ' ')) return false;
    if (!silent) {
      state.push(`${tag}_open`, tag, 1);
      state.pos = pos + 1;
      state.posMax = end - 1;
      state.md.inline.tokenize(state);
      state.posMax = posMax;
      state.push(`${tag}_close`, tag, -1);
    }
    state.pos = end;
    return true;
  };
}

/** Distinguishes scripts from prose with two of these signs. */
function isScript(inner: string, before: string, after: string): boolean {
  // `~/bin:~/sbin`, `~10-~20`, `^1.0||^2.0`
  if (/^\/|[\p{Pd}/:,;|&]$/u.test(inner)) return false;
  // `^_^`
  if (!/[\p{L}\p{N}]/u.test(inner)) return /[\w)]/.test(before);
  // `x^2+y^2`
  return !(/.[-+*/=<>]/.test(inner) && /\w/.test(after));
}

const KEYS = /\+\+((?:[a-z0-9_-]{1,30}|"[^"\n]{1,30}")(?:\+(?:[a-z0-9_-]{1,30}|"[^"\n]{1,30}"))*)\+\+/iy;

/** `++ctrl+alt+"X"++`. */
function parseKeys(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (/[\w+]/.test(src[pos - 1] ?? '')) return false;
  KEYS.lastIndex = pos;
  const match = KEYS.exec(src);
  if (match === null || KEYS.lastIndex > posMax) return false;
  if (!silent) {
    for (const [index, [key]] of [...match[1]!.matchAll(/"[^"]*"|[^+]+/g)].entries()) {
      if (index > 0) state.push('text', '', 0).content = '+';
      state.push('kbd_open', 'kbd', 1);
      state.push('text', '', 0).content = nameKey(key);
      state.push('kbd_close', 'kbd', -1);
    }
  }
  state.pos += match[0].length;
  return true;
}

const KEY_NAMES = new Map([
  ['arrow-up', '↑'],
  ['arrow-down', '↓'],
  ['arrow-left', '←'],
  ['arrow-right', '→'],
  ['up', '↑'],
  ['down', '↓'],
  ['left', '←'],
  ['right', '→'],
]);

function nameKey(key: string): string {
  if (key.startsWith('"')) return key.slice(1, -1);
  const words = key.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return KEY_NAMES.get(key.toLowerCase()) ?? words.join(' ');
}
