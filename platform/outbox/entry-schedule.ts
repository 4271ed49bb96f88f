import type { OutboxEntry } from '../../data/records/outbox-entry.ts';
import { LONGEST_REST_MS } from './receiver-rest.ts';

/** When a receiver is told; nothing is noted without a URL. */
export interface ReceiverSettings {
  readonly url: string;
  /** When it is told once more, in s; 0 = it is not. */
  readonly again_s: number;
  /** How long it may keep what it has, in s: for so long, and for a day at least, it is told again where it refuses. */
  readonly keep_s: number;
}

/** What the receiver is to be told of a project. */
export interface EntryRequest {
  readonly project: string;
  /** The site that readers get, see `SiteStorage.identify`. */
  readonly site: string;
  /** Addresses of the site. */
  readonly urls: readonly string[];
  readonly time: Date;
  /** How long after that it is sent, ms. */
  readonly afterMs: number;
  /** The receiver is told also if that is the site that it was told of last. */
  readonly isForced: boolean;
}

/** An attempt to tell the receiver of an entry. */
export interface EntryAttempt {
  /** The entry as it was sent. */
  readonly sent: OutboxEntry;
  readonly time: Date;
  /** Why it failed, '' = it did not. */
  readonly failure: string;
  /** How long until the next one where it failed, ms. */
  readonly pauseMs: number;
  /** There is no next one where it failed. */
  readonly isGivenUp: boolean;
  /** There is no such project any more. */
  readonly isGone: boolean;
}

/** What fails for as long as the receiver keeps anything, and for a day at least, is given up. */
const LEAST_PATIENCE_S = 86_400;
/** Addresses of a site that are remembered. */
const MAX_URLS = 10;

/** Returns the entry after a request; `old` is the one from before. */
export function requestEntry(
  old: OutboxEntry | undefined,
  { project, site, urls, time, afterMs, isForced }: EntryRequest,
  { again_s }: ReceiverSettings,
): OutboxEntry {
  if (old?.site === site && !isForced) return old;
  // What waits for longer is not put off.
  const nextAt = addMs(time, afterMs);
  return {
    project,
    site,
    left: again_s > 0 ? 2 : 1,
    failures: 0,
    failure: old?.failure ?? '',
    deliveredAt: old?.deliveredAt ?? '',
    requests: (old?.requests ?? 0) + 1,
    at: time.toISOString(),
    nextAt: old && old.nextAt !== '' && old.nextAt < nextAt ? old.nextAt : nextAt,
    urls: [...new Set([...urls, ...(old?.urls ?? [])])].slice(0, MAX_URLS),
  };
}

/** Returns an entry that is sent now if it was to be sent later, unless that is because an attempt has failed. */
export function hastenEntry(old: OutboxEntry | undefined, time: Date): OutboxEntry | undefined {
  const nextAt = time.toISOString();
  const isHeld = old && old.nextAt > nextAt && old.failures === 0;
  return isHeld ? { ...old, nextAt } : old;
}

/** Returns whether an entry that waits is to be sent. */
export function isDue({ nextAt }: OutboxEntry, time: Date, { again_s }: ReceiverSettings): boolean {
  const waitMs = Date.parse(nextAt) - time.getTime();
  // None is due later than that: the clock was ahead when it was planned.
  return waitMs <= 0 || waitMs > Math.max(LONGEST_REST_MS, again_s * 1_000);
}

/** Returns whether an entry is old enough to be given up after a failure. */
export function isTooOld({ at }: OutboxEntry, time: Date, { keep_s }: ReceiverSettings): boolean {
  return Date.parse(at) < time.getTime() - Math.max(keep_s, LEAST_PATIENCE_S) * 1_000;
}

/** Returns what an attempt leaves of an entry; undefined = nothing needs to be known of it any more. */
export function concludeEntry(
  entry: OutboxEntry | undefined,
  { sent, time, failure, pauseMs, isGivenUp, isGone }: EntryAttempt,
  { again_s }: ReceiverSettings,
): OutboxEntry | undefined {
  // Something has changed while this was sent, and is sent, too.
  if (entry?.requests !== sent.requests) return entry;
  if (failure !== '') {
    if (isGivenUp && isGone) return undefined;
    return { ...entry, nextAt: isGivenUp ? '' : addMs(time, pauseMs), failure, failures: entry.failures + 1 };
  }
  const left = entry.left - 1;
  if (left <= 0 && isGone) return undefined;
  const nextAt = left > 0 ? addMs(time, again_s * 1_000) : '';
  return { ...entry, left, nextAt, failure: '', failures: 0, deliveredAt: time.toISOString() };
}

/** Returns what came of a request: why it failed, '' = it did not; undefined while nothing has. */
export function findOutcome(requested: OutboxEntry | undefined, entry: OutboxEntry | undefined): string | undefined {
  if (!entry) return '';
  if (entry.deliveredAt !== requested?.deliveredAt) return '';
  if (entry.requests === requested.requests && entry.left < requested.left) return '';
  return entry.failures > 0 ? entry.failure : undefined;
}

function addMs(time: Date, ms: number): string {
  return new Date(time.getTime() + ms).toISOString();
}
