import type { DataError } from '../../../data/data-error.ts';
import type { Build } from '../../../data/records/build.ts';
import type { Store } from '../../../data/store.ts';
import { addProjects } from '../../helpers/add-projects.ts';
import { createPassed } from '../../helpers/create-records.ts';

export interface FillReport {
  readonly added: readonly string[];
  readonly refused: readonly string[];
  readonly errors: readonly string[];
}

const GROUP = 10;

/**
 * Adds builds in groups until the disk takes no more, then removes half of them and adds one more. Tells which builds the
 * store acknowledged and is to hold, which it refused, and with which errors. Throws when nothing is ever refused.
 */
export async function fillStore(store: Store): Promise<FillReport> {
  const { builds } = await addProjects(store, 'guide');
  const added: string[] = [];
  for (let round = 0; round < 1000; round++) {
    const group: Build[] = Array.from({ length: GROUP }, () => createPassed({ reason: 'x'.repeat(2000) }));
    const outcomes = await Promise.allSettled(group.map((build) => builds.add(build)));
    const failed = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as DataError] : []));
    if (failed.length === 0) {
      added.push(...group.map(({ id }) => id));
      continue;
    }
    const gone = new Set(await builds.prune('guide', Math.floor(added.length / 2)));
    const last = createPassed();
    await builds.add(last);
    return {
      added: [...added.filter((id) => !gone.has(id)), last.id],
      refused: [...group.map(({ id }) => id), ...gone],
      errors: failed.map(({ code, message }) => `${code}: ${message}`),
    };
  }
  throw new Error('The disk never became full');
}
