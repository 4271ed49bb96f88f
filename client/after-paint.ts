/** Runs a step in a task of its own after the next frame, so that what a reader waits for is shown before it is done. */
export function afterPaint(step: () => unknown): void {
  requestAnimationFrame(() => setTimeout(step));
}
