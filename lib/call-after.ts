/** Calls `work` once after a time, ms, unless the function that is returned is called before. */
export type CallAfter = (ms: number, work: () => void) => () => void;

/** Calls by the clock of the system; what waits keeps no process alive. */
export const callAfter: CallAfter = (ms, work) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};
