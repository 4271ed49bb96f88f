import { decodeHTMLAttribute } from 'entities';
import type { StateCore, Token } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import { scanTag } from '../html/scan-tag.ts';
import type { Parser } from '../page/extension.ts';
import { claimFreeId, claimId, takeAuthorId } from '../page/page-ids.ts';
import { getPage, type PageState, warn } from '../page/page-state.ts';
import { getTitle } from '../page/titles.ts';
import { createOtherIds, createSlug, hasWords } from '../slug.ts';
import { setAttributes } from './attributes.ts';

interface PageHeading {
  readonly open: Token;
  readonly inline: Token;
  readonly level: number;
  /** Text as readers see it. */
  readonly text: string;
  /** Text without `:emoji:`, used for the id. */
  readonly words: string;
  /** Text with the names of `:emoji:`, which GitHub uses for the id. */
  readonly spelled: string;
}

/** Limit of HTML, in characters, before a heading that still counts as the page's beginning. */
const MAX_OPENING = 5000;

/** Length limit of a heading in titles, ids and tables of contents, which repeat it on other pages. */
const MAX_TEXT = 1_000;
/** Length of a heading in a warning. */
const MAX_SHOWN = 60;

/** Assigns headings their ids and links to themselves, and collects them. */
export function addHeadings({ md }: Parser): void {
  md.core.ruler.push('headings', (state: StateCore) => {
    const page = getPage(state.env);
    if (page.input.hasLooseLevels) raiseHeadings(state.tokens);
    insertTitle(state, page.input.title);
    const headings = findHeadings(state.tokens);
    if (page.input.generator === undefined) warnOfTitles(page, headings);
    if (headings.length > 0) assignIds(page, headings, state);
  });
  md.renderer.rules.heading_anchor = (tokens, index, _options, env) => {
    const { id, text } = tokens[index]!.meta as { id: string; text: string };
    const label = escapeHtml(getTitle(getPage(env).titles, 'permalink') + text);
    return ` <a class="anchor" href="#${escapeHtml(id)}" aria-label="${label}">#</a>`;
  };
  md.renderer.rules.heading_alias = (tokens, index) => `<span id="${escapeHtml(tokens[index]!.content)}"></span>`;
}

/**
 * Adds the front matter's title to a page as its heading of level 1, unless the text begins with one (after pictures and
 * badges), or contains the same one further down.
 */
function insertTitle(state: StateCore, title: string | undefined): void {
  if (title === undefined || beginsWithTitle(state.tokens) || saysTitle(state.tokens, title)) return;
  const open = new state.Token('heading_open', 'h1', 1);
  const inline = new state.Token('inline', '', 0);
  const text = new state.Token('text', '', 0);
  const close = new state.Token('heading_close', 'h1', -1);
  open.meta = { isTitle: true };
  text.content = title;
  inline.children = [text];
  for (const token of [open, close]) token.markup = '#';
  for (const token of [open, inline, close]) token.block = true;
  state.tokens.unshift(open, inline, close);
}

/** Warns of headings of level 1 in the page's own text behind the first one: other generators have pages of several, docbuild has one title. */
function warnOfTitles(page: PageState, headings: readonly PageHeading[]): void {
  const [, second, ...others] = headings.filter(({ level, inline }) => level === 1 && !page.included.has(inline));
  if (!second) return;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const name = second.text.slice(0, MAX_SHOWN);
  const message = `Second heading of level 1: "# ${name}"${more}; a page has one title, and its sections begin with "##"`;
  warn(page, second.open.map?.[0] ?? 0, 'second-title', message);
}

/**
 * Makes a text's first heading its title, and raises the others with it, if it is above all of them in level: many books
 * begin their chapters with `##`.
 */
function raiseHeadings(tokens: readonly Token[]): void {
  const opens = tokens.filter(({ type }) => type === 'heading_open');
  const [first = 1, ...others] = opens.map(({ tag }) => Number(tag.slice(1)));
  if (first === 1 || others.some((level) => level <= first) || !beginsWithTitle(tokens, `h${first}`)) return;
  if (tokens.some(({ type, content }) => type === 'html_block' && /<h1[\s>]/i.test(content))) return;
  for (const token of tokens) {
    if (token.type === 'heading_open' || token.type === 'heading_close')
      token.tag = `h${Number(token.tag.slice(1)) - first + 1}`;
  }
}

