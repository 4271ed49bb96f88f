import type { StateBlock } from 'markdown-it';
import type { PageComponent } from '../draft.ts';
import { isComponentName, scanTag, type Tag, textElements, voidElements } from '../html/scan-tag.ts';
import type { IncludeReference } from '../include/directive.ts';
import {
  listElementIncludes,
  parseIncludeCode,
  parseTextTag,
  toMarkdownInclude,
} from '../include/include-references.ts';
import { includeFirst, pushInclude } from '../include/includes.ts';
import type { Parser } from '../page/extension.ts';
import { findEnd, getPage, type PageState, warn, warnOnce } from '../page/page-state.ts';
import { parseVerbatim } from '../syntax/containers.ts';
import { findMeaning, findShownText } from './elements.ts';
import type { ForeignElement, Meaning } from './meaning.ts';
import { findOwnComponent, renderOwnComponent, warnUnclosed } from './own-components.ts';
import { pairComponentTags, pairTemplateTags } from './pair-tags.ts';
import { type InnerText, parseNested, pushElement, pushHtml, pushText, sliceInner } from './push-element.ts';
import { findTemplateTag, readPart, type TemplateTag, toElement, toTemplateElement } from './template-tags.ts';
import { findUnclosedEnd, findUnclosedMeaning, sliceUnclosed } from './unclosed.ts';

/**
 * Adds the elements of other generators on their own lines: `<Tabs>` … `</Tabs>`, `{{% alert %}}` … `{{% /alert %}}`,
 * `{% hint %}` … `{% endhint %}`. Their content is Markdown, whatever its indentation; unknown elements lose their tags,
 * with a warning, and keep their content.
 */
export function addForeignBlocks({ rules }: Parser): void {
  rules.block('{<', parseBlock);
}

/** A tag at the start of a line, and what belongs to it. */
interface BlockTag {
  readonly start: number;
  readonly end: number;
  /** The position of its closing tag. */
  readonly close: { readonly start: number; readonly end: number } | undefined;
  readonly element: ForeignElement | undefined;
  readonly meaning: Meaning | undefined;
  /** It lacks its closing tag: what it would hold follows all the same. */
  readonly isUnclosed?: boolean;
  /** Its content is shown as it is, including template tags. */
  readonly isVerbatim: boolean;
  readonly isMarkdown: boolean;
  /** A file that replaces the tag. */
  readonly included?: IncludeReference;
  /** A component of an extension, with its tag. */
  readonly own?: { readonly component: PageComponent; readonly tag: Tag };
  /** HTML in JSX: the tags stay. */
  readonly html: { readonly open: string; readonly close: string } | undefined;
}

function parseBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const page = getPage(state.env);
  if (page.isVerbatim) return false;
  let line = startLine;
  let pos = start;
  // A line may contain several in a row: `{{< /tab >}}{{< tab "b" >}}`.
  for (let isFirst = true; ; isFirst = false) {
    const tag = readTag(state, page, pos, state.eMarks[endLine - 1]!);
    const lines = tag && findLines(state, tag, line, endLine);
    if (tag === undefined || lines === undefined || !isBlock(state, page, tag, lines)) {
      if (isFirst) return false;
      break;
    }
    if (silent) return true;
    push(state, page, tag, lines);
    line = lines.last;
    pos = tag.isUnclosed ? state.eMarks[line]! : state.skipSpaces((tag.close ?? tag).end);
    if (pos >= state.eMarks[line]!) break;
  }
  if (pos < state.eMarks[line]!) parseNested(state, { text: state.src.slice(pos, state.eMarks[line]!), line });
  state.line = line + 1;
  return true;
}

function readTag(state: StateBlock, page: PageState, pos: number, max: number): BlockTag | undefined {
  const { src } = state;
  if (src.charCodeAt(pos) === 60 /* < */) {
    const isLower = src.charCodeAt(pos + 1) > 90;
    if (
      isLower &&
      !page.dialect.jsx &&
      page.openHtml === 0 &&
      !src.startsWith('code-', pos + 1) &&
      !/^<[^>]*\smarkdown\b/.test(src.slice(pos, Math.min(max, pos + 300)))
    )
      return undefined;
    const tag = findEnd(page, () => scanTag(src, pos, max));
    return tag && readComponent(state, page, tag, pos);
  }
  const tag = findTemplateTag(page, src, pos, max);
  return tag && tag.shown === undefined ? readTemplate(state, page, tag) : undefined;
}

