import type { StateBlock, StateCore, Token } from 'markdown-it';
import { isAbsoluteUrl, unfoldHashRoute } from '../../../lib/url-text.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState } from '../page/page-state.ts';
import { parseAttributes, setAttributes } from '../syntax/attributes.ts';
import { pushCallout } from '../syntax/callouts.ts';

/**
 * Adds the syntax that only Docsify has: `!> text` and `?> text`, settings in the titles of links and pictures
 * (`[a](b.md ':target=_blank')`), `## Title :id=name`, and URLs of a site on one page (`#/guide?id=install`).
 */
export function addDocsify({ md, rules }: Parser): void {
  rules.block('!?', parseCallout);
  md.core.ruler.after('block', 'docsify_headings', ({ src, tokens }) => {
    if (!src.includes(':id=') && !src.includes('{docsify-')) return;
    for (const [index, { type }] of tokens.entries()) {
      const inline = type === 'heading_open' ? tokens[index + 1] : undefined;
      if (inline) inline.content = readHeading(inline.content);
    }
  });
  md.core.ruler.after('inline', 'docsify_links', (state: StateCore) => {
    const page = getPage(state.env);
    const { docsify } = page.dialect;
    if (!docsify && !/["']:[a-z]/i.test(state.src)) return;
    let line = 0;
    for (const token of state.tokens) {
      if (token.map) line = token.map[0];
      for (const child of token.children ?? []) {
        if (child.type !== 'link_open' && child.type !== 'image') continue;
        takeSettings(page, child, line);
        const href = child.attrGet('href');
        if (docsify && href !== null && !isAbsoluteUrl(String(href)))
          child.attrSet('href', unfoldHashRoute(String(href)));
      }
    }
  });
}

const CALLOUT = /^([!?])>[ \t]*(?=\S)/;

/** A paragraph that begins with a mark is a callout as a whole. */
function parseCallout(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const mark = CALLOUT.exec(state.src.slice(start, state.eMarks[startLine]!));
  if (!mark) return false;
  if (silent) return true;
  let end = startLine + 1;
  while (end < endLine && !state.isEmpty(end) && state.sCount[end]! >= state.blkIndent && !isMarked(end)) end++;
  const kind = mark[1] === '!' ? 'important' : 'tip';
  pushCallout(state, { kind, name: kind, title: undefined, details: 'no' }, [startLine, end], () => {
    const { lineMax, parentType, tight } = state;
    const [begin, shift, column] = [state.bMarks[startLine]!, state.tShift[startLine]!, state.sCount[startLine]!];
    state.bMarks[startLine] = start + mark[0].length;
    state.tShift[startLine] = 0;
    state.sCount[startLine] = state.blkIndent;
    state.lineMax = end;
    state.parentType = 'container';
    state.md.block.tokenize(state, startLine, end);
    state.bMarks[startLine] = begin;
    state.tShift[startLine] = shift;
    state.sCount[startLine] = column;
    state.lineMax = lineMax;
    state.parentType = parentType;
    state.tight = tight;
  });
  state.line = end;
  return true;

  function isMarked(line: number): boolean {
    return CALLOUT.test(state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!));
  }
}

/** Makes `{#id}` of a heading's id; what only hides a heading from the sidebar is left out. */
function readHeading(text: string): string {
  return text
    .replace(/(?<![ \t])[ \t]*(?:<!--[ \t]*)?\{docsify-ignore(?:-all)?\}(?:[ \t]*-->)?/g, '')
    .replace(/(?<![ \t])[ \t]+:id=([\w.:-]+)[ \t]*$/, ' {#$1}');
}

const SETTINGS =
  /^:(?:ignore|include|target|class|id|size|disabled|type|fragment|omitFragmentLine|no-zoom|crossorgin|no-chevron)\b/;

/** Sets what the settings in a title say, and leaves the rest of it: `:size=50x100 :class=wide Title`. */
function takeSettings(page: PageState, token: Token, line: number): void {
  const title = String(token.attrGet('title') ?? '');
  if (!SETTINGS.test(title)) return;
  const words = title.split(/\s+/);
  const attributes = words
    .filter((word) => /^:(?:class|id|size|target)=/.test(word))
    .map((word) => word.slice(1).replace(/^size=(\d+%?)(?:x(\d+%?))?.*/s, sizeAttributes));
  // The words after `:include` are settings of the embedded file.
  const rest = title.startsWith(':include') ? '' : words.filter((word) => !word.startsWith(':')).join(' ');
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'title');
  if (rest !== '') token.attrPush(['title', rest]);
  setAttributes(page, token, parseAttributes(attributes.join(' ')) ?? [], line);
}

function sizeAttributes(_: string, width: string, height: string | undefined): string {
  return `width=${width}${height === undefined ? '' : ` height=${height}`}`;
}
