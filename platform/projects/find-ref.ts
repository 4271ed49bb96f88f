import type { Project } from '../../data/records/project.ts';

/**
 * Returns the branch or tag that somebody names: `latest`, '' and undefined are what `latest` stands for. '' for a project
 * without a setting and without a site: nobody knows before the repository is read.
 */
export async function findRef(
  { name, latest }: Project,
  named: string | undefined,
  sites: { read(project: string): Promise<{ readonly latest: string } | undefined> },
): Promise<string> {
  if (named !== undefined && named !== '' && named !== 'latest') return named;
  return latest || ((await sites.read(name))?.latest ?? '');
}
