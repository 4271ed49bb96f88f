import type { Middleware } from 'koa';

/** Turns of the event loop between requests. Node takes a single new connection in each, and a reader's may be any of them. */
const TURNS = 4;

/**
 * Returns a middleware that lets requests go on one after the other, in the order in which they came, with some turns of the event
 * loop between them; where these take long, as many requests as begin in the same time. What has been asked before it, such as pages
 * of sites, and answers that go on, come in those turns: however many ask for what costs time at the same moment, a reader waits for
 * few of them, not for all.
 */
export function spreadRequests(): Middleware {
  const waiting: (() => void)[] = [];
  let isProceeding = false;
  const proceed = async (turns: number, since: number): Promise<void> => {
    if (turns > 0) {
      setImmediate(proceed, turns - 1, since);
      return;
    }
    const begin = performance.now();
    do {
      waiting.shift()!();
      // The request runs until it waits for something itself.
      await undefined;
    } while (waiting.length > 0 && performance.now() - begin < begin - since);
    if (waiting.length > 0) setImmediate(proceed, TURNS - 1, performance.now());
    else isProceeding = false;
  };
  return async (_ctx, next) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (isProceeding) return;
      isProceeding = true;
      setImmediate(proceed, 0, performance.now());
    });
    return next();
  };
}
