import test from 'ava';
import { hasS3, type S3Server, startS3 } from './s3-server.ts';
import { testIf } from './test-if.ts';

/** Declares tests that need a real S3 server. */
export const s3Test = testIf(
  hasS3,
  'needs an S3 server: set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY, or provide "../shared/tools/start-s3"',
);

let started: ReturnType<typeof startS3> | undefined;

/** Returns the server for the tests of a process; it is started when the first of them asks for it, and stops after them. */
export function shareS3(): Promise<S3Server> {
  started ??= startS3();
  return started;
}

test.after.always(async () => {
  await (await started?.catch(() => undefined))?.stop();
});
