import type { IncomingHttpHeaders } from 'node:http';
import pMap from 'p-map';
import type { Build } from '../../data/records/build.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import { repositoryKey } from '../../lib/repository-address.ts';
import { WebhookError } from '../code-hosts/code-host.ts';
import { verifyHubSignature } from '../code-hosts/github.ts';
import { findHeader } from '../code-hosts/webhook-headers.ts';
import { parsePayload } from '../code-hosts/webhook-payload.ts';
import type { Config } from '../config/config-schema.ts';
import { createCommitStatuses } from './commit-statuses.ts';
import { type AppSettings, createGithubApi, type Installation, type RepositoryName } from './github-api.ts';
import { GithubError } from './github-error.ts';
import { createInstallations, listGrantedRepositories } from './installations.ts';
import { createProjectHooks, type HookOutcome, type ProjectHooks } from './project-hooks.ts';
import { type AppEvent, readAppEvent } from './read-app-event.ts';

/** The response to a call of GitHub to the App. */
export interface AppAnswer {
  readonly status: 200 | 202 | 502;
  readonly body: {
    readonly success: boolean;
    readonly message: string;
    readonly ping?: 'pong';
    readonly hooks?: readonly HookOutcome[];
  };
}

/** The GitHub App: sets up webhooks by itself and shows builds on commits. */
export interface GithubApp {
  /** Handles a call. Throws WebhookError for a wrong signature and for what cannot be read. */
  handle(call: { readonly headers: IncomingHttpHeaders; readonly rawBody: Uint8Array }): Promise<AppAnswer>;
  /** For projects that come, change and go by other ways. */
  readonly hooks: ProjectHooks;
  /** Takes every change of a build; reports it in the background. */
  reportStatus(build: Build): void;
  /** Waits for what is under way. */
  settle(): Promise<void>;
  /** Waits for what is under way, then closes the connections to GitHub. */
  close(): Promise<void>;
}

/** Repositories looked after at once. */
const CONCURRENCY = 4;

