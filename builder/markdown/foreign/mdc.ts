import type { StateBlock, StateInline } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warnOnce } from '../page/page-state.ts';
import { findContainerEnd } from '../syntax/container-end.ts';
import { pushCodeGroup } from '../syntax/containers.ts';
import { describeUnknown } from './blocks.ts';
import { findMeaning, findShownText, withoutMarks } from './elements.ts';
import { pushInlineElement } from './inline.ts';
import type { ForeignElement, Meaning } from './meaning.ts';
import { type InnerText, parseNested, pushElement, pushHtml, sliceInner } from './push-element.ts';
import { parseOption } from './pymdown.ts';
import { parseArguments } from './template-tags.ts';

/**
 * Adds the components of Nuxt Content (https://content.nuxt.com/docs/files/markdown): `::tip{title="A"}` … `::`, those inside with more
 * colons, parts of them behind lines like `#title`, and `:read-more{to="/guide/setup"}` in a line. What no line closes is text.
 */
export function addMdc({ rules }: Parser): void {
  rules.block(':', parseBlock);
  rules.block(':', parseLine);
  rules.inline(':', parseInline);
}

/** A longer component is text. */
const MAX_COMPONENT = 1_000;
/** Lines of properties that a component has. */
const MAX_PROPERTIES = 100;
const BLOCK = /^(:{2,})([a-z][a-z\d-]*)(?:\{([^{}]*)\})?$/;
const INLINE = /:([a-z][a-z\d-]*)\{([^{}\n]*)\}(?![\w:{])/y;
/** They tell it from `:name{text}`. */
const PROPERTIES = /^ ?(?:\.[\w.-]+ )?[:@]?[a-zA-Z][\w-]*=/;

/** A component alone in a line. */
const LINE = /^:(br|[a-z][a-z\d]*(?:-[a-z\d]+)+)(?:\{([^{}]*)\})?$/;
/** The start of the text for a place in a component. */
const SLOT = /^ {0,3}#([a-z][a-z\d-]*)(?:\{[^{}]*\})?[ \t]*$/;
/** What components of Nuxt UI, Docus and Undocs are, by their names without `prose-` and `u-`. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ 'page-card': 'card', 'page-feature': 'card', 'page-grid': 'card-grid', 'page-columns': 'card-grid' },
  ...{
    'page-hero': 'section',
    'page-section': 'section',
    'page-cta': 'section',
    'block-hero': 'section',
    container: 'div',
    list: 'div',
  },
  ...{ 'tabs-item': 'tab', accordion: 'div', 'accordion-item': 'details', 'field-group': 'div' },
  ...{ 'code-collapse': 'div', 'code-preview': 'div', 'video-accordion': 'youtube' },
  ...{ 'color-mode-image': 'img', 'color-mode-avatar': 'img' },
};
/** Those whose blocks of code are tabs. */
const CODE_GROUPS = new Set(['code-group', 'code-tree']);

type Properties = ReadonlyMap<string, string>;

/** Pages of which a component is being read. */
const open = new WeakSet<PageState>();

function parseBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.src.charCodeAt(start + 1) !== 58 /* : */) return false;
  const match = BLOCK.exec(state.src.slice(start, Math.min(state.eMarks[startLine]!, start + MAX_COMPONENT)).trimEnd());
  if (!match) return false;
  const page = getPage(state.env);
  const [, colons, name, written = ''] = match;
  const named = readArguments(written);
  // With more colons it is a container of other generators, too, none of which leads anywhere.
  if (colons!.length > 2 && !open.has(page) && findTarget(named) === undefined) return false;
  const { end, closed } = findContainerEnd(state, startLine, endLine, colons!.length);
  if (!closed) return false;
  if (silent) return true;
  const { first, properties } = readProperties(state, startLine + 1, end);
  const inner = sliceInner(state, {
    start: state.eMarks[first - 1]!,
    startLine: first - 1,
    end: state.bMarks[end]!,
    endLine: end,
  });
  const isOuter = !open.has(page);
  open.add(page);
  const map: [number, number] = [startLine, end + 1];
  if (!pushCommands(state, name!, named, map)) {
    pushComponent(state, { name: shortName(name!), named: new Map([...named, ...properties]), map, inner });
  }
  if (isOuter) open.delete(page);
  state.line = end + 1;
  return true;
}

/** Reads properties between braces; names alone are true. */
function readArguments(written: string): Properties {
  const { named, positional } = parseArguments(written);
  const truths = positional.filter((word) => /^[a-z][\w-]*$/i.test(word) && !named.has(word.toLowerCase()));
  return new Map([...named, ...truths.map((word) => [word.toLowerCase(), 'true'] as const)]);
}

/** Returns the name of a component without the mark of those that stand for elements of Markdown, and of those of Nuxt UI. */
function shortName(name: string): string {
  const short = name.replace(/^(?:prose|u)-/, '');
  return Object.hasOwn(NAMES, short) ? NAMES[short]! : short;
}