function beginsWithTitle(tokens: readonly Token[], tag = 'h1'): boolean {
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') return token.tag === tag;
    if (token.type === 'html_block') {
      if (tag === 'h1' && /<h1[\s>]/i.test(token.content)) return true;
      if (token.content.length > MAX_OPENING) return false;
      if (token.content.replace(/<!--[\s\S]*?(?:-->|$)|<[^<>]*>/g, '').trim() !== '') return false;
    } else if (token.type === 'inline') {
      const before = tokens[index - 1]?.type;
      if (before !== 'paragraph_open' || token.children?.some((child) => isWords(child))) return false;
    } else if (!/^paragraph_|^toc$/.test(token.type)) {
      return false;
    }
  }
  return false;
}

function isWords({ type, content }: Token): boolean {
  return (
    (type === 'text' && content.trim() !== '') ||
    type === 'code_inline' ||
    type === 'formula' ||
    type === 'text_special'
  );
}

function saysTitle(tokens: readonly Token[], title: string): boolean {
  const wanted = bare(title);
  return tokens.some(
    ({ type, tag }, index) =>
      type === 'heading_open' && tag === 'h1' && bare(collectText(tokens[index + 1]?.children ?? [])) === wanted,
  );
}

/** Returns a text normalised for comparing titles. */
function bare(text: string): string {
  const words = text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
  return words === '' ? text : words;
}

function findHeadings(tokens: readonly Token[]): readonly PageHeading[] {
  const headings: PageHeading[] = [];
  for (let i = 0; i + 1 < tokens.length; i++) {
    const open = tokens[i]!;
    if (open.type !== 'heading_open') continue;
    const inline = tokens[i + 1]!;
    const children = inline.children ?? [];
    headings.push({
      open,
      inline,
      level: Number(open.tag.slice(1)),
      text: (collectText(children).trim() || collectPictures(children)).slice(0, MAX_TEXT),
      words: collectText(children, () => '').slice(0, MAX_TEXT),
      spelled: collectText(children, ({ markup }) => markup).slice(0, MAX_TEXT),
    });
  }
  return headings;
}

/** Returns what stands for the pictures of HTML in a heading of nothing else. */
function collectPictures(children: readonly Token[]): string {
  const texts = children.map(({ type, content }) => {
    const tag = type === 'html_inline' && /^<img\s/i.test(content) ? scanTag(content, 0, content.length) : undefined;
    const alt = typeof tag === 'object' ? tag.attributes.find(({ name }) => name.toLowerCase() === 'alt') : undefined;
    return decodeHTMLAttribute(alt?.value ?? '').trim();
  });
  return texts.filter((text) => text !== '').join(' ');
}

/** Returns the text of inline tokens as readers see it; `showEmoji` determines how `:emoji:` is shown. */
function collectText(
  children: readonly Token[],
  showEmoji: (token: Token) => string = ({ content }) => content,
): string {
  let text = '';
  for (const child of children) {
    if (child.type === 'text' || child.type === 'code_inline' || child.type === 'text_special') text += child.content;
    else if (child.type === 'softbreak' || child.type === 'hardbreak') text += ' ';
    else if (child.type === 'formula') text += child.content;
    else if (child.type === 'emoji') text += showEmoji(child);
    else if (child.type === 'image') text += collectText(child.children ?? [], showEmoji);
  }
  return text;
}

/**
 * The author's ids come first; then generated ones, numbered if they collide, with that of a front matter title after those of the
 * text, since no link refers to it, and those of headings without words last; then the other generators' ids if they are free.
 */
