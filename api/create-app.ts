import Koa from 'koa';
import { badgeRoute } from './docbuild/badge-route.ts';
import { buildRoute } from './docbuild/build-route.ts';
import { buildsRoutes } from './docbuild/builds-routes.ts';
import { descRoute } from './docbuild/desc-route.ts';
import { projectPageRoute } from './docbuild/project-page-route.ts';
import { scriptRoute } from './docbuild/script-route.ts';
import { webhookRoutes } from './docbuild/webhook-routes.ts';
import type { Metrics } from './metrics.ts';
import { allowOrigins } from './middleware/allow-origins.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { onlyOnHost } from './middleware/only-on-host.ts';
import { type TracedRequest, traceRequests } from './middleware/trace-requests.ts';
import type { Platform } from './platform.ts';
import { createRouter } from './routes/create-router.ts';
import { serviceRoutes } from './service-routes.ts';
import { serveSites } from './sites/serve-sites.ts';

/** Creates the application: every address that the service answers. */
export function createApp(
  platform: Platform,
  context: {
    readonly metrics: Metrics;
    readonly onAnswered: (request: TracedRequest) => void;
    readonly onError: (error: unknown, requestId: string) => void;
  },
): Koa {
  const { config } = platform;
  const app = new Koa({ proxy: config.api.trusted_proxies > 0, maxIpsCount: config.api.trusted_proxies });
  const docbuild = [
    descRoute(platform),
    badgeRoute(platform),
    buildRoute(platform),
    ...buildsRoutes(platform),
    ...webhookRoutes(platform),
    projectPageRoute(platform),
    scriptRoute(),
  ];
  const service = serviceRoutes(docbuild, context.metrics, platform.docsApiUrl);
  const router = createRouter([...docbuild, ...service]);
  app.silent = true;
  app.on('error', (error) => context.onError(error, ''));
  app.use(traceRequests(context.onAnswered));
  app.use(handleErrors(context.onError));
  app.use(serveSites(platform));
  app.use(onlyOnHost(config.api.docs_api_url, ['/docbuild']));
  app.use(allowOrigins());
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}