interface Component {
  readonly name: string;
  readonly named: Properties;
  readonly map: [number, number];
  readonly inner: InnerText;
}

function pushComponent(state: StateBlock, { name, named, map, inner: written }: Component): void {
  const { title, inner } = takeSlots(written);
  if (CODE_GROUPS.has(name)) {
    pushCodeGroup(state, map, () => parseNested(state, inner));
    return;
  }
  const titled =
    title === undefined || named.get('title') ? named : new Map([...named, ['title', withoutMarks(title)]]);
  const element = createElement(name, titled, true);
  const meaning = findMeaning(element);
  const words = inner.text.trim();
  const target = findTarget(named);
  if (meaning?.as === 'callout' && target !== undefined) {
    const callout = { ...meaning, title: titled.get('title') };
    pushElement(state, callout, {
      map,
      inner: { ...inner, text: `${inner.text}\n\n${writeLink(target)}` },
      isMarkdown: true,
    });
    return;
  }
  if (meaning?.as === 'link' && !meaning.isBlock && !/\n\s*\n/.test(words)) {
    pushLink(state, meaning, words || meaning.text, map);
    return;
  }
  const place = { map, inner, isMarkdown: true };
  if (meaning !== undefined && pushElement(state, meaning, place)) return;
  // What has a title or leads somewhere shows what a card would.
  if (findShownText(element) !== '') pushElement(state, findMeaning({ ...element, name: 'card' })!, place);
  else {
    if (name !== 'read-more') warnOnce(getPage(state.env), map[0], ...describeUnknown(element));
    parseNested(state, inner);
  }
}

/** Adds a link with words of its own, which may be formatted. */
function pushLink(
  state: StateBlock,
  { href, className }: Extract<Meaning, { as: 'link' }>,
  words: string,
  map: [number, number],
): void {
  const text = escapeHtml(withoutMarks(words));
  const attributes = className === '' ? '' : ` class="${className}"`;
  pushHtml(state, `<p><a href="${escapeHtml(href)}"${attributes}>${text}</a></p>\n`, map);
}

/**
 * Returns the text of a component without the lines that name the places of its parts, and what it has for its title, if that is
 * one line. Marks in code and in components inside are theirs.
 */
