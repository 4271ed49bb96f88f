import * as z from 'zod';
import type { Quotas } from '../../platform/quotas/quotas.ts';
import type { Callers } from '../http/callers.ts';
import { type CredentialWay, defineRoute, EXAMPLE, envelope, failure, type Route } from '../http/route.ts';

const PATH = '/api/user/quota';
const WAYS: readonly CredentialWay[] = ['url-query', 'header', 'session-header', 'session-cookie'];
/** The one module that is counted. */
const MODULE = 'inclusion';

const quotaSchema = z.object({
  module: z.literal(MODULE),
  plan: z.enum(['anonymous', 'free', 'monthly']),
  today: z.object({
    limit: z.number(),
    used: z.number(),
    remaining: z.number(),
    endsAt: z.string().describe('ISO 8601, UTC: when the next day begins'),
  }),
  credits: z.number().describe('Requests that are paid for one by one; used when those of the day are used up'),
  monthly: z
    .object({ tier: z.number(), perDay: z.number(), endsAt: z.string() })
    .nullable()
    .describe('The monthly tier that runs now'),
});

/** Returns the route that says what is left of the caller's quota; asking counts nothing. */
export function quotaRoute({
  callers,
  quotas,
  now,
}: {
  readonly callers: Pick<Callers, 'identify'>;
  readonly quotas: Pick<Quotas, 'look' | 'summarize'>;
  readonly now: () => Date;
}): Route {
  return defineRoute({
    method: 'get',
    paths: [PATH],
    summary: 'Returns what is left of your quota of inclusion queries; nothing is counted for it',
    tag: 'accounts',
    area: 'auth',
    credentials: { ways: WAYS, isRequired: false },
    answers: {
      200: {
        description: 'The quota of the account, or of the address without a credential',
        schema: envelope(quotaSchema),
      },
      401: failure('The credential is invalid'),
    },
    examples: [
      {
        summary: 'With a key',
        path: PATH,
        headers: { Authorization: `Token ${EXAMPLE.key}` },
        status: 200,
        varies: ['data.today'],
      },
    ],
    async handle(ctx) {
      const { source, user } = await callers.identify(ctx, WAYS);
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { success: true, message: '', data: await (user ? describeUser(user.uid) : describeSource(source)) };
    },
  });

  async function describeUser(uid: string): Promise<z.infer<typeof quotaSchema>> {
    const { tier, today, credits } = await quotas.summarize(MODULE, uid);
    const { limit, used, remaining, endsAt } = today;
    return {
      module: MODULE,
      plan: tier ? 'monthly' : 'free',
      today: { limit, used, remaining, endsAt },
      credits: credits.left,
      monthly: tier && { tier: tier.tier, perDay: tier.perDay, endsAt: tier.endsAt },
    };
  }

  async function describeSource(source: string): Promise<z.infer<typeof quotaSchema>> {
    const { limit, remaining, resetS } = await quotas.look(MODULE, { source });
    // Seconds are rounded up, and a day ends with a whole one.
    const endsAt = new Date(Math.floor(now().getTime() / 1000) * 1000 + resetS * 1000).toISOString();
    const today = { limit, used: limit - remaining, remaining, endsAt };
    return { module: MODULE, plan: 'anonymous', today, credits: 0, monthly: null };
  }
}
