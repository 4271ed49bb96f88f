import { createRequire } from 'node:module';
import type { Token } from 'markdown-it';
import type Temml from 'temml';
import { parseFenceInfo } from '../code/parse-fence-info.ts';
import { spendWork } from '../page/page-costs.ts';
import type { PageState } from '../page/page-state.ts';

/** Longer formulas are not drawn. */
export const MAX_TEX = 5_000;

/** Returns whether a block of code is a formula. */
export function isMathFence({ type, info }: Token): boolean {
  return type === 'fence' && info.includes('math') && parseFenceInfo(info).language === 'math';
}

/** Work of a formula and of each of its characters, see `spendWork`. */
const WORK_OF_FORMULA = 1_000;
const WORK_OF_CHARACTER = 1_000;
/** Macros of a formula's own may expand up to `maxExpand`. */
const WORK_OF_MACROS = 2_000_000;
const DEFINITION = /\\(?:[gex]?def|(?:future)?let|(?:re)?newcommand|providecommand)(?![a-zA-Z])/;

/** Nothing that links, loads, runs or sets styles; sizes that stay on the page. */
const SETTINGS = { throwOnError: true, trust: false, maxExpand: 1_000, maxSize: [50, 50] } as const;

export function spendOnFormula({ costs }: PageState, tex: string): void {
  spendWork(costs, WORK_OF_FORMULA + WORK_OF_CHARACTER * tex.length + (DEFINITION.test(tex) ? WORK_OF_MACROS : 0));
}

let temml: typeof Temml | undefined;

/** The reason why a formula cannot be drawn. No error: its stack costs as much as to draw the formula. */
export interface FormulaProblem {
  readonly message: string;
}

/** Returns the MathML of a formula, or why it cannot be drawn. Temml is loaded when first needed: most builds have no formula. */
export function drawFormula(tex: string, displayMode: boolean): string | FormulaProblem {
  temml ??= createRequire(import.meta.url)('temml') as typeof Temml;
  try {
    // New macros for each, so that a formula does not depend on those above it, nor a page on others.
    const settings = { ...SETTINGS, maxSize: [...SETTINGS.maxSize] as [number, number], displayMode, macros: {} };
    return temml.renderToString(tex, settings);
  } catch (error) {
    if (error instanceof RangeError) return { message: 'It is nested too deeply' };
    // Then comes the source, with marks below its letters.
    return { message: (error as Error).message.trim().split(/ at (?:position|end of input)/, 1)[0]! };
  }
}
