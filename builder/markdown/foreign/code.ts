import type { StateCore, Token } from 'markdown-it';
import { parseIncludeLine, parseTextInclude } from '../include/include-references.ts';
import { readInclude } from '../include/includes.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warnOnce } from '../page/page-state.ts';
import { findTemplateTag } from './template-tags.ts';

/**
 * Does inside code what a generator does there before parsing Markdown: includes files, shows escaped tags, hides lines.
 * Pages of other generators are skipped.
 */
export function addForeignCode({ md }: Parser): void {
  md.core.ruler.after('block', 'foreign_code', (state: StateCore) => {
    const page = getPage(state.env);
    const { hugo, liquid, mdbook, pymdown } = page.dialect;
    if (!hugo && liquid !== 'everywhere' && !mdbook && !pymdown) return;
    for (const token of state.tokens) {
      if (token.type === 'fence' || token.type === 'code_block') token.content = rewriteBlock(page, token);
    }
  });
  md.core.ruler.after('inline', 'foreign_spans', (state: StateCore) => {
    const page = getPage(state.env);
    const { hugo, liquid } = page.dialect;
    if (!hugo && liquid !== 'everywhere') return;
    for (const { children } of state.tokens) {
      for (const child of children ?? []) {
        if (child.type === 'code_inline' && child.content.includes('{')) child.content = showTags(page, child.content);
      }
    }
  });
}

function rewriteBlock(page: PageState, token: Token): string {
  const { hugo, liquid, mdbook, pymdown } = page.dialect;
  let { content } = token;
  if (mdbook && content.includes('{{')) content = includeTexts(page, token, content);
  if (mdbook && /^rust\b/.test(token.info)) content = hideLines(content);
  if (pymdown && content.includes('8<-')) content = includeSnippets(page, token, content);
  const hasTags = (hugo || liquid === 'everywhere') && content.includes('{');
  return hasTags ? showTags(page, content) : content;
}

/** Shows escaped shortcodes, `{{</* a *\/>}}`, and removes the marks around what Liquid shows as it is, `{% raw %}`. */
function showTags(page: PageState, text: string): string {
  if (!page.dialect.hugo) {
    return text
      .replace(/^[ \t]*\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}[ \t]*\n/gm, '')
      .replace(/\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}/g, '');
  }
  let result = '';
  let copied = 0;
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', at + 2)) {
    if (!/^\{\{[<%]\s*\/\*/.test(text.slice(at, at + 20))) continue;
    const tag = findTemplateTag(page, text, at, text.length);
    if (tag?.shown === undefined) continue;
    result += text.slice(copied, at) + tag.shown;
    copied = tag.end;
  }
  return result + text.slice(copied);
}

/** mdBook includes files anywhere; `\{{#include` is shown. */
function includeTexts(page: PageState, token: Token, content: string): string {
  const mark = /(\\?)\{\{[ \t]*#(?:rustdoc_)?(?:include|playground|playpen)[ \t]+([^\s{}][^{}\n]{0,499})\}\}/g;
  return content.replace(mark, (source: string, backslash: string, argument: string) => {
    if (backslash !== '') return source.slice(1);
    const reference = parseTextInclude(argument);
    const found = reference === undefined ? source : readInclude(page, reference);
    if (typeof found !== 'string') return found.text.replace(/\n$/, '');
    warnOnce(page, token.map?.[0] ?? 0, 'missing-snippet', found);
    return source;
  });
}

/** In Rust, lines that begin with `# ` are for the compiler only; `##` shows one `#`. */
function hideLines(content: string): string {
  const lines = content.split('\n').filter((line) => !/^\s*#(?: .*)?$/.test(line));
  return lines.map((line) => line.replace(/^(\s*)##/, '$1#')).join('\n');
}

/** `--8<-- "file:region"` on its own line includes the file, `;--8<--` is shown. */
function includeSnippets(page: PageState, token: Token, content: string): string {
  const lines = content.split('\n').map((line) => {
    if (!line.includes('8<-')) return line;
    const escaped = /^(\s*);(-+8<-+.*)$/.exec(line);
    if (escaped) return escaped[1]! + escaped[2]!;
    const reference = parseIncludeLine(line);
    if (reference?.kind !== 'snippet') return line;
    const found = readInclude(page, reference);
    const indent = /^\s*/.exec(line)![0];
    if (typeof found !== 'string') return found.text.replace(/\n$/, '').replace(/^(?=.)/gm, indent);
    warnOnce(page, token.map?.[0] ?? 0, 'missing-snippet', found);
    return line;
  });
  return lines.join('\n');
}
