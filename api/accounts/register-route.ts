import { readForm } from '../http/bodies.ts';
import { defineRoute, envelope, failure, type Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { accountSchema, formBody, getField, presentAccount } from './account-answer.ts';

const PATH = '/api/user/register';

/** POST register: creates an account of one's own, where the operator lets anybody do that. */
export function registerRoute({ callers, registration }: Pick<Platform, 'callers' | 'registration'>): Route {
  return defineRoute({
    method: 'post',
    paths: [PATH],
    summary: 'Creates an account, where `auth.registration` is on',
    tag: 'accounts',
    area: 'auth',
    isCrossOrigin: false,
    body: formBody({ account: '2 to 64 letters, digits, `.`, `_`, `-`, `@`, `+`', password: '8 to 256 characters' }, [
      'account',
      'password',
    ]),
    answers: {
      201: { description: 'Created; log in next', schema: envelope(accountSchema) },
      400: failure('Account or password cannot be taken'),
      403: failure('Registration is off, or a page of another site asks'),
      409: failure('The account exists already'),
      429: failure('Too many attempts; `Retry-After` tells how long to wait'),
      503: failure('Too many ask at once; `Retry-After` tells when to come back'),
    },
    examples: [
      {
        summary: 'Where registration is off',
        path: PATH,
        form: { account: 'reader', password: 'correct horse battery' },
        status: 403,
        answer: { success: false, message: 'Registration is off; ask the operator for an account' },
      },
    ],
    async handle(ctx) {
      registration.check();
      callers.checkOrigin(ctx);
      const form = await readForm(ctx);
      const input = { account: getField(form, 'account'), password: getField(form, 'password') };
      const user = await registration.register(ctx, input);
      ctx.status = 201;
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { success: true, message: '', data: presentAccount(user) };
    },
  });
}
