import { append } from '../../lib/append.ts';
import { phrase } from '../../lib/phrase.ts';
import { joinKey } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, type Step, tx } from '../transaction.ts';
import {
  bookEntry,
  bookUse,
  type CreditGrant,
  findCredits,
  findEntry,
  findLeft,
  findReversal,
  type LedgerEntry,
  ledger,
  type MonthlyGrant,
  mergeUses,
  type NewGrant,
  type NewReversal,
  type Reversal,
} from './ledger-entry.ts';
import { restOfPayment, schedulePeriods } from './tier-periods.ts';
import { findNetworkCounter, findUserCounter, type Usage, usage } from './usage.ts';

/** Free and daily requests by kind of caller. */
export interface QuotaRules {
  /** Requests a day for each source without a user. */
  readonly anonymousPerDay: number;
  /** Requests a day for each user without a monthly tier. */
  readonly freePerDay: number;
  /** Requests that credits pay for within any 60 seconds. */
  readonly creditsPerMinute: number;
}

/** Asks for one count, or for a balance. */
export interface QuotaQuestion {
  readonly module: string;
  /** A user, or the network that calls with those it is part of, the narrowest first. */
  readonly subject: { readonly uid: string } | { readonly networks: readonly string[] };
  /** The calendar's name of the day. */
  readonly day: string;
  readonly nowMs: number;
  readonly rules: QuotaRules;
}

/** A caller's allowance at a moment. */
export interface QuotaBalance {
  /** The origin of the day's quota; a number is that of a monthly tier. */
  readonly plan: 'anonymous' | 'free' | number;
  readonly perDay: number;
  readonly usedToday: number;
  /** When credits paid within the last minute; ms since 1970, ascending. */
  readonly recent: readonly number[];
  /** Credits that may be used, those that expire first to begin with. */
  readonly credits: readonly CreditsLeft[];
}

/** The rest of a payment; at least 1. */
export interface CreditsLeft {
  readonly grant: CreditGrant;
  readonly left: number;
}

/** A request that was taken from a quota. */
export interface QuotaReceipt {
  readonly module: string;
  /** See `Usage`. */
  readonly subject: string;
  readonly day: string;
  /** `seq` of the payment it was taken from; undefined = the day's quota. */
  readonly grant: number | undefined;
  /** When; ms since 1970. */
  readonly takenMs: number;
}

/** The answer to a question that takes; `balance` is that afterwards. */
export interface QuotaTaking {
  /** undefined = nothing was left to take. */
  readonly receipt: QuotaReceipt | undefined;
  readonly balance: QuotaBalance;
}

/** The payment to reverse. */
export interface ReversalInput {
  readonly uid: string;
  /** Number of the payment. */
  readonly seq: number;
  readonly nowMs: number;
  readonly by: string | undefined;
  readonly note: string | undefined;
}

/** The ledger as whoever books has seen it, so that nothing is booked twice. */
export interface ExpectedLedger {
  /** Number of the user's newest payment or reversal, 0 = none. Booking throws DataError `taken` if there is a newer one. */
  readonly newest?: number | undefined;
}

/** Width of the window that `creditsPerMinute` holds for. */
export const MINUTE_MS = 60_000;

/** Tells what pays for the next count: the day's quota first, then credits, if the minute allows; undefined = nothing. */
export function chooseQuota(balance: QuotaBalance, rules: QuotaRules): 'day' | 'credits' | undefined {
  if (balance.usedToday < balance.perDay) return 'day';
  if (balance.credits.length === 0 || balance.recent.length >= rules.creditsPerMinute) return undefined;
  return 'credits';
}

