import test from 'ava';
import { prefersJson } from '../../../api/image/prefers-json.ts';

test('prefersJson() goes by names and weights', (t) => {
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
    'application/json;q=2': false,
    'application/json;q=x, */*': false,
    'application/*': true,
    'text/html': false,
    'application/jsonp': false,
    'application/problem+json': false,
    ',;,;q=1,=': false,
    __proto__: false,
  };
  for (const [accept, wanted] of Object.entries(rows)) t.is(prefersJson(accept), wanted, accept);
  t.false(prefersJson(`application/json,${','.repeat(100_000)}`));
});
