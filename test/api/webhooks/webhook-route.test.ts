import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import test from 'ava';
import { webhookRoute } from '../../../api/webhooks/webhook-route.ts';
import { createHookProject } from '../../helpers/create-records.ts';
import { createWebhookSetup } from '../../helpers/create-webhook-setup.ts';
import { serveRoute } from '../../helpers/serve-route.ts';
import { type SignedCall, signGithub } from '../../helpers/sign-webhook.ts';

const { secret } = createHookProject();
const push = { ref: 'refs/heads/feature/x', after: 'a'.repeat(40) };

const post = (url: string, { headers, rawBody }: SignedCall): Promise<Response> =>
  fetch(url, { method: 'POST', headers: headers as Record<string, string>, body: new Uint8Array(rawBody) });

test('webhook-route answers over HTTP as the contract says', async (t) => {
  const { context, builds } = createWebhookSetup(t, createHookProject());
  const url = `${await serveRoute(t, webhookRoute({ webhooks: context }))}/docbuild/webhook/guide`;
  for (const form of [false, true]) {
    const answer = await post(url, signGithub('push', push, { secret, form }));
    t.is(answer.status, 201);
    const [build] = await builds();
    const body = { success: true, message: '', branch: 'feature/x', build: { id: build!.id, status: 'queued' } };
    t.deepEqual(await answer.json(), body);
  }
  const refused = await post(url, signGithub('push', push, { secret: 'another' }));
  t.is(refused.status, 403);
  t.like(await refused.json(), { success: false });
  t.is((await post(url, { headers: {}, rawBody: Buffer.from('{}') })).status, 400);
});

test('webhook-route refuses headers that were sent twice', async (t) => {
  const { context } = createWebhookSetup(t, createHookProject());
  const url = `${await serveRoute(t, webhookRoute({ webhooks: context }))}/docbuild/webhook/guide`;
  const { headers, rawBody } = signGithub('push', push, { secret });
  const twice = new Headers(headers as Record<string, string>);
  twice.append('x-hub-signature-256', String(headers['x-hub-signature-256']));
  t.is((await fetch(url, { method: 'POST', headers: twice, body: new Uint8Array(rawBody) })).status, 403);
});

test('webhook-route takes a password of Gitee in any script', async (t) => {
  const password = 'пароль 密码';
  const { context } = createWebhookSetup(t, createHookProject({ secret: password }));
  const url = new URL(`${await serveRoute(t, webhookRoute({ webhooks: context }))}/docbuild/webhook/guide`);
  const sent = request(url, { method: 'POST', headers: { 'x-gitee-event': 'Push Hook' } });
  sent.setHeader('x-gitee-token', Buffer.from(password).toString('latin1'));
  // As text, Node would write it in one piece with the headers, and those as UTF-8 again.
  sent.end(Buffer.from(JSON.stringify(push)));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  t.is(answer.statusCode, 201);
});
