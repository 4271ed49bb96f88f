import type { StateInline } from 'markdown-it';
import type { Parser } from '../page/extension.ts';
import { getPage } from '../page/page-state.ts';
import { createSlug, findOtherSlug } from '../slug.ts';

/** Before a reference; after a word, brackets are code: `list[first][second]`. */
const NO_START = /[\p{L}\p{N}\])_!\\]/u;
const MAX_LABEL = 200;

/**
 * Adds references to headings of any page where a plugin of MkDocs resolves them (autorefs, mkdocstrings): `[text][id]`, and
 * `[Heading][]`. Those with a definition are links as always.
 */
export function addPageReferences({ rules }: Parser): void {
  rules.inline('[', parseReference);
}

function parseReference(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (!getPage(state.env).input.hasReferences || state.linkLevel > 0) return false;
  if (pos > 0 && NO_START.test(src[pos - 1]!)) return false;
  const end = state.md.helpers.parseLinkLabel(state, pos, true);
  if (end < 0 || src[end + 1] !== '[') return false;
  const text = src.slice(pos + 1, end);
  const length = src.slice(end + 2, Math.min(posMax, end + 2 + MAX_LABEL)).indexOf(']');
  if (length < 0) return false;
  const label = src.slice(end + 2, end + 2 + length).trim();
  const references = (state.env.references ?? {}) as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(references, state.md.utils.normalizeReference(label || text))) return false;
  if (text.startsWith('^') || !/[\p{L}\p{N}]/u.test(text) || !/^[\p{L}\p{N}_]?(?:[^[\]\n]|\n(?!\n))*$/u.test(label))
    return false;
  if (!silent) {
    state.pos = pos + 1;
    state.posMax = end;
    const open = state.push('link_open', 'a', 1);
    open.attrs = [['href', '']];
    open.meta = { ids: listIds(label, text) };
    state.linkLevel++;
    state.md.inline.tokenize(state);
    state.linkLevel--;
    state.push('link_close', 'a', -1);
    state.posMax = posMax;
  }
  state.pos = end + 2 + length + 1;
  return true;
}

/** Returns the ids that a reference may mean, the likeliest first. */
function listIds(label: string, text: string): readonly string[] {
  const words = (label || text.replace(/[`*]/g, '')).replace(/\s+/g, ' ').trim();
  const slug = createSlug(words);
  return [...new Set([words, slug, findOtherSlug(words, slug)])].filter(
    (id) => id !== undefined && id !== '',
  ) as string[];
}
