import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import {
  openSegment,
  peekSegmentValue,
  readSegmentValue,
  removeStaleTemporary,
  type Segment,
  type SegmentEntry,
  writeSegment,
} from './segment.ts';

/** Values on disk by key; safe to lose at any time. */
export interface EntryStore {
  /**
   * Returns what `decode` makes of the value kept under a key (40 hex digits), or undefined when there is none or it is damaged.
   * The bytes are overwritten later: `decode` must not keep them.
   */
  read<T>(key: string, decode: (value: Buffer) => T): T | undefined;
  /** Returns whether `read` will find a value until the store is closed. */
  has(key: string): boolean;
  /** Whether nothing was kept when the store was opened. */
  readonly isEmpty: boolean;
  set(key: string, value: Buffer): void;
  /** Writes new values, enforces the size limit and closes. Returns the reason if writing fails. */
  close(): Error | undefined;
}

/** A segment is written when this much is waiting, so that a killed build does not lose all of its work. */
const FLUSH_BYTES = 16_000_000;
/** Above this many segments the small ones are merged into one. */
const MAX_SEGMENTS = 24;
const SMALL_SEGMENT_BYTES = 4_000_000;
/** Precision of the time of last use. */
const TOUCH_MS = 3_600_000;
const SEGMENT_NAME = /^[0-9a-f]{24}\.seg$/;

/**
 * Verified entries: keys of values that this process has verified, by the state of their segment's file. A server that
 * builds a site again need not read every value again.
 */
const verifiedEntries = createBoundedMap<string, Set<string>>({ maxEntries: 64 });

/**
 * Opens the store kept in `folder` (made when missing), which may grow to `maxBytes`; the segments unused for longest go
 * first. Each build adds new files and changes none, so builds may share a store; damaged files are deleted.
 */
export function openEntryStore(options: {
  readonly folder: string;
  readonly maxBytes: number;
  readonly now?: () => number;
}): EntryStore {
  const { folder, maxBytes, now = Date.now } = options;
  const segments = new Set<Segment>();
  const entries = new Map<string, SegmentEntry>();
  const used = new Set<Segment>();
  const damaged = new Set<Segment>();
  let pending = new Map<string, Buffer>();
  let pendingBytes = 0;
  let failure: Error | undefined;
  let isClosed = false;

  load();
  return {
    isEmpty: entries.size === 0,
    read(key, decode) {
      // A failed build may still read; the descriptors may belong to other files by now.
      const value = isClosed ? undefined : (pending.get(key) ?? readKept(key, peekSegmentValue));
      return value && decode(value);
    },
    has,
    set(key, value) {
      if (isClosed || has(key)) return;
      pending.set(key, value);
      pendingBytes += value.length;
      if (pendingBytes >= FLUSH_BYTES) flush();
    },
    close() {
      if (isClosed) return failure;
      attempt(saveFromDamaged);
      flush();
      attempt(mergeSmall);
      attempt(prune);
      for (const segment of segments) closeSync(segment.fd);
      isClosed = true;
      return failure;
    },
  };

  function has(key: string): boolean {
    // The caller relies on the answer, so the value is read once to verify it.
    return !isClosed && (pending.has(key) || isVerified(key) || readKept(key, peekSegmentValue) !== undefined);
  }

  function isVerified(key: string): boolean {
    const entry = entries.get(key);
    if (!entry) return false;
    const { segment } = entry;
    // Marked as used once a build: it is asked for every page of every version.
    const verified = used.has(segment) ? verifiedEntries.peek(segment.state) : verifiedEntries.get(segment.state);
    if (!verified?.has(key)) return false;
    used.add(segment);
    return true;
  }

  function readKept(key: string, readValue: typeof readSegmentValue): Buffer | undefined {
    const entry = entries.get(key);
    if (!entry) return undefined;
    const value = readValue(entry);
    if (value) {
      used.add(entry.segment);
      const { state } = entry.segment;
      verifiedEntries.set(state, (verifiedEntries.get(state) ?? new Set()).add(key));
    } else {
      entries.delete(key);
      verifiedEntries.get(entry.segment.state)?.delete(key);
      damaged.add(entry.segment);
    }
    return value;
  }

  function load(): void {
    attempt(() => {
      mkdirSync(folder, { recursive: true });
      for (const name of readdirSync(folder).sort()) {
        const path = join(folder, name);
        if (SEGMENT_NAME.test(name)) add(path);
        else if (name.endsWith('.tmp')) removeStaleTemporary(path, now());
      }
    });
  }

  /** Intact values of a damaged segment are copied to a new one. */
  function saveFromDamaged(): void {
    if (damaged.size === 0) return;
    for (const [key, { segment }] of entries) {
      const value = damaged.has(segment) ? readKept(key, readSegmentValue) : undefined;
      if (value) pending.set(key, value);
    }
    for (const segment of damaged) drop(segment);
  }

  function add(path: string): Segment | undefined {
    const opened = openSegment(path);
    if (opened === 'damaged') rmSync(path, { force: true });
    if (opened === undefined || opened === 'damaged') return undefined;
    segments.add(opened.segment);
    for (const [key, entry] of opened.entries) entries.set(key, entry);
    return opened.segment;
  }

  function flush(): void {
    // After a failure, e.g. a full disk, new values are kept in memory only.
    if (pending.size === 0 || failure) return;
    attempt(() => {
      const segment = write(pending);
      if (segment) used.add(segment);
      pending = new Map();
      pendingBytes = 0;
    });
  }

  function write(values: ReadonlyMap<string, Buffer>): Segment | undefined {
    const path = join(folder, `${randomBytes(12).toString('hex')}.seg`);
    writeSegment(path, values);
    return add(path);
  }

  function mergeSmall(): void {
    const small = [...segments].filter((segment) => segment.bytes < SMALL_SEGMENT_BYTES);
    if (segments.size <= MAX_SEGMENTS || small.length < 2) return;
    const chosen = new Set(small);
    const values = new Map<string, Buffer>();
    for (const [key, entry] of entries) {
      const value = chosen.has(entry.segment) ? readSegmentValue(entry) : undefined;
      if (value) values.set(key, value);
    }
    const merged = write(values);
    if (merged) used.add(merged);
    for (const segment of small) remove(segment);
  }

  function prune(): void {
    const at = new Date(now());
    for (const segment of used) {
      if (at.getTime() - segment.mtimeMs < TOUCH_MS) continue;
      // Another build may have merged or pruned the file meanwhile.
      if (segments.has(segment) && existsSync(segment.path)) utimesSync(segment.path, at, at);
    }
    let total = 0;
    const newestFirst = [...segments].sort(
      (a, b) => Number(used.has(b)) - Number(used.has(a)) || b.mtimeMs - a.mtimeMs,
    );
    for (const segment of newestFirst) {
      if (total + segment.bytes > maxBytes) remove(segment);
      else total += segment.bytes;
    }
  }

  function drop(segment: Segment): void {
    for (const [key, entry] of entries) if (entry.segment === segment) entries.delete(key);
    remove(segment);
  }

  function remove(segment: Segment): void {
    if (!segments.delete(segment)) return;
    closeSync(segment.fd);
    rmSync(segment.path, { force: true });
  }

  function attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      failure ??= error as Error;
    }
  }
}
