import type { Project } from '../../data/records/project.ts';

/**
 * Returns the branch or tag to build: the one that somebody names, where `latest` is what it stands for; '' (all of them) where
 * nothing is named and there is no site yet, and where nobody knows what `latest` stands for before the repository is read.
 */
export async function findRef(
  { name, latest }: Project,
  named: string | undefined,
  sites: { read(project: string): Promise<{ readonly latestRef: string } | undefined> },
): Promise<string> {
  if (named !== undefined && named !== '' && named !== 'latest') return named;
  if (named === 'latest' && latest !== '') return latest;
  const site = await sites.read(name);
  return site ? latest || site.latestRef : '';
}
