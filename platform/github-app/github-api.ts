import { createAppAuth } from '@octokit/auth-app';
import { request as octokitRequest } from '@octokit/request';
import * as z from 'zod';
import { createHttpClient, type HttpClient } from '../../lib/http-client.ts';
import { GithubError, toGithubError, withRetries } from './github-error.ts';

/** Credentials of the GitHub App. */
export interface AppSettings {
  readonly appId: string;
  /** PEM, PKCS#1 or PKCS#8. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** Address of the API, no slash at its end. */
  readonly apiUrl: string;
}

/** A repository on GitHub. */
export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

const PART = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/** Returns owner and name of `owner/name`, or undefined for what GitHub would never call a repository. */
export function findRepositoryName(fullName: string): RepositoryName | undefined {
  const [owner, repo, ...rest] = fullName.split('/');
  if (owner === undefined || repo === undefined || rest.length > 0) return undefined;
  return PART.test(owner) && PART.test(repo) ? { owner, repo } : undefined;
}

/** Returns the repository of a key (`host/owner/name`) when it is on this host (lower case). */
export function findRepositoryOfKey(key: string, host: string): RepositoryName | undefined {
  return key.startsWith(`${host}/`) ? findRepositoryName(key.slice(host.length + 1)) : undefined;
}

/** An installation of the App on an account: what calls are made as. */
export const installationSchema = z.object({
  id: z.int().positive(),
  permissions: z.record(z.string(), z.string()).nullish(),
});
export type Installation = z.infer<typeof installationSchema>;

/** Returns whether the owner of the account let the App write something (`statuses`, `repository_hooks`). */
export function mayWrite({ permissions }: Installation, what: string): boolean {
  return permissions !== null && permissions !== undefined && Object.hasOwn(permissions, what)
    ? permissions[what] === 'write' || permissions[what] === 'admin'
    : false;
}

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
  /** Aborts calls and closes connections. */
  close(): Promise<void>;
}

const tokenSchema = z.object({ token: z.string().min(1), permissions: installationSchema.shape.permissions });
const HEADERS = { 'user-agent': 'docbuild', 'x-github-api-version': '2022-11-28' };
/** A page of a list has at most 100 entries, each of some 6 kB. */
const MAX_ANSWER_BYTES = 10_000_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Creates the API. Calls go to the configured address alone. */
export function createGithubApi(settings: AppSettings, timeoutMs: number): GithubApi {
  const client = createHttpClient({ timeoutMs, maxBytes: MAX_ANSWER_BYTES });
  const request = octokitRequest.defaults({
    baseUrl: settings.apiUrl,
    headers: HEADERS,
    request: { fetch: createFetch(client), log: silent },
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
    close: () => client.close(),
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

/** Returns what GitHub answered in the shape a schema asks for. Throws GithubError that names the field. */
export function checkAnswer<T extends z.ZodType>(schema: T, data: unknown, what: string): z.output<T> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const field = result.error.issues[0]?.path.join('.') || 'the answer';
  throw new GithubError(`Cannot read GitHub's answer to ${what}: ${field} is not as documented`, 0, undefined);
}

/** Returns a `fetch` for octokit that is made of the client; errors of the client pass through. */
function createFetch(client: HttpClient): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    const { method = 'GET', headers, body } = init ?? {};
    const answer = await client.send(url, {
      method,
      headers: headers as Readonly<Record<string, string>>,
      ...(typeof body === 'string' && { body }),
      // GitHub answers so for what was renamed; no answer leads requests anywhere else.
      mayFollow: (to) => to.origin === url.origin,
    });
    const { status } = answer;
    const sent = status === 204 || status === 205 || status === 304 ? null : new Uint8Array(answer.body);
    const kept = [...answer.headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length');
    return new Response(sent, { status, headers: kept });
  };
}
