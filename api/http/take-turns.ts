import type { Middleware } from 'koa';

/** Turns of the event loop from one request to the next. Node takes a single new connection in each, and a reader's may be any of them. */
const TURNS = 4;

/**
 * Returns a middleware that lets requests go on one after the other, in the order in which they came, with some turns of the event
 * loop between them. What has been asked before it, such as pages of sites, and answers that go on, come between any two: however many
 * ask for what costs time at the same moment, a reader waits for few of them, not for all.
 */
export function takeTurns(): Middleware {
  const waiting: (() => void)[] = [];
  const proceed = (turns: number): void => {
    if (turns > 0) {
      setImmediate(proceed, turns - 1);
      return;
    }
    waiting.shift()!();
    if (waiting.length > 0) setImmediate(proceed, TURNS - 1);
  };
  return async (_ctx, next) => {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(proceed, 0);
    });
    return next();
  };
}
