import { readFileSync } from 'node:fs';
import { packageFile, readPackageVersion } from '../builder/index.ts';
import type { Metrics } from './metrics.ts';
import { renderPage } from './pages/render-page.ts';
import { buildOpenApi } from './routes/build-open-api.ts';
import { defineRoute, type Route } from './routes/route.ts';
import { prepareAnswer, sendPrepared } from './send-prepared.ts';

/** GET healthz, metrics, openapi.json and its page, console.css: what operators and programs ask of the service itself. */
export function serviceRoutes(described: readonly Route[], metrics: Metrics, origin: string): readonly Route[] {
  const css = prepareAnswer(readFileSync(new URL('console.css', packageFile('templates/console/')), 'utf8'));
  const own: Route[] = [
    defineRoute({
      method: 'get',
      paths: ['/healthz'],
      summary: 'Tells that the service runs',
      tag: 'service',
      answers: { 200: { description: '`{"success":true,"message":"","version":"…"}`' } },
      async handle(ctx) {
        ctx.set('Cache-Control', 'no-store');
        ctx.body = { success: true, message: '', version: readPackageVersion() };
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/metrics'],
      summary: 'Numbers for Prometheus',
      tag: 'service',
      answers: { 200: { description: 'Numbers', media: 'text/plain' } },
      async handle(ctx) {
        ctx.set('Cache-Control', 'no-store');
        ctx.set('Content-Type', metrics.contentType);
        ctx.body = await metrics.print();
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/openapi.json'],
      summary: 'This document',
      tag: 'service',
      answers: { 200: { description: 'OpenAPI 3.1' } },
      async handle(ctx) {
        sendPrepared(ctx, document, 'json');
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/docbuild/api'],
      summary: 'This document for people',
      tag: 'service',
      answers: { 200: { description: 'A page', media: 'text/html' } },
      async handle(ctx) {
        sendPrepared(ctx, page, 'html');
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/docbuild/assets/console.css'],
      summary: 'The stylesheet of the pages for people',
      tag: 'service',
      answers: { 200: { description: 'CSS', media: 'text/css' } },
      async handle(ctx) {
        sendPrepared(ctx, css, 'css');
      },
    }),
  ];
  const all = [...described, ...own];
  const json = buildOpenApi(all, { version: readPackageVersion(), servers: [origin] });
  const document = prepareAnswer(JSON.stringify(json));
  const page = prepareAnswer(renderPage('api.njk', { operations: all.map((route) => presentRoute(route)) }));
  return own;
}

function presentRoute(route: Route): object {
  return {
    method: route.method.toUpperCase(),
    paths: route.paths,
    summary: route.summary,
    query: Object.entries(route.query?.shape ?? {}).map(([name, schema]) => ({
      name,
      description: (schema as { description?: string }).description ?? '',
    })),
    headers: Object.entries(route.headers ?? {}).map(([name, description]) => ({ name, description })),
    answers: Object.entries(route.answers).map(([status, { description }]) => ({ status, description })),
  };
}
