import { z } from 'zod';
import { hashToken } from '../../platform/accounts/tokens.ts';
import { readForm } from '../http/bodies.ts';
import { clearSessionCookie, readToken } from '../http/callers.ts';
import { defineRoute, failure, type Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { formBody } from './account-answer.ts';

const PATH = '/api/user/logout';
const answer = z.object({ success: z.literal(true), message: z.literal('') });

/** POST logout: the token counts for nothing from then on. */
export function logoutRoute({ accounts, callers }: Pick<Platform, 'accounts' | 'callers'>): Route {
  const { sessions } = accounts.store;
  return defineRoute({
    method: 'post',
    paths: [PATH],
    summary: 'Logs out; a token that is not valid any more is no failure',
    tag: 'accounts',
    area: 'auth',
    isCrossOrigin: false,
    credentials: { ways: ['session-header', 'session-cookie'], isRequired: false },
    body: formBody({ all: '`1`: all tokens of the account' }, []),
    answers: {
      200: { description: 'Logged out', schema: answer },
      403: failure('A page of another site asks'),
    },
    examples: [
      { summary: 'Without a token', path: PATH, status: 200, answer: { success: true, message: '' } },
      {
        summary: 'With a token that is not valid any more',
        path: PATH,
        headers: { Authorization: 'Token dbs_nothing' },
        form: { all: '1' },
        status: 200,
        answer: { success: true, message: '' },
      },
    ],
    async handle(ctx) {
      callers.checkOrigin(ctx);
      const all = (await readForm(ctx)).get('all');
      const tokenHash = hashToken(readToken(ctx) ?? '');
      const session = await sessions.find(tokenHash);
      const isValid = session !== undefined && session.expiresAt > accounts.now().toISOString();
      if (isValid && (all === '1' || all === 'true')) await sessions.removeAllOf(session.uid);
      else await sessions.remove(tokenHash);
      clearSessionCookie(ctx, callers.isSecure(ctx));
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { success: true, message: '' };
    },
  });
}
