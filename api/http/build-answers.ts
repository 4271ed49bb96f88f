import * as z from 'zod';
import { EXAMPLE } from './route.ts';

/** The states of a build. */
export const buildStatus = z.enum([
  'queued',
  'running',
  'passing',
  'failing',
  'cancelled',
  'superseded',
  'interrupted',
]);

/** The schema of the answer to a build request. */
export const acceptedSchema = z.object({
  success: z.literal(true),
  message: z.literal(''),
  branch: z.string(),
  build: z.object({ id: z.string(), status: buildStatus }),
});

/** The answer for a project that does not exist, in examples. */
export const UNKNOWN_PROJECT = { success: false, message: 'Project "nothing" does not exist' };

/** An answer to a request for a build of `branch`, in examples. */
export function acceptedExample(branch: string): z.infer<typeof acceptedSchema> {
  return { success: true, message: '', branch, build: { id: EXAMPLE.build, status: 'queued' } };
}

/** Fields of that answer that differ from build to build. */
export const VARYING_BUILD = ['build.id', 'build.status'];
