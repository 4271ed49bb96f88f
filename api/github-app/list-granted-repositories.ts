import { z } from 'zod';
import { checkAnswer } from './check-answer.ts';
import type { GithubApi } from './github-api.ts';
import { listPages } from './list-pages.ts';
import { findRepositoryName, type RepositoryName } from './repository-name.ts';

const ROUTE = 'GET /installation/repositories';
/** 10,000 repositories. */
const MAX_PAGES = 100;
const pageSchema = z.object({ repositories: z.array(z.object({ full_name: z.string() })) });

/** Returns the repositories that an installation reaches, for events that do not list them. Throws GithubError. */
export async function listGrantedRepositories(
  api: GithubApi,
  installation: number,
): Promise<readonly RepositoryName[]> {
  const pages = await listPages(api, installation, { route: ROUTE, parameters: {}, maxPages: MAX_PAGES });
  return pages
    .flatMap((page) => checkAnswer(pageSchema, page, `"${ROUTE}"`).repositories)
    .map(({ full_name }) => findRepositoryName(full_name))
    .filter((name) => name !== undefined);
}
