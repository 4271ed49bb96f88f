import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Header of a request that this server sends to itself, through whatever is in front of it. */
export const MARK_HEADER = 'x-docbuild-mark';

/** Traces in a request of the way that it came. */
export interface SeenRequest {
  /** Entries of `X-Forwarded-For`: each proxy adds one. */
  readonly entries: number;
  readonly hasProtocol: boolean;
  readonly host: string;
}

/** Notes how requests come to this process. */
export interface ProxyWatch {
  /** Requests are noted from now on; a process that only runs a command gets none. */
  begin(): void;
  readonly hasBegun: boolean;
  note(headers: IncomingHttpHeaders): void;
  /** Returns how many of the last thousand requests had how many entries of `X-Forwarded-For`. */
  countRecent(): ReadonlyMap<number, number>;
  /** Returns a new value for `MARK_HEADER`. */
  createMark(): string;
  /** Returns the request with a mark, once; undefined where none came. */
  take(mark: string): SeenRequest | undefined;
}

const MAX_RECENT = 1_000;
const MAX_ENTRIES = 255;

/** Creates the watch. */
export function createProxyWatch(): ProxyWatch {
  const recent = new Uint8Array(MAX_RECENT);
  const marked = new Map<string, SeenRequest | undefined>();
  let count = 0;
  let hasBegun = false;
  return {
    begin() {
      hasBegun = true;
    },
    get hasBegun() {
      return hasBegun;
    },
    note(headers) {
      const forwarded = headers['x-forwarded-for'];
      const entries = forwarded === undefined ? 0 : Math.min(String(forwarded).split(',').length, MAX_ENTRIES);
      const mark = headers[MARK_HEADER];
      if (mark !== undefined && marked.has(String(mark))) {
        marked.set(String(mark), {
          entries,
          hasProtocol: headers['x-forwarded-proto'] !== undefined,
          host: headers.host ?? '',
        });
        return;
      }
      recent[count++ % MAX_RECENT] = entries;
    },
    countRecent() {
      const counts = new Map<number, number>();
      for (const entries of recent.subarray(0, Math.min(count, MAX_RECENT)))
        counts.set(entries, (counts.get(entries) ?? 0) + 1);
      return counts;
    },
    createMark() {
      const mark = randomBytes(16).toString('hex');
      marked.set(mark, undefined);
      return mark;
    },
    take(mark) {
      const seen = marked.get(mark);
      marked.delete(mark);
      return seen;
    },
  };
}
