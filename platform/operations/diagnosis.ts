import type { Finding } from '../diagnosis/finding.ts';
import { operation } from './operation.ts';

/** Operations that look whether all is as it should be. */
export const diagnosisOperations = {
  /** Looks at what the process that answers needs: storage, disk, clock, proxies and other services. */
  diagnose: operation(async (_: object, { diagnosis }): Promise<readonly Finding[]> => diagnosis.look(), 'none'),
  /** Looks whether the repository of a project answers. Throws DataError `not-found`. */
  diagnoseRepository: operation(
    async ({ name }: { readonly name: string }, { diagnosis }): Promise<Finding> => diagnosis.lookAtRepository(name),
    'none',
  ),
};
