import test, { type ExecutionContext } from 'ava';

/**
 * Sets up what several tests of a file use and none changes: when the first of them asks for it, until all are done. Returns
 * a function that returns it. `create` passes what it is given to helpers in place of a test's `t`; it can only clean up.
 */
export function shareSetup<T>(create: (all: ExecutionContext) => Promise<T>): () => Promise<T> {
  const teardowns: (() => unknown)[] = [];
  const all = { teardown: (teardown: () => unknown) => void teardowns.unshift(teardown) } as ExecutionContext;
  let created: Promise<T> | undefined;
  test.after.always(async () => {
    for (const teardown of teardowns) await teardown();
  });
  return () => {
    created ??= create(all);
    return created;
  };
}
