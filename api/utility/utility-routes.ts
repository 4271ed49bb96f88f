import { accountsRoutes } from '../accounts/accounts-routes.ts';
import { cronRoutes } from '../cron/cron-routes.ts';
import { describeRefusals } from '../http/blocked-callers.ts';
import type { Route } from '../http/route.ts';
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
  return routes.map(describeRefusals);
}
