import { type CallAfter, callAfter } from '../../lib/call-after.ts';

/** Work that one process does for all those that use a database together. */
export interface Duty {
  /** How long after this process has got the duties the work is done for the first time, ms. */
  readonly firstMs: number;
  /** How often it is done from then on, ms; undefined = once, until the duties change hands. */
  readonly everyMs?: number;
  /** Does the work, or goes on with it until `signal` is aborted: then another process may be at it. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
}

/** Work that one process does for all: images, cleaning up, garbage. */
export interface Duties {
  /** Does the work from now on whenever this process has the duties. */
  start(duties: readonly Duty[]): void;
  /** Aborts the work and waits for it. */
  stop(): Promise<void>;
}

/** How often a process looks whether it has the duties. */
const POLL_MS = 1_000;
/** The longest wait before work that has failed is done again. */
const RETRY_MS = 600_000;

/** Creates the duties of a process. */
export function createDuties(context: {
  /** Of several processes, returns whether this one has the duties; default: there is one. */
  readonly isOnDuty?: (() => boolean) | undefined;
  readonly onError: (error: unknown) => void;
  readonly wait?: CallAfter;
}): Duties {
  const { isOnDuty, onError, wait = callAfter } = context;
  /** While this process has the duties. */
  let holding: AbortController | undefined;
  let isStopped = false;
  let cancelLook = (): void => {};
  /** The last work of each duty: two are never done at once, also not after the duties have gone and come back. */
  const running = new Map<Duty, Promise<void>>();

  const plan = (duty: Duty, ms: number, signal: AbortSignal): void => {
    const cancel = wait(ms, () => {
      signal.removeEventListener('abort', cancel);
      running.set(duty, work(duty, running.get(duty), signal));
    });
    signal.addEventListener('abort', cancel, { once: true });
  };
  const work = async (duty: Duty, before: Promise<void> | undefined, signal: AbortSignal): Promise<void> => {
    await before;
    if (signal.aborted) return;
    const { everyMs, run } = duty;
    try {
      await run(signal);
      if (everyMs !== undefined && !signal.aborted) plan(duty, everyMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      plan(duty, Math.min(RETRY_MS, everyMs ?? RETRY_MS), signal);
    }
  };
  const look = (duties: readonly Duty[]): void => {
    const has = isOnDuty?.() ?? true;
    if (!has) holding?.abort();
    if (!has) holding = undefined;
    else if (!holding) {
      holding = new AbortController();
      for (const duty of duties) plan(duty, duty.firstMs, holding.signal);
    }
    if (isOnDuty) cancelLook = wait(POLL_MS, () => look(duties));
  };
  return {
    start(duties) {
      if (!isStopped) look(duties);
    },
    async stop() {
      isStopped = true;
      cancelLook();
      holding?.abort();
      await Promise.all(running.values());
    },
  };
}
