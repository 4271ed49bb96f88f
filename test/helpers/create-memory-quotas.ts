import { phrase } from '../../lib/phrase.ts';
import type { QuotaState } from '../../platform/quotas/quota-state.ts';
import type { QuotaSubject, Quotas } from '../../platform/quotas/quotas.ts';

/** Counts in memory: the same number for everybody. */
export interface MemoryQuotas extends Pick<Quotas, 'take' | 'look' | 'giveBack'> {
  /** Returns what a subject has used. */
  used(name: string): number;
}

/** Creates quotas that wait as a disk would. Subjects are named by uid, else by source. */
export function createMemoryQuotas(limit: number): MemoryQuotas {
  const counts = new Map<string, number>();
  const nameOf = ({ source, user }: QuotaSubject): string => user?.uid ?? source;
  const used = (name: string): number => counts.get(name) ?? 0;
  const stateOf = (name: string): QuotaState => {
    const ofDay = { limit, remaining: limit - used(name), resetS: 3600 };
    return { window: 'day', ...ofDay, policies: [{ name: 'day', ...ofDay }] };
  };
  const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    used,
    async take(_module, subject) {
      const name = nameOf(subject);
      if (used(name) >= limit) {
        await pause();
        return { isGranted: false, state: stateOf(name), retryAfterS: 3600, message: phrase`All ${limit} are used up` };
      }
      counts.set(name, used(name) + 1);
      await pause();
      const receipt = { module: 'inclusion', subject: name, day: '2026-03-15', grant: undefined, takenMs: 0 };
      return { isGranted: true, state: stateOf(name), receipt };
    },
    async look(_module, subject) {
      await pause();
      return stateOf(nameOf(subject));
    },
    async giveBack({ subject }) {
      await pause();
      counts.set(subject, used(subject) - 1);
    },
  };
}
