import { createAppAuth } from '@octokit/auth-app';
import { request as octokitRequest } from '@octokit/request';
import { z } from 'zod';
import type { AppSettings } from './app-settings.ts';
import { checkAnswer } from './check-answer.ts';
import { fetchOnOrigin } from './fetch-on-origin.ts';
import { toGithubError } from './github-error.ts';
import { type Installation, installationSchema } from './installation.ts';
import type { RepositoryName } from './repository-name.ts';
import { withRetries } from './with-retries.ts';

/** What GitHub answered. */
export interface GithubAnswer {
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Values for the route's `{places}` and the body. */
export type GithubParameters = Readonly<Record<string, unknown>>;

/** GitHub's API as one App sees it. All calls throw GithubError and end within the time limit. */
export interface GithubApi {
  /** Makes one call as an installation, once: a new token is taken only where the old one is refused. */
  call(installation: number, route: string, parameters: GithubParameters): Promise<GithubAnswer>;
  /** Returns what an installation may do, as its token says. */
  getPermissions(installation: number): Promise<Installation['permissions']>;
  /** Returns the installation that reaches a repository, undefined when the App is not installed there. */
  findInstallation(repository: RepositoryName): Promise<Installation | undefined>;
}

const tokenSchema = z.object({ token: z.string().min(1), permissions: installationSchema.shape.permissions });
const HEADERS = { 'user-agent': 'docbuild', 'x-github-api-version': '2022-11-28' };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Creates the API. Calls go to the configured address alone. */
export function createGithubApi(settings: AppSettings, timeoutMs: number): GithubApi {
  const limitedFetch: typeof fetch = (input, init) =>
    fetchOnOrigin(String(input), { ...init, signal: AbortSignal.timeout(timeoutMs) });
  const request = octokitRequest.defaults({
    baseUrl: settings.apiUrl,
    headers: HEADERS,
    request: { fetch: limitedFetch, log: silent },
  });
  const authenticate = createAppAuth({
    appId: settings.appId,
    privateKey: settings.privateKey,
    request,
    log: silent,
  });

  return {
    async call(installation, route, parameters) {
      const send = async (refresh: boolean): Promise<GithubAnswer> => {
        const { token } = await getToken(installation, refresh);
        return request(route, { ...parameters, headers: { ...HEADERS, authorization: `token ${token}` } });
      };
      try {
        return await send(false).catch((error: unknown) => {
          if ((error as { status?: unknown }).status !== 401) throw error;
          return send(true);
        });
      } catch (error) {
        throw toGithubError(error, `"${route}"`);
      }
    },
    getPermissions: async (installation) => (await getToken(installation, false)).permissions,
    async findInstallation({ owner, repo }) {
      const route = 'GET /repos/{owner}/{repo}/installation';
      try {
        const { data } = await withRetries(() => callAsApp(route, { owner, repo }));
        return checkAnswer(installationSchema, data, route);
      } catch (error) {
        if ((error as { status?: unknown }).status === 404) return undefined;
        throw error;
      }
    },
  };

  async function getToken(installation: number, refresh: boolean): Promise<z.infer<typeof tokenSchema>> {
    const take = (): Promise<unknown> => signIn({ type: 'installation', installationId: installation, refresh });
    return checkAnswer(tokenSchema, await withRetries(take), 'the sign-in');
  }

  async function callAsApp(route: string, parameters: GithubParameters): Promise<GithubAnswer> {
    const { token } = checkAnswer(tokenSchema, await signIn({ type: 'app' }), 'the sign-in');
    try {
      return await request(route, { ...parameters, headers: { ...HEADERS, authorization: `bearer ${token}` } });
    } catch (error) {
      throw toGithubError(error, `"${route}"`);
    }
  }

  async function signIn(
    options: { type: 'app' } | { type: 'installation'; installationId: number; refresh: boolean },
  ): Promise<unknown> {
    try {
      return await (options.type === 'app' ? authenticate(options) : authenticate(options));
    } catch (error) {
      throw toGithubError(error, 'the sign-in of the App');
    }
  }
}
