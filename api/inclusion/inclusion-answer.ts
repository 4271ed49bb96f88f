import * as z from 'zod';
import type { QuotaReceipt } from '../../data/records/quota.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { type InclusionQueries, MAX_WAITING_EACH } from '../../platform/inclusion/ask-engines.ts';
import type { InclusionQuestion } from '../../platform/inclusion/ask-methods.ts';
import type { Engine, FailedVerdict, Verdict } from '../../platform/inclusion/engine.ts';
import type { InclusionQuery } from '../../platform/inclusion/inclusion-query.ts';
import type { QuotaState } from '../../platform/quotas/quota-state.ts';
import type { QuotaSubject, Quotas } from '../../platform/quotas/quotas.ts';
import type { Caller } from '../http/callers.ts';
import { type Language, translate } from '../http/language.ts';

/** The fields of every answer to an inclusion query, whatever its status. */
export const inclusionAnswerSchema = z.object({
  Included: z.boolean().describe('The engine has the URL'),
  success: z.boolean().describe('The query was answered, whatever the answer'),
  deduct: z.boolean().describe('This request was counted'),
  url: z.string().describe('The URL that was searched for'),
  msg: z.string().nullable().describe('null when the URL is indexed, otherwise a message'),
});

type InclusionAnswer = z.infer<typeof inclusionAnswerSchema>;

export type QueryQuotas = Pick<Quotas, 'take' | 'look' | 'giveBack'>;

/**
 * Answers a query. A URL that is known to be indexed is free, unless `force` is given; everything else takes a count before
 * the engine is queried, and refunds it if the engine has no answer. Nothing is taken while the engine is not asked because it
 * is not configured or fails. Throws ServiceError 429 when no count is left, and for callers with too many queries at once.
 */
export async function answerInclusionQuery(
  { engine, query, caller, language }: { engine: Engine; query: InclusionQuery; caller: Caller; language: Language },
  { queries, quotas }: { readonly queries: InclusionQueries; readonly quotas: QueryQuotas },
): Promise<{ readonly body: InclusionAnswer; readonly headers: Readonly<Record<string, string>> }> {
  const { target, method, isForced } = query;
  const { url } = target;
  const question: InclusionQuestion = { engine: engine.name, target, method };
  const subject: QuotaSubject = { source: caller.source, user: caller.user };
  const present = (verdict: Verdict, isCounted: boolean): InclusionAnswer =>
    presentVerdict(verdict, { engine, url, isCounted, language });

  if (!isForced && (await queries.isKnown(question))) {
    const state = await quotas.look('inclusion', subject);
    return { body: present({ state: 'indexed' }, false), headers: rateLimitHeaders(state) };
  }
  const outage = queries.findOutage(question);
  if (outage) {
    const headers = rateLimitHeaders(await quotas.look('inclusion', subject), outage.retryAfterS);
    return { body: present(outage, false), headers };
  }
  const outcome = await quotas.take('inclusion', subject);
  // A crowd without accounts takes turns with those who have one, and may pay.
  const asker = caller.user ? { lane: 'users', owner: caller.user.uid } : { lane: 'anonymous', owner: caller.source };
  if (!outcome.isGranted) {
    const open = queries.countOpen(asker);
    if (open > 0) {
      const message = phrase`Your remaining requests are reserved by queries that have no answer yet (${open}); try again when they have`;
      const headers = rateLimitHeaders(outcome.state, 1);
      throw new ServiceError('too-many-waiting', message, { headers, extra: { url }, limit: 'inclusion' });
    }
    const headers = rateLimitHeaders(outcome.state, outcome.retryAfterS);
    throw new ServiceError('quota-used-up', outcome.message, { headers, extra: { url }, limit: 'inclusion' });
  }
  const verdict = await giveBackIfFailed(queries.ask(question, asker), { receipt: outcome.receipt, quotas });
  if (verdict.state !== 'failed') return { body: present(verdict, true), headers: rateLimitHeaders(outcome.state) };
  const state = await quotas.look('inclusion', subject);
  if (verdict.isGreedy) {
    const message = phrase`At most ${MAX_WAITING_EACH} of your queries may wait for ${engine.title}; send fewer at once`;
    throw new ServiceError('too-many-waiting', message, {
      headers: rateLimitHeaders(state, 1),
      extra: { url },
      limit: 'inclusion',
    });
  }
  return { body: present(verdict, false), headers: rateLimitHeaders(state, verdict.retryAfterS) };
}

/** Returns the headers of an answer to a request for nothing but headers: nothing is asked or counted for it. */
export async function describeQuota(caller: Caller, quotas: QueryQuotas): Promise<Readonly<Record<string, string>>> {
  return rateLimitHeaders(await quotas.look('inclusion', { source: caller.source, user: caller.user }));
}

async function giveBackIfFailed(
  asked: Promise<Verdict>,
  { receipt, quotas }: { readonly receipt: QuotaReceipt; readonly quotas: QueryQuotas },
): Promise<Verdict> {
  let hasAnswer = false;
  try {
    const verdict = await asked;
    hasAnswer = verdict.state !== 'failed';
    return verdict;
  } finally {
    if (!hasAnswer) await quotas.giveBack(receipt);
  }
}

function presentVerdict(
  verdict: Verdict,
  {
    engine,
    url,
    isCounted,
    language,
  }: { readonly engine: Engine; readonly url: string; readonly isCounted: boolean; readonly language: Language },
): InclusionAnswer {
  if (verdict.state === 'indexed') return { Included: true, success: true, deduct: isCounted, url, msg: null };
  const { title } = engine;
  if (verdict.state === 'failed') return presentFailure(translate(describeFailure(title, verdict), language), url);
  const msg = translate(phrase`Not indexed by ${title}`, language);
  return { Included: false, success: true, deduct: isCounted, url, msg };
}

function describeFailure(title: string, { reason, retryAfterS }: FailedVerdict): Phrase {
  const message = phrase`${title} gave no usable answer: ${reason}`;
  if (retryAfterS === undefined) return message;
  return phrase`${message}. It is asked again in ${retryAfterS} s, since it failed again and again`;
}

/** Returns the answer to a query that could not be answered. */
export function presentFailure(message: string, url = ''): InclusionAnswer {
  return { Included: false, success: false, deduct: false, url, msg: message };
}

/** Seconds of each window; a day is called so even if it has 23 or 25 hours, and credits have none. */
const WINDOW_S = { day: ';w=86400', minute: ';w=60', credits: '' } as const;

/**
 * Returns the headers that describe a quota: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11:
 * structured fields with a member for each quota, `q` quota, `w` window, `r` remaining, `t` seconds) and the older
 * `RateLimit-Limit`, `-Remaining` and `-Reset` that most clients read, of the quota that limits the next request;
 * `Retry-After` where a wait is given.
 */
export function rateLimitHeaders(
  { limit, remaining, resetS, policies }: QuotaState,
  retryAfterS?: number,
): Readonly<Record<string, string>> {
  return {
    'RateLimit-Policy': policies.map(({ name, limit }) => `"${name}";q=${limit}${WINDOW_S[name]}`).join(', '),
    RateLimit: policies
      .map(({ name, remaining, resetS }) => `"${name}";r=${remaining}${resetS === undefined ? '' : `;t=${resetS}`}`)
      .join(', '),
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
  };
}
