import type { ExecutionContext } from 'ava';
import { type Callers, createCallers } from '../../api/http/callers.ts';
import type { CredentialWay } from '../../api/http/route.ts';
import type { User } from '../../data/records/user.ts';
import { createKey } from '../../platform/accounts/api-keys.ts';
import { logIn } from '../../platform/accounts/sessions.ts';
import { parseConfig } from '../../platform/config/read-config.ts';
import { createSettings } from '../../platform/config/settings.ts';
import { createAccounts, PASSWORD, type TestAccounts } from './create-accounts.ts';
import { serveRoutes } from './serve-routes.ts';

/** The answer of an endpoint that tells who calls. */
export interface Called {
  readonly status: number;
  readonly account: string | undefined;
  readonly permission: string | undefined;
  readonly source: string | undefined;
  readonly message: string | undefined;
}

/** An endpoint that tells who calls, and somebody with keys and a session. */
export interface CallerSetup {
  readonly accounts: TestAccounts;
  readonly callers: Callers;
  readonly user: User;
  readonly origin: string;
  /** Raw credentials. */
  readonly read: string;
  readonly write: string;
  readonly session: string;
  call(options?: {
    readonly method?: string;
    /** Behind the `?`. */
    readonly query?: string;
    readonly form?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly cookie?: string;
  }): Promise<Called>;
}

/** Serves an endpoint that takes credentials in these ways. */
export async function serveCaller(
  t: ExecutionContext,
  ways: readonly CredentialWay[],
  yaml = '',
): Promise<CallerSetup> {
  const accounts = createAccounts();
  const user = await accounts.addUser();
  const outcome = await logIn(accounts, { account: user.account, password: PASSWORD });
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  const [read, write] = await Promise.all(
    (['read', 'write'] as const).map(
      async (permission) => (await createKey(accounts, { uid: user.uid, permission })).raw,
    ),
  );
  const callers = createCallers(createSettings(parseConfig(yaml, 'test.yml')), accounts);
  const origin = await serveRoutes(t, async (ctx) => {
    const { user: found, permission, source } = await callers.identify(ctx, ways);
    ctx.body = { account: found?.account, permission, source };
  });
  return {
    accounts,
    callers,
    user,
    origin,
    read: read!,
    write: write!,
    session: outcome.token,
    async call({ method = 'GET', query = '', form, headers = {}, cookie } = {}) {
      const answer = await fetch(`${origin}/?${query}`, {
        method: form ? 'POST' : method,
        headers: { ...headers, ...(cookie !== undefined && { Cookie: `sessionId=${cookie}` }) },
        ...(form && { body: new URLSearchParams(form) }),
      });
      const body = (await answer.json()) as Partial<Omit<Called, 'status'>>;
      const { account, permission, source, message } = body;
      return { status: answer.status, account, permission, source, message };
    },
  };
}
