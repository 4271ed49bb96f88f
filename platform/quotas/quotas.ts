import type { QuotaReceipt } from '../../data/records/quota.ts';
import type { User } from '../../data/records/user.ts';
import type { LedgerReport } from './check-ledger.ts';
import type { GrantInput } from './parse-grant.ts';
import type { Plan } from './present-plan.ts';

/** A group of interfaces that is paid for together. */
export type QuotaModule = 'inclusion';

/** Who a count is taken from. */
export interface QuotaSubject {
  /** The address that calls, as `sourceOf` gives it: an IPv4 address, or an IPv6 /64 network. */
  readonly source: string;
  /** undefined = anonymous: counted by source. */
  readonly user?: Pick<User, 'uid'> | undefined;
}

/** What came of asking for a count. */
export type QuotaOutcome =
  | {
      readonly isGranted: true;
      readonly state: QuotaState;
      /** Says what was taken, so that it can be given back. */
      readonly receipt: QuotaReceipt;
    }
  | {
      readonly isGranted: false;
      readonly state: QuotaState;
      /** Whole seconds until a further request can be granted, at least 1. */
      readonly retryAfterS: number;
      /** For people: which limit it is and when it ends. */
      readonly message: string;
    };

/** Where a subject stands in the window that bounds its next request, for RateLimit headers. */
export interface QuotaState {
  /** `day`: the day's quota. `minute`: the day's is used up, or there is none, and credits pay. */
  readonly window: 'day' | 'minute';
  /** Requests that the window allows. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window begins anew, at least 1. */
  readonly resetS: number;
}

/** Counts what is used of a module. */
export interface Quotas {
  /**
   * Takes one count, exactly, however many ask at once; it is on disk when the promise resolves. Rejects with DataError
   * `unwritable` where the disk takes nothing more; then nothing was taken.
   */
  take(module: QuotaModule, subject: QuotaSubject): Promise<QuotaOutcome>;
  /** Tells where a subject stands without taking anything. */
  look(module: QuotaModule, subject: QuotaSubject): Promise<QuotaState>;
  /** Gives a count back, once, that was taken for a request which failed through no fault of the caller. */
  giveBack(receipt: QuotaReceipt): Promise<void>;
  /** Books a payment and gives the plan that results. Throws DataError `invalid`; that the user exists is not checked. */
  grant(module: QuotaModule, uid: string, payment: GrantInput): Promise<Plan>;
  /** Gives what a user has paid for and used. */
  plan(module: QuotaModule, uid: string): Promise<Plan>;
  /** Adds the ledger up; of one user, or all of it. */
  check(query?: { readonly uid?: string }): Promise<LedgerReport>;
  /** Drops counters of past days and merges old entries of the ledger; also done at each turn of the day. */
  tidy(): Promise<void>;
}
