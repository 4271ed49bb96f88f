import type { StateBlock } from 'markdown-it';
import { isComponentName, scanTag, type Tag } from '../html/scan-tag.ts';
import { spendWork } from '../page/page-costs.ts';
import { findEnd, getPage, type PageState } from '../page/page-state.ts';
import { findTemplateTag, scanTemplateTag, type TemplateTag } from './template-tags.ts';

/** A JSX or Vue tag with its position. */
export interface ComponentTag extends Tag {
  readonly start: number;
}

/** The closing tags of a text by the positions of their opening tags. */
export type Pairs<T> = ReadonlyMap<number, { readonly open: T; readonly close: T }>;

/** Tags whose content is plain text up to the closing tag. */
const RAW_NAMES = new Set(['raw', 'comment', 'highlight', 'codeblock', 'verbatim', 'mermaid', 'math', 'katex', 'chem']);

const templatePairs = new WeakMap<StateBlock, Pairs<TemplateTag>>();
const componentPairs = new WeakMap<StateBlock, Pairs<ComponentTag>>();

/** Returns the pairs of template tags of a block parser's text, outside code. */
export function pairTemplateTags(state: StateBlock): Pairs<TemplateTag> {
  let pairs = templatePairs.get(state);
  if (pairs === undefined) {
    pairs = findTemplatePairs(getPage(state.env), state.src);
    templatePairs.set(state, pairs);
  }
  return pairs;
}

/** Returns the pairs of components in a block parser's text, outside code; in JSX, HTML elements count, too. */
export function pairComponentTags(state: StateBlock): Pairs<ComponentTag> {
  let pairs = componentPairs.get(state);
  if (pairs === undefined) {
    pairs = findComponentPairs(getPage(state.env), state.src);
    componentPairs.set(state, pairs);
  }
  return pairs;
}

function findTemplatePairs(page: PageState, text: string): Pairs<TemplateTag> {
  const pairer = createPairer<TemplateTag>();
  const endless = new Set<string>();
  walkOutsideCode(page, text, '{', (start) => {
    const tag = findTemplateTag(page, text, start, text.length);
    if (tag === undefined) return start + 1;
    if (tag.kind === 'close') pairer.close(`${tag.syntax} ${tag.name}`, tag);
    else if (tag.kind === 'open') {
      const isRaw = RAW_NAMES.has(tag.name) && !endless.has(tag.name);
      const closing = isRaw ? findRawEnd(text, tag) : undefined;
      if (isRaw && closing === undefined) endless.add(tag.name);
      pairer.open(`${tag.syntax} ${tag.name}`, tag);
      // `{% end %}` closes any tag in the form of a function call.
      if (tag.syntax === 'statement' && tag.body.startsWith('(')) pairer.alias('statement ');
      if (closing !== undefined) {
        pairer.close(`${tag.syntax} ${tag.name}`, closing);
        return closing.end;
      }
    }
    return tag.end;
  });
  return pairer.pairs;
}

function findRawEnd(text: string, tag: TemplateTag): TemplateTag | undefined {
  const mark = tag.syntax === 'statement' ? `\\{%-?\\s*end${tag.name}\\b` : `\\{\\{[<%]\\s*/\\s*${tag.name}\\b`;
  const pattern = new RegExp(mark, 'g');
  pattern.lastIndex = tag.end;
  const match = pattern.exec(text);
  const closing = match ? scanTemplateTag(text, match.index, text.length) : undefined;
  return typeof closing === 'object' ? closing : undefined;
}

function findComponentPairs(page: PageState, text: string): Pairs<ComponentTag> {
  const pairer = createPairer<ComponentTag>();
  const isHtml = page.dialect.jsx || page.openHtml > 0 || /\smarkdown[\s=>]/.test(text);
  walkOutsideCode(page, text, '<', (start) => {
    const tag = findEnd(page, () => scanTag(text, start, text.length));
    if (tag === undefined) return start + 1;
    if (tag.isSelfClosing || !(isHtml || isComponentName(tag.name))) return tag.end;
    if (tag.isClosing) pairer.close(tag.name, { ...tag, start });
    else pairer.open(tag.name, { ...tag, start });
    return tag.end;
  });
  return pairer.pairs;
}

interface Pairer<T> {
  readonly pairs: Pairs<T>;
  open(name: string, tag: T): void;
  /** Allows another name to close the tag that was opened last. */
  alias(name: string): void;
  close(name: string, tag: T): void;
}

/** Pairs tags in order; a tag left open inside a closed one has no partner. */
function createPairer<T extends { readonly start: number }>(): Pairer<T> {
  const pairs = new Map<number, { open: T; close: T }>();
  const stack: { readonly names: string[]; readonly tag: T }[] = [];
  const counts = new Map<string, number>();
  const count = (name: string, by: number) => counts.set(name, (counts.get(name) ?? 0) + by);
  return {
    pairs,
    open(name, tag) {
      stack.push({ names: [name], tag });
      count(name, 1);
    },
    alias(name) {
      stack.at(-1)!.names.push(name);
      count(name, 1);
    },
    close(name, close) {
      if (!counts.get(name)) return;
      for (;;) {
        const { names, tag } = stack.pop()!;
        for (const own of names) count(own, -1);
        if (!names.includes(name)) continue;
        pairs.set(tag.start, { open: tag, close });
        return;
      }
    },
  };
}

const FENCE_ENDS: Readonly<Record<string, RegExp>> = {
  '`': /^[ \t>]*(`{3,})[ \t]*$/gm,
  '~': /^[ \t>]*(~{3,})[ \t]*$/gm,
};
/** A longer code span is skipped in parts. */
const MAX_SPAN = 1_000;

/**
 * Calls `visit` for each occurrence of a sign outside code blocks, code spans and comments; it returns where to
 * continue. Considers lines only, not the blocks that contain them.
 */
function walkOutsideCode(page: PageState, text: string, sign: '{' | '<', visit: (start: number) => number): void {
  spendWork(page.costs, text.length);
  const fence = '^[ \\t>]*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+)*(`{3,}(?=[^`\\n]*$)|~{3,})';
  const marks = new RegExp(`${fence}|\`+|<!--|${sign === '{' ? '\\{[{%]' : '</?[A-Za-z]'}`, 'gm');
  let hasComments = true;
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const [mark, opened] = match;
    if (opened !== undefined) marks.lastIndex = findFenceEnd(text, opened, marks.lastIndex);
    else if (mark.startsWith('`')) marks.lastIndex = findSpanEnd(text, mark, marks.lastIndex);
    else if (mark === '<!--') {
      const end: number = hasComments ? text.indexOf('-->', marks.lastIndex) : -1;
      hasComments = end >= 0;
      if (hasComments) marks.lastIndex = end + 3;
    } else marks.lastIndex = visit(match.index);
  }
}

function findFenceEnd(text: string, opened: string, from: number): number {
  const pattern = FENCE_ENDS[opened[0]!]!;
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[1]!.length >= opened.length) return pattern.lastIndex;
  }
  return text.length;
}

function findSpanEnd(text: string, run: string, from: number): number {
  const rest = /^[^\n]*/.exec(text.slice(from, from + MAX_SPAN))![0];
  for (const match of rest.matchAll(/`+/g)) if (match[0] === run) return from + match.index + run.length;
  return from;
}
