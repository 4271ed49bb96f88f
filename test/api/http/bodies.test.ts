import test from 'ava';
import { readForm } from '../../../api/http/bodies.ts';
import { serveRoutes } from '../../helpers/serve-routes.ts';

test('readForm() gives the same fields however often it is asked', async (t) => {
  const origin = await serveRoutes(t, async (ctx) => {
    const [one, other] = [await readForm(ctx), await readForm(ctx)];
    ctx.body = { isSame: one === other, fields: [...one] };
  });
  const send = async (path: string, body: URLSearchParams) =>
    (await fetch(origin + path, { method: 'POST', body })).json();
  const body = new URLSearchParams({ token: 'a+b c/ä', __proto__x: '1', constructor: '2' });
  t.deepEqual(await send('/', body), { isSame: true, fields: [...body] });
});

test('readForm() leaves files out and refuses what is no text', async (t) => {
  const origin = await serveRoutes(t, async (ctx) => {
    ctx.body = { fields: [...(await readForm(ctx))] };
  });
  const form = new FormData();
  form.set('token', new Blob(['x']), 'token.txt');
  form.set('name', 'a');
  const answer = await fetch(origin, { method: 'POST', body: form });
  t.deepEqual(await answer.json(), { fields: [['name', 'a']] });
  const json = { method: 'POST', body: '{"token":1}', headers: { 'Content-Type': 'application/json' } };
  const refused = await fetch(origin, json);
  t.is(refused.status, 400);
  t.is(((await refused.json()) as { message: string }).message, 'Field "token" must be text');
});
