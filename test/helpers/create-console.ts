import type { ExecutionContext } from 'ava';
import type { PresentedUser } from '../../platform/accounts/users.ts';
import { createServer, type TestServer } from './create-server.ts';

export const PASSWORD = 'correct horse battery';

/** The answer; forms are followed to the page behind them. */
export interface ConsoleAnswer {
  readonly status: number;
  /** Where a form led to. */
  readonly location: string | null;
  readonly headers: Headers;
  readonly html: string;
}

/** Returns the content of a page: its form for another language names its own path. */
export function mainOf({ html }: ConsoleAnswer): string {
  return /<main.*<\/main>/s.exec(html)![0];
}

/** A browser without scripts: keeps cookies, and sends forms with the tokens of the page that it saw last. */
export interface ConsoleClient {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<ConsoleAnswer>;
  /** Sends a form with the token of the page seen last, and follows nothing. */
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<ConsoleAnswer>;
  /** Sends it and returns the page that it leads to. */
  submit(path: string, fields?: Record<string, string>): Promise<ConsoleAnswer>;
  logIn(account: string, password?: string): Promise<ConsoleAnswer>;
}

/** Creates a client of a server. */
export function createClient(server: Pick<TestServer, 'origin'>): ConsoleClient {
  const cookies = new Map<string, string>();
  let token = '';
  const send = async (path: string, options: RequestInit): Promise<ConsoleAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { Cookie: cookie, ...(options.headers as Record<string, string>) };
    const answer = await fetch(new URL(path, server.origin), { redirect: 'manual', ...options, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const html = await answer.text();
    token = /name="form" value="([^"]+)"/.exec(html)?.[1] ?? token;
    return { status: answer.status, location: answer.headers.get('location'), headers: answer.headers, html };
  };
  const client: ConsoleClient = {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post(path, fields = {}, headers = {}) {
      const body = new URLSearchParams({ form: token, ...fields });
      return send(path, { method: 'POST', body, headers: { Origin: server.origin, ...headers } });
    },
    async submit(path, fields) {
      const answer = await client.post(path, fields);
      return answer.location === null ? answer : client.get(answer.location);
    },
    async logIn(account, password = PASSWORD) {
      await client.get('/control/login');
      return client.submit('/control/login', { account, password });
    },
  };
  return client;
}

/** A server with a user `reader` and an operator `boss`, each in a client of their own. */
export async function createConsole(t: ExecutionContext, yaml = '', now?: () => Date) {
  const server = await createServer(t, yaml, undefined, now);
  const [user, operator] = await Promise.all([
    server.operations.createUser({ account: 'reader', password: PASSWORD }),
    server.operations.createUser({ account: 'boss', password: PASSWORD, isOperator: true }),
  ]);
  const logIn = async ({ account }: PresentedUser): Promise<ConsoleClient> => {
    const client = createClient(server);
    await client.logIn(account);
    return client;
  };
  return { server, user, operator, logIn };
}
