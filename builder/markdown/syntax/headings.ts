import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { getTitle } from '../default-titles.ts';
import { escapeHtml } from '../html/escape-html.ts';
import { getPage, type PageState, warn } from '../page-state.ts';
import { createSlug, findOtherSlug } from './slug.ts';

interface PageHeading {
  readonly open: Token;
  readonly inline: Token;
  readonly level: number;
  /** Text as readers see it. */
  readonly text: string;
  /** Text without `:emoji:`, of which the id is made. */
  readonly words: string;
  /** Text with the names of `:emoji:`, of which GitHub makes the id. */
  readonly spelled: string;
}

/** What a title, an id and a table of contents take of a heading: they repeat it on other pages, too. */
const maxText = 1_000;

/** Gives headings their ids and links to themselves, and gathers them. */
export function addHeadings(md: MarkdownIt): void {
  md.core.ruler.push('headings', (state: StateCore) => {
    const page = getPage(state.env);
    const headings = findHeadings(state.tokens);
    if (headings.length > 0) assignIds(page, headings, state);
  });
  md.renderer.rules.heading_anchor = (tokens, index, _options, env) => {
    const { id, text } = tokens[index]!.meta as { id: string; text: string };
    const label = escapeHtml(getTitle(getPage(env).titles, 'permalink') + text);
    return ` <a class="anchor" href="#${escapeHtml(id)}" aria-label="${label}">#</a>`;
  };
  md.renderer.rules.heading_alias = (tokens, index) => `<span id="${escapeHtml(tokens[index]!.content)}"></span>`;
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
      text: collectText(children, ({ content }) => content)
        .trim()
        .slice(0, maxText),
      words: collectText(children, () => '').slice(0, maxText),
      spelled: collectText(children, ({ markup }) => markup).slice(0, maxText),
    });
  }
  return headings;
}

function collectText(children: readonly Token[], showEmoji: (token: Token) => string): string {
  let text = '';
  for (const child of children) {
    if (child.type === 'text' || child.type === 'code_inline' || child.type === 'text_special') text += child.content;
    else if (child.type === 'softbreak' || child.type === 'hardbreak') text += ' ';
    else if (child.type === 'emoji') text += showEmoji(child);
    else if (child.type === 'image') text += collectText(child.children ?? [], showEmoji);
  }
  return text;
}

/** Ids the author chose stand first; then made ones, numbered where they meet; then the other generators' ids where free. */
function assignIds(page: PageState, headings: readonly PageHeading[], state: StateCore): void {
  const chosen = new Map<Token, string>();
  const nextOf = new Map<string, number>();
  for (const { open } of headings) {
    const wanted = open.attrGet('id');
    if (wanted === null) continue;
    const id = takeId(page.ids, String(wanted), nextOf);
    if (id !== wanted)
      warn(page, open.map?.[0] ?? 0, 'duplicate-id', `Id "${wanted}" is set twice; the second became "${id}"`);
    chosen.set(open, id);
  }
  const others: (readonly [PageHeading, string])[] = [];
  for (const heading of headings) {
    const { open, inline, level, text, words, spelled } = heading;
    const slug = createSlug(words);
    const id = chosen.get(open) ?? takeId(page.ids, slug, nextOf);
    open.attrSet('id', id);
    open.attrSet('tabindex', '-1');
    page.headings.push({ level, id, text });
    if (/\bno_toc\b/.test(String(open.attrGet('class') ?? ''))) page.unlisted.add(id);
    const anchor = new state.Token('heading_anchor', '', 0);
    anchor.meta = { id, text };
    inline.children?.push(anchor);
    if (chosen.has(open)) continue;
    const other = findOtherSlug(words, slug);
    if (other !== undefined) others.push([heading, other]);
    if (spelled !== words) others.push([heading, createSlug(spelled)]);
  }
  for (const [{ inline }, other] of others) {
    if (page.ids.has(other)) continue;
    page.ids.add(other);
    const alias = new state.Token('heading_alias', '', 0);
    alias.content = other;
    inline.children?.unshift(alias);
  }
}

/** Gives a free id, the wanted one or one with a number behind it, and takes it. */
function takeId(taken: Set<string>, wanted: string, nextOf: Map<string, number>): string {
  let id = wanted;
  for (let next = nextOf.get(wanted) ?? 1; taken.has(id); next++) {
    id = `${wanted}-${next}`;
    nextOf.set(wanted, next + 1);
  }
  taken.add(id);
  return id;
}
