import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import { checkHtml, checkTokens, spendWork } from './page-costs.ts';
import { getPage } from './page-state.ts';

/** The work of calling all rules once, see `spendWork`. */
const WORK_OF_SKIPPING = 1;
const WORK_OF_INLINE_RULES = 20;
const WORK_OF_BLOCK_RULES = 40;
/** A longer run of `*`, `_`, `~` or `=` is a drawn line. */
const MAX_RUN = 200;
/** Limit of nested blocks, whether they have an element of their own, as lists do, or none, as `::: v-pre`. */
const MAX_BLOCK_DEPTH = 40;
/** Limit of nested texts (footnotes, texts of images), which are parsed separately; deeper ones stay as written. */
const MAX_TEXT_DEPTH = 10;

/**
 * Limits the time and memory of a page: counts rules when they are tried, tokens when they are created, the HTML as it
 * grows. A page over a limit throws `page-limit` with its line, on every machine, since counts decide and the clock is
 * only a last resort. Must be added before all other rules.
 */
export function addPageLimits(md: MarkdownIt): void {
  countWork(md);
  boundRuns(md);
  boundLabels(md);
  boundDepth(md);
  boundHtml(md);
}

/** The first rule of each chain only counts: it is called wherever any rule is. */
function countWork(md: MarkdownIt): void {
  const countBlock = (state: StateBlock, line: number): boolean => {
    const { costs, fixedLine, baseLine } = getPage(state.env);
    costs.line = fixedLine ?? baseLine + line;
    spendWork(costs, WORK_OF_BLOCK_RULES);
    checkTokens(costs, state.tokens.length);
    return false;
  };
  md.block.ruler.before('table', 'costs', countBlock, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  md.inline.ruler.before('text', 'costs', (state: StateInline) => {
    const { costs } = getPage(state.env);
    spendWork(costs, WORK_OF_INLINE_RULES);
    checkTokens(costs, state.tokens.length);
    return false;
  });
  const { skipToken } = md.inline;
  md.inline.skipToken = (state) => {
    spendWork(getPage(state.env).costs, WORK_OF_SKIPPING);
    skipToken.call(md.inline, state);
  };
  md.core.ruler.at('inline', (state) => {
    const page = getPage(state.env);
    const { costs, included, includedReferences } = page;
    const { references = {} } = state.env;
    costs.tokens += state.tokens.length;
    for (const token of state.tokens) {
      // The cells of a table have no lines of their own, its rows do.
      if (token.map) costs.line = token.map[0];
      if (token.type !== 'inline') continue;
      page.isVerbatim = page.verbatim.has(token);
      page.currentFile = included.get(token);
      state.env.references = includedReferences.get(page.currentFile ?? '') ?? references;
      md.inline.parse(token.content, md, state.env, token.children!);
      costs.tokens += token.children!.length;
    }
    page.isVerbatim = false;
    page.currentFile = undefined;
    state.env.references = references;
  });
}

/** Each sign of a possible emphasis is its own token, created before anything is counted. */
function boundRuns(md: MarkdownIt): void {
  md.inline.ruler.before('strikethrough', 'long_run', (state: StateInline, silent: boolean) => {
    const { src, pos, posMax } = state;
    const sign = src.charCodeAt(pos);
    if (sign !== 42 /* * */ && sign !== 95 /* _ */ && sign !== 126 /* ~ */ && sign !== 61 /* = */) return false;
    if (src.charCodeAt(pos + MAX_RUN) !== sign) return false;
    let end = pos;
    while (end < posMax && src.charCodeAt(end) === sign) end++;
    if (end - pos <= MAX_RUN) return false;
    if (!silent) state.pending += src.slice(pos, end);
    state.pos = end;
    return true;
  });
}

/** Each `[` and `^[` looks for its end: where no bracket closes any more, none is looked for. */
function boundLabels({ helpers }: MarkdownIt): void {
  const lastOf = new WeakMap<StateInline, number>();
  const { parseLinkLabel } = helpers;
  helpers.parseLinkLabel = (state, start, disableNested) => {
    const last = lastOf.get(state) ?? state.src.lastIndexOf(']');
    lastOf.set(state, last);
    return last > start ? parseLinkLabel(state, start, disableNested) : -1;
  };
}

/** Where blocks or texts are nested too deeply, the content becomes plain text instead of being lost. */
function boundDepth({ block, inline, options }: MarkdownIt): void {
  const { tokenize } = block;
  block.tokenize = (state, startLine, endLine) => {
    const page = getPage(state.env);
    if (state.level < options.maxNesting! && page.blockDepth < MAX_BLOCK_DEPTH) {
      page.blockDepth++;
      tokenize.call(block, state, startLine, endLine);
      page.blockDepth--;
      return;
    }
    let end = startLine + 1;
    while (end < endLine && (state.isEmpty(end) || state.sCount[end]! >= state.blkIndent)) end++;
    state.line = end;
    const content = state.getLines(startLine, end, state.blkIndent, false).trim();
    if (content === '') return;
    state.push('paragraph_open', 'p', 1).map = [startLine, end];
    const text = state.push('inline', '', 0);
    text.content = content;
    text.children = [];
    state.push('paragraph_close', 'p', -1);
  };
  const { parse } = inline;
  inline.parse = (text, md, env, tokens) => {
    const page = getPage(env);
    if (page.textDepth >= MAX_TEXT_DEPTH) {
      new inline.State(text, md, env, tokens).push('text', '', 0).content = text;
      return;
    }
    page.textDepth++;
    parse.call(inline, text, md, env, tokens);
    page.textDepth--;
  };
}

function boundHtml({ renderer }: MarkdownIt): void {
  const { rules } = renderer;
  const renderTokens: typeof renderer.render = (tokens, options, env) => {
    const { costs } = getPage(env);
    let html = '';
    for (let i = 0; i < tokens.length; i++) {
      const { type, map, children } = tokens[i]!;
      if (map) costs.line = map[0];
      const rule = rules[type];
      if (type === 'inline') html += renderTokens(children!, options, env);
      else
        html += rule === undefined ? renderer.renderToken(tokens, i, options) : rule(tokens, i, options, env, renderer);
      checkHtml(costs, html.length);
    }
    return html;
  };
  renderer.render = renderTokens;
  renderer.renderInline = renderTokens;
}