const BARE_TAG = {
  close: undefined,
  element: undefined,
  meaning: undefined,
  isVerbatim: false,
  isMarkdown: true,
  html: undefined,
} as const;

function readTemplate(state: StateBlock, page: PageState, tag: TemplateTag): BlockTag | undefined {
  const { liquid, mustache } = page.dialect;
  const isCode = tag.syntax === 'statement' && tag.name === 'include_code' && liquid !== 'text';
  const included = tag.syntax === 'value' ? parseTextTag(tag.body) : isCode ? parseIncludeCode(tag.body) : undefined;
  if (included !== undefined) return { ...BARE_TAG, start: tag.start, end: tag.end, included };
  if (tag.syntax === 'statement' && liquid === 'text') return undefined;
  if (tag.syntax === 'value' && mustache !== 'shortcode' && mustache !== 'macro') return undefined;
  const pair = tag.kind === 'open' ? pairTemplateTags(state).get(tag.start)?.close : undefined;
  const element = tag.kind === 'close' ? undefined : toTemplateElement(tag, pair !== undefined);
  if (tag.syntax === 'value' && element === undefined) return undefined;
  if (element?.name === 'param') return undefined;
  const isVerbatim = tag.name === 'raw' || tag.name === 'verbatim';
  const meaning = element && findMeaning(element);
  const rest = { isVerbatim, isMarkdown: tag.isMarkdown, html: undefined };
  return { start: tag.start, end: tag.end, close: pair, element, meaning, ...rest };
}

function readComponent(state: StateBlock, page: PageState, tag: Tag, start: number): BlockTag | undefined {
  const isComponent = isComponentName(tag.name);
  const isBadge = tag.name === 'Badge';
  const isHtml = page.dialect.jsx || page.openHtml > 0 || holdsMarkdown(tag);
  if (isBadge || (!isComponent && !isHtml)) return undefined;
  if (!isComponent && (textElements.has(tag.name) || tag.name === 'pre' || tag.name === 'svg')) return undefined;
  const pair = tag.isClosing || tag.isSelfClosing ? undefined : pairComponentTags(state).get(start)?.close;
  const close = pair && { start: pair.start, end: pair.end };
  const place = { start, end: tag.end, close, isVerbatim: false, isMarkdown: true };
  const component = tag.isClosing ? undefined : findOwnComponent(page, tag);
  if (component) return { ...BARE_TAG, ...place, own: { component, tag } };
  if (!isComponent) {
    const isVoid = tag.isSelfClosing || voidElements.has(tag.name);
    if (close === undefined && !isVoid) return undefined;
    const html = { open: state.src.slice(start, tag.end), close: close === undefined ? '' : `</${tag.name}>` };
    return { ...place, element: undefined, meaning: undefined, html };
  }
  if (tag.isClosing)
    return page.dialect.jsx ? { ...place, element: undefined, meaning: undefined, html: undefined } : undefined;
  const element = toElement(page, tag, close !== undefined);
  const imported = page.imports.get(tag.name);
  const isPart = imported !== undefined && /\.mdx?$/i.test(imported);
  const meaning = isPart ? ({ as: 'include', path: imported } as const) : findMeaning(element);
  const unclosed = close === undefined && !isPart ? findUnclosedMeaning(state, page, tag) : undefined;
  if (unclosed !== undefined) return { ...place, element, meaning: unclosed, isUnclosed: true, html: undefined };
  // Vue's templates are HTML, parsed by `components.ts`; a name that is never closed is a placeholder.
  if (meaning === undefined && !page.dialect.jsx && !tag.isSelfClosing) return undefined;
  if (meaning === undefined && close === undefined && !tag.isSelfClosing) return undefined;
  return { ...place, element, meaning, html: undefined };
}

