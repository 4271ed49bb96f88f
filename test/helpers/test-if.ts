import test, { type ImplementationFn } from 'ava';

type Declare = (title: string, implementation: ImplementationFn<unknown[]>) => void;

/** Declares tests that this machine may be unable to run. */
export interface ConditionalTest extends Declare {
  readonly serial: Declare;
}

export interface ConditionalTestOptions {
  /** Where `CI` is `true`, tests that cannot run fail, so that a pipeline cannot lose them unnoticed. */
  readonly isRequiredInCi?: boolean;
}

/**
 * Returns AVA's `test` if a condition holds. Otherwise returns a function that reports tests as skipped, with the reason
 * after their titles, so that no test passes that did not run.
 */
export function testIf(condition: boolean, reason: string, options: ConditionalTestOptions = {}): ConditionalTest {
  if (condition) {
    const declare: Declare = (title, implementation) => test(title, implementation);
    return Object.assign(declare, {
      serial: ((title, implementation) => test.serial(title, implementation)) satisfies Declare,
    });
  }
  const declare: Declare =
    options.isRequiredInCi && process.env.CI === 'true'
      ? (title) => test(title, (t) => t.fail(`Cannot run here: ${reason}`))
      : (title, implementation) => test.skip(`${title} (${reason})`, implementation);
  return Object.assign(declare, { serial: declare });
}
