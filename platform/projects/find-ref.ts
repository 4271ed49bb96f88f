import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import { findRefNameProblem } from '../../lib/ref-name.ts';

/**
 * Returns the branch or tag to build: the one that somebody names, where `latest` is what it stands for; '' (all of them) where
 * nothing is named and there is no site yet, and where nobody knows what `latest` stands for before the repository is read.
 * Throws DataError `invalid` for what no branch or tag can be called.
 */
export async function findRef(
  { name, latest }: Project,
  named: string | undefined,
  sites: { read(project: string): Promise<{ readonly latestRef: string } | undefined> },
): Promise<string> {
  if (named !== undefined && named !== '' && named !== 'latest') {
    const problem = findRefNameProblem(named);
    if (problem) throw new DataError('invalid', problem);
    return named;
  }
  if (named === 'latest' && latest !== '') return latest;
  const site = await sites.read(name);
  return site ? latest || site.latestRef : '';
}
