import { z } from 'zod';
import { readForm } from '../http/bodies.ts';
import { setSessionCookie } from '../http/callers.ts';
import { defineRoute, EXAMPLE, failure, type Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { accountSchema, formBody, getField, presentAccount } from './account-answer.ts';

const PATH = '/api/user/login';
const answer = z.object({
  success: z.literal(true),
  message: z.literal(''),
  data: accountSchema,
  token: z.string().optional().describe('with `fields=token`: for `Authorization: Token …`'),
});

/** POST login: gives a token by cookie and, when asked for, in the answer. */
export function loginRoute({ callers, login }: Pick<Platform, 'callers' | 'login'>): Route {
  return defineRoute({
    method: 'post',
    paths: [PATH],
    summary: 'Logs in',
    tag: 'accounts',
    area: 'auth',
    isCrossOrigin: false,
    body: formBody({ account: 'account', password: 'password', fields: '`token`: the answer has the token' }, [
      'account',
      'password',
    ]),
    answers: {
      200: { description: 'Logged in; the cookie `sessionId` is set', schema: answer },
      400: failure('A field is missing or the body cannot be read'),
      401: failure('Account or password is wrong'),
      403: failure('The account is disabled, or a page of another site asks'),
      429: failure('Too many attempts; `Retry-After` tells how long to wait'),
      503: failure('Too many ask at once; `Retry-After` tells how long to wait'),
    },
    examples: [
      {
        summary: 'With a token for programs',
        path: PATH,
        form: { account: 'reader', password: 'correct horse battery', fields: 'token' },
        status: 200,
        answer: {
          success: true,
          message: '',
          data: { uid: '3141592653', account: 'reader' },
          token: EXAMPLE.token,
        },
        varies: ['data.uid', 'token'],
      },
      {
        summary: 'Without a password',
        path: PATH,
        form: { account: 'reader' },
        status: 400,
        answer: { success: false, message: 'Field "password" is missing' },
      },
      {
        summary: 'From a page of another site',
        path: PATH,
        headers: { Origin: 'https://page.example' },
        form: { account: 'reader', password: 'correct horse battery' },
        status: 403,
        answer: { success: false, message: 'Pages of other sites may not send this request' },
      },
      {
        summary: 'A wrong password',
        path: PATH,
        form: { account: 'reader', password: 'something else' },
        status: 401,
        answer: { success: false, message: 'Account or password is wrong' },
      },
    ],
    async handle(ctx) {
      callers.checkOrigin(ctx);
      const form = await readForm(ctx);
      const credentials = { account: getField(form, 'account'), password: getField(form, 'password') };
      const { user, token, session } = await login(ctx, credentials);
      setSessionCookie(ctx, { token, session, isSecure: callers.isSecure(ctx) });
      const fields = (form.get('fields') ?? '').split(/[\s,|]+/);
      ctx.set('Cache-Control', 'no-store');
      ctx.body = {
        success: true,
        message: '',
        data: presentAccount(user),
        ...(fields.includes('token') && { token }),
      };
    },
  });
}
