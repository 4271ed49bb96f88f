import type { StateBlock, Token } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import type { CodeSlot } from '../draft.ts';
import { type BlockRule, type Parser, takeBlockRule } from '../page/extension.ts';
import { takeAuthorId } from '../page/page-ids.ts';
import { addSlot, getPage, lineInFile, type PageState, warn, warnOnce } from '../page/page-state.ts';
import { getTitle } from '../page/titles.ts';
import { findOwnGrammar, isKnownLanguage, isOverHighlightLimit } from './languages.ts';
import { type FenceInfo, parseFenceInfo } from './parse-fence-info.ts';
import { cutTwoslash } from './twoslash.ts';

/** Renders fenced and indented code as blocks with a slot for the highlighted text. */
export function addCodeBlocks({ md }: Parser): void {
  const parseFence = takeBlockRule(md, 'fence');
  const parse: BlockRule = (state, startLine, endLine, silent) => {
    if (!parseFence(state, startLine, endLine, silent)) return false;
    if (!silent) warnIfOpen(state, startLine);
    return true;
  };
  md.block.ruler.at('fence', parse, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  // Before those of headings.
  md.core.ruler.push('code_ids', ({ tokens, env }) => {
    for (const token of tokens) {
      if (token.type !== 'fence' || !token.info.includes('#')) continue;
      const { id } = parseFenceInfo(md.utils.unescapeAll(token.info));
      if (id !== undefined) token.meta = { ...token.meta, id: takeAuthorId(getPage(env), id, token.map?.[0] ?? 0) };
    }
  });
  md.renderer.rules.fence = (tokens, index, _options, env) => {
    const token = tokens[index]!;
    const info = parseFenceInfo(md.utils.unescapeAll(token.info));
    const title = token.meta?.title;
    return renderCodeBlock(getPage(env), {
      info: typeof title === 'string' ? { ...info, title } : info,
      text: token.content,
      line: token.map?.[0] ?? 0,
      hideTitle: token.meta?.hideTitle === true,
      token,
    });
  };
  md.renderer.rules.code_block = (tokens, index, _options, env) => {
    const token = tokens[index]!;
    const info = parseFenceInfo('');
    return renderCodeBlock(getPage(env), {
      info,
      text: token.content,
      line: token.map?.[0] ?? 0,
      hideTitle: true,
      token,
    });
  };
}

/** Length of an opening line in a warning. */
const MAX_SHOWN = 40;

/** Warns of the code block that has just been read where it ends with the text around it. */
function warnIfOpen(state: StateBlock, startLine: number): void {
  const { markup } = state.tokens.at(-1)!;
  const read = (line: number): string => state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]);
  const last = state.line - 1;
  const isClosed =
    last > startLine && read(last).startsWith(markup) && read(last).replaceAll(markup[0]!, '').trim() === '';
  if (isClosed) return;
  const opening = read(startLine).trim();
  const shown = opening.length > MAX_SHOWN ? `${opening.slice(0, MAX_SHOWN)}…` : opening;
  const message = `Code block "${shown}" is not closed, and all that follows is code: end it with a line "${markup}"`;
  warn(getPage(state.env), startLine, 'unclosed', message);
}

export interface CodeBlockSource {
  readonly info: FenceInfo;
  readonly text: string;
  /** Line in the page's text, from 0. */
  readonly line: number;
  /** Has the attributes that a line below the block sets. */
  readonly token: Token;
  /** The title is shown elsewhere, e.g. on a tab. */
  readonly hideTitle: boolean;
}