/** Creates the App. It calls no address but the configured one. */
export function createGithubApp(options: {
  readonly settings: AppSettings;
  readonly store: Pick<Store, 'projects'>;
  /** Address that the documentation API is reached at from outside, no slash at its end. */
  readonly docsApiUrl: string;
  readonly now: () => Date;
  /** Told of what went wrong where nobody waits for an answer. */
  readonly onProblem: (message: string) => void;
  /** Limit of one call to GitHub. */
  readonly timeoutMs?: number;
  /** GitHub waits 10 s for an answer; work that takes longer goes on behind it. */
  readonly answerMs?: number;
}): GithubApp {
  const { settings, store, now, onProblem, timeoutMs = 5_000, answerMs = 8_000 } = options;
  const api = createGithubApi(settings, timeoutMs);
  const origin = webOrigin(settings.apiUrl);
  const installations = createInstallations(api, now);
  const shared = {
    ...options,
    api,
    installations,
    serial: createKeyedQueue(),
    host: new URL(origin).host.toLowerCase(),
  };
  const hooks = createProjectHooks(shared);
  const statuses = createCommitStatuses(shared);
  const underWay = new Set<Promise<unknown>>();
  const keyOf = ({ owner, repo }: RepositoryName): string => repositoryKey(`${origin}/${owner}/${repo}`);

  return {
    hooks,
    async handle({ headers, rawBody }) {
      verifyHubSignature({ headers, rawBody }, settings.webhookSecret);
      const event = findHeader(headers, 'x-github-event') ?? '';
      if (event === '') throw new WebhookError('unknown-service', 'Header "X-GitHub-Event" was not sent');
      const meaning = readAppEvent(event, parsePayload(rawBody, findHeader(headers, 'content-type') ?? ''));
      if (meaning.kind === 'ping') return { status: 200, body: { success: true, message: '', ping: 'pong' } };
      if (meaning.kind === 'ignored') return ignore(meaning.why);
      if (meaning.kind === 'revoked') return revoke(meaning);
      return answerInTime(follow(addAll(meaning.installation, meaning.repositories)));
    },
    reportStatus: (build) => void follow(statuses.report(build)),
    settle,
    async close() {
      await settle();
      await api.close();
    },
  };

  async function settle(): Promise<void> {
    while (underWay.size > 0) await Promise.allSettled(underWay);
  }

  function revoke({ installation, repositories }: Extract<AppEvent, { kind: 'revoked' }>): AppAnswer {
    installations.forget(installation.id);
    for (const repository of repositories ?? []) installations.remember(keyOf(repository), undefined);
    return ignore('the App no longer reaches these repositories, nor their webhooks');
  }

  async function addAll(
    installation: Installation,
    granted: readonly RepositoryName[] | undefined,
  ): Promise<readonly HookOutcome[]> {
    const repositories = granted ?? (await listGrantedRepositories(api, installation.id));
    const outcomes = await pMap(
      repositories,
      async (repository) => {
        const key = keyOf(repository);
        installations.remember(key, installation);
        return pMap(await store.projects.listByRepository(key), (project: Project) => hooks.add(project), {
          concurrency: 1,
        });
      },
      { concurrency: CONCURRENCY },
    );
    return outcomes.flat();
  }

  async function answerInTime(work: Promise<readonly HookOutcome[]>): Promise<AppAnswer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), answerMs);
    });
    try {
      const outcomes = await Promise.race([work, late]);
      if (outcomes) return present(outcomes);
      void tellLater(work);
      return { status: 202, body: { success: true, message: 'webhooks are being set up' } };
    } catch (error) {
      if (!(error instanceof GithubError)) throw error;
      return { status: 502, body: { success: false, message: error.message } };
    } finally {
      clearTimeout(timer);
    }
  }

  async function tellLater(work: Promise<readonly HookOutcome[]>): Promise<void> {
    try {
      for (const { project, result, message } of await work) {
        if (result === 'failed') onProblem(`Cannot set up the webhook of project "${project}": ${message}`);
      }
    } catch (error) {
      onProblem(`Cannot set up webhooks: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  function follow<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    work.catch(() => {}).finally(() => underWay.delete(work));
    return work;
  }
}

function present(hooks: readonly HookOutcome[]): AppAnswer {
  if (hooks.length === 0) return ignore('no project uses these repositories');
  const failed = hooks.filter(({ result }) => result === 'failed');
  // A failed delivery shows in the App's list at GitHub, where it can be sent again.
  if (failed.length > 0) return { status: 502, body: { success: false, message: failed[0]!.message, hooks } };
  return { status: 200, body: { success: true, message: '', hooks } };
}

function ignore(why: string): AppAnswer {
  return { status: 200, body: { success: true, message: `ignored: ${why}` } };
}

const PUBLIC_API = 'https://api.github.com';

/** Returns the settings of the App, or, when it is not set up, why not. */
export function findAppSettings(config: Config['github_app']): AppSettings | { readonly missing: string } {
  if (!config.enabled) return { missing: '"github_app.enabled" is false' };
  const required = ['app_id', 'private_key', 'webhook_secret'] as const;
  const missing = required.filter((key) => config[key] === '').map((key) => `"github_app.${key}"`);
  if (missing.length > 0) return { missing: `${missing.join(', ')} not set` };
  return {
    appId: config.app_id,
    privateKey: config.private_key,
    webhookSecret: config.webhook_secret,
    apiUrl: config.api_url === '' ? PUBLIC_API : config.api_url,
  };
}

/** Returns the address that repositories of an API have: an own server's API is at `/api/v3` of its host. */
export function webOrigin(apiUrl: string): string {
  const { origin, pathname } = new URL(apiUrl);
  return pathname.startsWith('/api/v3') ? origin : 'https://github.com';
}
