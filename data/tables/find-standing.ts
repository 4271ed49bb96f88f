import { findPeriod, layPeriods } from '../quotas/lay-periods.ts';
import { MINUTE_MS } from '../quotas/quota-rules.ts';
import type { CreditsLeft, QuotaQuestion, QuotaStanding } from '../quotas/quota-standing.ts';
import type { MonthlyGrant } from '../records/ledger-entry.ts';
import type { Usage } from '../records/usage.ts';
import { joinKey } from './join-key.ts';
import { findLastUse, type LedgerTable } from './ledger-table.ts';

/** Gives where the owner of a counter stands. */
export function findStanding(ledger: LedgerTable, counter: Usage, question: QuotaQuestion): QuotaStanding {
  const { module, subject, nowMs, rules } = question;
  const usedToday = counter.count;
  const recent = counter.recent.filter((ms) => nowMs - MINUTE_MS < ms && ms <= nowMs);
  if ('networks' in subject) {
    return { plan: 'anonymous', perDay: rules.anonymousPerDay, usedToday, recent, credits: [] };
  }
  const months: MonthlyGrant[] = [];
  const credits: CreditsLeft[] = [];
  for (const grant of ledger.grants.group(joinKey(module, subject.uid))) {
    if (grant.kind === 'monthly') months.push(grant);
    if (grant.kind !== 'credits' || Date.parse(grant.expiresAt) <= nowMs) continue;
    const left = findLastUse(ledger, grant.seq)?.left ?? grant.count;
    if (left > 0) credits.push({ grant, left });
  }
  // Times of the same format sort as text; equal ones stay in the order of booking.
  credits.sort((a, b) => (a.grant.expiresAt < b.grant.expiresAt ? -1 : a.grant.expiresAt > b.grant.expiresAt ? 1 : 0));
  const plan = findPeriod(layPeriods(months), nowMs)?.tier ?? 'free';
  const perDay = plan === 'free' ? rules.freePerDay : rules.tiers[plan].perDay;
  return { plan, perDay, usedToday, recent, credits };
}
