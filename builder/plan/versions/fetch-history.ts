import type { Repository, Warning } from '../../model.ts';
import type { StageClock } from '../progress.ts';
import type { SiteSettings } from '../site-options.ts';
import type { VersionChoices } from './version-choices.ts';

/** What came of fetching a history. */
export interface FetchedHistory {
  readonly warnings: readonly Warning[];
  /** Trying again would have the same result. */
  readonly isFinal: boolean;
}

/** Fetches the history that tells when pages were written, if the project asks for it. Pages without it have no date. */
export async function fetchHistory(
  repository: Repository,
  { lastUpdated }: SiteSettings,
  { versions, latest = '' }: VersionChoices,
  { onReceived }: StageClock['fetchListener'],
): Promise<FetchedHistory> {
  const refs = versions.map(({ ref }) => ref);
  const problem = lastUpdated ? await repository.fetchPast?.(refs, { onReceived }) : undefined;
  if (!problem) return { warnings: [], isFinal: true };
  const message = `Pages do not say when they were written, as their history was not fetched: ${problem.message}`;
  return { warnings: [{ ref: latest, file: '', line: 0, code: 'history', message }], isFinal: problem.isLasting };
}
