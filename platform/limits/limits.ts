import { DataError } from '../../data/data-error.ts';
import { type BoundedMap, createBoundedMap } from '../../lib/bounded-map.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { changeConfig, readDefault } from '../config/change-config.ts';
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
  /** Why this process cannot change them; undefined where it can. */
  readonly locked: string | Phrase | undefined;
  /**
   * Writes limits, by their keys, into the configuration file, and lets those hold at once that can; undefined restores what
   * holds without it. Returns the keys that take effect after a restart. Throws DataError `invalid` for another key or value,
   * `unwritable` where there is no file that can be written.
   */
  set(values: ReadonlyMap<string, number | undefined>): Promise<readonly string[]>;
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

/** Refusals under one name. */
interface Refusals {
  readonly callers: BoundedMap<string, { readonly calls: number; readonly untilMs: number }>;
  /** Refused calls by minute. */
  readonly minutes: Map<number, number>;
}

/** Creates the limits of a process; `file` is the configuration that it has read, undefined where there is none that it may change. */
export function createLimits({
  settings,
  file,
  now,
}: {
  readonly settings: ReplaceableSettings;
  readonly file: { readonly path: string } | { readonly missing: string | Phrase };
  readonly now: () => Date;
}): Limits {
  const known = createBoundedMap<string, Refusals>({ maxEntries: MAX_NAMES });
  const keys = new Set(LIMIT_TABLE.flatMap(({ value }) => ('key' in value ? [value.key] : [])));

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
      return { name, group, title, key: '', value: value.fixed, usual: value.fixed, isLive: false, refused };
    }
    const { key } = value;
    return {
      name,
      group,
      title,
      key,
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
          isLive: false,
          refused: report(refusals),
        })),
      ];
    },
    locked: 'missing' in file ? file.missing : undefined,
    async set(values) {
      const unknown = [...values.keys()].find((key) => !keys.has(key));
      if (unknown !== undefined)
        throw new DataError('invalid', phrase`"${unknown.slice(0, 100)}" is not the key of a limit`);
      if ('missing' in file) throw new DataError('unwritable', file.missing);
      const config = await changeConfig(file.path, values);
      const { waiting } = settings.replaceKeys(config, [...values.keys()]);
      return waiting;
    },
  };
}
