import type { QuotaQuestion, QuotaReceipt, QuotaRules, QuotaStore } from '../../data/records/quota.ts';
import { checkLedger } from './check-ledger.ts';
import { createCalendar } from './create-calendar.ts';
import { describeRefusal, describeState, type Moment } from './describe-state.ts';
import { parseGrant } from './parse-grant.ts';
import { presentPlan } from './present-plan.ts';
import { DAY_MS, QUOTA_RULES, YEAR_MS } from './quota-rules.ts';
import type { QuotaModule, QuotaSubject, Quotas } from './quotas.ts';
import { widenSource } from './widen-source.ts';

/** Uses of credits are kept by the minute for so long, then by the day. */
const KEPT_BY_MINUTE_MS = 7 * DAY_MS;
/** Records that one step of tidying up takes out: short enough that requests need not wait for it. */
const TIDY_LIMIT = 500;

/** What quotas are counted with. */
export interface QuotasContext {
  readonly store: QuotaStore;
  /** Where days turn at midnight. */
  readonly timezone: string;
  readonly now: () => Date;
  /** Hears of what fails behind the back of callers. */
  readonly onError: (error: unknown) => void;
  readonly rules?: QuotaRules;
}

/** Creates the quotas that a store keeps. */
export function createQuotas({ store, timezone, now, onError, rules = QUOTA_RULES }: QuotasContext): Quotas {
  const calendar = createCalendar(timezone);
  const given = new WeakSet<QuotaReceipt>();
  let tidiedDay = '';

  const getMoment = (): Moment => {
    const nowMs = now().getTime();
    return { nowMs, day: calendar(nowMs) };
  };
  const ask = (module: QuotaModule, subject: QuotaQuestion['subject'], { nowMs, day }: Moment): QuotaQuestion => ({
    module,
    subject,
    day: day.name,
    nowMs,
    rules,
  });
  const toSubject = ({ source, user }: QuotaSubject): QuotaQuestion['subject'] =>
    user ? { uid: user.uid } : { networks: widenSource(source) };
  const tidy = async (): Promise<void> => {
    const { nowMs, day } = getMoment();
    while ((await store.pruneUsage({ day: day.name, nowMs, limit: TIDY_LIMIT })) === TIDY_LIMIT);
    while ((await store.mergeUses({ beforeMs: nowMs - KEPT_BY_MINUTE_MS, limit: TIDY_LIMIT })) === TIDY_LIMIT);
  };
  const readPlan = async (module: QuotaModule, uid: string) => {
    const moment = getMoment();
    const balance = await store.look(ask(module, { uid }, moment));
    const entries = (await store.listEntries({ uid })).filter((entry) => entry.module === module);
    return presentPlan({ uid, module }, { entries, balance, ...moment, rules });
  };

  return {
    async take(module, subject) {
      const moment = getMoment();
      if (moment.day.name !== tidiedDay) {
        tidiedDay = moment.day.name;
        tidy().catch(onError);
      }
      const { receipt, balance } = await store.take(ask(module, toSubject(subject), moment));
      const state = describeState(balance, rules, moment);
      if (!receipt) return { isGranted: false, state, ...describeRefusal(balance, rules, moment) };
      given.add(receipt);
      return { isGranted: true, state, receipt };
    },
    async look(module, subject) {
      const moment = getMoment();
      return describeState(await store.look(ask(module, toSubject(subject), moment)), rules, moment);
    },
    async giveBack(receipt) {
      // Once: whoever holds it twice gets nothing for it.
      if (!given.delete(receipt)) return;
      try {
        await store.giveBack(receipt, now().getTime());
      } catch (error) {
        given.add(receipt);
        throw error;
      }
    },
    async grant(module, uid, payment) {
      const { kind, ...parsed } = parseGrant(payment);
      const nowMs = now().getTime();
      const at = new Date(nowMs).toISOString();
      await store.addGrant(
        'count' in parsed
          ? { kind: 'credits', uid, module, at, ...parsed, expiresAt: new Date(nowMs + YEAR_MS).toISOString() }
          : { kind: 'monthly', uid, module, at, ...parsed },
      );
      return readPlan(module, uid);
    },
    plan: readPlan,
    async check(query = {}) {
      const entries = await store.listEntries(query);
      return checkLedger(entries, { nowMs: now().getTime(), isWhole: query.uid === undefined });
    },
    tidy,
  };
}
