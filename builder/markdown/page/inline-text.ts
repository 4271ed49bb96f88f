import type { StateInline } from 'markdown-it';

/** Parses another text as Markdown in the place where a state is, and leaves the state there. */
export function parseInlineText(state: StateInline, text: string): void {
  const { src, pos, posMax, cache, backticks, backticksScanned } = state;
  Object.assign(state, { src: text, pos: 0, posMax: text.length, cache: {}, backticks: {}, backticksScanned: false });
  state.md.inline.tokenize(state);
  Object.assign(state, { src, pos, posMax, cache, backticks, backticksScanned });
}
