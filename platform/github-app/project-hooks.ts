import * as z from 'zod';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { KeyedQueue } from '../../lib/keyed-queue.ts';
import { repositoryKey } from '../../lib/repository-address.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { checkAnswer, findRepositoryOfKey, type GithubApi, listPages, type RepositoryName } from './github-api.ts';
import { GithubError, withRetries } from './github-error.ts';
import type { Installations } from './installations.ts';

export interface HookOutcome {
  readonly project: string;
  /** `none`: the repository is not on GitHub, or the App is not installed there. */
  readonly result: 'created' | 'exists' | 'updated' | 'removed' | 'none' | 'failed';
  /** Why it failed; '' otherwise. */
  readonly message: string;
}

/** Webhooks of projects. None of these throws for what GitHub does. */
export interface ProjectHooks {
  /** Sees to it that the project's repository has a webhook for it. */
  add(project: Project): Promise<HookOutcome>;
  /** Sets the project's secret again where the webhook is there. */
  update(project: Project): Promise<HookOutcome>;
  /** Removes the project's webhooks; works with a project that is no longer in the store. */
  remove(project: Project): Promise<HookOutcome>;
  /** Returns what came of the webhook of a project in this process, undefined = nothing was done. */
  findLast(project: string): HookOutcome | undefined;
}

const MAX_REMEMBERED = 1_000;

/** Creates them. Work on one repository goes one piece after the other, so that no two create the same. */
export function createProjectHooks(options: {
  readonly api: GithubApi;
  readonly installations: Installations;
  readonly store: Pick<Store, 'projects'>;
  readonly serial: KeyedQueue;
  /** Host of repositories, e.g. `github.com`. */
  readonly host: string;
  /** Address that the API is reached at, no slash at its end. */
  readonly docsApiUrl: string;
}): ProjectHooks {
  const { api, installations, store, serial, host, docsApiUrl } = options;
  const last = createBoundedMap<string, HookOutcome>({ maxEntries: MAX_REMEMBERED });

  const run = async (
    project: Project,
    work: (place: HookPlace) => Promise<HookOutcome['result']>,
  ): Promise<HookOutcome> => {
    const outcome = await runOnce(project, work);
    last.set(project.name, outcome);
    return outcome;
  };
  const runOnce = (
    project: Project,
    work: (place: HookPlace) => Promise<HookOutcome['result']>,
  ): Promise<HookOutcome> => {
    const { name } = project;
    const key = repositoryKey(project.url);
    const repository = findRepositoryOfKey(key, host);
    if (!repository) return Promise.resolve({ project: name, result: 'none', message: '' });
    return serial.run(key, async () => {
      try {
        const result = await installations.use(key, repository, ({ id }) =>
          work({ api, installation: id, repository }),
        );
        return { project: name, result: result ?? 'none', message: '' };
      } catch (error) {
        if (!(error instanceof GithubError)) throw error;
        return { project: name, result: 'failed', message: explain(error) };
      }
    });
  };
  const urlsOf = (name: string): readonly string[] => [
    `${docsApiUrl}/docbuild/webhook/${name}`,
    `${docsApiUrl}/docbuild/${name}/webhook`,
  ];

  return {
    add: (project) =>
      run(project, async (place) => {
        // It may have been removed, or given another secret, while others had their turn.
        const current = await store.projects.find(project.name);
        if (!current || repositoryKey(current.url) !== repositoryKey(project.url)) return 'none';
        return ensureHook(place, { urls: urlsOf(project.name), secret: current.secret });
      }),
    update: (project) =>
      run(project, async (place) => {
        const count = await updateHooks(place, { urls: urlsOf(project.name), secret: project.secret });
        return count === 0 ? 'none' : 'updated';
      }),
    remove: (project) =>
      run(project, async (place) => ((await removeHooks(place, urlsOf(project.name))) === 0 ? 'none' : 'removed')),
    findLast: (project) => last.get(project),
  };
}

function explain({ status, message }: GithubError): string {
  const isForbidden = status === 403 || status === 404;
  return isForbidden ? `${message}; the App needs the repository permission "Webhooks" (read and write)` : message;
}

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
async function ensureHook(place: HookPlace, wanted: WantedHook): Promise<'created' | 'exists'> {
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

/** Sets the secret of a project's webhooks again; returns how many there are. Throws GithubError. */
async function updateHooks(place: HookPlace, wanted: WantedHook): Promise<number> {
  const hooks = await findHooks(place, wanted.urls);
  for (const hook_id of hooks) {
    const parameters = { ...place.repository, hook_id, content_type: 'json', secret: wanted.secret };
    await withRetries(() => place.api.call(place.installation, `PATCH ${ROUTE}/{hook_id}/config`, parameters));
  }
  return hooks.length;
}

/** Deletes all webhooks for a project; returns how many. Throws GithubError. */
async function removeHooks(place: HookPlace, urls: readonly string[]): Promise<number> {
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
  const isOurs = (url: string): boolean => urls.includes(trimCharacters(url, '/'));
  return hooks.filter(({ config }) => isOurs(config?.url ?? '')).map(({ id }) => String(id));
}