/** Creates the quotas' part of a store. */
export function createQuotaStore(database: Database) {
  const { all, byUser } = ledger.indexes;
  return {
    look: (question: QuotaQuestion) => database.read(look(question)),
    /** Answers several questions as of one moment, in their order. */
    lookAll: (questions: readonly QuotaQuestion[]) => database.read(lookAll(questions)),
    /** Takes one count, if one is left, as `chooseQuota` says; however many ask at once, each count is taken once. */
    take: (question: QuotaQuestion) => database.transact(() => take(question)),
    /** Refunds what was taken, also from the last minute; a count of a past day is gone, whatever it was. */
    giveBack: (receipt: QuotaReceipt, nowMs: number) => database.transact(() => giveBack(receipt, nowMs)),
    /** Books a payment under the next number. */
    addGrant: (grant: NewGrant, expected?: ExpectedLedger) => database.transact(() => book(grant, expected)),
    /**
     * Takes back what is left of a payment at this moment, once. Throws DataError `not-found` for a number that is no payment of
     * this user, `invalid` where nothing is left or it was reversed before.
     */
    reverse: (input: ReversalInput, expected?: ExpectedLedger) =>
      database.transact(function* () {
        return (yield* book(yield* planReversal(input), expected)) as Reversal;
      }),
    /** Returns the reversal that `reverse` would book. Throws the same. */
    planReversal: (input: ReversalInput) => database.read(planReversal(input)),
    /** Returns all entries at one moment, of one user where one is given, in the order of booking. */
    listEntries: ({ uid }: { readonly uid?: string }) =>
      database.read(uid === undefined ? tx.list(all, '') : tx.list(byUser, uid)),
    /** Returns payments and reversals of a user, in the order of booking. */
    listPayments: ({ module, uid }: { readonly module: string; readonly uid: string }) =>
      database.read(tx.list(ledger.indexes.grants, joinKey(module, uid))),
    /** Removes at most `limit` counters of other days than this; returns how many. */
    pruneUsage: (query: { readonly day: string; readonly nowMs: number; readonly limit: number }) =>
      database.transact(() => pruneUsage(query)),
    /** Merges uses of a payment, by days, that are older; removes at most `limit` entries and returns how many. */
    mergeUses: (query: { readonly beforeMs: number; readonly limit: number }) =>
      database.transact(() => mergeUses(query)),
  };
}

/** Today's use, and the ledger of payments. */
export type QuotaStore = ReturnType<typeof createQuotaStore>;

function* look(question: QuotaQuestion): Step<QuotaBalance> {
  return yield* findBalance(yield* findCounter(question), question);
}

function* lookAll(questions: readonly QuotaQuestion[]): Step<readonly QuotaBalance[]> {
  const balances: QuotaBalance[] = [];
  for (const question of questions) balances.push(yield* look(question));
  return balances;
}

function* take(question: QuotaQuestion): Step<QuotaTaking> {
  const counter = yield* findCounter(question);
  const balance = yield* findBalance(counter, question);
  const choice = chooseQuota(balance, question.rules);
  if (choice === undefined) return { receipt: undefined, balance };
  const { module, subject, day } = counter;
  const grant = choice === 'credits' ? balance.credits[0]!.grant : undefined;
  // Ledger first: if it cannot be written, nothing was charged.
  if (grant) yield* bookUse({ grant, taken: 1, returned: 0, nowMs: question.nowMs });
  const now = usage.parse({
    ...counter,
    count: counter.count + (grant ? 0 : 1),
    recent: grant ? [...balance.recent, question.nowMs] : balance.recent,
  });
  yield* tx.put(usage, now);
  return {
    receipt: { module, subject, day, grant: grant?.seq, takenMs: question.nowMs },
    balance: yield* look(question),
  };
}

function* giveBack(receipt: QuotaReceipt, nowMs: number): Step<void> {
  const counter = yield* tx.get(usage, joinKey(receipt.module, receipt.subject));
  if (receipt.grant !== undefined) {
    const grant = yield* findCredits(receipt.grant);
    if (grant) yield* bookUse({ grant, taken: 0, returned: 1, nowMs });
    const place = counter?.recent.lastIndexOf(receipt.takenMs) ?? -1;
    if (!counter || place === -1) return;
    yield* tx.put(usage, usage.parse({ ...counter, recent: counter.recent.toSpliced(place, 1) }));
    return;
  }
  if (counter?.day !== receipt.day || counter.count === 0) return;
  yield* tx.put(usage, usage.parse({ ...counter, count: counter.count - 1 }));
}

