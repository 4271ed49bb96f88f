import { formatBytes } from '../../../lib/format-bytes.ts';
import { BuildError, type BuildErrorCode } from '../../build-error.ts';
import { describeLimit, markOptions } from '../../option-marks.ts';
import type { Misfits } from '../../publish/find-misfits.ts';

/** Failures that concern one version alone; all others concern the whole build. */
const OF_ONE_VERSION: ReadonlySet<BuildErrorCode> = new Set([
  'damaged-repository',
  'no-such-ref',
  'remote-damaged',
  'slug-taken',
  'too-many-files',
  'unsafe-name',
]);

/** Versions that cannot be built, by name, and why. */
export type Failures = Map<string, BuildError>;

/** Runs work that may fail for one version, and records the failure. */
export async function attempt<T>(name: string, failures: Failures, task: () => Promise<T>): Promise<T | undefined> {
  try {
    return await task();
  } catch (error) {
    const failure = toVersionError(error);
    if (!failures.has(name)) failures.set(name, failure.at({ ref: name }));
    return undefined;
  }
}

/** Returns a failure that concerns one version alone; throws any other. */
export function toVersionError(error: unknown): BuildError {
  if (error instanceof BuildError && OF_ONE_VERSION.has(error.code)) return error;
  throw error;
}

/** Returns the error of each version for which the site has no room. */
export function leaveOut({ names, bytes }: Misfits, maxBytes: number): Failures {
  const whole = `With all its versions the site would take about ${formatBytes(bytes)}`;
  const message = `${whole}, more than ${describeLimit('maxOutputBytes', maxBytes)}, or choose versions with ${markOptions('refs', 'exclude')}`;
  return new Map(names.map((ref) => [ref, new BuildError('output-limit', message, { location: { ref } })]));
}
