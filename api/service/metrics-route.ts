import Koa, { type Context } from 'koa';
import { phrase } from '../../lib/phrase.ts';
import { isSameSecret } from '../../lib/secrets.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { handleErrors } from '../http/errors.ts';
import type { Metrics } from '../http/metrics.ts';
import { defineRoute, failure, type HeaderProof, type Route } from '../http/route.ts';
import { createRouter } from '../http/router.ts';
import { isFromThisMachine } from '../http/trusted-request.ts';

const KEY: HeaderProof = {
  id: 'metrics-key',
  header: 'Authorization',
  description: '`Bearer <key>`, where the operator has set `metrics.key`',
};

/**
 * GET metrics; `key` is what its reader must know. Without one, '', they are for programs on this machine, or, at an address that
 * is for them alone, for whoever reaches it.
 */
export function metricsRoute(
  metrics: Metrics,
  { key, isOwnAddress }: { readonly key: string; readonly isOwnAddress: boolean },
): Route {
  return defineRoute({
    method: 'get',
    paths: ['/metrics'],
    summary: 'Metrics for Prometheus',
    tag: 'service',
    credentials: { ways: [KEY], isRequired: false },
    answers: {
      200: { description: 'Numbers', media: 'text/plain' },
      401: failure('The operator has set a key, and it is missing or wrong'),
      403: failure('The operator has set no key, and the request does not come from the machine of the server'),
    },
    examples: [{ summary: 'Numbers', path: '/metrics', status: 200 }],
    async handle(ctx) {
      ctx.set('Cache-Control', 'no-store');
      if (key !== '') checkKey(ctx, key);
      else if (!isOwnAddress) checkMachine(ctx);
      ctx.set('Content-Type', metrics.contentType);
      ctx.body = await metrics.print();
    },
  });
}

/** Creates what answers at an address that is for metrics alone. */
export function createMetricsApp(
  metrics: Metrics,
  { key, onError }: { readonly key: string; readonly onError: (error: unknown) => void },
): Koa {
  const app = new Koa();
  app.silent = true;
  app.on('error', onError);
  app.use(handleErrors(onError));
  app.use(createRouter([metricsRoute(metrics, { key, isOwnAddress: true })]));
  return app;
}

function checkKey(ctx: Context, key: string): void {
  const given = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization').trim())?.[1] ?? '';
  if (isSameSecret(given, key)) return;
  const headers = { 'WWW-Authenticate': 'Bearer' };
  throw new ServiceError('bad-token', phrase`Metrics need "Authorization: Bearer KEY" with "metrics.key"`, {
    headers,
  });
}

function checkMachine({ req }: Context): void {
  if (isFromThisMachine(req)) return;
  throw new ServiceError(
    'metrics-closed',
    phrase`Metrics are open to programs on the server's own machine; for others set "metrics.key" or "metrics.port" in its configuration`,
  );
}
