import { randomBytes } from 'node:crypto';

const MAX_COUNT = 0xff_ff;
let lastMs = 0;
let count = 0;

/** Matches the id of an audit entry. */
export const ENTRY_ID = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{4})[0-9a-f]{8}$/;

/**
 * Returns an id for an audit entry: a time (ISO 8601, UTC, with milliseconds), a counter and chance in 12 hex digits. Ids of one
 * process sort in the order of creation, also when the clock was ahead and is set back: the time is then that of the entry
 * before. After those of the previous process, see `startEntryIdsBehind`.
 */
export function createEntryId(nowMs: number): string {
  const isLater = nowMs > lastMs;
  const isFull = !isLater && count === MAX_COUNT;
  count = isLater || isFull ? 0 : count + 1;
  lastMs = isLater ? nowMs : lastMs + (isFull ? 1 : 0);
  return `${new Date(lastMs).toISOString()} ${count.toString(16).padStart(4, '0')}${randomBytes(4).toString('hex')}`;
}

/** Makes all further ids sort after this one, which another process may have created with a clock that was ahead. */
export function startEntryIdsBehind(id: string): void {
  const [, time = '', counted = ''] = ENTRY_ID.exec(id) ?? [];
  const ms = Date.parse(time);
  if (!(ms >= lastMs)) return;
  const known = ms === lastMs ? count : 0;
  lastMs = ms;
  count = Math.max(known, Number.parseInt(counted, 16));
}
