import type { Middleware } from 'koa';

/** Turns of the event loop between requests. Node takes a single new connection in each, and a reader's may be any of them. */
const TURNS = 4;
/** Limit of requests that are going on: what many of them wait for, such as files, may come at once, and all would stand before a reader. */
const AT_ONCE = 4;
/** A request that takes longer, ms, mostly waits for others, and does not count towards that limit any more. */
const LONG_MS = 10;

/**
 * Returns a middleware that lets requests go on one after the other, in the order in which they came, with some turns of the event
 * loop between them; where these take long, as many requests as begin in the same time, while few are going on. What has been asked
 * before it, such as pages of sites, and answers that go on, come in those turns: however many ask for what costs time at the same
 * moment, a reader waits for few of them, not for all.
 */
export function spreadRequests(): Middleware {
  const waiting: (() => void)[] = [];
  let isProceeding = false;
  let going = 0;
  const begin = (): void => {
    if (isProceeding || waiting.length === 0 || going >= AT_ONCE) return;
    isProceeding = true;
    setImmediate(proceed, 0, performance.now());
  };
  const proceed = async (turns: number, since: number): Promise<void> => {
    if (turns > 0) {
      setImmediate(proceed, turns - 1, since);
      return;
    }
    const now = performance.now();
    do {
      going++;
      waiting.shift()!();
      // The request runs until it waits for something itself.
      await undefined;
    } while (waiting.length > 0 && going < AT_ONCE && performance.now() - now < now - since);
    isProceeding = waiting.length > 0 && going < AT_ONCE;
    if (isProceeding) setImmediate(proceed, TURNS - 1, performance.now());
  };
  return async (_ctx, next) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      begin();
    });
    let isGoing = true;
    const end = (): void => {
      if (!isGoing) return;
      isGoing = false;
      going--;
      begin();
    };
    const timer = setTimeout(end, LONG_MS);
    try {
      return await next();
    } finally {
      clearTimeout(timer);
      end();
    }
  };
}
