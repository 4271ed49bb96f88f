import { accountsRoutes } from '../accounts/accounts-routes.ts';
import { cronRoutes } from '../cron/cron-routes.ts';
import { failure, type Route } from '../http/route.ts';
import { imageRoutes } from '../image/image-routes.ts';
import { inclusionRoutes } from '../inclusion/inclusion-routes.ts';
import { ipRoutes } from '../ip/ip-routes.ts';
import type { Platform } from '../platform.ts';
import { shortUrlRoutes } from '../short-urls/short-url-routes.ts';

/** The secondary router: every route of the utility API. `onError` hears of failures that no answer waits for. */
export function utilityRoutes(platform: Platform, onError: (error: unknown) => void): readonly Route[] {
  const { settings, now } = platform;
  const config = settings.current();
  const { identify } = platform.callers;
  const routes = [
    ...accountsRoutes(platform),
    ...inclusionRoutes({ ...platform, config, identify, onProblem: onError }),
    ...cronRoutes({ timezone: config.timezone, now }),
    ...ipRoutes(platform, platform.callers.addressOf),
    ...imageRoutes(platform),
    ...shortUrlRoutes({
      ...platform,
      identify,
      isVerified: async (uid) => (await platform.store.users.find(uid))?.isVerified ?? false,
      isHostBlocked: platform.blocks.isHostBlocked,
    }),
  ];
  return routes.map(describeBlocks);
}

/** Describes what blocked sources are answered, where the route itself says nothing of it. */
function describeBlocks(route: Route): Route {
  const blocked = {
    403: failure('The source is blocked for good'),
    429: failure('The source is blocked; `Retry-After` tells for how long'),
  };
  return { ...route, answers: { ...blocked, ...route.answers } };
}
