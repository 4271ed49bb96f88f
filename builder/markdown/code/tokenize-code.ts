import { EncodedTokenMetadata, type IGrammar, INITIAL } from 'shiki/textmate';

/** For text that drives a grammar mad: no real code comes near, so that the answer does not depend on the machine. */
const lineTimeMs = 4_000;
const blockTimeMs = 10_000;

/**
 * Returns code as HTML with a span for each run of one class; spaces join their neighbours. Undefined when it takes
 * far too long.
 */
export function tokenizeCode(grammar: IGrammar, text: string, classOfColor: readonly string[]): string | undefined {
  const startMs = performance.now();
  let stack = INITIAL;
  let html = '';
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!.replace(/\r$/, '');
    if (i > 0) html += '\n';
    if (line === '') continue;
    const result = grammar.tokenizeLine2(line, stack, lineTimeMs);
    if (result.stoppedEarly || performance.now() - startMs > blockTimeMs) return undefined;
    stack = result.ruleStack;
    html += renderLine(line, result.tokens, classOfColor);
  }
  return html;
}

/** `tokens` alternates between where a token starts and its metadata. */
function renderLine(line: string, tokens: Uint32Array, classOfColor: readonly string[]): string {
  let html = '';
  let start = 0;
  let name = '';
  for (let i = 0; i < tokens.length; i += 2) {
    const next = classOfColor[EncodedTokenMetadata.getForeground(tokens[i + 1]!)] ?? '';
    if (next === name) continue;
    const from = tokens[i]!;
    const end = i + 2 < tokens.length ? tokens[i + 2]! : line.length;
    if (isBlank(line, from, end)) continue;
    if (from > start) html += renderRun(line.slice(start, from), name);
    start = from;
    name = next;
  }
  return html + renderRun(line.slice(start), name);
}

function renderRun(text: string, name: string): string {
  const escaped = /[&<>]/.test(text) ? text.replace(/[&<>]/g, escapeCharacter) : text;
  return name === '' || text.trim() === '' ? escaped : `<span class="${name}">${escaped}</span>`;
}

function escapeCharacter(character: string): string {
  return character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;';
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (text.charCodeAt(i) !== 32 && text.charCodeAt(i) !== 9) return false;
  return true;
}
