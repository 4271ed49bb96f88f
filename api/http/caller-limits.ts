import { phrase } from '../../lib/phrase.ts';
import { createTokenBuckets } from '../../lib/token-buckets.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import type { Callers } from './callers.ts';
import { failure, type LimitedUtility, type Route } from './route.ts';

/**
 * Returns a function that limits how often one source may call a route that names a limit: as often at once as the configuration
 * allows in a minute, then at that rate. Routes with one limit share it. Whoever calls more often is answered with 429 and
 * `Retry-After`, and is blocked for a while if it goes on (`refuseBlocked`).
 */
export function createCallerLimits({
  settings,
  callers,
  now,
}: {
  readonly settings: Settings;
  readonly callers: Pick<Callers, 'sourceOf'>;
  readonly now: () => Date;
}): (route: Route) => Route {
  const perMinute = () => settings.current().utility.requests_per_minute;
  const names = Object.keys(perMinute()) as LimitedUtility[];
  const buckets = Object.fromEntries(
    names.map((name) => [name, createTokenBuckets(() => perMinute()[name])]),
  ) as Record<LimitedUtility, ReturnType<typeof createTokenBuckets>>;
  return (route) => {
    const { limit, handle } = route;
    if (limit === undefined) return route;
    const description = 'Too many requests, or the source is blocked; `Retry-After` says how long to wait';
    return {
      ...route,
      answers: { 429: failure(description), ...route.answers },
      async handle(ctx, input) {
        const waitS = buckets[limit].take(callers.sourceOf(ctx), now().getTime());
        if (waitS === 0) return handle(ctx, input);
        throw new ServiceError('limited', phrase`Too many requests; try again in ${waitS} s`, {
          headers: { 'Retry-After': String(waitS) },
          limit: `requests.${limit}`,
        });
      },
    };
  };
}
