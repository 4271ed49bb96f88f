import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import {
  forgetIndexes,
  openSegment,
  peekSegmentValue,
  readSegmentValue,
  removeStaleTemporary,
  type Segment,
  type SegmentEntry,
  type SegmentIndex,
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

/**
 * A segment is written when this much is waiting, so that a killed build does not lose all of its work. What waits is not read from
 * the disk.
 */
const FLUSH_BYTES = 32_000_000;
/** Above this many segments the small ones are merged into one. */
const MAX_SEGMENTS = 24;
const SMALL_SEGMENT_BYTES = 4_000_000;
/** Precision of the time of last use. */
const TOUCH_MS = 3_600_000;
const SEGMENT_NAME = /^[0-9a-f]{24}\.seg$/;

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
  const segments = new Map<SegmentIndex, Segment>();
  const values = new Map<string, SegmentEntry>();
  const used = new Set<SegmentIndex>();
  const damaged = new Set<SegmentIndex>();
  let pending = new Map<string, Buffer>();
  let pendingBytes = 0;
  let failure: Error | undefined;
  let isClosed = false;

  load();
  return {
    isEmpty: values.size === 0,
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
      for (const { fd } of segments.values()) closeSync(fd);
      isClosed = true;
      return failure;
    },
  };

  function has(key: string): boolean {
    // The caller relies on the answer, so the value is read once to verify it.
    return !isClosed && (pending.has(key) || isVerified(key) || readKept(key, peekSegmentValue) !== undefined);
  }

  function isVerified(key: string): boolean {
    const entry = values.get(key);
    if (!entry?.isVerified) return false;
    used.add(entry.index);
    return true;
  }

  function readKept(key: string, read: typeof readSegmentValue): Buffer | undefined {
    const entry = values.get(key);
    if (!entry) return undefined;
    const value = read(segments.get(entry.index)!, entry);
    if (value) used.add(entry.index);
    else {
      values.delete(key);
      damaged.add(entry.index);
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
      forgetIndexes(folder, new Set([...segments.values()].map(({ path }) => path)));
    });
  }

  /** Intact values of a damaged segment are copied to a new one. */
  function saveFromDamaged(): void {
    if (damaged.size === 0) return;
    for (const [key, { index }] of values) {
      const value = damaged.has(index) ? readKept(key, readSegmentValue) : undefined;
      if (value) pending.set(key, value);
    }
    for (const index of damaged) drop(index);
  }

  function add(path: string): Segment | undefined {
    const opened = openSegment(path);
    if (opened === 'damaged') rmSync(path, { force: true });
    if (opened === undefined || opened === 'damaged') return undefined;
    segments.set(opened.index, opened);
    for (const [key, entry] of opened.index) values.set(key, entry);
    return opened;
  }

  function flush(): void {
    // After a failure, e.g. a full disk, new values are kept in memory only.
    if (pending.size === 0 || failure) return;
    attempt(() => {
      const segment = write(pending);
      if (segment) used.add(segment.index);
      pending = new Map();
      pendingBytes = 0;
    });
  }

  function write(content: ReadonlyMap<string, Buffer>): Segment | undefined {
    const path = join(folder, `${randomBytes(12).toString('hex')}.seg`);
    writeSegment(path, content);
    return add(path);
  }

  function mergeSmall(): void {
    const small = [...segments.values()].filter(({ bytes }) => bytes < SMALL_SEGMENT_BYTES);
    if (segments.size <= MAX_SEGMENTS || small.length < 2) return;
    const chosen = new Map(small.map((segment) => [segment.index, segment]));
    const content = new Map<string, Buffer>();
    for (const [key, entry] of values) {
      const segment = chosen.get(entry.index);
      const value = segment && readSegmentValue(segment, entry);
      if (value) content.set(key, value);
    }
    const merged = write(content);
    if (merged) used.add(merged.index);
    for (const segment of small) remove(segment);
  }

  function prune(): void {
    const at = new Date(now());
    for (const index of used) {
      const segment = segments.get(index);
      if (!segment || at.getTime() - segment.mtimeMs < TOUCH_MS) continue;
      // Another build may have merged or pruned the file meanwhile.
      if (existsSync(segment.path)) utimesSync(segment.path, at, at);
    }
    let total = 0;
    const newestFirst = [...segments.values()].sort(
      (a, b) => Number(used.has(b.index)) - Number(used.has(a.index)) || b.mtimeMs - a.mtimeMs,
    );
    for (const segment of newestFirst) {
      if (total + segment.bytes > maxBytes) remove(segment);
      else total += segment.bytes;
    }
  }

  function drop(index: SegmentIndex): void {
    for (const [key, entry] of values) if (entry.index === index) values.delete(key);
    remove(segments.get(index)!);
  }

  function remove(segment: Segment): void {
    if (!segments.delete(segment.index)) return;
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
