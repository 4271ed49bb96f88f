import type { Build } from '../../data/records/build.ts';
import { createBuildId } from '../../data/records/build-id.ts';

/** Returns the record of a build that has just been asked for. */
export function newBuild(
  values: Pick<Build, 'project' | 'ref' | 'commit' | 'cause' | 'kind'> & { readonly retryOf?: string },
  time: Date,
): Build {
  return {
    retryOf: '',
    ...values,
    id: createBuildId(time.getTime()),
    status: 'queued',
    reason: '',
    requests: 1,
    createdAt: time.toISOString(),
    startedAt: '',
    finishedAt: '',
    result: undefined,
  };
}
