import type { MarkdownIt, StateBlock, StateCore, Token } from 'markdown-it';
import { parseFenceInfo } from '../code/parse-fence-info.ts';
import type { Parser } from '../page/extension.ts';
import { claimId } from '../page/page-ids.ts';
import { getPage, type PageState, type TabGroup } from '../page/page-state.ts';
import { findIndentedEnd, parseIndented } from './indented-block.ts';

const OPENING = /^===([!+]*)[ \t]+"(.*)"[ \t]*$/;

/**
 * Adds MkDocs' content tabs, `=== "Title"` with indented content; tabs that follow each other make a group, as do code blocks
 * with `tab="Title"`.
 */
export function addTabs({ md, rules }: Parser): void {
  rules.block('=', parseTabs);
  md.core.ruler.after('block', 'fence_tabs', (state: StateCore) => {
    if (!state.src.includes('tab=') && getPage(state.env).includeCount === 0) return;
    state.tokens = groupFences(state);
  });
  md.renderer.rules.tab_open = (tokens, index, _options, env) => renderTab(getPage(env), tokens[index]!);
  md.renderer.rules.tab_label_close = () => '</label><div class="tab-panel">\n';
  md.renderer.rules.tab_close = () => '</div>\n';
}

function parseTabs(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (findTab(state, startLine) === undefined) return false;
  if (silent) return true;
  const closeGroup = pushTabGroup(state, [startLine, endLine], { classes: 'tabs' });
  let line = startLine;
  for (let index = 1; line < endLine; index++) {
    const tab = findTab(state, line);
    if (tab === undefined || (tab.isNewGroup && index > 1)) break;
    const end = findIndentedEnd(state, line + 1, endLine);
    const closeTab = closeGroup.pushTab(state, tab.title, { isMarkdown: true, isDefault: tab.isDefault });
    parseIndented(state, line + 1, end);
    closeTab();
    state.line = end;
    line = state.skipEmptyLines(end);
  }
  closeGroup.close();
  return true;
}

/** Returns the tokens of a page with groups of tabs for blocks of code that follow each other and have titles for that. */
function groupFences({ md, env, tokens }: StateCore): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const first = tokens[at]!;
    const run: (readonly [Token, title: string])[] = [];
    for (let next = tokens[at]; next; next = tokens[at + run.length]) {
      const title = findFenceTab(md, next);
      if (title === undefined) break;
      run.push([next, title]);
    }
    at += Math.max(1, run.length);
    if (run.length === 0) result.push(first);
    else pushFenceTabs({ md, env }, result, run);
  }
  return result;
}

/** Adds a group of tabs with a block of code in each. */
export function pushFenceTabs(
  { md, env }: Pick<StateCore, 'md' | 'env'>,
  tokens: Token[],
  fences: readonly (readonly [fence: Token, title: string])[],
): void {
  const [first] = fences[0]!;
  const state = new md.block.State('', md, env, tokens);
  state.level = first.level;
  const group = pushTabGroup(state, first.map ?? [0, 0], { classes: 'tabs code-group' });
  for (const [fence, title] of fences) {
    const close = group.pushTab(state, title);
    fence.level = state.level;
    tokens.push(fence);
    close();
  }
  group.close();
}

function findFenceTab(md: MarkdownIt, { type, info, meta }: Token): string | undefined {
  // A block of a code group is a tab already.
  if (type !== 'fence' || !info.includes('tab=') || meta?.hideTitle === true) return undefined;
  return parseFenceInfo(md.utils.unescapeAll(info)).tab;
}

function findTab(
  state: StateBlock,
  line: number,
): { title: string; isNewGroup: boolean; isDefault: boolean } | undefined {
  const start = state.bMarks[line]! + state.tShift[line]!;
  if (state.src.charCodeAt(start) !== 61 /* = */) return undefined;
  const indent = state.sCount[line]! - state.blkIndent;
  if (indent < 0 || indent >= 4) return undefined;
  const match = OPENING.exec(state.src.slice(start, state.eMarks[line]!));
  const [, signs = '', title = ''] = match ?? [];
  return match ? { title, isNewGroup: signs.includes('!'), isDefault: signs.includes('+') } : undefined;
}

/** Opens a group of tabs; those of one `syncKey` show the same tab, and those without one, by their titles. */
export function pushTabGroup(
  state: StateBlock,
  map: [number, number],
  { classes, syncKey = '' }: { readonly classes: string; readonly syncKey?: string },
): TabGroup {
  const group = ++getPage(state.env).tabGroups;
  const open = state.push('tabs_open', 'div', 1);
  open.attrs = [
    ['class', classes],
    ['role', 'group'],
  ];
  if (syncKey !== '') open.attrs.push(['data-sync', syncKey]);
  open.map = map;
  const tabs: Token[] = [];
  return {
    pushTab(inner, title, { isMarkdown = false, isDefault = false } = {}) {
      const tab = inner.push('tab_open', 'div', 1);
      tabs.push(tab);
      tab.meta = { group, index: tabs.length, isChecked: tabs.length === 1 };
      if (isDefault) for (const one of tabs) one.meta = { ...one.meta, isChecked: one === tab };
      pushLabel(inner, title, isMarkdown);
      return () => {
        inner.push('tab_close', 'div', -1);
      };
    },
    close() {
      state.push('tabs_close', 'div', -1);
    },
  };
}

function pushLabel(state: StateBlock, title: string, isMarkdown: boolean): void {
  const label = state.push('inline', '', 0);
  // Titles may contain code and icons, but no tags.
  label.content = isMarkdown ? title.replace(/`[^`]*`|</g, (part) => (part === '<' ? '\\<' : part)) : '';
  label.children = [];
  if (!isMarkdown) {
    const text = new state.Token('text', '', 0);
    text.content = title;
    label.children.push(text);
  }
  state.push('tab_label_close', 'label', 0);
}

function renderTab(page: PageState, token: Token): string {
  const { group, index, isChecked } = token.meta as { group: number; index: number; isChecked: boolean };
  const id = claimId(page, `tabs-${group}-${index}`, false);
  const checked = isChecked ? ' checked' : '';
  return (
    `<input type="radio" class="tab-input" name="tabs-${group}" id="${id}"${checked}>` +
    `<label class="tab-label" for="${id}">`
  );
}
