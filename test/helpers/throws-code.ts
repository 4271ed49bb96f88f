import type { ExecutionContext } from 'ava';
import { BuildError, type BuildErrorCode } from '../../builder/build-error.ts';

/** Expects work to fail with a `BuildError` of this code, and returns the error. */
export async function throwsCode(
  t: ExecutionContext,
  code: BuildErrorCode,
  run: () => Promise<unknown>,
): Promise<BuildError> {
  const error = await t.throwsAsync(run, { instanceOf: BuildError });
  t.is(error?.code, code, error?.message);
  return error as BuildError;
}
