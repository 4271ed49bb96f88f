import type { AuditEntry } from '../../data/records/audit-entry.ts';
import { createEntryId } from '../../data/records/entry-id.ts';
import type { Records, Store } from '../../data/store.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';

/** Who does something. */
export interface Actor {
  /** `user`: an account, logged in or trying to. `command`: a command on this machine. `server`: the service itself. */
  readonly kind: 'user' | 'command' | 'server';
  /** The account, or the name of the system's user. */
  readonly name: string;
  /** Of the account; '' = none. */
  readonly uid: string;
  /** Address of the request; '' = this machine. */
  readonly from: string;
  /** Has shown to be an operator, or to be at this machine. */
  readonly isOperator: boolean;
}

/** The actor of everything that nobody in particular does. */
export const SERVER: Actor = { kind: 'server', name: '', uid: '', from: '', isOperator: true };

/** An action to record. */
export interface AuditEvent {
  readonly actor: Actor;
  /** Name of an operation, or another one in the same style: `logIn`. */
  readonly action: string;
  readonly target?: string;
  /** Never secrets. */
  readonly details?: string;
}

/** The log of who changed what; kept for 90 days in which something was entered at least each week. */
export interface Audit {
  /**
   * Does work with records whose first change is stored together with the entry: what cannot be recorded does not happen. Work
   * that changes nothing leaves no entry; work that fails after its first change leaves one that says so.
   */
  record<T>(event: AuditEvent, work: (store: Records) => Promise<T>): Promise<T>;
  /** Does work that changes other things than records, or does not do it where the entry cannot be written. */
  announce<T>(event: AuditEvent, work: () => Promise<T>): Promise<T>;
  /** Adds the entry of something that has happened. */
  add(event: AuditEvent, outcome?: AuditEntry['outcome']): Promise<void>;
  /** Adds a failed attempt to act as the operator that is named; attempts on the same one within an hour are one entry. */
  addAttempt(event: AuditEvent): Promise<void>;
  /** Returns entries, newest first. */
  readonly list: Store['audit']['list'];
  /** Removes entries that have outlived their time, and those beyond the number that is kept. */
  prune(): Promise<void>;
}

const DAY_MS = 86_400_000;
const LIFE_MS = 90 * DAY_MS;
/** The longest time between two entries that counts: the clock may have been wrong between them. */
const LONGEST_GAP_MS = 7 * DAY_MS;
/** Entries that are kept of each group at most: each new one writes the collection. */
const KEEP: Readonly<Record<AuditEntry['group'], number>> = { operators: 20_000, attempts: 5_000, others: 5_000 };
/** An entry of attempts takes up those that follow within it. */
const JOIN_MS = 3_600_000;
/** Operators whose attempts are joined, and addresses that such an entry lists. */
const MAX_JOINED = 1_000;
const MAX_ADDRESSES = 10;
/** Records that one step of pruning removes. */
const PRUNE_LIMIT = 500;
/** Entries after which the numbers are looked at again. */
const PRUNE_EVERY = 500;
const MAX_LENGTHS = { actor: 200, from: 100, target: 300, details: 500 } as const;

/** Creates the log that a store keeps. */
export function createAudit(context: {
  readonly store: Pick<Store, 'audit' | 'recording'>;
  readonly now: () => Date;
  /** Is told what fails in the background. */
  readonly onError: (error: unknown) => void;
}): Audit {
  const { store, now, onError } = context;
  /** The newest entries, by operator and action. */
  const attempts = createBoundedMap<string, AuditEntry>({ maxEntries: MAX_JOINED });
  let added = 0;

  const prune = async (): Promise<void> => {
    const life = { nowMs: now().getTime(), lifeMs: LIFE_MS, longestGapMs: LONGEST_GAP_MS, keep: KEEP };
    while ((await store.audit.prune({ ...life, limit: PRUNE_LIMIT })) >= PRUNE_LIMIT);
  };
  const create = (event: AuditEvent, outcome: AuditEntry['outcome'] = 'done'): AuditEntry => {
    if (++added % PRUNE_EVERY === 0) prune().catch(onError);
    return presentEvent(event, { atMs: now().getTime(), outcome });
  };
  const markFailed = (entry: AuditEntry): Promise<void> =>
    store.audit.add({ ...entry, outcome: 'failed' }).catch(onError);

  return {
    async record(event, work) {
      const entry = create(event);
      const recording = store.recording(entry);
      try {
        return await work(recording);
      } catch (error) {
        if (recording.hasRecorded()) await markFailed(entry);
        throw error;
      }
    },
    async announce(event, work) {
      const entry = create(event);
      await store.audit.add(entry);
      try {
        return await work();
      } catch (error) {
        await markFailed(entry);
        throw error;
      }
    },
    add: (event, outcome) => store.audit.add(create(event, outcome)),
    addAttempt(event) {
      const key = `${event.actor.uid} ${event.action}`;
      const known = attempts.get(key);
      const isJoined = known !== undefined && Math.abs(now().getTime() - Date.parse(known.at)) < JOIN_MS;
      const entry = isJoined
        ? joinAttempt(known, { lastAt: now().toISOString(), from: event.actor.from })
        : { ...create(event, 'failed'), group: 'attempts' as const };
      attempts.set(key, entry);
      return store.audit.add(entry);
    },
    list: (query) => store.audit.list(query),
    prune,
  };
}

/** Returns the name of an actor as records keep it; no account has spaces. */
export function nameActor({ kind, name }: Actor): string {
  return kind === 'user' ? name : kind === 'server' ? 'the server' : `command line (${name})`;
}

/** Returns the name of an actor in records as a phrase where programs made it, and as it is where it is an account. */
export function readActor(name: string): Phrase | string {
  if (name === 'the server') return phrase`the server`;
  const user = /^command line \((.*)\)$/s.exec(name)?.[1];
  return user === undefined ? name : phrase`command line (${user})`;
}

function presentEvent(
  { actor, action, target = '', details = '' }: AuditEvent,
  { atMs, outcome }: { readonly atMs: number; readonly outcome: AuditEntry['outcome'] },
): AuditEntry {
  return {
    id: createEntryId(atMs),
    at: new Date(atMs).toISOString(),
    actor: nameActor(actor).slice(0, MAX_LENGTHS.actor),
    uid: actor.uid,
    from: actor.from.slice(0, MAX_LENGTHS.from),
    action,
    target: target.slice(0, MAX_LENGTHS.target),
    details: details.slice(0, MAX_LENGTHS.details),
    outcome,
    repeated: undefined,
    group: actor.isOperator ? 'operators' : 'others',
  };
}

/** Returns an entry with one attempt more. */
function joinAttempt(
  entry: AuditEntry,
  { lastAt, from }: { readonly lastAt: string; readonly from: string },
): AuditEntry {
  const others = entry.details === '' ? [] : entry.details.split(', ');
  const isListed = from === entry.from || others.includes(from) || others.length > MAX_ADDRESSES;
  const added = isListed ? [] : [others.length < MAX_ADDRESSES ? from : '…'];
  const details = [...others, ...added].join(', ').slice(0, MAX_LENGTHS.details);
  return { ...entry, details, repeated: { count: (entry.repeated?.count ?? 1) + 1, lastAt } };
}
