import type { StateBlock } from 'markdown-it';
import { spendWork } from './page-costs.ts';
import { getPage } from './page-state.ts';

/** Whether a line ends a quote, and for which state of the parser that was found. */
interface Answer {
  readonly endLine: number;
  readonly indent: number;
  readonly count: number;
  readonly ends: boolean;
}

/** What each further quote spends on a line, besides calling the rules, see `spendWork`. */
const WORK_OF_REPETITION = 40;

const answers = new WeakMap<StateBlock, Map<number, Answer>>();

/**
 * Returns whether a line ends the quote before it, because one of these rules finds that a block begins there. Rules are asked once: each
 * quote asks about all lines up to the next blank one, and where it turns out to be shorter, the next quote asks again.
 */
export function endsQuote(
  state: StateBlock,
  line: number,
  endLine: number,
  rules: readonly ((state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean)[],
): boolean {
  const known = answers.get(state) ?? new Map<number, Answer>();
  answers.set(state, known);
  const [indent, count] = [state.blkIndent, state.sCount[line]!];
  const found = known.get(line);
  if (found) spendWork(getPage(state.env).costs, WORK_OF_REPETITION);
  if (found && found.endLine === endLine && found.indent === indent && found.count === count) return found.ends;
  const ends = rules.some((rule) => rule(state, line, endLine, true));
  known.set(line, { endLine, indent, count, ends });
  return ends;
}
