import { DataError } from '../../data/data-error.ts';
import type { SetLimit } from '../../data/records/limit.ts';
import type { Store } from '../../data/store.ts';
import { type BoundedMap, createBoundedMap } from '../../lib/bounded-map.ts';
import { callAfter } from '../../lib/call-after.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { changeConfig, checkNumbers, readDefault } from '../config/change-config.ts';
import { isLive, pickValue, type ReplaceableSettings } from '../config/settings.ts';
import { LIMIT_TABLE, type LimitRow } from './limit-table.ts';

/** A limit and how it stands in this process. */
export interface LimitReport {
  readonly name: string;
  readonly group: Phrase;
  readonly title: Phrase | string;
  /** The key of the configuration; '' = nothing sets it. */
  readonly key: string;
  /** The value in force; undefined = the configuration leaves it open, or it is not known. */
  readonly value: number | undefined;
  /** The default. */
  readonly usual: number | undefined;
  /** Who has set it in the store, and when (ISO 8601, UTC); undefined where the configuration decides. */
  readonly set: Omit<SetLimit, 'value'> | undefined;
  /** A change takes effect at once; otherwise after a restart. */
  readonly isLive: boolean;
  /** Who has met it; of a name that has several limits, with the first. Undefined = nobody, since the process began. */
  readonly refused: RefusalReport | undefined;
}

/** Who has met a limit lately. */
export interface RefusalReport {
  /** How many callers have to wait now. */
  readonly callers: number;
  /** Some of them, those refused last first: addresses, as blocks name them. */
  readonly who: readonly { readonly caller: string; readonly calls: number; readonly until: string }[];
  /** Refused calls in the last hour. */
  readonly lastHour: number;
}

