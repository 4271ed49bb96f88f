import type { GithubAnswer, GithubApi, GithubParameters } from './github-api.ts';
import { withRetries } from './with-retries.ts';

const PER_PAGE = 100;

/** Returns all pages of a list, up to a limit. Further pages are asked for by number, never at an address from an answer. */
export async function listPages(
  api: GithubApi,
  installation: number,
  call: { readonly route: string; readonly parameters: GithubParameters; readonly maxPages: number },
): Promise<readonly unknown[]> {
  const pages: unknown[] = [];
  for (let page = 1; page <= call.maxPages; page++) {
    const parameters = { ...call.parameters, per_page: PER_PAGE, page };
    const answer = await withRetries(() => api.call(installation, call.route, parameters));
    pages.push(answer.data);
    if (!hasNext(answer)) break;
  }
  return pages;
}

function hasNext({ headers }: GithubAnswer): boolean {
  return typeof headers.link === 'string' && /rel="?next"?/.test(headers.link);
}
