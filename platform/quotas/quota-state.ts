import { chooseQuota, MINUTE_MS, type QuotaBalance, type QuotaRules } from '../../data/records/quota.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import type { CalendarDay } from './calendar.ts';
import type { Prices } from './grant.ts';

/** The rest of the window that limits the next request, for RateLimit headers. */
export interface QuotaState {
  /** `day`: the day's quota. `minute`: that is used up, or there is none, and credits pay. */
  readonly window: 'day' | 'minute';
  /** Requests that the window allows. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window starts again, at least 1. */
  readonly resetS: number;
  /** All that counts for the caller, the day's quota first; that of credits only for those who have some. */
  readonly policies: readonly QuotaPolicy[];
}

/** One of the quotas that count for a caller. */
export interface QuotaPolicy {
  /** `minute`: how fast credits may be used. `credits`: what is left of those that were bought. */
  readonly name: 'day' | 'minute' | 'credits';
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until it starts again, at least 1; undefined = it does not. */
  readonly resetS: number | undefined;
}

/** A moment and its day. */
export interface Moment {
  readonly nowMs: number;
  readonly day: CalendarDay;
}

/** Returns the window that limits the next request, and everything else that counts. */
export function describeState(balance: QuotaBalance, rules: QuotaRules, { nowMs, day }: Moment): QuotaState {
  const { perDay, usedToday, recent, credits } = balance;
  const ofDay = {
    limit: perDay,
    remaining: Math.max(0, perDay - usedToday),
    resetS: toSeconds(day.endMs - nowMs),
  };
  if (credits.length === 0) return { window: 'day', ...ofDay, policies: [{ name: 'day', ...ofDay }] };
  const left = credits.reduce((sum, one) => sum + one.left, 0);
  const bought = credits.reduce((sum, { grant }) => sum + grant.count, 0);
  const ofMinute = {
    limit: rules.creditsPerMinute,
    remaining: Math.max(0, rules.creditsPerMinute - recent.length),
    resetS: toSeconds((recent[0] ?? nowMs) + MINUTE_MS - nowMs),
  };
  const policies: readonly QuotaPolicy[] = [
    { name: 'day', ...ofDay },
    { name: 'minute', ...ofMinute },
    { name: 'credits', limit: bought, remaining: left, resetS: undefined },
  ];
  if (chooseQuota(balance, rules) === 'day') return { window: 'day', ...ofDay, policies };
  return { window: 'minute', ...ofMinute, remaining: Math.min(left, ofMinute.remaining), policies };
}

/**
 * Says why nothing was granted, when a further request can be, and, once the day's quota is used up, what more costs and how to
 * pay, where the operator sells it.
 */
export function describeRefusal(
  balance: QuotaBalance,
  rules: QuotaRules,
  { nowMs, day, prices }: Moment & { readonly prices: Prices },
): { readonly retryAfterS: number; readonly message: Phrase } {
  const { plan, perDay, recent, credits } = balance;
  const dayEndS = toSeconds(day.endMs - nowMs);
  if (credits.length > 0) {
    // The latest of them fill the minute; it has room when the first of these leaves it.
    const first = recent.at(-rules.creditsPerMinute) ?? nowMs;
    const retryAfterS = Math.min(dayEndS, toSeconds(first + MINUTE_MS - nowMs));
    const message = phrase`At most ${rules.creditsPerMinute} paid requests per minute; try again in ${retryAfterS} s`;
    return { retryAfterS, message };
  }
  const free = plan === 'free' ? phrase`free requests` : phrase`requests`;
  const whose = plan === 'anonymous' ? phrase`anonymous requests` : free;
  const message = phrase`All ${perDay} ${whose} for today are used up; the next day starts in ${formatSpan(dayEndS)}`;
  const { contact } = prices;
  const offers = describeOffers(prices);
  return { retryAfterS: dayEndS, message: contact === '' ? message : phrase`${message}. More: ${offers}. ${contact}` };
}

function describeOffers({ tiers, fenPerRequest }: Prices): Phrase {
  const single = phrase`${fenPerRequest} fen a request`;
  return tiers.reduceRight((rest, { price, perDay }) => phrase`${price} a month for ${perDay} a day, ${rest}`, single);
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function formatSpan(seconds: number): Phrase {
  if (seconds < 120) return phrase`${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? phrase`${minutes} min` : phrase`${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
