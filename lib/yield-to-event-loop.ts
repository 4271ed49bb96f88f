/** How long work may keep timers and sockets waiting. */
const SLICE_MS = 15;

let sliceStart = performance.now();
let next: Promise<void> | undefined;

/**
 * Returns a promise to wait for when timers and sockets have not had their turn for some time, else undefined. To be called
 * in long loops: awaiting a settled promise never lets a timer fire.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (next) return next;
  if (performance.now() - sliceStart < SLICE_MS) return undefined;
  next = new Promise((resolve) => {
    setImmediate(() => {
      next = undefined;
      sliceStart = performance.now();
      resolve();
    });
  });
  return next;
}