/** `<div markdown>`, `<div markdown="1">` of kramdown and MkDocs. */
function holdsMarkdown(tag: Tag): boolean {
  return tag.attributes.some(({ name, value }) => name === 'markdown' && value !== '0');
}

/** The lines of a tag: the one on which it ends, and those on which its closing tag begins and ends. */
interface TagLines {
  readonly first: number;
  readonly opened: number;
  readonly closed: number;
  readonly last: number;
}

/** Undefined if the closing tag is outside the block that is being parsed. */
function findLines(state: StateBlock, tag: BlockTag, first: number, endLine: number): TagLines | undefined {
  const find = (pos: number, from: number): number => {
    let line = from;
    while (line < endLine && state.eMarks[line]! < pos) line++;
    return line;
  };
  const opened = find(tag.end, first);
  if (opened >= endLine) return undefined;
  if (tag.isUnclosed && tag.meaning && tag.element) {
    const held = { name: tag.element.name, meaning: tag.meaning };
    const last = findUnclosedEnd(state, held, opened + 1, endLine) - 1;
    return { first, opened, closed: last, last };
  }
  if (tag.close === undefined) return { first, opened, closed: opened, last: opened };
  const closed = find(tag.close.start + 1, opened);
  const last = find(tag.close.end, closed);
  if (last >= endLine) return undefined;
  // Templates are expanded before a text is parsed as Markdown, so the indentation of their content is irrelevant.
  const isWhole = tag.element?.syntax !== 'component' && tag.meaning !== undefined && tag.meaning.as !== 'content';
  for (let line = opened + 1; line <= closed && !isWhole; line++) {
    if (!state.isEmpty(line) && state.sCount[line]! < state.blkIndent) return undefined;
  }
  return { first, opened, closed, last };
}

/** Returns whether a tag is separate from running text. */
function isBlock(state: StateBlock, page: PageState, tag: BlockTag, lines: TagLines): boolean {
  const { end, close, meaning, element, html } = tag;
  if (meaning?.as === 'inline' || (meaning?.as === 'link' && !meaning.isBlock)) return false;
  if (element?.syntax === 'statement' && (element.name === 'link' || element.name === 'post_url')) return false;
  const isAlone = (pos: number, line: number): boolean => {
    const next = state.skipSpaces(pos);
    if (next >= state.eMarks[line]!) return true;
    return html === undefined && (isTemplateTag(state, next) || isBlockComponent(state, page, next));
  };
  if (close === undefined) return isAlone(end, lines.opened);
  if (lines.first !== lines.last) return isAlone(end, lines.opened) || isAlone(close.end, lines.last);
  return isAlone(close.end, lines.last) && (html === undefined || !isPhrase(html.open));
}

