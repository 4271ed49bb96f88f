import { setTimeout as sleep } from 'node:timers/promises';
import { DataError } from '../data/data-error.ts';

/** A command holds the store for a moment, a server that was told to stop for some seconds more. */
const WAIT_MS = 15_000;
const RETRY_MS = 100;

/**
 * Opens the store, again and again for some seconds while another process owns it; `onWait` is told so once. Rejects with
 * what `open` throws, DataError `busy` if the other process still owns the store in the end, and with the reason of `signal`.
 */
export async function waitForOwner<T>(
  open: () => Promise<T>,
  options: {
    readonly onWait: (message: string) => void;
    /** Returns whether the owner is going to stay, as a server does. */
    readonly isStaying?: () => Promise<boolean>;
    /** Ends the wait. */
    readonly signal?: AbortSignal | undefined;
    readonly waitMs?: number;
  },
): Promise<T> {
  const { onWait, isStaying, signal, waitMs = WAIT_MS } = options;
  const end = performance.now() + waitMs;
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof DataError) || error.code !== 'busy') throw error;
      if (performance.now() > end || (await isStaying?.())) throw error;
      if (!hasSaid) onWait(`${error.message}; waiting for up to ${waitMs / 1000} seconds`);
    }
    await sleep(RETRY_MS);
    signal?.throwIfAborted();
  }
}
