import type { ExecutionContext } from 'ava';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { type AppAnswer, createGithubApp, type GithubApp } from '../../platform/github-app/github-app.ts';
import { createHookProject } from './create-records.ts';
import { createSlowStore } from './create-slow-store.ts';
import { type FakeGithub, type FakeRepository, serveGithub } from './serve-github.ts';
import { signGithub } from './sign-webhook.ts';

/** The App beside a fake GitHub with one repository, which one project uses. */
export interface AppSetup {
  readonly github: FakeGithub;
  readonly repository: FakeRepository;
  readonly project: Project;
  readonly store: Store;
  readonly app: GithubApp;
  readonly problems: string[];
  readonly clock: { ms: number };
  /** Creates another App on the same store, as after a restart. */
  restart(options?: {
    readonly timeoutMs?: number;
    readonly answerMs?: number;
    readonly privateKey?: string;
  }): GithubApp;
  /** Sends an event, signed. */
  send(event: string, payload: unknown, app?: GithubApp): Promise<AppAnswer>;
}

export const DOCS_API_URL = 'https://docs.example.org';
export const INSTALLATION = 957387;
export const HOOK_URL = `${DOCS_API_URL}/docbuild/webhook/guide`;

const SECRET = 'the secret of the App';

/** Returns the payload of an installation that reaches some repositories. */
export function grant(...names: readonly string[]): object {
  const repositories = names.map((full_name) => ({ full_name }));
  const permissions = { repository_hooks: 'write', statuses: 'write' };
  return { action: 'created', installation: { id: INSTALLATION, permissions }, repositories };
}

/** Creates the setup; it stops with the test. */
export async function createAppSetup(
  t: ExecutionContext,
  projects: readonly Project[] = [createHookProject()],
): Promise<AppSetup> {
  const github = await serveGithub(t);
  const repository = github.addRepository('Codertocat/Hello-World', INSTALLATION);
  const store = createSlowStore(projects);
  const problems: string[] = [];
  const clock = { ms: Date.parse('2026-03-01T00:00:00Z') };
  const restart: AppSetup['restart'] = ({ privateKey, ...options } = {}) => {
    const app = createGithubApp({
      settings: {
        appId: github.appId,
        webhookSecret: SECRET,
        apiUrl: github.url,
        privateKey: privateKey ?? github.privateKey,
      },
      store,
      docsApiUrl: DOCS_API_URL,
      now: () => new Date(clock.ms),
      onProblem: (message) => problems.push(message),
      ...options,
    });
    t.teardown(() => app.close());
    return app;
  };
  const app = restart();
  return {
    github,
    repository,
    project: projects[0]!,
    store,
    app,
    problems,
    clock,
    restart,
    send: (event, payload, receiver = app) => receiver.handle(signGithub(event, payload, { secret: SECRET })),
  };
}
