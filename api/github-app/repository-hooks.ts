import { z } from 'zod';
import { checkAnswer } from './check-answer.ts';
import type { GithubApi } from './github-api.ts';
import { GithubError } from './github-error.ts';
import { listPages } from './list-pages.ts';
import type { RepositoryName } from './repository-name.ts';
import { withRetries } from './with-retries.ts';

/** Where webhooks of one repository are looked at. */
export interface HookPlace {
  readonly api: GithubApi;
  readonly installation: number;
  readonly repository: RepositoryName;
}

/** The webhook that a project needs. */
export interface WantedHook {
  /** Addresses that mean the project; the first is the one to create. */
  readonly urls: readonly string[];
  /** '' = unsigned calls. */
  readonly secret: string;
}

const ROUTE = '/repos/{owner}/{repo}/hooks';
const hooksSchema = z.array(
  z.object({
    id: z.union([z.number(), z.bigint()]),
    config: z.object({ url: z.string().nullish() }).nullish(),
  }),
);
/** GitHub allows 20 webhooks for each event of a repository. */
const MAX_PAGES = 20;

/** Creates a webhook where the repository has none for the project. Throws GithubError. */
export async function ensureHook(place: HookPlace, wanted: WantedHook): Promise<'created' | 'exists'> {
  const { api, installation, repository } = place;
  // A try that failed may have created it all the same, so every try looks first.
  return withRetries(async () => {
    if ((await findHooks(place, wanted.urls)).length > 0) return 'exists';
    const config = {
      url: wanted.urls[0],
      content_type: 'json',
      insecure_ssl: '0',
      ...(wanted.secret === '' ? {} : { secret: wanted.secret }),
    };
    const hook = { name: 'web', active: true, events: ['push', 'release'], config };
    try {
      await api.call(installation, `POST ${ROUTE}`, { ...repository, ...hook });
      return 'created';
    } catch (error) {
      if (error instanceof GithubError && error.status === 422 && /already exists/i.test(error.message))
        return 'exists';
      throw error;
    }
  });
}

/** Sets the secret of a project's webhooks anew; gives how many there are. Throws GithubError. */
export async function updateHooks(place: HookPlace, wanted: WantedHook): Promise<number> {
  const hooks = await findHooks(place, wanted.urls);
  for (const hook_id of hooks) {
    const parameters = { ...place.repository, hook_id, content_type: 'json', secret: wanted.secret };
    await withRetries(() => place.api.call(place.installation, `PATCH ${ROUTE}/{hook_id}/config`, parameters));
  }
  return hooks.length;
}

/** Deletes all webhooks for a project; gives how many. Throws GithubError. */
export async function removeHooks(place: HookPlace, urls: readonly string[]): Promise<number> {
  const hooks = await findHooks(place, urls);
  for (const hook_id of hooks) {
    try {
      const parameters = { ...place.repository, hook_id };
      await withRetries(() => place.api.call(place.installation, `DELETE ${ROUTE}/{hook_id}`, parameters));
    } catch (error) {
      // Somebody else was faster, or an earlier try had worked.
      if (!(error instanceof GithubError && error.status === 404)) throw error;
    }
  }
  return hooks.length;
}

async function findHooks(place: HookPlace, urls: readonly string[]): Promise<readonly string[]> {
  const call = { route: `GET ${ROUTE}`, parameters: { ...place.repository }, maxPages: MAX_PAGES };
  const pages = await listPages(place.api, place.installation, call);
  const hooks = pages.flatMap((page) => checkAnswer(hooksSchema, page, `"${call.route}"`));
  const isOurs = (url: string): boolean => urls.includes(url.replace(/\/+$/, ''));
  return hooks.filter(({ config }) => isOurs(config?.url ?? '')).map(({ id }) => String(id));
}
