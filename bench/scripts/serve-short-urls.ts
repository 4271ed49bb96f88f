import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import { createApp } from '../../api/create-app.ts';
import type { IdentifyCaller } from '../../api/http/callers.ts';
import { createMetrics } from '../../api/http/metrics.ts';
import { createProbes } from '../../api/service/probes.ts';
import { parseConfig } from '../../platform/config/read-config.ts';
import { createSettings } from '../../platform/config/settings.ts';
import { openPlatform } from '../../service/open-platform.ts';
import { createUser } from '../../test/helpers/create-records.ts';

/**
 * Serves on a free port, which it prints: `docbuild FOLDER` the short URLs of the store below a base folder, with all that a
 * request passes through; `bare` a short answer at the same addresses by nothing but Koa and @koa/router.
 */
const [way, baseDir] = process.argv.slice(2);
let app = new Koa();
app.silent = true;
if (way === 'docbuild' && baseDir !== undefined) {
  const onError = (error: unknown): void => console.error(error);
  const config = parseConfig('utility: {short_url: {per_day: 1000000}}', 'docbuild.yml');
  const { platform } = await openPlatform({ config, file: undefined, baseDir }, createSettings(config), {
    origin: 'http://127.0.0.1:5000',
    onWarning: (message) => console.error(message),
    onError,
  });
  const metrics = createMetrics(async () => ({ waiting: 0, running: 0, oldestMs: 0 }));
  const user = createUser();
  // Logged in once and for all.
  const identify: IdentifyCaller = async () => ({ source: '127.0.0.1', user, permission: 'write' });
  app = createApp(platform, {
    identify,
    metrics,
    probes: createProbes(),
    onError,
    onAnswered: (request) => metrics.countRequest(request),
  });
} else if (way === 'bare') {
  const router = new Router();
  router.get('/t/:code', (ctx) => {
    ctx.body = 'ok';
  });
  app.use(router.routes());
} else throw new Error('Usage: serve-short-urls docbuild FOLDER | bare');
const server = app.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
