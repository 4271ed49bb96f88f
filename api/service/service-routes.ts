import { readFileSync } from 'node:fs';
import type { Context } from 'koa';
import * as z from 'zod';
import { packageFile, readPackageVersion } from '../../lib/package-file.ts';
import { phrase } from '../../lib/phrase.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import type { EngineState } from '../../platform/inclusion/engine-health.ts';
import type { WriteCheck } from '../../platform/write-check.ts';
import { JSON_TYPE, type PreparedAnswer, prepareAnswer, sendPrepared } from '../http/answers.ts';
import { type Language, readerOf } from '../http/language.ts';
import type { Metrics } from '../http/metrics.ts';
import { buildOpenApi, type OpenApiInfo } from '../http/open-api.ts';
import { PAGE_HEADERS, renderPage } from '../http/pages.ts';
import { defineRoute, failure, type Route } from '../http/route.ts';
import { presentApi } from './api-page.ts';
import { metricsRoute } from './metrics-route.ts';
import { type Probes, probeRoutes } from './probes.ts';
import { startRoute } from './start-page.ts';

/** Sheets that pages for people get as one: what all have, the console, its forms, the page of the API. */
const STYLES = ['console.css', 'account.css', 'forms.css', 'api.css'];

/** GET /, healthz, livez, readyz, metrics, openapi.json and its page, console.css: what operators and programs ask of the service itself. */
export function serviceRoutes(
  described: readonly Route[],
  {
    metrics,
    metricsKey,
    listEngines,
    checkWrites,
    probes,
    start,
    ...addresses
  }: {
    readonly metrics: Metrics;
    /** Opens the metrics; '' = they are for this machine, undefined = they are not here. */
    readonly metricsKey: string | undefined;
    readonly listEngines: () => readonly EngineState[];
    readonly checkWrites: WriteCheck;
    readonly probes: Probes;
    /** For the list of sites. */
    readonly start: Omit<Parameters<typeof startRoute>[0], 'consoleUrl' | 'hereUrl'> & { readonly docsApiUrl: string };
  } & Pick<OpenApiInfo, 'servers' | 'areas'>,
): readonly Route[] {
  const sheets = STYLES.map((name) => readFileSync(new URL(name, packageFile('templates/console/')), 'utf8'));
  const css = prepareAnswer(sheets.join('\n'));
  const own: Route[] = [
    startRoute({
      ...start,
      hereUrl: addresses.areas?.docs ? '' : start.docsApiUrl,
      consoleUrl: `${addresses.areas?.auth ?? ''}/control/`,
    }),
    defineRoute({
      method: 'get',
      paths: ['/healthz'],
      summary: 'Says whether the service is running and can write to its disk',
      tag: 'service',
      answers: {
        200: {
          description: 'It runs',
          schema: z.object({
            success: z.literal(true),
            message: z.literal(''),
            version: z.string(),
            engines: z
              .record(z.string(), z.enum(['ok', 'failing']))
              .describe('Search engines; a failing one is asked only now and then, and the service runs all the same'),
          }),
        },
        503: failure(
          'Nothing can be stored: the disk is full or read-only, or the database cannot be reached; or the server is stopping',
        ),
      },
      examples: [
        {
          summary: 'It runs',
          path: '/healthz',
          status: 200,
          answer: { success: true, message: '', version: '1.0.0', engines: { alpha: 'ok', beta: 'ok' } },
          varies: ['version', 'engines'],
        },
      ],
      async handle(ctx) {
        ctx.set('Cache-Control', 'no-store');
        if (probes.isStopping) throw new ServiceError('stopping', phrase`This server is stopping`);
        const problem = await checkWrites();
        if (problem !== '') throw new ServiceError('unwritable', problem);
        const engines = summarizeEngines(listEngines());
        ctx.body = { success: true, message: '', version: readPackageVersion(), engines };
      },
    }),
    ...probeRoutes(probes),
    ...(metricsKey === undefined ? [] : [metricsRoute(metrics, { key: metricsKey, isOwnAddress: false })]),
    defineRoute({
      method: 'get',
      paths: ['/openapi.json'],
      summary: 'This document',
      tag: 'service',
      answers: { 200: { description: 'OpenAPI 3.1', media: 'application/json' } },
      examples: [{ summary: 'This document', path: '/openapi.json', status: 200 }],
      async handle(ctx) {
        await sendPrepared(ctx, document, JSON_TYPE);
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/docbuild/api'],
      summary: 'This document as a page',
      tag: 'service',
      answers: { 200: { description: 'A page', media: 'text/html' } },
      examples: [{ summary: 'The page', path: '/docbuild/api', status: 200 }],
      async handle(ctx) {
        await sendApiPage(ctx);
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/docbuild/assets/console.css'],
      summary: 'The stylesheet of the HTML pages',
      tag: 'service',
      answers: { 200: { description: 'CSS', media: 'text/css' } },
      examples: [{ summary: 'The stylesheet', path: '/docbuild/assets/console.css', status: 200 }],
      async handle(ctx) {
        await sendPrepared(ctx, css, 'text/css; charset=utf-8');
      },
    }),
  ];
  const all = [...described, ...own];
  const json = buildOpenApi(all, { version: readPackageVersion(), ...addresses });
  const document = prepareAnswer(JSON.stringify(json));
  const sendApiPage = createStaticPage('api.njk', () => presentApi(all, addresses));
  return own;
}

/** Returns a function that sends a page which depends on the language alone, rendered when it is first requested. */
function createStaticPage(template: string, createModel: () => object): (ctx: Context) => Promise<void> {
  const pages = new Map<Language, PreparedAnswer>();
  return async (ctx) => {
    const reader = readerOf(ctx);
    const page =
      pages.get(reader.language) ?? prepareAnswer(renderPage(template, createModel(), { ...reader, path: ctx.path }));
    pages.set(reader.language, page);
    ctx.set(PAGE_HEADERS);
    await sendPrepared(ctx, page, 'text/html; charset=utf-8');
  };
}

/** An engine is failing where none of its methods is used. */
function summarizeEngines(states: readonly EngineState[]): Readonly<Record<string, 'ok' | 'failing'>> {
  const summary: Record<string, 'ok' | 'failing'> = {};
  for (const { engine, isPaused } of states) {
    summary[engine] = isPaused && summary[engine] !== 'ok' ? 'failing' : 'ok';
  }
  return summary;
}
