import type { Project } from '../../../data/records/project.ts';
import type { Store } from '../../../data/store.ts';
import type { KeyedQueue } from '../../../lib/keyed-queue.ts';
import type { GithubApi } from './github-api.ts';
import { GithubError } from './github-error.ts';
import type { Installations } from './installations.ts';
import { ensureHook, type HookPlace, removeHooks, updateHooks } from './repository-hooks.ts';
import { findRepositoryOfKey } from './repository-name.ts';

/** What became of a project's webhook. */
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
  /** Sets the project's secret anew where the webhook is there. */
  update(project: Project): Promise<HookOutcome>;
  /** Removes the project's webhooks; works with a project that is no longer in the store. */
  remove(project: Project): Promise<HookOutcome>;
}

/** Creates them. Work on one repository goes one piece after the other, so that no two create the same. */
export function createProjectHooks(options: {
  readonly api: GithubApi;
  readonly installations: Installations;
  readonly store: Pick<Store, 'projects'>;
  readonly serial: KeyedQueue;
  readonly repositoryKey: (url: string) => string;
  /** Host of repositories, e.g. `github.com`. */
  readonly host: string;
  /** Address that the API is reached at, no slash at its end. */
  readonly docsApiUrl: string;
}): ProjectHooks {
  const { api, installations, store, serial, repositoryKey, host, docsApiUrl } = options;

  const run = (project: Project, work: (place: HookPlace) => Promise<HookOutcome['result']>): Promise<HookOutcome> => {
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
  };
}

function explain({ status, message }: GithubError): string {
  const isForbidden = status === 403 || status === 404;
  return isForbidden ? `${message}; the App needs the repository permission "Webhooks" (read and write)` : message;
}
