import type { Build } from '../../data/records/build.ts';
import type { Store } from '../../data/store.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { KeyedQueue } from '../../lib/keyed-queue.ts';
import { repositoryKey } from '../../lib/repository-address.ts';
import { findFailing } from '../projects/version-status.ts';
import { findRepositoryOfKey, type GithubApi, mayWrite, type RepositoryName } from './github-api.ts';
import { GithubError, withRetries } from './github-error.ts';
import type { Installations } from './installations.ts';

/** Shows on commits how their builds stand. */
export interface CommitStatuses {
  /** Reports a change of a build; later ones of the project are reported after it. Never throws. */
  report(build: Build): Promise<void>;
}

/** Words of the API: https://docs.github.com/rest/commits/statuses. An interrupted build is run again by another. */
const STATES = new Map([
  ['queued', 'pending'],
  ['running', 'pending'],
  ['passing', 'success'],
  ['failing', 'failure'],
  ['cancelled', 'error'],
  ['superseded', 'error'],
]);
const OID = /^[0-9a-f]{40}$/;
const MAX_DESCRIPTION = 140;
/** Reports that wait; beyond, new ones are left out. */
const MAX_WAITING = 1000;
/** Builds whose commits are remembered as pending. */
const MAX_OPEN = 10_000;

/** Creates the reports. Nothing is tried where the App may not write statuses. */
export function createCommitStatuses(options: {
  readonly api: GithubApi;
  readonly installations: Installations;
  readonly store: Pick<Store, 'projects'>;
  readonly serial: KeyedQueue;
  readonly host: string;
  readonly docsApiUrl: string;
  readonly onProblem: (message: string) => void;
}): CommitStatuses {
  const { api, installations, store, serial, host, docsApiUrl, onProblem } = options;
  /** Commits shown as pending for a build: a push that joins a waiting build changes its commit. */
  const open = createBoundedMap<string, Set<string>>({ maxEntries: MAX_OPEN });
  let waiting = 0;

  return {
    async report(build) {
      const state = STATES.get(build.status);
      if (state === undefined || build.kind !== 'build') return;
      const commits = takeCommits(build, state);
      if (commits.length === 0 || waiting >= MAX_WAITING) return;
      waiting++;
      try {
        await serial.run(`statuses of ${build.project}`, () => send(build, state, commits));
      } catch (error) {
        onProblem(`Cannot report build ${build.id}: ${error instanceof GithubError ? error.message : String(error)}`);
      } finally {
        waiting--;
      }
    },
  };

  /** Returns the commits that have to change: a new one to pending, at the end all that are pending. */
  function takeCommits({ id, commit }: Build, state: string): readonly string[] {
    const known = open.get(id) ?? new Set();
    if (state !== 'pending') {
      open.delete(id);
      return [...new Set([...known, commit])].filter((oid) => OID.test(oid));
    }
    if (!OID.test(commit) || known.has(commit)) return [];
    open.set(id, known.add(commit));
    return [commit];
  }

  async function send(build: Build, state: string, commits: readonly string[]): Promise<void> {
    const project = await store.projects.find(build.project);
    if (!project) return;
    const key = repositoryKey(project.url);
    const repository = findRepositoryOfKey(key, host);
    if (!repository) return;
    await installations.use(key, repository, async (installation) => {
      const permissions = installation.permissions ?? (await api.getPermissions(installation.id));
      if (!mayWrite({ id: installation.id, permissions }, 'statuses')) return;
      const failing = state === 'success' ? findFailing(project, build.ref) : undefined;
      const shown = failing ? 'failure' : state;
      const description = failing ? shorten(`Published, but ${failing.reason}`) : describe(build);
      for (const sha of commits) {
        await sendOne(installation.id, repository, { build, state: shown, sha, description });
      }
    });
  }

  async function sendOne(
    installation: number,
    repository: RepositoryName,
    status: { readonly build: Build; readonly state: string; readonly sha: string; readonly description: string },
  ): Promise<void> {
    const { build, state, sha, description } = status;
    const parameters = {
      ...repository,
      sha,
      state,
      description,
      target_url: `${docsApiUrl}/docbuild/builds/${build.id}`,
      context: `docbuild/${build.project}`,
    };
    await withRetries(() => api.call(installation, 'POST /repos/{owner}/{repo}/statuses/{sha}', parameters));
  }
}

function describe({ status, reason, result }: Build): string {
  if (result) return `${result.pages} pages in ${(result.ms / 1000).toFixed(1)} s`;
  const [line = ''] = reason.split('\n');
  const text = line === '' ? `The documentation is ${status}` : line;
  return shorten(text);
}

function shorten(text: string): string {
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text;
}
