import type { Context } from 'koa';
import * as z from 'zod';
import { phrase } from '../../lib/phrase.ts';
import { disableKeysOf } from '../../platform/accounts/api-keys.ts';
import { hashToken } from '../../platform/accounts/tokens.ts';
import type { Accounts } from '../../platform/accounts/users.ts';
import type { Audit } from '../../platform/audit/audit.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { readForm } from '../http/bodies.ts';
import { actorOf, type BegunSession, type Callers, readToken, setSessionCookie } from '../http/callers.ts';
import { defineRoute, EXAMPLE, failure, type Route } from '../http/route.ts';
import { removeSessionCookie } from '../http/session-cookie.ts';
import { LOGIN, type Login, type Registration } from './login.ts';

export interface AccountContext {
  readonly accounts: Pick<Accounts, 'store' | 'now'>;
  readonly audit: Pick<Audit, 'record'>;
  readonly callers: Callers;
  readonly login: Login;
  readonly registration: Registration;
}

const LOGOUT = '/api/user/logout';
const REGISTER = '/api/user/register';
const TOKEN_FIELD = '`token`: the answer contains the token';

const accountSchema = z.object({ uid: z.string().describe('10 digits'), account: z.string() });
const loggedInSchema = z.object({
  success: z.literal(true),
  message: z.literal(''),
  data: accountSchema,
  token: z.string().optional().describe('with `fields=token`: for `Authorization: Token …`'),
});
const loggedOutSchema = z.object({ success: z.literal(true), message: z.literal('') });
const credentials = { account: 'reader', password: 'correct horse battery' };

/** Returns the routes for login, logout and registration. */
export function accountRoutes(context: AccountContext): readonly Route[] {
  return [loginRoute(context), logoutRoute(context), registerRoute(context)];
}

function loginRoute({ callers, login }: AccountContext): Route {
  return defineRoute({
    method: 'post',
    paths: [LOGIN],
    summary: 'Logs in',
    tag: 'accounts',
    area: 'auth',
    body: formBody({ account: 'account', password: 'password', fields: TOKEN_FIELD }, ['account', 'password']),
    answers: {
      200: { description: 'Logged in; the cookies `sessionId` and `knownDevice` are set', schema: loggedInSchema },
      400: failure('A field is missing or the body cannot be read'),
      401: failure('Account or password is wrong'),
      403: failure("The account is disabled, or the request comes from another site's page"),
      429: failure('Too many attempts; `Retry-After` says how long to wait'),
      503: failure('Too many logins at once; `Retry-After` says how long to wait'),
    },
    examples: [
      {
        summary: 'With a token for programs',
        path: LOGIN,
        form: { ...credentials, fields: 'token' },
        status: 200,
        answer: { success: true, message: '', data: { uid: '3141592653', account: 'reader' }, token: EXAMPLE.token },
        varies: ['data.uid', 'token'],
      },
      {
        summary: 'Without a password',
        path: LOGIN,
        form: { account: 'reader' },
        status: 400,
        answer: { success: false, message: 'Field "password" is missing' },
      },
      {
        summary: "From another site's page",
        path: LOGIN,
        headers: { Origin: 'https://page.example' },
        form: credentials,
        status: 403,
        answer: { success: false, message: 'Pages of other sites may not send this request' },
      },
      {
        summary: 'A wrong password',
        path: LOGIN,
        form: { account: 'reader', password: 'something else' },
        status: 401,
        answer: { success: false, message: 'Account or password is wrong' },
      },
    ],
    async handle(ctx) {
      callers.checkOrigin(ctx);
      const form = await readForm(ctx);
      const credentials = { account: getField(form, 'account'), password: getField(form, 'password') };
      answerLogin(ctx, form, await login(ctx, credentials));
    },
  });
}