/** All limits: what they are, who meets them, and how they are set. */
export interface Limits {
  /** Notes that a caller was refused under the name of a limit, and has to wait so many seconds. */
  note(name: string, refusal: { readonly caller: string; readonly waitS: number }): void;
  list(): readonly LimitReport[];
  /** Whether they are written into a configuration file; otherwise they are stored, and hold instead of what any configuration says. */
  readonly isInFile: boolean;
  /**
   * Sets limits, by their keys, in the name of `by`, and lets those hold at once that can, with several nodes within seconds at all
   * of them; undefined restores what holds otherwise. Returns the keys that take effect after a restart. Throws DataError
   * `invalid` for another key or value, `unwritable` where the file, or the store, cannot be written.
   */
  set(values: ReadonlyMap<string, number | undefined>, by: string): Promise<readonly string[]>;
  /** Lets the limits hold that are stored, and from then on those that other nodes set. */
  follow(): Promise<void>;
  stop(): Promise<void>;
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
/** A caller is at a limit for at least so long after it was refused. */
const LEAST_WAIT_MS = 10_000;
const MAX_CALLERS = 1_000;
const SHOWN_CALLERS = 10;
/** Names without a row that are kept. */
const MAX_NAMES = 200;
const OTHERS = phrase`Others`;
/** How often a node looks for what others have set. */
const FOLLOW_MS = 2_000;

/** Refusals under one name. */
interface Refusals {
  readonly callers: BoundedMap<string, { readonly calls: number; readonly untilMs: number }>;
  /** Refused calls by minute. */
  readonly minutes: Map<number, number>;
}

/** Creates the limits of a process. */
export function createLimits({
  settings,
  file,
  store,
  hasOtherNodes,
  now,
  onWarning,
  onError,
}: {
  readonly settings: ReplaceableSettings;
  /** The configuration that limits are written into; undefined = they are stored. */
  readonly file: string | undefined;
  readonly store: Store['limits'];
  /** Others may set limits, too. */
  readonly hasOtherNodes: boolean;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
}): Limits {
  const known = createBoundedMap<string, Refusals>({ maxEntries: MAX_NAMES });
  const keys = new Set(LIMIT_TABLE.flatMap(({ value }) => ('key' in value ? [value.key] : [])));
  let stored: Awaited<ReturnType<typeof store.read>> = {};
  let cancelLook = (): void => {};
  let looking: Promise<void> | undefined;
  let isStopped = false;
  /** Changes and looks have their turns, so that what was read before a change does not hold after it. */
  const turns = createKeyedQueue();

  const apply = (next: typeof stored, options?: { readonly isStart: boolean }): void => {
    const numbers = new Map<string, number>();
    for (const [key, { value, at }] of Object.entries(next)) {
      // Of a later version, perhaps.
      if (!keys.has(key)) continue;
      try {
        checkNumbers(new Map([[key, value]]));
        numbers.set(key, value);
      } catch (error) {
        if (stored[key]?.at !== at) onWarning(`The limit that is stored is not used: ${(error as Error).message}`);
      }
    }
    stored = next;
    settings.override(numbers, options);
  };
  const look = async (): Promise<void> => {
    try {
      await turns.run('', async () => apply(await store.read()));
    } catch (error) {
      // A database that does not answer has been reported; until it does, what it had holds.
      if (!(error instanceof DataError)) onError(error);
    }
    if (!isStopped) plan();
  };
  const plan = (): void => {
    cancelLook = callAfter(FOLLOW_MS, () => {
      looking = look();
    });
  };

  const report = ({ callers, minutes }: Refusals): RefusalReport => {
    const nowMs = now().getTime();
    const waiting = [...callers.entries()].filter(([, { untilMs }]) => untilMs > nowMs);
    const oldest = Math.floor(nowMs / MINUTE_MS) - HOUR_MINUTES;
    const lastHour = [...minutes].reduce((sum, [minute, calls]) => (minute > oldest ? sum + calls : sum), 0);
    return {
      callers: waiting.length,
      who: waiting
        .slice(0, SHOWN_CALLERS)
        .map(([caller, { calls, untilMs }]) => ({ caller, calls, until: new Date(untilMs).toISOString() })),
      lastHour,
    };
  };
  const present = (row: LimitRow, isFirst: boolean): LimitReport => {
    const { name, group, title, value } = row;
    const refusals = isFirst ? known.peek(name) : undefined;
    const refused = refusals && report(refusals);
    if ('fixed' in value) {
      const { fixed } = value;
      return { name, group, title, key: '', value: fixed, usual: fixed, set: undefined, isLive: false, refused };
    }
    const { key } = value;
    const { by, at } = stored[key] ?? {};
    return {
      name,
      group,
      title,
      key,
      set: by === undefined || at === undefined ? undefined : { by, at },
      isLive: isLive(key),
      refused,
      value: pickValue(settings.current(), key),
      usual: readDefault(key),
    };
  };

  return {
    note(name, { caller, waitS }) {
      const refusals = known.get(name) ?? {
        callers: createBoundedMap({ maxEntries: MAX_CALLERS }),
        minutes: new Map<number, number>(),
      };
      known.set(name, refusals);
      const nowMs = now().getTime();
      const before = refusals.callers.peek(caller);
      const untilMs = nowMs + Math.max(LEAST_WAIT_MS, waitS * 1_000 || 0);
      refusals.callers.set(caller, {
        calls: before && before.untilMs > nowMs ? before.calls + 1 : 1,
        untilMs: Math.max(before?.untilMs ?? 0, untilMs),
      });
      const minute = Math.floor(nowMs / MINUTE_MS);
      refusals.minutes.set(minute, (refusals.minutes.get(minute) ?? 0) + 1);
      for (const old of refusals.minutes.keys()) if (old <= minute - HOUR_MINUTES) refusals.minutes.delete(old);
    },
    list() {
      const seen = new Set<string>();
      const rows = LIMIT_TABLE.map((row) => {
        const isFirst = !seen.has(row.name);
        seen.add(row.name);
        return present(row, isFirst);
      });
      const others = [...known.entries()].filter(([name]) => !seen.has(name));
      return [
        ...rows,
        ...others.map(([name, refusals]) => ({
          name,
          group: OTHERS,
          title: name,
          key: '',
          value: undefined,
          usual: undefined,
          set: undefined,
          isLive: false,
          refused: report(refusals),
        })),
      ];
    },
    isInFile: file !== undefined,
    async set(values, by) {
      const unknown = [...values.keys()].find((key) => !keys.has(key));
      if (unknown !== undefined)
        throw new DataError('invalid', phrase`"${unknown.slice(0, 100)}" is not the key of a limit`);
      const changes = [...values];
      return turns.run('', async () => {
        if (file !== undefined) {
          const config = await changeConfig(file, values);
          // What was stored before there was a file would hold instead.
          const old = changes.filter(([key]) => stored[key] !== undefined);
          if (old.length > 0) apply(await store.change(new Map(old.map(([key]) => [key, undefined]))));
          return settings.replaceKeys(config, [...values.keys()]).waiting;
        }
        checkNumbers(new Map(changes.filter((change): change is [string, number] => change[1] !== undefined)));
        const at = now().toISOString();
        const records = changes.map(([key, value]) => [key, value === undefined ? value : { value, by, at }] as const);
        apply(await store.change(new Map(records)));
        return [...values.keys()].filter((key) => !isLive(key));
      });
    },
    async follow() {
      await turns.run('', async () => apply(await store.read(), { isStart: true }));
      if (hasOtherNodes) plan();
    },
    async stop() {
      isStopped = true;
      cancelLook();
      await looking;
    },
  };
}
