import type { StateCore, Token } from 'markdown-it';
import { parseFenceInfo } from '../code/parse-fence-info.ts';
import { cutTwoslash } from '../code/twoslash.ts';
import type { Parser } from '../page/extension.ts';
import { getPage } from '../page/page-state.ts';
import { pushFenceTabs } from '../syntax/tabs.ts';
import { takeMarks } from './code-marks.ts';

/**
 * Adds what the sites of frameworks that render Markdown by code of their own have inside code blocks, where no generator is recognised:
 * names of files above the code (`/// file: a.js`, `@@filename(a)`), the same code in a second language below `@@switch`, what was added,
 * removed and is to be seen (`+++a+++`, `---a---`, `:::a:::`), and what is there for a type checker only.
 */
export function addSiteCode({ md }: Parser): void {
  md.core.ruler.after('block', 'site_code', (state: StateCore) => {
    if (getPage(state.env).input.generator !== undefined) return;
    const { tokens } = state;
    if (!tokens.some(mayHaveNotations)) return;
    const result: Token[] = [];
    for (const token of tokens) {
      if (mayHaveNotations(token)) pushBlock(state, token, result);
      else result.push(token);
    }
    state.tokens = result;
  });
}

const NOTATION = /@@(?:filename|switch)|^(?:\/\/\/|<!---|###)[ \t]*(?:file|link|copy):|\+\+\+|---|:::|^\/\/ @\w/m;

function mayHaveNotations({ type, content }: Token): boolean {
  return type === 'fence' && NOTATION.test(content);
}

/** `@@filename(cats.service)` of Nest's documentation. */
const NEST_FILE = /^@@filename\(([^()\n]{0,300})\)[ \t]*\n/;
const NEST_SWITCH = /^[ \t]*@@switch[ \t]*\n/m;

function pushBlock(state: StateCore, token: Token, result: Token[]): void {
  const { language } = parseFenceInfo(state.md.utils.unescapeAll(token.info));
  const named = NEST_FILE.exec(token.content);
  const text = token.content.slice(named?.[0].length ?? 0);
  const parts = NEST_SWITCH.exec(text);
  const stem = named?.[1]?.trim() ?? '';
  if (parts && isScript(language)) {
    const [typed, plain] = [text.slice(0, parts.index), text.slice(parts.index + parts[0].length)];
    pushFenceTabs(state, result, [
      [createFence(state, token, { info: 'typescript', content: typed, title: addEnding(stem, 'ts') }), 'TypeScript'],
      [createFence(state, token, { info: 'javascript', content: plain, title: addEnding(stem, 'js') }), 'JavaScript'],
    ]);
    return;
  }
  if (named) {
    token.content = text;
    if (stem !== '') token.meta = { ...token.meta, title: addEnding(stem, ENDINGS.get(language)) };
  } else if (MARKED_LANGUAGES.has(language)) readSvelte(token);
  result.push(token);
}

/** The site adds what the names leave out. */
const ENDINGS = new Map([
  ...['ts', 'typescript'].map((language) => [language, 'ts'] as const),
  ...['js', 'javascript'].map((language) => [language, 'js'] as const),
]);

function addEnding(stem: string, ending: string | undefined): string | undefined {
  return stem === '' || ending === undefined ? stem || undefined : `${stem}.${ending}`;
}

function isScript(language: string): boolean {
  return ENDINGS.has(language);
}

function createFence(
  state: StateCore,
  { map, markup, level }: Token,
  { info, content, title }: { readonly info: string; readonly content: string; readonly title: string | undefined },
): Token {
  const fence = new state.Token('fence', 'code', 0);
  Object.assign(fence, { info, content: `${content.trim()}\n`, map, markup, level });
  if (title !== undefined) fence.meta = { title };
  return fence;
}

/** Languages in which three equal signs, twice, are no code. */
const MARKED_LANGUAGES = new Set(
  'js javascript mjs cjs jsx ts typescript mts cts tsx dts svelte vue html css scss less postcss json jsonc json5'.split(
    ' ',
  ),
);
/** `/// file: a.js`, `<!--- file: a.svelte --->`; the last one may lack a sign. */
const SETTING = /^(?:\/\/\/|<!---)[ \t]*(file|link|copy):(.*?)(?:-{2,3}>)?$/s;
/** Lines at the top among which settings are. */
const TOP_LINES = 12;

/** Reads the notations of Svelte's documentation. */
function readSvelte(token: Token): void {
  let lines = token.content.split('\n');
  for (const [at, line] of lines.slice(0, TOP_LINES).entries()) {
    const [, key, value = ''] = SETTING.exec(line.trimEnd()) ?? [];
    if (key === undefined) continue;
    if (key === 'file' && value.trim() !== '') token.meta = { ...token.meta, title: value.trim() };
    lines[at] = '\0';
  }
  lines = lines.filter((line) => line !== '\0');
  const isChecked = lines.some((line) => /^\s*\/\/ (?:---cut---|@(?:noErrors|errors\b.*))$/s.test(line.trimEnd()));
  const text = isChecked ? cutTwoslash(lines.join('\n')).replace(/^\n+/, '') : lines.join('\n');
  const { content, spans } = takeMarks(text);
  token.content = content;
  if (spans.length > 0) token.meta = { ...token.meta, spans };
}
