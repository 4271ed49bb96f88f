import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Router from '@koa/router';
import Koa from 'koa';
import { createSiteServer } from '../../api/sites/serve-sites.ts';
import { openFolderSite } from '../../platform/sites/folder-sites.ts';
import { type BenchSites, openBenchSites } from '../measure/bench-sites.ts';

/**
 * Serves on a free port, which it prints: `site FOLDER` a published site, `s3 JSON` one in S3 (see `openBenchSites`), `bare BYTES` the same bytes at every address with
 * nothing but Koa, `json FILE` what is in a file as JSON at `/json/:name` with nothing but Koa and its router.
 */
const [way, argument] = process.argv.slice(2);
const app = new Koa();
if (way === 'site' && argument !== undefined) {
  const site = {
    files: openFolderSite(argument, join(argument, '..', 'compressed')),
    basePath: '',
    languages: ['en'],
    isShared: false,
  };
  app.use(createSiteServer({ findSite: () => site }).middleware);
} else if (way === 's3' && argument !== undefined) {
  const sites = openBenchSites(JSON.parse(argument) as BenchSites);
  app.use(
    createSiteServer({
      findSite: async () => ({
        files: await sites.find('bench'),
        basePath: '',
        languages: ['en'],
        isShared: false,
      }),
    }).middleware,
  );
} else if (way === 'bare') {
  const body = Buffer.alloc(Number(argument), 'a');
  app.use((ctx) => {
    ctx.type = 'text/html';
    ctx.body = body;
  });
} else if (way === 'json' && argument !== undefined) {
  const data: unknown = JSON.parse(readFileSync(argument, 'utf8'));
  const router = new Router();
  router.get('/json/:name', (ctx) => {
    ctx.body = data;
  });
  app.use(router.routes());
} else throw new Error('Usage: serve-folder site FOLDER | s3 JSON | bare BYTES | json FILE');
const server = app.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
