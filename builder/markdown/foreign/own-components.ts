import { decodeHTMLAttribute } from 'entities';
import type { StateInline } from 'markdown-it';
import { type Component, runExtension } from '../../extension.ts';
import type { PageComponent } from '../draft.ts';
import { scanTag, type Tag } from '../html/scan-tag.ts';
import type { Parser } from '../page/extension.ts';
import { spendCharacters, spendWork } from '../page/page-costs.ts';
import { findEnd, getPage, type PageState, warn } from '../page/page-state.ts';
import { evaluateExpression } from './template-tags.ts';

/** Adds the components of extensions inside a text; those on lines of their own are read by `blocks.ts`. */
export function addOwnComponents({ rules }: Parser): void {
  rules.inline('<', parseInline);
}

/** Returns the component that a tag names, if an extension has one. */
export function findOwnComponent({ input }: PageState, { name }: Tag): PageComponent | undefined {
  return input.components?.get(name);
}

/** Stands for the inner Markdown in the result; NUL cannot come from Markdown. */
const CONTENT = '\0\0';

/**
 * Returns the HTML in front of the inner Markdown and behind it; without `inner`, a tag has none. Throws `ExtensionFailure`. `line`
 * is where the tag is, from 0.
 */
export function renderOwnComponent(
  page: PageState,
  component: PageComponent,
  { tag, inner, line }: { readonly tag: Tag; readonly inner: string | undefined; readonly line: number },
): { readonly open: string; readonly close: string | undefined } {
  page.costs.line = line;
  const html = runExtension(component.meter, () => {
    const made: unknown = component.render({
      attributes: readAttributes(page, tag),
      content: inner === undefined ? '' : CONTENT,
      text: inner ?? '',
      frontMatter: page.input.frontMatter ?? {},
    });
    if (typeof made !== 'string')
      throw new TypeError(`component <${tag.name}> returned ${typeof made} instead of a string`);
    return made;
  });
  spendWork(page.costs, 10 * html.length);
  spendCharacters(page.costs, html.length);
  const parts = html.split(CONTENT).map((part) => part.replaceAll('\0', ''));
  if (parts.length > 2) {
    return runExtension(component.meter, () => {
      throw new Error(`component <${tag.name}> puts its content in ${parts.length - 1} places; one is possible`);
    });
  }
  return { open: parts[0]!, close: parts[1] };
}

/** Expressions in braces are values if they are literals. */
function readAttributes(page: PageState, tag: Tag): Parameters<Component>[0]['attributes'] {
  const attributes: [name: string, value: string | true][] = [];
  for (const { name, value, isExpression } of tag.attributes) {
    if (name === '') continue;
    const known =
      value === undefined ? true : isExpression ? evaluateExpression(page, value) : decodeHTMLAttribute(value);
    if (known !== undefined) attributes.push([name, known]);
  }
  return Object.fromEntries(attributes);
}

/** How far a closing tag is searched for inside a text. */
const MAX_INNER = 5_000;

function parseInline(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const page = getPage(state.env);
  if (page.input.components === undefined || page.isVerbatim) return false;
  const tag = findEnd(page, () => scanTag(src, pos, posMax));
  const component = tag && !tag.isClosing ? findOwnComponent(page, tag) : undefined;
  if (tag === undefined || component === undefined) return false;
  const closing = tag.isSelfClosing
    ? undefined
    : findClosing(page, src.slice(0, Math.min(posMax, tag.end + MAX_INNER)), tag);
  const end = closing?.end ?? tag.end;
  if (!silent) {
    const { line } = page.costs;
    if (closing === undefined && !tag.isSelfClosing) warnUnclosed(page, tag, line);
    const inner = closing && src.slice(tag.end, closing.start);
    const { open, close } = renderOwnComponent(page, component, { tag, inner, line });
    pushHtml(state, open);
    if (closing && close !== undefined) {
      state.pos = tag.end;
      state.posMax = closing.start;
      state.md.inline.tokenize(state);
      state.posMax = posMax;
      pushHtml(state, close);
    }
  }
  state.pos = end;
  return true;
}

export function warnUnclosed(page: PageState, { name }: Tag, line: number): void {
  warn(page, line, 'unclosed', `Tag <${name}> is not closed: write <${name} /> if it has no content`);
}

function pushHtml(state: StateInline, html: string): void {
  const token = state.push('html_inline', '', 0);
  token.content = html;
  token.meta = { isWhole: true };
}

/** Returns the place of the tag that closes another one in the same text, tags of its name in between counted. */
function findClosing(
  page: PageState,
  text: string,
  { name, end }: Tag,
): { readonly start: number; readonly end: number } | undefined {
  spendWork(page.costs, text.length - end);
  const tags = new RegExp(`<(/?)${name}(?![\\w.:-])`, 'g');
  tags.lastIndex = end;
  let depth = 1;
  for (let match = tags.exec(text); match !== null; match = tags.exec(text)) {
    const start = match.index;
    const tag = findEnd(page, () => scanTag(text, start, text.length));
    if (tag === undefined || tag.isSelfClosing) continue;
    depth += tag.isClosing ? -1 : 1;
    if (depth === 0) return { start, end: tag.end };
  }
  return undefined;
}