function takeSlots({ text, line }: InnerText): { readonly title: string | undefined; readonly inner: InnerText } {
  if (!text.includes('#')) return { title: undefined, inner: { text, line } };
  let depth = 0;
  let fence: string | undefined;
  let slot = '';
  const lines = text.split('\n').map((written) => {
    const [, marks = '', name = ''] = /^ {0,3}(`{3,}|~{3,}|:{2,})[ \t]*([a-z]?)/.exec(written) ?? [];
    if (marks.startsWith(':')) {
      if (fence === undefined) depth = Math.max(0, depth + (name === '' ? -1 : 1));
    } else if (marks !== '') {
      if (fence === undefined) fence = marks;
      else if (marks.startsWith(fence)) fence = undefined;
    }
    const found = fence === undefined && depth === 0 ? SLOT.exec(written)?.[1] : undefined;
    slot = found ?? slot;
    // Lines keep their numbers.
    return { slot, written: found === undefined ? written : '' };
  });
  const ofTitle = lines.filter((one) => one.slot === 'title' && one.written.trim() !== '');
  const title = ofTitle.length === 1 ? ofTitle[0]!.written.trim().replace(/ ?:br(?= |$)/g, '') : undefined;
  const others = lines.map((one) => (title !== undefined && one.slot === 'title' ? '' : one.written));
  return { title, inner: { text: others.join('\n'), line } };
}

/** Commands of package managers, with what stands before a package or script. */
const MANAGERS = {
  npm: { install: 'npm install', dev: '-D', run: 'npm run', x: 'npx' },
  yarn: { install: 'yarn add', dev: '-D', run: 'yarn', x: 'yarn dlx' },
  pnpm: { install: 'pnpm add', dev: '-D', run: 'pnpm', x: 'pnpm dlx' },
  bun: { install: 'bun add', dev: '-d', run: 'bun run', x: 'bunx' },
  deno: { install: 'deno add', dev: '--dev', run: 'deno task', x: 'deno run -A' },
} as const;

/** Adds what Undocs shows as a command for each package manager; returns false for other components. */
function pushCommands(state: StateBlock, name: string, named: Properties, map: [number, number]): boolean {
  const kind = /^pm-(install|run|x)$/.exec(name)?.[1] as 'install' | 'run' | 'x' | undefined;
  const wanted = kind && named.get(({ install: 'name', run: 'script', x: 'command' } as const)[kind]);
  if (!wanted) return false;
  pushCodeGroup(state, map, () => {
    for (const [manager, commands] of Object.entries(MANAGERS)) {
      const dev = kind === 'install' && named.get('dev') === 'true' ? [commands.dev] : [];
      const words = manager === 'deno' && kind !== 'run' ? nameForDeno(wanted, kind === 'install') : wanted;
      const text = [commands[kind], ...dev, words].join(' ');
      const code = { as: 'code', info: `sh [${manager}]`, text } as const;
      pushElement(state, code, { map, inner: undefined, isMarkdown: false });
    }
  });
  return true;
}

/** Components that stand alone in a line and are more than words: line breaks, commands, and what only a site's program knows. */
function parseLine(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const match = LINE.exec(state.src.slice(start, Math.min(state.eMarks[startLine]!, start + MAX_COMPONENT)).trimEnd());
  if (!match) return false;
  const page = getPage(state.env);
  const [, name, written] = match;
  const map: [number, number] = [startLine, startLine + 1];
  const isOwn = name !== 'br' && written === undefined && open.has(page);
  if (silent) return name === 'br' || isOwn || name!.startsWith('pm-');
  if (isOwn) {
    const element = createElement(shortName(name!), new Map(), false);
    if (findMeaning(element) === undefined) warnOnce(page, startLine, ...describeUnknown(element));
  } else if (name !== 'br' && !pushCommands(state, name!, readArguments(written ?? ''), map)) return false;
  state.line = startLine + 1;
  return true;
}

/** Deno takes packages from elsewhere unless it is told: all of them, or the first one, which is run. */
function nameForDeno(words: string, isAll: boolean): string {
  const name = (word: string): string => (/^(?:npm|jsr):/.test(word) ? word : `npm:${word}`);
  return words
    .trim()
    .split(/\s+/)
    .map((word, at) => (isAll || at === 0 ? name(word) : word))
    .join(' ');
}

/** Reads the properties that stand between two lines of `---` on top of a component; returns the line behind them, too. */
function readProperties(
  state: StateBlock,
  startLine: number,
  endLine: number,
): { readonly first: number; readonly properties: readonly (readonly [string, string])[] } {
  const textOf = (line: number): string =>
    state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!).trimEnd();
  const properties: (readonly [string, string])[] = [];
  const max = Math.min(endLine, startLine + MAX_PROPERTIES);
  for (let line = startLine; line < max && (line > startLine || textOf(line) === '---'); line++) {
    if (line > startLine && textOf(line) === '---') return { first: line + 1, properties };
    const option = state.tShift[line] === state.tShift[startLine] ? parseOption(textOf(line)) : undefined;
    if (option) properties.push(option);
  }
  return { first: startLine, properties: [] };
}

function parseInline(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const page = getPage(state.env);
  if (page.isVerbatim || (pos > 0 && !/\s/.test(src[pos - 1]!))) return false;
  INLINE.lastIndex = 0;
  const match = INLINE.exec(src.slice(pos, Math.min(posMax, pos + MAX_COMPONENT)));
  if (!match || !PROPERTIES.test(match[2]!)) return false;
  if (!silent) {
    const named = readArguments(match[2]!);
    // In a line, whatever leads somewhere is a link.
    const name = findTarget(named) === undefined ? shortName(match[1]!) : 'link';
    pushInlineElement(state, page, createElement(name, named, false));
  }
  state.pos = pos + match[0].length;
  return true;
}

/** What leads somewhere and has no title is called by the last part of its address. */
function createElement(name: string, named: Properties, isPaired: boolean): ForeignElement {
  const target = findTarget(named);
  const isUntitled = target !== undefined && !['title', 'label', 'text'].some((key) => named.get(key));
  const titled = isUntitled ? new Map([...named, ['title', nameTarget(target)]]) : named;
  // Nuxt UI fills its buttons unless it is told.
  const isFilled = name === 'button' && (named.get('variant') ?? 'solid') === 'solid';
  const shown = isFilled ? new Map([...titled, ['variant', 'primary']]) : titled;
  return { syntax: 'component', name, named: shown, positional: [], isPaired };
}

function findTarget(named: Properties): string | undefined {
  return named.get('to') ?? named.get('href');
}

/** Returns a link that is called by its target, in Markdown. */
function writeLink(target: string): string {
  const words = nameTarget(target).replace(/[[\]\\`]/g, '');
  return `[${words}](<${target.replace(/[<>\s\\]/g, encodeURIComponent)}>)`;
}

/** Returns what the last part of a URL says in words: `/guide/first-steps#a` is "First steps". */
function nameTarget(url: string): string {
  const path = trimCharacters(url.split(/[?#]/, 1)[0]!, '/');
  const part = path.slice(path.lastIndexOf('/') + 1).replaceAll('-', ' ');
  return part === '' ? url : part.charAt(0).toUpperCase() + part.slice(1);
}
