import type { StateCore, Token } from 'markdown-it';
import { listElementIncludes, parseIncludeLine, parseTextInclude } from '../include/include-references.ts';
import { readInclude } from '../include/includes.ts';
import {
  findSnippetBlocks,
  isSnippetBlockMark,
  listInsertions,
  parseSnippetBlockLine,
} from '../include/python-includes.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warnOnce } from '../page/page-state.ts';
import { findSiteValue } from './expand-template.ts';
import { evaluatePageExpression } from './page-values.ts';
import { findTemplateTag, readPart, toTemplateElement } from './template-tags.ts';

/**
 * Does inside code what a generator does there before parsing Markdown: includes files, shows escaped tags, hides lines.
 * Pages of other generators are skipped.
 */
export function addForeignCode({ md }: Parser): void {
  md.core.ruler.after('block', 'foreign_code', (state: StateCore) => {
    const page = getPage(state.env);
    const { mdbook, pymdown } = page.dialect;
    if (!readsTags(page) && !mdbook && !pymdown) return;
    for (const token of state.tokens) {
      if (token.type === 'fence' || token.type === 'code_block') token.content = rewriteBlock(page, token);
    }
  });
  md.core.ruler.after('inline', 'foreign_spans', (state: StateCore) => {
    const page = getPage(state.env);
    const { pymdown } = page.dialect;
    if (!readsTags(page) && !pymdown) return;
    const rewrite = pymdown ? insertFiles : showTags;
    for (const token of state.tokens) {
      for (const child of (page.verbatim.has(token) ? undefined : token.children) ?? []) {
        if (child.type === 'code_inline' && !page.verbatim.has(child) && child.content.includes('{'))
          child.content = rewrite(page, child.content);
      }
    }
  });
}

function rewriteBlock(page: PageState, token: Token): string {
  const { mdbook, pymdown } = page.dialect;
  let { content } = token;
  if (mdbook && content.includes('{{')) content = includeTexts(page, token, content);
  if (mdbook && /^rust\b/.test(token.info)) content = hideLines(content);
  if (pymdown && content.includes('8<-')) content = includeSnippets(page, token, content);
  if (pymdown && content.includes('{!')) content = insertFiles(page, content, token.map?.[0]);
  if (pymdown && content.includes('{%')) content = includeStatements(page, content);
  const hasTags = readsTags(page) && content.includes('{') && !page.verbatim.has(token);
  return hasTags ? showTags(page, content) : content;
}

/** Returns whether tags are tags in code, too. */
function readsTags({ dialect }: PageState): boolean {
  return dialect.hugo || dialect.liquid === 'everywhere' || dialect.mustache === 'book';
}

/** Shows escaped shortcodes, `{{</* a *\/>}}`, and removes the marks around what Liquid shows as it is, `{% raw %}`. */
function showTags(page: PageState, text: string): string {
  if (page.dialect.mustache === 'book') return fillPageValues(page, text);
  if (!page.dialect.hugo) {
    const filled = /%-?[ \t]*raw\b/.test(text) ? text : fillPageValues(page, text);
    return filled
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

/** Jekyll and GitBook print values of the page, the site and the book in code, too; others stay as they are written. */
function fillPageValues(page: PageState, text: string): string {
  return text.replace(/\{\{-?([^{}\n]{1,500})\}\}/g, (source, body: string) => {
    const expression = body.replace(/-$/, '').trim();
    return evaluatePageExpression(page, expression) ?? findSiteValue(page, expression) ?? source;
  });
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

/** `--8<-- "file:region"` on its own line includes the file, as do the lines between two `--8<--`; `;--8<--` is shown. */
function includeSnippets(page: PageState, token: Token, content: string): string {
  const isList = findSnippetBlocks(content).length > 0;
  let isOpen = false;
  const lines = content.split('\n').flatMap((line) => {
    if (isList && isSnippetBlockMark(line)) {
      isOpen = !isOpen;
      return [];
    }
    if (!isOpen && !line.includes('8<-')) return line;
    const escaped = /^(\s*);(-+8<-+.*)/s.exec(line);
    if (escaped) return escaped[1]! + escaped[2]!;
    const reference = isOpen ? parseSnippetBlockLine(line) : parseIncludeLine(line);
    if (reference?.kind !== 'snippet') return line.trim().startsWith(';') && isOpen ? [] : line;
    const found = readInclude(page, reference);
    const indent = /^\s*/.exec(line)![0];
    if (typeof found !== 'string') return found.text.replace(/\n$/, '').replace(/^(?=.)/gm, indent);
    warnOnce(page, token.map?.[0] ?? 0, 'missing-snippet', found);
    return line;
  });
  return lines.join('\n');
}

/** `{% include "file" %}` of the plugin include-markdown; what names no file that exists stays as it is written. */
function includeStatements(page: PageState, content: string): string {
  return content.replace(/\{%-?\s{0,50}include(?:-markdown)?\s[^%]{1,1000}%\}/g, (source) => {
    const tag = findTemplateTag(page, source, 0, source.length);
    const element = tag && toTemplateElement(tag, false);
    const path = element?.positional[0];
    for (const reference of path === undefined ? [] : listElementIncludes(path)) {
      const found = readInclude(page, { ...reference, kind: 'code', ...readPart(element!) });
      if (typeof found === 'object') return found.text.replace(/\n$/, '');
    }
    return source;
  });
}

/** Puts files in the place of `{!file!}`; where there is none, a block is reported, and a piece of code in a text is as written. */
function insertFiles(page: PageState, content: string, line?: number): string {
  let result = '';
  let copied = 0;
  for (const { start, end, reference } of listInsertions(content)) {
    result += content.slice(copied, start);
    const found = reference && readInclude(page, reference);
    if (typeof found === 'object') result += found.text.replace(/\n$/, '');
    else result += content.slice(reference ? start : start + 1, end);
    if (typeof found === 'string' && line !== undefined) warnOnce(page, line, 'missing-snippet', found);
    copied = end;
  }
  return result + content.slice(copied);
}