function* book(entry: NewGrant | NewReversal, { newest }: ExpectedLedger = {}): Step<LedgerEntry> {
  if (newest !== undefined) {
    const last = yield* tx.last(ledger.indexes.grants, joinKey(entry.module, entry.uid));
    if ((last?.seq ?? 0) !== newest) {
      throw new DataError('taken', phrase`Something has been booked for this user meanwhile; look at the plan again`);
    }
  }
  return yield* bookEntry(entry);
}

function* planReversal({ uid, seq, nowMs, by, note }: ReversalInput): Step<NewReversal> {
  const grant = yield* findEntry(seq);
  if (grant?.uid !== uid || (grant.kind !== 'credits' && grant.kind !== 'monthly')) {
    throw new DataError('not-found', phrase`User "${uid.slice(0, 50)}" has no payment ${seq}`);
  }
  const before = yield* findReversal(seq);
  if (before) throw new DataError('refused', phrase`Payment ${seq} has been reversed by entry ${before.seq}`);
  const { module } = grant;
  let [requests, ms] = [0, 0];
  if (grant.kind === 'monthly') {
    ms = restOfPayment(yield* listMonthly(module, uid), { seq, nowMs });
  } else if (Date.parse(grant.expiresAt) > nowMs) requests = yield* findLeft(grant);
  if (requests === 0 && ms === 0) {
    throw new DataError('refused', phrase`Nothing is left of payment ${seq} that could be taken back`);
  }
  const at = new Date(nowMs).toISOString();
  return { kind: 'reversal', uid, module, at, grant: seq, requests, ms, left: 0, by, note };
}

function* listMonthly(module: string, uid: string): Step<readonly (MonthlyGrant | Reversal)[]> {
  const entries = yield* tx.list(ledger.indexes.grants, joinKey(module, uid));
  return entries.filter((entry) => entry.kind === 'monthly' || entry.kind === 'reversal');
}

function* pruneUsage(query: { readonly day: string; readonly nowMs: number; readonly limit: number }): Step<number> {
  const { day, nowMs, limit } = query;
  const isOld = ({ recent }: Usage): boolean => (recent.at(-1) ?? 0) <= nowMs - MINUTE_MS;
  const old: Usage[] = [];
  for (const other of yield* tx.groups(usage.indexes.byDay)) {
    if (other !== day) append(old, (yield* tx.list(usage.indexes.byDay, other)).filter(isOld));
  }
  return yield* tx.removeAll(usage, limit > 0 ? old.slice(-limit) : []);
}

function findCounter({ module, subject, day }: QuotaQuestion): Step<Usage> {
  return 'networks' in subject
    ? findNetworkCounter({ module, networks: subject.networks, day })
    : findUserCounter({ module, uid: subject.uid, day });
}

/** Returns the balance of the owner of a counter. */
function* findBalance(counter: Usage, question: QuotaQuestion): Step<QuotaBalance> {
  const { module, subject, nowMs, rules } = question;
  const usedToday = counter.count;
  const recent = counter.recent.filter((ms) => nowMs - MINUTE_MS < ms && ms <= nowMs);
  if ('networks' in subject) {
    return { plan: 'anonymous', perDay: rules.anonymousPerDay, usedToday, recent, credits: [] };
  }
  const months: (MonthlyGrant | Reversal)[] = [];
  const credits: CreditsLeft[] = [];
  for (const grant of yield* tx.list(ledger.indexes.grants, joinKey(module, subject.uid))) {
    if (grant.kind === 'monthly' || grant.kind === 'reversal') months.push(grant);
    if (grant.kind !== 'credits' || Date.parse(grant.expiresAt) <= nowMs) continue;
    const left = yield* findLeft(grant);
    if (left > 0) credits.push({ grant, left });
  }
  // Times of the same format sort as text; equal ones stay in the order of booking.
  credits.sort((a, b) => (a.grant.expiresAt < b.grant.expiresAt ? -1 : a.grant.expiresAt > b.grant.expiresAt ? 1 : 0));
  const runs = schedulePeriods(months).find(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs);
  const perDay = Math.max(runs?.perDay ?? 0, rules.freePerDay);
  return { plan: runs?.tier ?? 'free', perDay, usedToday, recent, credits };
}