/** Returns a code block's HTML with a slot for the code, and warns if the code cannot be highlighted. */
function renderCodeBlock(page: PageState, source: CodeBlockSource): string {
  const { info, line } = source;
  if (info.twoslash === 'included') return '';
  const written = source.text.replace(/\n$/, '');
  const shown = info.twoslash ? cutTwoslash(written) : written;
  const spans = source.token.meta?.spans as CodeSlot['spans'];
  // Spans count the signs of the text as it is.
  const { text, classes: notated } =
    spans === undefined ? readNotations(shown, page.dialect.hasMagicComments) : { text: shown, classes: NO_CLASSES };
  const { language } = info;
  const grammar = findOwnGrammar(language, page.input.languages);
  if (grammar === undefined && !isKnownLanguage(language)) {
    warnOnce(page, line, 'unknown-language', `Unknown language "${language}"; its code is not highlighted`);
  } else if (language !== '' && isOverHighlightLimit(text)) {
    warn(page, line, 'highlight-limit', 'Code block is too long to highlight');
  }
  const marks = collectMarks(info, text, notated);
  const block = { language, text, ...(grammar !== undefined && { grammar }) };
  const slot: CodeSlot = { kind: 'code', block, marks, ...(spans && { spans }) };
  const numbers = info.numbersFrom === undefined ? '' : renderNumbers(text, info.numbersFrom);
  const title =
    info.title === undefined || source.hideTitle ? '' : `<div class="code-title">${escapeHtml(info.title)}</div>`;
  const kind = language === '' ? '' : ` data-language="${escapeHtml(language)}"`;
  const below = new Map(source.token.attrs ?? []);
  const classes = [
    'code-block',
    ...(numbers === '' ? [] : ['numbered']),
    ...info.classes,
    String(below.get('class') ?? ''),
  ];
  const id = source.token.meta?.id ?? below.get('id');
  const attributes = `${id === undefined ? '' : ` id="${escapeHtml(String(id))}"`} class="${escapeHtml(classes.join(' ').trim())}"`;
  const html = `<div${attributes}${kind}>${title}<pre tabindex="0">${numbers}<code>${addSlot(page, slot)}</code></pre></div>\n`;
  return language === 'mermaid' && page.options.mermaid ? renderDiagram(page, html, { ...source, text }) : html;
}

function renderDiagram(page: PageState, block: string, { info, text, line, token }: CodeBlockSource): string {
  page.extras.add('diagrams');
  const place = lineInFile(page, line);
  page.diagrams.push({ text, line: place, textLine: page.included.has(token) ? undefined : place + 1 });
  const label = escapeHtml(info.title ?? getTitle(page.titles, 'diagram'));
  const source = escapeHtml(getTitle(page.titles, 'diagramSource'));
  return `<div class="diagram" data-label="${label}"><details open><summary class="diagram-source">${source}</summary>\n${block}</details></div>\n`;
}

function collectMarks(
  info: FenceInfo,
  text: string,
  notated: ReadonlyMap<number, readonly string[]>,
): readonly (readonly [number, string])[] {
  const marked = [
    ['highlighted', info.highlighted],
    ['diff add', info.inserted],
    ['diff remove', info.deleted],
  ] as const;
  if (notated.size === 0 && marked.every(([, ranges]) => ranges.length === 0)) return [];
  const count = countLines(text);
  const classes = new Map<number, Set<string>>();
  const add = (line: number, name: string) => {
    if (!classes.has(line)) classes.set(line, new Set());
    classes.get(line)!.add(name);
  };
  for (const [name, ranges] of marked) {
    for (const [first, last] of ranges) {
      for (let line = Math.max(first, 1); line <= Math.min(last, count); line++) add(line - 1, name);
    }
  }
  for (const [line, names] of notated) for (const name of names) add(line, name);
  if ([...classes.values()].some((names) => names.has('focused'))) {
    for (let line = 0; line < count; line++) if (!classes.get(line)?.has('focused')) add(line, 'dimmed');
  }
  return [...classes].sort((a, b) => a[0] - b[0]).map(([line, names]) => [line, [...names].join(' ')]);
}

function renderNumbers(text: string, first: number): string {
  const numbers = Array.from({ length: countLines(text) }, (_, index) => first + index);
  return `<span class="line-numbers" aria-hidden="true">${numbers.join('\n')}</span>`;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Code without its notations, and the classes that they add to lines (from 0). */
export interface NotatedCode {
  readonly text: string;
  readonly classes: ReadonlyMap<number, readonly string[]>;
}

const NO_CLASSES: NotatedCode['classes'] = new Map();

const CLASS_OF_NOTATION = new Map([
  ['highlight', 'highlighted'],
  ['hl', 'highlighted'],
  ['focus', 'focused'],
  ['++', 'diff add'],
  ['--', 'diff remove'],
  ['error', 'error'],
  ['warning', 'warning'],
]);

/** Keeps `focus:999999` on every line of a long block from taking forever. */
const MAX_COUNT = 1_000;
/** Notations of a line; what stands there more often stays as it is written. */
const MAX_MARKS = 20;

const OPENER =
  /(?:(?<!\/)\/\/+|\/\*+|\{\/\*|<!--|(?<!#)#+|--(?:\[\[)?|(?<!;);+|(?<!%)%+|\(\*|\{-|'|"|@?\bREM|::|\.\.)[ \t]*$/i;
const CLOSER = /^[ \t]*(?:\*\/\}?|--+>|\*\)|\]\]|-\})/;

