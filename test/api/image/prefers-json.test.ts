import test from 'ava';
import { prefersJson } from '../../../api/image/image-routes.ts';
import { serveRoutes } from '../../helpers/serve-routes.ts';

test('prefersJson() goes by names and weights', async (t) => {
  const origin = await serveRoutes(t, (ctx) => {
    ctx.body = { isJson: prefersJson(ctx) };
  });
  const ask = async (Accept: string) =>
    ((await (await fetch(origin, { headers: { Accept } })).json()) as { isJson: boolean }).isJson;
  const rows: Readonly<Record<string, boolean>> = {
    '': false,
    '*/*': false,
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8': false,
    'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8': false,
    'application/json': true,
    'APPLICATION/JSON': true,
    'application/json; charset=utf-8': true,
    'application/json, text/plain, */*': true,
    'text/html, application/json;q=0.9, */*;q=0.8': true,
    'application/json;q=0.5, */*;q=0.1': true,
    'application/json;q=0.5, */*': false,
    'application/json;q=0.5, image/*': false,
    'application/json;q=0.5, image/jpeg;q=0.4, */*': true,
    'image/jpeg, application/json;q=0.9': false,
    'application/json;q=0': false,
    'application/json;q=0, */*': false,
    'application/json;q=x, */*': false,
    'application/*': true,
    'text/html': false,
    'application/jsonp': false,
    'application/problem+json': false,
    ',;,;q=1,=': false,
    __proto__: false,
  };
  for (const [accept, wanted] of Object.entries(rows)) t.is(await ask(accept), wanted, accept);
  t.true(await ask(`application/json,${','.repeat(10_000)}`));
});
