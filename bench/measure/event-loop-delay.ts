import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 1;

/** Watches how long the event loop is held up, and returns a function that stops and tells the longest time, ms. */
export function watchEventLoop(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return () => {
    histogram.disable();
    // What it counts is the time between two ticks.
    return Math.max(0, histogram.max / 1e6 - RESOLUTION_MS);
  };
}
