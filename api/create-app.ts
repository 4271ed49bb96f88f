import Koa from 'koa';
import { checkServicePath } from '../platform/config/service-paths.ts';
import { createEngineHealth } from '../platform/inclusion/engine-health.ts';
import type { Platform } from '../platform/platform.ts';
import { accountRoutes } from './accounts/account-routes.ts';
import { createLogin, createRegistration } from './accounts/login.ts';
import { quotaRoute } from './accounts/quota-route.ts';
import { consoleFailures, consoleRoutes } from './console/console-routes.ts';
import { cronFailures, cronRoutes } from './cron/cron-routes.ts';
import { badgeRoute } from './docbuild/badge-route.ts';
import { buildRoute } from './docbuild/build-route.ts';
import { buildsRoutes } from './docbuild/builds-routes.ts';
import { descRoute } from './docbuild/desc-route.ts';
import { mcpRoute } from './docbuild/mcp-route.ts';
import { projectPageRoute } from './docbuild/project-page-route.ts';
import { buildPageScriptRoute, projectPageScriptRoute, scriptRoute } from './docbuild/script-route.ts';
import { githubAppRoute } from './github-app/github-app-route.ts';
import { createAreas } from './http/areas.ts';
import { describeRefusals, refuseBlocked } from './http/blocked-callers.ts';
import { createCallerLimits } from './http/caller-limits.ts';
import { type Callers, createCallers, type IdentifyCaller } from './http/callers.ts';
import { createCheckChange } from './http/check-change.ts';
import { handleErrors } from './http/errors.ts';
import { TIME_ZONE } from './http/language.ts';
import { refuseLargeCookies } from './http/large-cookies.ts';
import { type Metrics, type TracedRequest, traceRequests } from './http/metrics.ts';
import { noteRefusals } from './http/note-refusals.ts';
import { pageFailures } from './http/pages.ts';
import type { Route } from './http/route.ts';
import { routeByHost } from './http/router.ts';
import { spreadRequests } from './http/spread-requests.ts';
import { checkHead, trustProxies } from './http/trusted-request.ts';
import { imageRoutes } from './image/image-routes.ts';
import { inclusionFailures, inclusionRoutes } from './inclusion/inclusion-routes.ts';
import { ipRoutes } from './ip/ip-routes.ts';
import { languageRoute } from './service/language-route.ts';
import type { Probes } from './service/probes.ts';
import { serviceRoutes } from './service/service-routes.ts';
import { createChangeOwn } from './short-urls/change-own.ts';
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
    /** Who sends a request; default: whoever its session, key or token says. */
    readonly identify?: IdentifyCaller;
    readonly onAnswered: (request: TracedRequest) => void;
    readonly onError: (error: unknown, requestId: string) => void;
  },
): Koa {
  const { settings, store, publishing, people, utilities, memory, operationsFor, now } = platform;
  const { accounts, attempts, audit, blocks, quotas, rateLimits } = people;
  const { docsApiUrl, githubApp, siteUrl } = publishing;
  const config = settings.current();
  const { base_url, hub_url, auth_url, docs_api_url } = config.api;
  const baseUrls = { base: base_url, hub: hub_url, auth: auth_url, docs: docs_api_url };
  const areas = createAreas(baseUrls);
  const onError = (error: unknown): void => context.onError(error, '');
  const known = createCallers(settings, accounts);
  const callers: Callers = { ...known, identify: context.identify ?? known.identify };
  const limits = () => settings.current().limits;
  const gate = createLogin(accounts, { ...callers, audit, attempts, limits, onError });
  const registration = createRegistration(settings, accounts, { ...callers, attempts });

  const checkChange = createCheckChange(now, () => limits().changes_per_minute);
  const ownHosts = createOwnHosts({ ...utilities, settings, store, docsApiUrl });
  const shortUrls = { ...utilities, store, settings, quotas, callers, now };
  const makeShortUrl = createMakeShortUrl({ ...shortUrls, ownHosts, checkChange });
  const changeOwn = createChangeOwn({ ...shortUrls, checkChange });
  const engineHealth = createEngineHealth();
  context.metrics.watchEngines(engineHealth.list);

  const utilityRoutes = [
    ...accountRoutes({ accounts, audit, callers, registration, login: gate.login }),
    quotaRoute({ callers, quotas, now }),
    ...inclusionRoutes({ config, store, callers, quotas, engineHealth, now, onProblem: onError }),
    ...cronRoutes({ timezone: config.timezone, now }),
    ...ipRoutes({ ...utilities, callers }),
    ...imageRoutes(utilities),
    ...ownShortUrlRoutes({ ...shortUrls, changeOwn }),
    ...shortUrlRoutes({ ...shortUrls, ownHosts, makeShortUrl, isHostBlocked: blocks.isHostBlocked }),
  ];
  const described = [
    ...docbuildRoutes({ ...publishing, store, settings, callers, now, onError }),
    ...utilityRoutes.map(createCallerLimits({ settings, callers, now })).map(describeRefusals),
  ];
  const service = serviceRoutes(described, {
    metrics: context.metrics,
    metricsKey: config.metrics.port === undefined ? config.metrics.key : undefined,
    checkWrites: platform.checkWrites,
    probes: context.probes,
    listEngines: engineHealth.list,
    start: { ...publishing, store },
    servers: [docsApiUrl],
    areas: baseUrls,
  });
  const consolePages = consoleRoutes({
    ...people,
    ...utilities,
    ...gate,
    settings,
    store,
    callers,
    registration,
    operationsFor,
    memory,
    docsApiUrl,
    siteUrl,
    checkChange,
    findHook: (project) => ('missing' in githubApp ? undefined : githubApp.hooks.findLast(project)),
    makeShortUrl,
    changeOwn,
    now,
  });
  const routes = [...described, ...service, ...consolePages, languageRoute()];
  for (const path of routes.flatMap(({ paths }) => paths)) checkServicePath(path);

  const app = new Koa();
  app.silent = true;
  app.context[TIME_ZONE] = config.timezone;
  app.on('error', onError);
  trustProxies(app, settings);
  app.use(traceRequests(context.onAnswered));
  platform.proxyWatch.begin();
  app.use((ctx, next) => {
    platform.proxyWatch.note(ctx.req.headers);
    return next();
  });
  app.use(noteRefusals({ limits: rateLimits, callers }));
  const failures = [inclusionFailures, cronFailures, shortUrlFailures, consoleFailures, pageFailures];
  app.use(handleErrors(context.onError, failures));
  app.use(checkHead);
  app.use(serveSites({ ...publishing, settings, store, routes }));
  app.use(spreadRequests());
  app.use(refuseLargeCookies);
  app.use(areas.only('base', allowReductionOrigins()));
  app.use(refuseBlocked({ blocks, callers, isKnownLogin: gate.isKnownLogin, now, onError }));
  app.use(routeByHost(routes, areas));
  return app;
}

function docbuildRoutes(
  context: Parameters<typeof githubAppRoute>[0] &
    Parameters<typeof buildsRoutes>[0] &
    Parameters<typeof mcpRoute>[0] &
    Parameters<typeof webhookRoute>[0],
): readonly Route[] {
  return [
    descRoute(context),
    badgeRoute(context),
    buildRoute(context),
    ...buildsRoutes(context),
    mcpRoute(context),
    githubAppRoute(context),
    webhookRoute(context),
    projectPageRoute(context),
    scriptRoute(),
    buildPageScriptRoute(),
    projectPageScriptRoute(),
  ];
}