function logoutRoute({ accounts, audit, callers }: AccountContext): Route {
  const { sessions, users } = accounts.store;
  return defineRoute({
    method: 'post',
    paths: [LOGOUT],
    summary: 'Logs out, also with a token that is no longer valid',
    tag: 'accounts',
    area: 'auth',
    credentials: { ways: ['session-header', 'session-cookie'], isRequired: false },
    body: formBody(
      { all: '`1`: ends all sessions of the account', keys: '`1`: disables all API keys of the account, too' },
      [],
    ),
    answers: {
      200: { description: 'Logged out', schema: loggedOutSchema },
      401: failure('`keys` is given, and the token is not that of a session'),
      403: failure("The request comes from another site's page"),
    },
    examples: [
      { summary: 'Without a token', path: LOGOUT, status: 200, answer: { success: true, message: '' } },
      {
        summary: 'With a token that is no longer valid',
        path: LOGOUT,
        headers: { Authorization: 'Token dbs_nothing' },
        form: { all: '1' },
        status: 200,
        answer: { success: true, message: '' },
      },
    ],
    async handle(ctx) {
      callers.checkOrigin(ctx);
      const form = await readForm(ctx);
      const isAsked = (field: string): boolean => ['1', 'true'].includes(form.get(field) ?? '');
      const tokenHash = hashToken(readToken(ctx) ?? '');
      const session = await sessions.find(tokenHash);
      const isValid = session !== undefined && session.expiresAt > accounts.now().toISOString();
      if (isAsked('keys') && !isValid) {
        throw new ServiceError(
          'bad-token',
          phrase`Only a logged-in user can disable keys, and this token belongs to no session`,
        );
      }
      if (isValid && isAsked('all')) await sessions.removeAllOf(session.uid);
      else await sessions.remove(tokenHash);
      const user = isValid && isAsked('keys') ? await users.find(session.uid) : undefined;
      if (user) {
        const event = { actor: actorOf(ctx, user, callers), action: 'disableKeys', target: user.uid };
        await audit.record(event, (store) => disableKeysOf({ store }, user.uid));
      }
      removeSessionCookie(ctx);
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { success: true, message: '' };
    },
  });
}

function registerRoute({ callers, registration }: AccountContext): Route {
  return defineRoute({
    method: 'post',
    paths: [REGISTER],
    summary: 'Creates an account, if `auth.registration` is on',
    tag: 'accounts',
    area: 'auth',
    body: formBody(
      {
        account: '2 to 64 letters, digits, `.`, `_`, `-`, `@`, `+`',
        password: '8 to 256 characters, no common password',
        fields: TOKEN_FIELD,
      },
      ['account', 'password'],
    ),
    answers: {
      201: { description: 'Created and logged in; the same cookies are set as by a login', schema: loggedInSchema },
      400: failure('The account name or password is not acceptable'),
      403: failure("Registration is off, or the request comes from another site's page"),
      409: failure('The account already exists'),
      429: failure('Too many attempts; `Retry-After` says how long to wait'),
      503: failure('Too many registrations at once; `Retry-After` says how long to wait'),
    },
    examples: [
      {
        summary: 'When registration is off',
        path: REGISTER,
        form: credentials,
        status: 403,
        answer: { success: false, message: 'Registration is off; ask the operator for an account' },
      },
    ],
    async handle(ctx) {
      registration.check();
      callers.checkOrigin(ctx);
      const form = await readForm(ctx);
      const input = { account: getField(form, 'account'), password: getField(form, 'password') };
      const begun = await registration.register(ctx, input);
      ctx.status = 201;
      answerLogin(ctx, form, begun);
    },
  });
}

/** Returns the OpenAPI description of a body with text fields. */
function formBody(fields: Readonly<Record<string, string>>, required: readonly string[]): Record<string, object> {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, description]) => [name, { type: 'string', description }]),
  );
  const schema = { type: 'object', properties, required };
  return { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } };
}

/** Sends the account of a new session, its cookie, and with `fields=token` its token. */
function answerLogin(ctx: Context, form: ReadonlyMap<string, string>, begun: BegunSession): void {
  setSessionCookie(ctx, begun);
  const { uid, account } = begun.user;
  const fields = (form.get('fields') ?? '').split(/[\s,|]+/);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = {
    success: true,
    message: '',
    data: { uid, account },
    ...(fields.includes('token') && { token: begun.token }),
  };
}

/** Returns a required field. Throws ServiceError 400. */
function getField(form: ReadonlyMap<string, string>, name: string): string {
  const value = form.get(name);
  if (value === undefined || value === '') throw new ServiceError('bad-request', phrase`Field "${name}" is missing`);
  return value;
}
