import type { StateCore, StateInline, Token } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warn } from '../page/page-state.ts';
import { getTitle } from '../page/titles.ts';

const SETS = '(?:material|octicons|fontawesome|simple|lucide)';
const NAME = `:(${SETS}(?:[-/][a-z0-9]+)+):`;
const ICON = new RegExp(`${NAME}(?:\\{([^{}\\n]{0,200})\\})?`, 'y');
const ICONS = new RegExp(NAME, 'g');

/** Words of names that say how an icon looks, not what it means. */
const LOOKS = new RegExp(
  `^(?:${SETS}|solid|regular|brands|outline|outlined|bold|thick|thin|fill|filled|variant|all|circle|square|box|badge|decagram|octagon|rhombus|\\d+)$`,
);
/** Meanings of icons, by the words that remain. */
const MEANINGS = new Map<string, 'yes' | 'no' | 'warning' | 'info'>([
  ...['check', 'tick', 'checkbox marked', 'check underline'].map((name) => [name, 'yes'] as const),
  ...['close', 'x', 'xmark', 'times', 'cross', 'cancel'].map((name) => [name, 'no'] as const),
  ...['alert', 'warning', 'exclamation', 'triangle exclamation', 'exclamation triangle'].map(
    (name) => [name, 'warning'] as const,
  ),
  ...['information', 'info'].map((name) => [name, 'info'] as const),
]);
const SIGNS: Readonly<Record<string, string>> = {
  yes: '✓',
  no: '✗',
  warning: '⚠\u{FE0E}',
  info: 'ℹ\u{FE0E}',
  star: '★',
  heart: '♥',
  plus: '+',
  minus: '−',
  help: '?',
  question: '?',
  'arrow right': '→',
  'arrow left': '←',
  'arrow up': '↑',
  'arrow down': '↓',
  'chevron right': '›',
  'chevron left': '‹',
  'thumb up': '👍',
  'thumb down': '👎',
};

/** The substitute for an icon: a picture of a theme that this one does not have. */
interface Icon {
  /** In words, without what only says how it looks. */
  readonly words: string;
  readonly meaning: string;
  readonly sign: string | undefined;
  /** The title that its author gave it. */
  readonly title: string | undefined;
}

/**
 * Adds the icons of MkDocs' themes, `:material-check:{ title="Yes" }`. Those that stand for an answer or a warning, and some more,
 * are signs with a name; any other is its name where nothing else is in its cell, heading or link, and is left out beside text.
 */
export function addIcons({ md, rules }: Parser): void {
  rules.inline(':', parseIcon);
  md.core.ruler.after('inline', 'icons', ({ env, tokens }: StateCore) => {
    let line = 0;
    for (const { type, children, map } of tokens) {
      if (map) line = map[0];
      if (type === 'inline' && children?.some((child) => child.type === 'icon')) {
        showIcons(getPage(env), children, line);
      }
    }
  });
  md.renderer.rules.icon = (tokens, index) => tokens[index]!.content;
}

function parseIcon(state: StateInline, silent: boolean): boolean {
  ICON.lastIndex = state.pos;
  const match = ICON.exec(state.src);
  if (match === null || ICON.lastIndex > state.posMax) return false;
  if (!silent) {
    const [source, name, attributes] = match;
    const token = state.push('icon', '', 0);
    token.markup = source;
    token.meta = { icon: readIcon(name!, attributes) };
  }
  state.pos += match[0].length;
  return true;
}

function readIcon(name: string, attributes = ''): Icon {
  const parts = name.split(/[-/]/);
  const left = parts.filter((part) => !LOOKS.test(part)).join(' ');
  // The name may say nothing but how it looks: `material-circle`.
  const words = left === '' ? parts.slice(1).join(' ') : left;
  const meaning = MEANINGS.get(words) ?? words;
  const [, double, single] = /(?:^|\s)title=(?:"([^"]*)"|'([^']*)')/.exec(attributes) ?? [];
  const title = (double ?? single)?.trim() || undefined;
  return { words, meaning, sign: Object.hasOwn(SIGNS, meaning) ? SIGNS[meaning] : undefined, title };
}

/** Decides how the icons of one text are shown. */
function showIcons(page: PageState, children: readonly Token[], line: number): void {
  const isAlone = !hasText(children);
  let isAloneInLink = false;
  for (let at = 0, end = 0; at < children.length; at++) {
    const token = children[at]!;
    if (token.type === 'link_open') {
      for (end = at + 1; end < children.length && children[end]!.type !== 'link_close'; ) end++;
      isAloneInLink = !hasText(children.slice(at, end));
    } else if (token.type === 'link_close') isAloneInLink = false;
    else if (token.type === 'icon') {
      token.content = renderIcon(page, token.meta?.icon as Icon, isAlone || isAloneInLink);
      if (token.content === '') warnOfIcon(page, token.markup, line);
    }
  }
}

function hasText(children: readonly Token[]): boolean {
  return children.some(({ type, content }) =>
    type === 'text' || type === 'text_special' ? content.trim() !== '' : /^(?:code_inline|image|emoji)$/.test(type),
  );
}

/** `isName`: nothing else says what is meant. */
function renderIcon(page: PageState, { words, meaning, sign, title }: Icon, isName: boolean): string {
  const label = title ?? (MEANINGS.has(words) ? getTitle(page.titles, meaning) : isName ? words : undefined);
  if (sign === undefined) return label === undefined ? '' : `<span class="inline-icon">${escapeHtml(label)}</span>`;
  if (label === undefined) return `<span class="inline-icon" aria-hidden="true">${sign}</span>`;
  const tooltip = title === undefined ? '' : ` title="${escapeHtml(title)}"`;
  return `<span class="inline-icon" role="img" aria-label="${escapeHtml(label)}"${tooltip}>${sign}</span>`;
}

function warnOfIcon(page: PageState, source: string, line: number): void {
  if (page.said.has('icons')) return;
  page.said.add('icons');
  const name = source.replace(/\{.*/, '');
  const message = `Icons such as "${name}" belong to another generator and were left out`;
  warn(page, line, 'foreign-syntax', message);
}

/** Replaces icons in the text of raw HTML: by their signs, or by nothing. */
export function replaceIcons(page: PageState, text: string): string {
  return text.replace(ICONS, (_, name: string) => {
    const icon = readIcon(name);
    return icon.sign === undefined ? '' : renderIcon(page, icon, false);
  });
}
