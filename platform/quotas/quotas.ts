import { DataError } from '../../data/data-error.ts';
import type { NewGrant, NewReversal } from '../../data/records/ledger-entry.ts';
import type { ExpectedLedger, QuotaQuestion, QuotaReceipt, QuotaRules, QuotaStore } from '../../data/records/quota.ts';
import type { User } from '../../data/records/user.ts';
import { parseNetwork, widenNetwork } from '../../lib/ip-address.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { createCalendar } from './calendar.ts';
import { checkLedger, type LedgerReport } from './check-ledger.ts';
import { type GrantInput, PRICES, type Prices, parseGrant, parseNote, QUOTA_RULES } from './grant.ts';
import { addEntry, type Plan, presentPlan, type QuotaAccount } from './plan.ts';
import { describeRefusal, describeState, type Moment, type QuotaState } from './quota-state.ts';

/** A group of interfaces that is paid for together. */
export type QuotaModule = 'inclusion';

/** Who a count is taken from. */
export interface QuotaSubject {
  /** The address that calls: an IPv4 address, or an IPv6 /64 network. */
  readonly source: string;
  /** undefined = anonymous: counted by source. */
  readonly user?: Pick<User, 'uid'> | undefined;
}

/** The result of asking for a count. */
export type QuotaOutcome =
  | {
      readonly isGranted: true;
      readonly state: QuotaState;
      /** Needed to give the request back. */
      readonly receipt: QuotaReceipt;
    }
  | {
      readonly isGranted: false;
      readonly state: QuotaState;
      /** Whole seconds until a further request can be granted, at least 1. */
      readonly retryAfterS: number;
      /** For people: which limit was reached and when it ends. */
      readonly message: Phrase;
    };

/** Counts the use of a module. */
export interface Quotas {
  /**
   * Takes exactly one count, however many ask at once; it is on disk when the promise resolves. Rejects with DataError
   * `unwritable` where the disk refuses to be written; then nothing was taken.
   */
  take(module: QuotaModule, subject: QuotaSubject): Promise<QuotaOutcome>;
  /** Returns the balance without counting anything. */
  look(module: QuotaModule, subject: QuotaSubject): Promise<QuotaState>;
  /** Refunds a count, once, that was taken for a request which failed through no fault of the caller. */
  giveBack(receipt: QuotaReceipt): Promise<void>;
  /** Prices of now. */
  readonly prices: () => Prices;
  /** Books a payment and returns the resulting plan. Throws DataError `invalid`, `taken`; does not check that the user exists. */
  grant(module: QuotaModule, uid: string, payment: GrantInput, booking?: Booking): Promise<Plan>;
  /** Takes back what is left of a payment and returns the resulting plan. Throws DataError `not-found`, `invalid`, `taken`. */
  reverse(module: QuotaModule, uid: string, seq: number, booking?: Booking): Promise<Plan>;
  /** Returns the entry and the plan that a payment, or a reversal of one, would lead to; books nothing. Throws the same. */
  preview(
    module: QuotaModule,
    uid: string,
    change: { readonly payment: GrantInput } | { readonly reverse: number },
  ): Promise<BookingPreview>;
  /** Returns what a user has paid for and used. */
  plan(module: QuotaModule, uid: string): Promise<Plan>;
  /** Returns what a user has paid for and what is left, without the ledger: no uses are read. */
  summarize(module: QuotaModule, uid: string): Promise<Omit<Plan, 'ledger'>>;
  /** Returns what runs now of each of these users, in their order. */
  findPlans(module: QuotaModule, uids: readonly string[]): Promise<readonly ('free' | number)[]>;
  /** Checks that the ledger adds up; of one user, or all of it. */
  check(query?: { readonly uid?: string }): Promise<LedgerReport>;
  /** Removes counters of past days and merges old entries of the ledger. */
  tidy(): Promise<void>;
}

/** Who books, and why. */
export interface Booking extends ExpectedLedger {
  readonly by?: string | undefined;
  readonly note?: string | undefined;
  /** `BookingPreview.terms` of what was confirmed. Booking throws DataError `taken` if a payment gets something else by now. */
  readonly terms?: string | undefined;
  /** Where to book; default: the store of the quotas. */
  readonly store?: Pick<QuotaStore, 'addGrant' | 'reverse'>;
}

/** The effect of a booking. */
export interface BookingPreview {
  readonly entry: NewGrant | NewReversal;
  readonly plan: Plan;
  /** The terms of a payment at the prices of now; '' = a reversal. */
  readonly terms: string;
}

const DAY_MS = 86_400_000;
/** Uses of credits are kept by the minute for so long, then by the day. */
const KEPT_BY_MINUTE_MS = 7 * DAY_MS;
/** Records that one step of tidying up removes: few enough that requests need not wait for it. */
const TIDY_LIMIT = 500;

export interface QuotasContext {
  readonly store: QuotaStore;
  /** Time zone whose days count. */
  readonly timezone: string;
  readonly now: () => Date;
  readonly rules?: QuotaRules;
  /** Prices of now; default: those of the contract. */
  readonly prices?: () => Prices;
}

