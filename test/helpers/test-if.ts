import test, { type ImplementationFn } from 'ava';

/**
 * Returns AVA's `test` where a condition holds; otherwise a function that reports tests as skipped, with the reason behind
 * their titles, so that nothing passes that was not tried.
 */
export function testIf(
  condition: boolean,
  reason: string,
): (title: string, implementation: ImplementationFn<unknown[]>) => void {
  return (title, implementation) =>
    condition ? test(title, implementation) : test.skip(`${title} (${reason})`, implementation);
}
