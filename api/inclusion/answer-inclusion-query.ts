import type { EngineName } from '../../data/records/inclusion.ts';
import type { QuotaReceipt } from '../../data/records/quota.ts';
import type { QuotaSubject, Quotas } from '../../platform/quotas/quotas.ts';
import type { Caller } from '../http/callers.ts';
import { ApiError } from '../http/errors.ts';
import type { InclusionQueries, InclusionQuestion } from './create-inclusion-queries.ts';
import { type InclusionAnswer, presentVerdict } from './inclusion-answer.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import type { InclusionQuery } from './read-inclusion-query.ts';
import type { Verdict } from './result-page.ts';

/** What counts queries. */
export type Counts = Pick<Quotas, 'take' | 'look' | 'giveBack'>;

/** An answer with its headers. */
export interface CountedAnswer {
  readonly body: InclusionAnswer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers a query. What is remembered is free, unless `force` is given; everything else takes a count before the engine
 * is asked, and gives it back where the engine had no answer. Throws ApiError 429 when nothing is left.
 */
export async function answerInclusionQuery(
  { engine, query, caller }: { engine: EngineName; query: InclusionQuery; caller: Caller },
  { queries, quotas }: { readonly queries: InclusionQueries; readonly quotas: Counts },
): Promise<CountedAnswer> {
  const { target, method, isForced } = query;
  const { url } = target;
  const question: InclusionQuestion = { engine, target, method };
  const subject: QuotaSubject = { source: caller.source, user: caller.user };
  const present = (verdict: Verdict, isCounted: boolean): InclusionAnswer =>
    presentVerdict(verdict, { engine, url, isCounted });

  if (!isForced && (await queries.isKnown(question))) {
    return {
      body: present({ state: 'indexed' }, false),
      headers: rateLimitHeaders(await quotas.look('inclusion', subject)),
    };
  }
  const outcome = await quotas.take('inclusion', subject);
  if (!outcome.isGranted) {
    throw new ApiError(429, 'quota-used-up', outcome.message, {
      headers: rateLimitHeaders(outcome.state, outcome.retryAfterS),
      extra: { url },
    });
  }
  const verdict = await askOrGiveBack(question, outcome.receipt, { queries, quotas });
  if (verdict.state !== 'failed') return { body: present(verdict, true), headers: rateLimitHeaders(outcome.state) };
  return { body: present(verdict, false), headers: rateLimitHeaders(await quotas.look('inclusion', subject)) };
}

async function askOrGiveBack(
  question: InclusionQuestion,
  receipt: QuotaReceipt,
  { queries, quotas }: { readonly queries: InclusionQueries; readonly quotas: Counts },
): Promise<Verdict> {
  let hasAnswer = false;
  try {
    const verdict = await queries.ask(question);
    hasAnswer = verdict.state !== 'failed';
    return verdict;
  } finally {
    if (!hasAnswer) await quotas.giveBack(receipt);
  }
}