/** Creates the quotas that a store keeps. */
export function createQuotas(context: QuotasContext): Quotas {
  const { store, timezone, now, rules = QUOTA_RULES, prices = () => PRICES } = context;
  const calendar = createCalendar(timezone);
  const given = new WeakSet<QuotaReceipt>();

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
    user ? { uid: user.uid } : { networks: listNetworks(source) };
  const tidy = async (): Promise<void> => {
    const { nowMs, day } = getMoment();
    while ((await store.pruneUsage({ day: day.name, nowMs, limit: TIDY_LIMIT })) === TIDY_LIMIT);
    while ((await store.mergeUses({ beforeMs: nowMs - KEPT_BY_MINUTE_MS, limit: TIDY_LIMIT })) === TIDY_LIMIT);
  };
  const readAccount = async (module: QuotaModule, uid: string): Promise<QuotaAccount> => {
    const moment = getMoment();
    const balance = await store.look(ask(module, { uid }, moment));
    const entries = (await store.listEntries({ uid })).filter((entry) => entry.module === module);
    return { balance, entries, ...moment, rules };
  };
  const readPlan = async (module: QuotaModule, uid: string): Promise<Plan> =>
    presentPlan({ uid, module }, await readAccount(module, uid));
  const createGrant = (
    { uid, module }: { readonly uid: string; readonly module: QuotaModule },
    payment: GrantInput,
    { by, note, nowMs }: Booking & { readonly nowMs: number },
  ): NewGrant => {
    const current = prices();
    const parsed = parseGrant(payment, current);
    const entry = { uid, module, at: new Date(nowMs).toISOString(), by, note: parseNote(note) };
    if (parsed.kind === 'monthly') return { ...entry, ...parsed };
    return { ...entry, ...parsed, expiresAt: new Date(nowMs + current.creditDays * DAY_MS).toISOString() };
  };

  return {
    async take(module, subject) {
      const moment = getMoment();
      const { receipt, balance } = await store.take(ask(module, toSubject(subject), moment));
      const state = describeState(balance, rules, moment);
      if (!receipt)
        return {
          isGranted: false,
          state,
          ...describeRefusal(balance, rules, { ...moment, prices: prices() }),
        };
      given.add(receipt);
      return { isGranted: true, state, receipt };
    },
    async look(module, subject) {
      const moment = getMoment();
      return describeState(await store.look(ask(module, toSubject(subject), moment)), rules, moment);
    },
    async giveBack(receipt) {
      // Once: a second call refunds nothing.
      if (!given.delete(receipt)) return;
      try {
        await store.giveBack(receipt, now().getTime());
      } catch (error) {
        given.add(receipt);
        throw error;
      }
    },
    prices,
    async grant(module, uid, payment, booking = {}) {
      // Read before: what is booked does not fail.
      const account = await readAccount(module, uid);
      const grant = createGrant({ uid, module }, payment, { ...booking, nowMs: account.nowMs });
      if (booking.terms !== undefined && booking.terms !== formatTerms(grant)) {
        throw new DataError('taken', phrase`The prices have changed meanwhile; look at the payment again`);
      }
      const entry = await (booking.store ?? store).addGrant(grant, { newest: booking.newest });
      return presentPlan({ uid, module }, addEntry(account, entry));
    },
    async reverse(module, uid, seq, { by, note, newest, store: records = store } = {}) {
      const account = await readAccount(module, uid);
      const input = { uid, seq, nowMs: account.nowMs, by, note: parseNote(note) };
      return presentPlan({ uid, module }, addEntry(account, await records.reverse(input, { newest })));
    },
    async preview(module, uid, change) {
      const account = await readAccount(module, uid);
      const { nowMs } = account;
      const none = { by: undefined, note: undefined };
      const entry =
        'reverse' in change
          ? await store.planReversal({ uid, seq: change.reverse, nowMs, ...none })
          : createGrant({ uid, module }, change.payment, { nowMs });
      const next = { ...entry, seq: (account.entries.at(-1)?.seq ?? 0) + 1 };
      return { entry, plan: presentPlan({ uid, module }, addEntry(account, next)), terms: formatTerms(entry) };
    },
    plan: readPlan,
    async summarize(module, uid) {
      const moment = getMoment();
      const balance = await store.look(ask(module, { uid }, moment));
      const entries = await store.listPayments({ module, uid });
      const { ledger: _, ...plan } = presentPlan({ uid, module }, { balance, entries, ...moment, rules });
      return plan;
    },
    async findPlans(module, uids) {
      const moment = getMoment();
      const balances = await store.lookAll(uids.map((uid) => ask(module, { uid }, moment)));
      return balances.map(({ plan }) => (plan === 'anonymous' ? 'free' : plan));
    },
    async check(query = {}) {
      const entries = await store.listEntries(query);
      return checkLedger(entries, { nowMs: now().getTime(), isWhole: query.uid === undefined });
    },
    tidy,
  };
}

/** Returns what is bought, apart from when, as a text to compare. */
function formatTerms(entry: NewGrant | NewReversal): string {
  if (entry.kind === 'reversal') return '';
  if (entry.kind === 'monthly') return `tier ${entry.tier} at ${entry.price}: ${entry.perDay} a day`;
  return `${entry.count} for ${(Date.parse(entry.expiresAt) - Date.parse(entry.at)) / DAY_MS} days`;
}

/** Prefix lengths of the networks that many sources may share. */
const WIDER = { 4: [16], 6: [48, 32] } as const;

/**
 * Returns a source and the networks that it is part of, the narrowest first: `2001:db8:1:2::/64`, `2001:db8:1::/48`,
 * `2001:db8::/32`; `203.0.113.7`, `203.0.0.0/16`. Anything but an address stands alone.
 */
function listNetworks(source: string): readonly string[] {
  const network = parseNetwork(source);
  if (!network) return [source];
  return [source, ...WIDER[network.version].map((bits) => widenNetwork(network, bits).text)];
}
