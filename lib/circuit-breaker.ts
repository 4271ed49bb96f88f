/** How a try ended; `unclear` says nothing about whether the next one will succeed. */
export type TryOutcome = 'succeeded' | 'failed' | 'unclear';

/** Keeps something from being tried over and over while it fails. */
export interface CircuitBreaker {
  /** Returns how long nothing is tried, in milliseconds; 0 = it may be tried now. */
  waitMs(): number;
  /** Begins a try, whose outcome the returned function is told, once; undefined = not now. */
  enter(): ((outcome: TryOutcome) => void) | undefined;
}

/** Failures in a row after which nothing is tried for some time. */
const MAX_FAILURES = 5;
/** The first pause; each that follows without a success is twice as long, up to the last. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** The wait that is reported while a single try finds out whether it works again. */
const TRYING_MS = 1_000;

/**
 * Creates a breaker: after five failures in a row it pauses; then a single try decides whether it pauses for longer.
 * `nowMs` is a clock that never goes back. Pauses grow from 5 s to a minute, unless others are given.
 */
export function createCircuitBreaker(
  nowMs: () => number,
  { firstPauseMs = FIRST_PAUSE_MS, longestPauseMs = LONGEST_PAUSE_MS } = {},
): CircuitBreaker {
  let failures = 0;
  let pauseMs = 0;
  let pausedUntilMs = 0;
  let isTrying = false;

  const pause = (): void => {
    pauseMs = pauseMs === 0 ? firstPauseMs : Math.min(2 * pauseMs, longestPauseMs);
    pausedUntilMs = nowMs() + pauseMs;
  };
  const waitMs = (): number => (isTrying ? TRYING_MS : pauseMs === 0 ? 0 : Math.max(0, pausedUntilMs - nowMs()));
  const end = (outcome: TryOutcome, isDeciding: boolean): void => {
    if (isDeciding) isTrying = false;
    if (outcome === 'succeeded') [failures, pauseMs] = [0, 0];
    if (outcome !== 'failed') return;
    failures++;
    // Tries from before the pause do not make it longer.
    if (isDeciding || (pauseMs === 0 && failures >= MAX_FAILURES)) pause();
  };
  return {
    waitMs,
    enter() {
      if (waitMs() > 0) return undefined;
      const isDeciding = pauseMs > 0;
      if (isDeciding) isTrying = true;
      let hasEnded = false;
      return (outcome) => {
        if (hasEnded) return;
        hasEnded = true;
        end(outcome, isDeciding);
      };
    },
  };
}
