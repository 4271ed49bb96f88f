import { ERROR_CODES } from '../../platform/failures/error-codes.ts';
import { toServiceError } from '../../platform/failures/service-error.ts';

/** Writes failures to the service's log, which nobody can fill with them. */
export interface FailureLog {
  report(error: unknown, requestId?: string): void;
  /** Writes how many failures have been counted only. */
  close(): void;
}

/** The part of a log that failures are written to. */
type Log = Readonly<Record<'error' | 'warn', (values: object, message: string) => void>>;

/** After a failure, others of its kind are counted for this long. */
const PERIOD_MS = 60_000;
/** Limit of kinds that are told apart; there are as many as places in the code that fail. */
const MAX_KINDS = 1000;
const MAX_MESSAGE = 500;

interface Kind {
  count: number;
  lastRequestId: string;
  readonly write: (count: number, requestId: string) => void;
}

/**
 * Creates the log: of each kind of failures one line at once, then one a minute with their number. Only what the code did not
 * foresee has a stack. `wait` calls back after so many milliseconds.
 */
export function createFailureLog(
  log: Log,
  wait: (ms: number, then: () => void) => void = (ms, then) => void setTimeout(then, ms).unref(),
): FailureLog {
  const kinds = new Map<string, Kind>();

  const flush = (kind: Kind): void => {
    if (kind.count > 0) kind.write(kind.count, kind.lastRequestId);
    kind.count = 0;
  };
  const watch = (name: string, kind: Kind): void =>
    wait(PERIOD_MS, () => {
      if (kind.count === 0) return void kinds.delete(name);
      flush(kind);
      watch(name, kind);
    });

  return {
    report(error, requestId = '') {
      const { code, message } = toServiceError(error);
      const bug = code === 'internal' && error instanceof Error ? error : undefined;
      const text = (bug?.message ?? (code === 'internal' ? String(error) : message)).slice(0, MAX_MESSAGE);
      const name = kinds.size < MAX_KINDS ? `${code} ${bug ? placeOf(bug) : withoutValues(text)}` : 'other';
      const known = kinds.get(name);
      if (known) {
        known.count++;
        known.lastRequestId = requestId;
        return;
      }
      const level = ERROR_CODES[code].log ?? 'error';
      if (bug) log.error({ err: bug, requestId }, 'failed');
      else log[level]({ code, requestId }, text);
      const write: Kind['write'] = (count, last) =>
        log[level]({ code, count, requestId: last }, `${bug ? 'failed: ' : ''}${text}; ${count} times more`);
      const kind = { count: 0, lastRequestId: '', write };
      kinds.set(name, kind);
      watch(name, kind);
    },
    close() {
      for (const kind of kinds.values()) flush(kind);
    },
  };
}

/** Returns the place in the code that failed; messages may contain what callers send. */
function placeOf({ name, stack = '' }: Error): string {
  return `${name} ${/^ +at .*$/m.exec(stack)?.[0] ?? ''}`;
}

/** Returns a message without the names and numbers that differ from case to case. */
function withoutValues(text: string): string {
  return text.replace(/"[^"]*"?|\d+/g, '…');
}