function isTemplateTag(state: StateBlock, pos: number): boolean {
  return /^\{(?:\{[<%]|%)/.test(state.src.slice(pos, pos + 3));
}

/** Elements with a title or a box of their own: cards and tabs one after the other on a line are separate, too. */
const BLOCK_MEANINGS: ReadonlySet<string> = new Set(['box', 'callout', 'quote', 'tab', 'tabs']);

function isBlockComponent(state: StateBlock, page: PageState, pos: number): boolean {
  if (!/^<[A-Z]/.test(state.src.slice(pos, pos + 2))) return false;
  const meaning = readTag(state, page, pos, state.src.length)?.meaning;
  return meaning !== undefined && BLOCK_MEANINGS.has(meaning.as);
}

/** Elements that contain text but no blocks. */
const HOLDS_PHRASE =
  /^<(?:a|b|button|caption|code|dt|em|figcaption|h[1-6]|i|label|legend|p|small|span|strong|summary)\b/i;

function isPhrase(tag: string): boolean {
  return /^<(?:a|abbr|b|code|em|i|kbd|mark|s|small|span|strong|sub|sup|u|img|br|button|input|label)\b/i.test(tag);
}

function push(state: StateBlock, page: PageState, tag: BlockTag, lines: TagLines): void {
  const { close, element, meaning, html } = tag;
  const map: [number, number] = [lines.first, lines.last + 1];
  // Statements are removed from a text before it is parsed as Markdown.
  const keepsIndent = element?.syntax === 'statement' && (meaning === undefined || meaning.as === 'content');
  const ends = { start: tag.end, startLine: lines.opened, end: close?.start ?? 0, endLine: lines.closed };
  const inner = tag.isUnclosed
    ? sliceUnclosed(state, lines.opened, lines.last)
    : close && sliceInner(state, ends, keepsIndent);
  if (tag.own !== undefined) {
    pushOwn(state, page, tag.own, { map, inner });
    return;
  }
  if (tag.included !== undefined) {
    pushInclude(state, page, tag.included, lines.first, state.src.slice(tag.start, tag.end));
    return;
  }
  if (html !== undefined) {
    pushHtml(state, html.close === '' ? `${html.open}\n` : html.open, map);
    page.openHtml++;
    const isLine =
      lines.first === lines.last || (HOLDS_PHRASE.test(html.open) && !/\n[ \t]*\n/.test(inner?.text.trim() ?? ''));
    if (inner !== undefined && isLine) pushPhrase(state, inner.text.trim(), map);
    else if (inner !== undefined) parseNested(state, inner);
    page.openHtml--;
    if (html.close !== '') pushHtml(state, `${html.close}\n`, map);
    return;
  }
  if (tag.isVerbatim && inner !== undefined) {
    parseVerbatim(state, page, () => parseNested(state, inner));
    return;
  }
  if (tag.isUnclosed) warn(page, lines.first, 'unclosed', `Tag <${element?.name}> is not closed`);
  // A group without tabs is nothing to see.
  if (tag.isUnclosed && meaning?.as === 'tabs' && inner?.text.trim() === '') return;
  if (meaning?.as === 'include' && element !== undefined && include(state, page, element, meaning.path, lines.first))
    return;
  if (meaning !== undefined && pushElement(state, meaning, { map, inner, isMarkdown: tag.isMarkdown })) return;
  if (element === undefined) return;
  warnOnce(page, lines.first, ...describeUnknown(element));
  if (inner !== undefined) parseNested(state, inner);
  else {
    const text = findShownText(element);
    if (text !== '') pushText(state, text, map);
  }
}

function pushOwn(
  state: StateBlock,
  page: PageState,
  { component, tag }: NonNullable<BlockTag['own']>,
  { map, inner }: { readonly map: [number, number]; readonly inner: InnerText | undefined },
): void {
  const line = page.baseLine + map[0];
  if (inner === undefined && !tag.isSelfClosing) warnUnclosed(page, tag, map[0]);
  const { open, close } = renderOwnComponent(page, component, { tag, inner: inner?.text, line });
  pushHtml(state, `${open}\n`, map);
  if (inner === undefined || close === undefined) return;
  parseNested(state, inner);
  pushHtml(state, `${close}\n`, map);
}

/** Shortcodes and statements name a file in several ways, `import` in one; some include a file as code. */
function include(state: StateBlock, page: PageState, element: ForeignElement, path: string, line: number): boolean {
  if (element.syntax === 'component') return includeFirst(state, page, [toMarkdownInclude(path)], line);
  const references = listElementIncludes(path).map((reference) => ({ ...reference, ...readPart(element) }));
  if (element.named.get('code') !== 'true') return includeFirst(state, page, references, line);
  const settings = element.named.get('lang');
  return includeFirst(
    state,
    page,
    references.map((reference) => ({ ...reference, kind: 'code', settings })),
    line,
  );
}

/** A line of text inside an element, without a paragraph around it. */
function pushPhrase(state: StateBlock, text: string, map: [number, number]): void {
  const inline = state.push('inline', '', 0);
  inline.content = text;
  inline.children = [];
  inline.map = map;
}

/** Returns the warning about an element that only its own project knows. */
export function describeUnknown({ syntax, name }: ForeignElement): ['inert-tag' | 'foreign-syntax', string] {
  if (syntax === 'component') return ['inert-tag', `Tag <${name}> belongs to another generator and was left out`];
  const shown =
    syntax === 'shortcode' ? `Shortcode "${name}"` : syntax === 'statement' ? `Tag "{% ${name} %}"` : `"${name}()"`;
  return ['foreign-syntax', `${shown} belongs to another generator and was left out`];
}
