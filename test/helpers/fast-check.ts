import fc, { type Arbitrary } from 'fast-check';
import { EFFORT } from './effort.ts';

const DEFAULT_SEED = 20_261_123;
/** Examples of a property that does not say how many. */
const DEFAULT_RUNS = 100;

/**
 * fast-check, with the same examples in each run, so that it is the commit which passes or fails. `TEST_SEED=random npm test`
 * looks for others; a failure prints the seed that repeats it, `TEST_SEED=<number>`.
 */
const seed = process.env['TEST_SEED'] ?? String(DEFAULT_SEED);
if (seed !== 'random') {
  if (!/^-?\d+$/.test(seed)) throw new Error(`TEST_SEED is ${JSON.stringify(seed)}; it is "random" or a whole number`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
}

// Whoever reads a report of AVA sees no cause.
fc.configureGlobal({ ...fc.readConfigureGlobal(), includeErrorInReport: true });

const assert = ((property: fc.IRawProperty<unknown>, parameters: fc.Parameters<unknown> = {}) =>
  fc.assert(property, { ...parameters, numRuns: EFFORT * (parameters.numRuns ?? DEFAULT_RUNS) })) as typeof fc.assert;

const withEffort: typeof fc = { ...fc, assert };
export default withEffort;

export type { Arbitrary };
