import test, { type ImplementationFn } from 'ava';

/** Declares tests that this machine may be unable to run; those of a file run one after the other. */
export type ConditionalTest = (title: string, implementation: ImplementationFn<unknown[]>) => void;

export interface ConditionalTestOptions {
  /** Where `CI` is `true`, tests that cannot run fail, so that a pipeline cannot lose them unnoticed. */
  readonly isRequiredInCi?: boolean;
}

/**
 * Returns AVA's `test.serial` if a condition holds. Otherwise returns a function that reports tests as skipped, with the
 * reason after their titles, so that no test passes that did not run.
 */
export function testIf(condition: boolean, reason: string, options: ConditionalTestOptions = {}): ConditionalTest {
  if (condition) return (title, implementation) => test.serial(title, implementation);
  if (options.isRequiredInCi && process.env.CI === 'true')
    return (title) => test(title, (t) => t.fail(`Cannot run here: ${reason}`));
  return (title, implementation) => test.skip(`${title} (${reason})`, implementation);
}