function assignIds(page: PageState, headings: readonly PageHeading[], state: StateCore): void {
  const ids = new Map<PageHeading, string>();
  const chosen = new Set<PageHeading>();
  for (const heading of headings) {
    const { open } = heading;
    const wanted = open.attrGet('id');
    if (wanted === null) continue;
    ids.set(heading, takeAuthorId(page, String(wanted), open.map?.[0] ?? 0));
    chosen.add(heading);
  }
  const title = headings[0]?.open.meta?.isTitle === true ? headings[0] : undefined;
  const inOrder = title ? [...headings.slice(1), title] : headings;
  const named = inOrder.filter((heading) => !ids.has(heading) && hasWords(heading.words));
  const unnamed = inOrder.filter((heading) => !ids.has(heading) && !hasWords(heading.words));
  for (const heading of [...named, ...unnamed]) ids.set(heading, claimId(page, createSlug(heading.words)));
  const others: (readonly [PageHeading, string])[] = [];
  const otherIds = createOtherIds(page.dialect.headingIds);
  for (const heading of inOrder) {
    const { open, inline, level, text, words, spelled } = heading;
    const id = ids.get(heading)!;
    open.attrSet('id', id);
    open.attrSet('tabindex', '-1');
    if (heading === title) page.headings.unshift({ level, id, text });
    else page.headings.push({ level, id, text });
    if (/\bno_toc\b/.test(String(open.attrGet('class') ?? ''))) page.unlisted.add(id);
    if (text !== '') {
      const anchor = new state.Token('heading_anchor', '', 0);
      anchor.meta = { id, text };
      inline.children?.push(anchor);
    }
    if (chosen.has(heading)) {
      otherIds.skip(id);
      continue;
    }
    for (const other of otherIds.next(words, createSlug(words), heading !== title)) {
      if (other !== id) others.push([heading, other]);
    }
    if (spelled !== words) others.push([heading, createSlug(spelled)]);
  }
  for (const [{ inline }, other] of others) {
    if (!claimFreeId(page, other)) continue;
    const alias = new state.Token('heading_alias', '', 0);
    alias.content = other;
    inline.children?.unshift(alias);
  }
}

/**
 * Gives the terms of definition lists ids from their words, as Hugo does with `autoDefinitionTermID`: glossaries link to them.
 * Whatever else has an id on the page comes first; then they are numbered.
 */
export function addTermIds({ md }: Parser): void {
  md.core.ruler.push('term_ids', (state: StateCore) => {
    for (const [index, open] of state.tokens.entries()) {
      if (open.type !== 'dt_open' || open.attrGet('id') !== null) continue;
      const words = collectText(state.tokens[index + 1]?.children ?? [], () => '').slice(0, MAX_TEXT);
      if (hasWords(words)) open.attrSet('id', claimId(getPage(state.env), createSlug(words)));
    }
  });
}

/** Docusaurus' `{/* #id *\/}` and `%{#id}%`, at the end of a heading. */
const FOREIGN_ID =
  /(?<![ \t])[ \t]*(?:\{\/\*\s*#([^\s{}*]+)\s*\*\/\}|%\{#([^\s{}%]+)\}%|\\\{#([^\s{}\\]+)\\?\})[ \t]*$/;

/** Nextra's `[#id]` at the end of a heading. */
const BRACKETED_ID = /[ \t]\[#([A-Za-z][\w-]*)\][ \t]*$/;

/** `\{#id}` at the end of a paragraph of MDX, where a brace alone would begin an expression. */
const PARAGRAPH_ID = /(?<![ \t\n])[ \t\n]*\\\{#([^\s{}\\]+)\\?\}[ \t]*$/;

/** Converts ids in other generators' syntax, and those before the text, to `{#id}`. */
export function addHeadingIds({ md }: Parser): void {
  md.core.ruler.after('block', 'heading_ids', ({ tokens, env }) => {
    const page = getPage(env);
    for (const [index, open] of tokens.entries()) {
      const { type } = open;
      const paragraph = type === 'paragraph_open' && page.dialect.expressions ? tokens[index + 1]! : undefined;
      const id = paragraph?.content.endsWith('}') ? PARAGRAPH_ID.exec(paragraph.content) : null;
      // The paragraphs of a list without blank lines have no element.
      if (paragraph !== undefined && id !== null && !open.hidden) {
        paragraph.content = paragraph.content.slice(0, id.index);
        setAttributes(page, open, [['id', id[1]!]], open.map?.[0] ?? 0);
      }
      const inline = type === 'heading_open' ? tokens[index + 1] : undefined;
      const bracketed = inline && BRACKETED_ID.exec(inline.content);
      if (bracketed) {
        inline.content = inline.content.slice(0, bracketed.index);
        setAttributes(page, open, [['id', bracketed[1]!]], open.map?.[0] ?? 0);
      }
      if (inline === undefined || !inline.content.includes('{')) continue;
      inline.content = inline.content
        .replace(/^(\{#[^\s{}]+\})[ \t]+(.+)/s, '$2 $1')
        .replace(FOREIGN_ID, (_, ...ids: string[]) => ` {#${ids.slice(0, 3).find(Boolean)}}`);
    }
  });
}
