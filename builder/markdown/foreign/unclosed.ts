import type { StateBlock } from 'markdown-it';
import type { Tag } from '../html/scan-tag.ts';
import type { PageState } from '../page/page-state.ts';
import { followFence } from '../syntax/container-end.ts';
import { findMeaning } from './elements.ts';
import type { Meaning } from './meaning.ts';
import { pairComponentTags } from './pair-tags.ts';
import { type InnerText, sliceInner } from './push-element.ts';
import { toElement } from './template-tags.ts';

/** Elements that hold the blocks after their tag; other components may stand alone. */
const HOLDERS: ReadonlySet<string> = new Set(['callout', 'quote', 'tabs', 'tab', 'box']);

/**
 * Returns what a component without a closing tag would mean with one, if it lacks one: it is alone on its line, and not
 * a placeholder such as `<Name>`, which Markdown without JSX may contain.
 */
export function findUnclosedMeaning(state: StateBlock, page: PageState, tag: Tag): Meaning | undefined {
  const next = state.src.charCodeAt(state.skipSpaces(tag.end));
  if (tag.isClosing || tag.isSelfClosing || !(next === 10 || Number.isNaN(next))) return undefined;
  const meaning = findMeaning(toElement(page, tag, true));
  if (meaning === undefined || !HOLDERS.has(meaning.as)) return undefined;
  const isMeant =
    page.dialect.jsx || tag.attributes.length > 0 || findMeaning(toElement(page, tag, false)) !== undefined;
  return isMeant ? meaning : undefined;
}

/**
 * Returns the line after the content of a component that is not closed, whose tag ends before `from`: tabs end with
 * their last tab, all else at the next tag of the same name, or with the block around it.
 */
export function findUnclosedEnd(
  state: StateBlock,
  { name, meaning }: { readonly name: string; readonly meaning: Meaning },
  from: number,
  endLine: number,
): number {
  if (meaning.as === 'tabs') return findTabsEnd(state, from, endLine);
  let fence: string | undefined;
  for (let line = from; line < endLine; line++) {
    if (state.isEmpty(line)) continue;
    if (state.sCount[line]! < state.blkIndent) return line;
    const start = state.bMarks[line]! + state.tShift[line]!;
    const code = state.src.charCodeAt(start);
    if (code === 96 /* ` */ || code === 126 /* ~ */)
      fence = followFence(state.src.slice(start, state.eMarks[line]), fence);
    else if (fence === undefined && code === 60 /* < */ && startsTag(state.src, start, name)) return line;
  }
  return endLine;
}

/** Returns the lines below the tag of a component that is not closed, which ends on the line `opened`. */
export function sliceUnclosed(state: StateBlock, opened: number, last: number): InnerText {
  const ends = { start: state.eMarks[opened]!, startLine: opened, end: state.eMarks[last]!, endLine: last };
  return sliceInner(state, ends);
}

function startsTag(text: string, start: number, name: string): boolean {
  return text.startsWith(name, start + 1) && /[\s/>]/.test(text.charAt(start + 1 + name.length));
}

function findTabsEnd(state: StateBlock, from: number, endLine: number): number {
  const pairs = pairComponentTags(state);
  let end = from;
  for (let line = from; line < endLine; line++) {
    if (state.isEmpty(line)) continue;
    const pair = pairs.get(state.bMarks[line]! + state.tShift[line]!);
    if (pair === undefined || !isTab(pair.open.name)) break;
    while (line < endLine && state.eMarks[line]! < pair.close.end) line++;
    end = Math.min(line + 1, endLine);
  }
  return end;
}

function isTab(name: string): boolean {
  return findMeaning({ syntax: 'component', name, named: new Map(), positional: [], isPaired: true })?.as === 'tab';
}
