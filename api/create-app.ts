import Koa from 'koa';
import { accountRoutes } from './accounts/account-routes.ts';
import { quotaRoute } from './accounts/quota-route.ts';
import { consoleFailures, consoleRoutes } from './console/console-routes.ts';
import { cronFailures, cronRoutes } from './cron/cron-routes.ts';
import { badgeRoute } from './docbuild/badge-route.ts';
import { buildRoute } from './docbuild/build-route.ts';
import { buildsRoutes } from './docbuild/builds-routes.ts';
import { descRoute } from './docbuild/desc-route.ts';
import { projectPageRoute } from './docbuild/project-page-route.ts';
import { buildPageScriptRoute, projectPageScriptRoute, scriptRoute } from './docbuild/script-route.ts';
import { githubAppRoute } from './github-app/github-app-route.ts';
import { createAreas } from './http/areas.ts';
import { describeRefusals, refuseBlocked } from './http/blocked-callers.ts';
import { createCallerLimits } from './http/caller-limits.ts';
import { createCheckChange } from './http/check-change.ts';
import { handleErrors } from './http/errors.ts';
import { TIME_ZONE } from './http/language.ts';
import { refuseLargeCookies } from './http/large-cookies.ts';
import { type Metrics, type TracedRequest, traceRequests } from './http/metrics.ts';
import { noteRefusals } from './http/note-refusals.ts';
import { pageFailures } from './http/pages.ts';
import type { Route } from './http/route.ts';
import { routeByHost } from './http/router.ts';
import { takeTurns } from './http/take-turns.ts';
import { checkHead, trustProxies } from './http/trusted-request.ts';
import { imageRoutes } from './image/image-routes.ts';
import { createEngineHealth, type EngineHealth } from './inclusion/engine-health.ts';
import { inclusionFailures, inclusionRoutes } from './inclusion/inclusion-routes.ts';
import { ipRoutes } from './ip/ip-routes.ts';
import type { Platform } from './open-platform.ts';
import { languageRoute } from './service/language-route.ts';
import type { Probes } from './service/probes.ts';
import { serviceRoutes } from './service/service-routes.ts';
import { type ChangeOwn, createChangeOwn } from './short-urls/change-own.ts';
import { createMakeShortUrl } from './short-urls/make-short-url.ts';
import { createOwnHosts } from './short-urls/own-hosts.ts';
import { ownShortUrlRoutes } from './short-urls/own-short-url-routes.ts';
import { allowReductionOrigins } from './short-urls/reduction-origins.ts';
import { shortUrlFailures, shortUrlRoutes } from './short-urls/short-url-routes.ts';
import { serveSites } from './sites/serve-sites.ts';
import { webhookRoute } from './webhooks/webhook-route.ts';

/** Creates the application: everything that the service answers. */
export function createApp(
  platform: Platform,
  context: {
    readonly metrics: Metrics;
    readonly probes: Probes;
    readonly onAnswered: (request: TracedRequest) => void;
    readonly onError: (error: unknown, requestId: string) => void;
  },
): Koa {
  const { settings, blocks, callers, now } = platform;
  const { api, metrics, timezone } = settings.current();
  const { base_url, hub_url, auth_url, docs_api_url } = api;
  const baseUrls = { base: base_url, hub: hub_url, auth: auth_url, docs: docs_api_url };
  const areas = createAreas(baseUrls);
  const onError = (error: unknown): void => context.onError(error, '');
  const checkChange = createCheckChange(now, () => settings.current().limits.changes_per_minute);
  const makeShortUrl = createMakeShortUrl({ ...platform, ownHosts: createOwnHosts(platform), checkChange });
  const changeOwn = createChangeOwn({ ...platform, checkChange });

  const { githubApp } = platform;
  const findHook = (project: string) => ('missing' in githubApp ? undefined : githubApp.hooks.findLast(project));

  const engineHealth = createEngineHealth();
  context.metrics.watchEngines(engineHealth.list);

  const described = [
    ...docbuildRoutes(platform),
    ...utilityRoutes(platform, { makeShortUrl, changeOwn, engineHealth, onProblem: onError })
      .map(createCallerLimits(platform))
      .map(describeRefusals),
  ];
  const service = serviceRoutes(described, {
    metrics: context.metrics,
    metricsKey: metrics.port === undefined ? metrics.key : undefined,
    checkWrites: platform.checkWrites,
    probes: context.probes,
    listEngines: engineHealth.list,
    start: platform,
    servers: [platform.docsApiUrl],
    areas: baseUrls,
  });
  const pages = [...consoleRoutes({ ...platform, checkChange, findHook, makeShortUrl, changeOwn }), languageRoute()];

  const app = new Koa();
  app.silent = true;
  app.context[TIME_ZONE] = timezone;
  app.on('error', onError);
  trustProxies(app, settings);
  app.use(traceRequests(context.onAnswered));
  app.use(noteRefusals({ limits: platform.rateLimits, callers }));
  const failures = [inclusionFailures, cronFailures, shortUrlFailures, consoleFailures, pageFailures];
  app.use(handleErrors(context.onError, failures));
  app.use(checkHead);
  app.use(serveSites(platform));
  app.use(takeTurns());
  app.use(refuseLargeCookies);
  app.use(areas.only('base', allowReductionOrigins()));
  app.use(refuseBlocked({ blocks, callers, isKnownLogin: platform.isKnownLogin, now, onError }));
  app.use(routeByHost([...described, ...service, ...pages], areas));
  return app;
}

function docbuildRoutes(platform: Platform): readonly Route[] {
  return [
    descRoute(platform),
    badgeRoute(platform),
    buildRoute(platform),
    ...buildsRoutes(platform),
    githubAppRoute(platform),
    webhookRoute(platform),
    projectPageRoute(platform),
    scriptRoute(),
    buildPageScriptRoute(),
    projectPageScriptRoute(),
  ];
}

function utilityRoutes(
  platform: Platform,
  context: {
    readonly makeShortUrl: ReturnType<typeof createMakeShortUrl>;
    readonly changeOwn: ChangeOwn;
    readonly engineHealth: EngineHealth;
    readonly onProblem: (error: unknown) => void;
  },
): readonly Route[] {
  const { makeShortUrl, changeOwn, engineHealth, onProblem } = context;
  const { settings, blocks, now } = platform;
  const config = settings.current();
  return [
    ...accountRoutes(platform),
    quotaRoute(platform),
    ...inclusionRoutes({ ...platform, config, engineHealth, onProblem }),
    ...cronRoutes({ timezone: config.timezone, now }),
    ...ipRoutes(platform),
    ...imageRoutes(platform),
    ...ownShortUrlRoutes({ ...platform, changeOwn }),
    ...shortUrlRoutes({
      ...platform,
      ownHosts: createOwnHosts(platform),
      makeShortUrl,
      isHostBlocked: blocks.isHostBlocked,
    }),
  ];
}