/**
 * Removes `[!code highlight]`, `hl`, `focus`, `++`, `--`, `error` and `warning`, with an optional count as in `[!code
 * focus:3]`, from the comments of a code block. A comment on its own line is removed with the line and refers to the
 * lines below. `[!!code` is how authors show a notation: it loses one exclamation mark.
 */
function readNotations(text: string, hasMagicComments = false): NotatedCode {
  if (hasMagicComments && text.includes('highlight-')) {
    const { text: rest, classes } = readMagicComments(text);
    if (classes.size > 0) {
      const notated = readNotations(rest);
      return notated.text === rest ? { text: rest, classes } : notated;
    }
  }
  const classes = new Map<number, string[]>();
  if (!text.includes('[!code ')) return { text: text.replaceAll('[!!code ', '[!code '), classes };
  const lines: string[] = [];
  for (const source of text.split('\n')) {
    const notated = source.includes('[!code ') ? readLine(source) : undefined;
    const first = lines.length;
    if (notated === undefined || notated.line.trim() !== '' || notated.marks.length === 0) {
      lines.push(notated?.line ?? source);
    }
    for (const [name, count] of notated?.marks ?? []) {
      for (let line = first; line < first + Math.min(count, MAX_COUNT); line++) {
        const known = classes.get(line);
        if (known === undefined) classes.set(line, [name]);
        else if (!known.includes(name)) known.push(name);
      }
    }
  }
  for (const line of classes.keys()) if (line >= lines.length) classes.delete(line);
  return { text: lines.join('\n').replaceAll('[!!code ', '[!code '), classes };
}

const MAGIC_COMMENT =
  /^\s*(?:(?:\/\/|#|--|<!--|\/\*|\{\/\*|%|;|"|')\s*)?highlight-(next-line|start|end)\s*(?:(?:\*\/\}?|-->)\s*)?$/;

/** Docusaurus marks lines by comments of their own: `// highlight-next-line`, `// highlight-start` … `// highlight-end`. */
function readMagicComments(text: string): NotatedCode {
  const classes = new Map<number, readonly string[]>();
  const lines: string[] = [];
  let isOn = false;
  let isNext = false;
  for (const line of text.split('\n')) {
    const mark = line.length < 200 ? MAGIC_COMMENT.exec(line)?.[1] : undefined;
    if (mark === 'next-line') isNext = true;
    else if (mark !== undefined) isOn = mark === 'start';
    else {
      if (isOn || isNext) classes.set(lines.length, ['highlighted']);
      isNext = false;
      lines.push(line);
    }
  }
  return { text: lines.join('\n'), classes };
}

function readLine(source: string): { line: string; marks: (readonly [string, number])[] } {
  const marks: (readonly [string, number])[] = [];
  let line = source;
  for (let from = 0; ; ) {
    const start = line.indexOf('[!code ', from);
    if (start < 0) return { line, marks };
    const match = /^\[!code ([\w+-]+)(?::(\d{1,6}))?\]/.exec(line.slice(start, start + 40));
    const name = CLASS_OF_NOTATION.get(match?.[1]?.toLowerCase() ?? '');
    if (!match || name === undefined || marks.length === MAX_MARKS) {
      from = start + 1;
      continue;
    }
    marks.push([name, Number(match[2] ?? 1)]);
    line = cutComment(line, start, start + match[0].length);
    from = 0;
  }
}

/** Removes the notation, and the comment marks around it if the comment contains nothing else. */
function cutComment(line: string, start: number, end: number): string {
  const after = line.slice(end);
  const close = CLOSER.exec(after.slice(0, 200))?.[0] ?? '';
  const before = line.slice(0, start);
  const open = OPENER.exec(before.slice(-200));
  const rest = after.slice(close.length);
  const isWhole = open !== null && (close !== '' || rest.trim() === '');
  if (!isWhole) return `${before.trimEnd()}${after}`.trimEnd();
  return `${before.slice(0, before.length - open[0].length).trimEnd()}${rest}`.trimEnd();
}
