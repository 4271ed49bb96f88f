import * as z from 'zod';
import { defineCollection, type RecordOf } from '../collection.ts';
import { type Database, type Step, tx } from '../transaction.ts';

const schema = z.object({
  /** Sorts by the order in which entries were made, whatever the clock said, see `createEntryId`. */
  id: z.string().min(1),
  /** Time by the clock of the machine; ISO 8601, UTC. */
  at: z.iso.datetime(),
  /** Who did it: an account, `command line (root)`, `the server`. */
  actor: z.string().min(1).max(200),
  /** Of the account; '' = somebody without one. */
  uid: z.string().max(50),
  /** Address that the request came from; '' = this machine. */
  from: z.string().max(100),
  /** Name of an operation, or of another event. */
  action: z.string().min(1).max(50),
  /** The object of the action: a uid, a project, a code, an address; '' = the service. */
  target: z.string().max(300),
  /** Further values for people, never secrets; '' = none. */
  details: z.string().max(500),
  outcome: z.enum(['done', 'failed']),
  /** Of an entry that stands for several attempts; `details` then lists addresses besides `from`. */
  repeated: z.object({ count: z.int().min(2), lastAt: z.iso.datetime() }).optional(),
  /**
   * Who can make such entries, by which they are limited: anybody those of `attempts` (somebody claims to be an operator), every
   * user those of `others`.
   */
  group: z.enum(['operators', 'attempts', 'others']),
});

/** Who did what, when and from where. */
export interface AuditEntry extends RecordOf<typeof schema> {}

const orderOf = ({ id }: AuditEntry): string => id;

export const audit = defineCollection({
  name: 'audit',
  singular: 'audit entry',
  schema,
  keyOf: ({ id }) => id,
  indexes: {
    inOrder: { groupOf: () => '', orderOf },
    byGroup: { groupOf: ({ group }) => group, orderOf },
    byAction: { groupOf: ({ action }) => action, orderOf },
    byTarget: { groupOf: ({ target }) => target || undefined, orderOf },
  },
  // A service without its past is better than none; a damaged file is kept aside and reported.
  isExpendable: true,
  isWrittenFirst: true,
});

/** Selects entries: those that have all of these. */
export interface AuditQuery {
  /** Account or other name of who did it, or a uid. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** Only entries older than the one with this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** How long entries are kept, and how many. */
export interface AuditLife {
  readonly nowMs: number;
  readonly lifeMs: number;
  readonly longestGapMs: number;
  readonly keep: Readonly<Record<AuditEntry['group'], number>>;
}

/** Entries that are read at once where most of them may not be asked for. */
const PAGE = 1_000;

/** Creates the audit log's part of a store. */
export function createAuditStore(database: Database) {
  return {
    /** Returns entries, newest first. */
    list: (query: AuditQuery) => database.read(select(query)),
    async add(entry: AuditEntry) {
      const record = audit.parse(entry);
      await database.transact(() => tx.put(audit, record));
    },
    /**
     * Removes entries that have outlived `lifeMs`, and the oldest of each group beyond the number that is kept of it; at most
     * `limit` of each. Returns how many. The age of an entry is the time from each later entry to the next, and from the last one
     * to now, of which no more than `longestGapMs` each counts: a clock that is years ahead for a while makes nothing older than
     * that.
     */
    prune: ({ keep, limit, ...life }: AuditLife & { readonly limit: number }) =>
      database.transact(function* () {
        const before = yield* findOldestKept(life);
        let removed =
          before === undefined
            ? 0
            : yield* tx.removeAll(audit, yield* tx.list(audit.indexes.inOrder, '', { before, limit }));
        for (const [group, most] of Object.entries(keep)) {
          const surplus = Math.min(limit, (yield* tx.count(audit.indexes.byGroup, group)) - most);
          const oldest = yield* tx.list(audit.indexes.byGroup, group, { limit: surplus });
          removed += yield* tx.removeAll(audit, oldest);
        }
        return removed;
      }),
  };
}

/** Returns the id of the oldest entry that has not outlived its time; undefined where none has. */
function* findOldestKept(life: Omit<AuditLife, 'keep'>): Step<string | undefined> {
  const { nowMs, lifeMs, longestGapMs } = life;
  const { inOrder } = audit.indexes;
  const first = yield* tx.first(inOrder, '');
  // No entry is older than its clock says it is.
  if (!first || nowMs - Date.parse(first.at) <= lifeMs) return undefined;
  let ageMs = 0;
  let laterMs = nowMs;
  for (let last: string | undefined; ; ) {
    const page = yield* tx.list(inOrder, '', { before: last, isDescending: true, limit: PAGE });
    for (const { id, at } of page) {
      const atMs = Date.parse(at);
      ageMs += Math.min(Math.max(0, laterMs - atMs), longestGapMs);
      if (ageMs > lifeMs) return last;
      laterMs = atMs;
      last = id;
    }
    if (page.length < PAGE) return undefined;
  }
}

function* select({ actor, action, target, before, limit }: AuditQuery): Step<readonly AuditEntry[]> {
  const isWanted = (entry: AuditEntry): boolean =>
    (actor === undefined || isActor(entry, actor)) &&
    (action === undefined || entry.action === action) &&
    (target === undefined || entry.target === target);
  const { inOrder, byAction, byTarget } = audit.indexes;
  const [index, group] =
    target !== undefined && target !== ''
      ? [byTarget, target]
      : action !== undefined
        ? [byAction, action]
        : [inOrder, ''];
  const found: AuditEntry[] = [];
  for (let last = before; found.length < limit; ) {
    const page = yield* tx.list(index, group, { before: last, isDescending: true, limit: PAGE });
    for (const entry of page) if (found.length < limit && isWanted(entry)) found.push(entry);
    if (page.length < PAGE) break;
    last = page.at(-1)!.id;
  }
  return found;
}

/** Accepts the name of a system's user without `command line`, too. */
function isActor({ actor, uid }: AuditEntry, name: string): boolean {
  return actor === name || (name !== '' && uid === name) || actor === `command line (${name})`;
}

/** A database whose changes are accompanied by an entry. */
export interface RecordingDatabase extends Database {
  /** Returns whether something has changed, and the entry been written. */
  hasRecorded(): boolean;
}

/**
 * Returns a database that writes an entry with the first step that changes something, in the same transaction: both last or
 * neither does.
 */
export function recordChanges(database: Database, entry: AuditEntry): RecordingDatabase {
  const record = audit.parse(entry);
  let isRecorded = false;
  return {
    read: (step) => database.read(step),
    async transact<T>(step: () => Step<T>): Promise<T> {
      if (isRecorded) return database.transact(step);
      let isChanged = false;
      const value = await database.transact(function* () {
        isChanged = false;
        const result = yield* watch(step(), () => {
          isChanged = true;
        });
        if (isChanged) yield* tx.put(audit, record);
        return result;
      });
      isRecorded ||= isChanged;
      return value;
    },
    hasRecorded: () => isRecorded,
  };
}

/** Runs a step and calls `onChange` for what it puts, and for what it removes if that exists. */
function* watch<T>(step: Step<T>, onChange: () => void): Step<T> {
  let next = step.next();
  while (!next.done) {
    const { kind } = next.value;
    const answer: unknown = yield next.value;
    if (kind === 'put' || (kind === 'remove' && answer !== undefined)) onChange();
    next = step.next(answer);
  }
  return next.value;
}
