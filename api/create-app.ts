import Koa from 'koa';
import { consoleFailures } from './console/console-area.ts';
import { consoleRoutes } from './console/console-routes.ts';
import { cronFailures } from './cron/cron-routes.ts';
import { badgeRoute } from './docbuild/badge-route.ts';
import { buildRoute } from './docbuild/build-route.ts';
import { buildsRoutes } from './docbuild/builds-routes.ts';
import { descRoute } from './docbuild/desc-route.ts';
import { projectPageRoute } from './docbuild/project-page-route.ts';
import { buildPageScriptRoute, scriptRoute } from './docbuild/script-route.ts';
import { webhookRoutes } from './docbuild/webhook-routes.ts';
import { createAreas } from './http/areas.ts';
import { refuseBlocked } from './http/blocked-callers.ts';
import { handleErrors } from './http/errors.ts';
import { type Metrics, type TracedRequest, traceRequests } from './http/metrics.ts';
import { routeByHost } from './http/router.ts';
import { trustProxies } from './http/trusted-request.ts';
import { inclusionFailures } from './inclusion/inclusion-routes.ts';
import type { Platform } from './platform.ts';
import { serviceRoutes } from './service/service-routes.ts';
import { allowReductionOrigins, shortUrlFailures } from './short-urls/short-url-area.ts';
import { serveSites } from './sites/serve-sites.ts';
import { utilityRoutes } from './utility/utility-routes.ts';

/** Creates the application: every address that the service answers. */
export function createApp(
  platform: Platform,
  context: {
    readonly metrics: Metrics;
    readonly onAnswered: (request: TracedRequest) => void;
    readonly onError: (error: unknown, requestId: string) => void;
  },
): Koa {
  const app = new Koa();
  trustProxies(app, platform.settings);
  const docbuild = [
    descRoute(platform),
    badgeRoute(platform),
    buildRoute(platform),
    ...buildsRoutes(platform),
    ...webhookRoutes(platform),
    projectPageRoute(platform),
    scriptRoute(),
    buildPageScriptRoute(),
  ];
  const { base_url, hub_url, auth_url, docs_api_url } = platform.settings.current().api;
  const addresses = { base: base_url, hub: hub_url, auth: auth_url, docs: docs_api_url };
  const areas = createAreas(addresses);
  const described = [...docbuild, ...utilityRoutes(platform, (error) => context.onError(error, ''))];
  const service = serviceRoutes(described, {
    metrics: context.metrics,
    servers: [platform.docsApiUrl],
    areas: addresses,
  });
  app.silent = true;
  app.on('error', (error) => context.onError(error, ''));
  app.use(traceRequests(context.onAnswered));
  app.use(handleErrors(context.onError, [inclusionFailures, cronFailures, shortUrlFailures, consoleFailures]));
  app.use(serveSites(platform));
  app.use(areas.only('base', allowReductionOrigins()));
  app.use(
    refuseBlocked({ ...platform, sourceOf: platform.callers.sourceOf, onError: (error) => context.onError(error, '') }),
  );
  app.use(routeByHost([...described, ...service, ...consoleRoutes(platform)], areas));
  return app;
}
