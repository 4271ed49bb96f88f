import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import test from 'ava';
import { webhookRoute } from '../../../api/webhooks/webhook-route.ts';
import { WEBHOOK_SENDERS } from '../../../platform/code-hosts/code-hosts.ts';
import { createHookProject } from '../../helpers/create-records.ts';
import { createWebhookSetup, SOURCE } from '../../helpers/create-webhook-setup.ts';
import { serveRoute } from '../../helpers/serve-route.ts';
import {
  type SignedCall,
  signBitbucket,
  signGitea,
  signGitee,
  signGithub,
  signGitlab,
} from '../../helpers/sign-webhook.ts';

const { secret } = createHookProject();
/** All calls come from one address. */
const callers = { sourceOf: () => SOURCE };
const push = { ref: 'refs/heads/feature/x', after: 'a'.repeat(40) };

const post = (url: string, { headers, rawBody }: SignedCall): Promise<Response> =>
  fetch(url, { method: 'POST', headers: headers as Record<string, string>, body: new Uint8Array(rawBody) });

test('webhook-route answers over HTTP as the contract says', async (t) => {
  const { context, builds } = createWebhookSetup(t, createHookProject());
  const url = `${await serveRoute(t, webhookRoute({ webhooks: context, callers }))}/docbuild/webhook/guide`;
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
  const url = `${await serveRoute(t, webhookRoute({ webhooks: context, callers }))}/docbuild/webhook/guide`;
  const { headers, rawBody } = signGithub('push', push, { secret });
  const twice = new Headers(headers as Record<string, string>);
  twice.append('x-hub-signature-256', String(headers['x-hub-signature-256']));
  t.is((await fetch(url, { method: 'POST', headers: twice, body: new Uint8Array(rawBody) })).status, 403);
});

test('webhook-route takes a password of Gitee in any script', async (t) => {
  const password = 'пароль 密码';
  const { context } = createWebhookSetup(t, createHookProject({ secret: password }));
  const url = new URL(`${await serveRoute(t, webhookRoute({ webhooks: context, callers }))}/docbuild/webhook/guide`);
  const sent = request(url, { method: 'POST', headers: { 'x-gitee-event': 'Push Hook' } });
  sent.setHeader('x-gitee-token', Buffer.from(password).toString('latin1'));
  // As text, Node would write it in one piece with the headers, and those as UTF-8 again.
  sent.end(Buffer.from(JSON.stringify(push)));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  t.is(answer.statusCode, 201);
});

const ZEROS = '0'.repeat(40);
const bitbucketBranch = { type: 'branch', name: 'feature/x', target: { hash: push.after } };
const bitbucketPush = (change: object) => ({ push: { changes: [change] } });
/** A push of `main`, its deletion, and a call that only tries, as each code host would send them. */
const senders: readonly {
  readonly name: string;
  readonly push: (options: { secret: string; id: string }) => SignedCall;
  readonly removal: (options: { secret: string; id: string }) => SignedCall;
  readonly ping: (options: { secret: string; id: string }) => SignedCall;
}[] = [
  {
    name: 'GitHub',
    push: (options) => signGithub('push', push, options),
    removal: (options) => signGithub('push', { ...push, after: ZEROS, deleted: true }, options),
    ping: (options) => signGithub('ping', { zen: 'x' }, options),
  },
  {
    name: 'Gitee',
    push: (options) => signGitee('Push Hook', push, options.secret, options.id),
    removal: (options) => signGitee('Push Hook', { ...push, after: ZEROS }, options.secret, options.id),
    ping: (options) => {
      const call = signGitee('Push Hook', push, options.secret, options.id);
      return { ...call, headers: { ...call.headers, 'x-gitee-ping': 'true' } };
    },
  },
  {
    name: 'GitLab',
    push: (options) => signGitlab('Push Hook', push, options),
    removal: (options) => signGitlab('Push Hook', { ...push, after: ZEROS, checkout_sha: null }, options),
    ping: (options) => signGitlab('Push Hook', { ...push, before: push.after }, options),
  },
  {
    name: 'Gitea',
    push: (options) => signGitea('push', push, options),
    removal: (options) => signGitea('delete', { ref: 'feature/x', ref_type: 'branch' }, options),
    ping: (options) => signGitea('push', { ...push, before: push.after }, options),
  },
  {
    name: 'Gogs',
    push: (options) => signGitea('push', push, { ...options, sender: 'gogs' }),
    removal: (options) => signGitea('delete', { ref: 'feature/x', ref_type: 'branch' }, { ...options, sender: 'gogs' }),
    ping: (options) => signGitea('push', { ...push, before: push.after }, { ...options, sender: 'gogs' }),
  },
  {
    name: 'Bitbucket',
    push: (options) => signBitbucket('repo:push', bitbucketPush({ new: bitbucketBranch }), options),
    removal: (options) => signBitbucket('repo:push', bitbucketPush({ old: bitbucketBranch, new: null }), options),
    ping: (options) => signBitbucket('diagnostics:ping', { test: true }, options),
  },
];

test('webhook-route is tried with every code host that sends webhooks', (t) => {
  t.is(senders.length, WEBHOOK_SENDERS.length);
});

for (const sender of senders) {
  test(`webhook-route answers ${sender.name} as the contract says`, async (t) => {
    const { context, store, builds } = createWebhookSetup(t, createHookProject());
    const url = `${await serveRoute(t, webhookRoute({ webhooks: context, callers }))}/docbuild/guide/webhook`;
    const ask = async (call: SignedCall): Promise<object> => {
      const answer = await post(url, call);
      return { status: answer.status, ...((await answer.json()) as object) };
    };
    const accepted = await ask(sender.push({ secret, id: 'one' }));
    const [build] = await builds();
    const expected = { success: true, message: '', branch: 'feature/x', build: { id: build!.id, status: 'queued' } };
    t.deepEqual(accepted, { status: 201, ...expected });
    // Sent again, and sent as another delivery of the same commit.
    for (const id of ['one', 'two']) t.deepEqual(await ask(sender.push({ secret, id })), accepted);
    t.is((await builds()).length, 1);
    t.deepEqual(await ask(sender.ping({ secret, id: 'three' })), {
      status: 200,
      success: true,
      message: '',
      ping: 'pong',
    });
    const removed = 'branch "feature/x" was deleted; its version is being removed from the site';
    t.deepEqual(await ask(sender.removal({ secret, id: 'four' })), { status: 200, success: true, message: removed });
    t.like(await ask(sender.push({ secret: 'another', id: 'five' })), { status: 403, success: false });
    t.like(await ask(sender.push({ secret: '', id: 'six' })), { status: 403, success: false });
    t.like(await store.deliveries.find('guide', 'one'), {
      status: 201,
      build: build!.id,
      action: { kind: 'build', ref: 'feature/x', commit: push.after },
    });
  });
}

for (const { name, push: send } of senders) {
  test(`webhook-route slows down guesses at the secret in calls of ${name}, and lets the right one pass`, async (t) => {
    const long = 'a secret of the project';
    const { context, clock } = createWebhookSetup(t, createHookProject({ secret: long }));
    const url = `${await serveRoute(t, webhookRoute({ webhooks: context, callers }))}/docbuild/webhook/guide`;
    const statuses: number[] = [];
    for (let i = 0; i < 60; i++) statuses.push((await post(url, send({ secret: `guess ${i}`, id: `${i}` }))).status);
    t.deepEqual([...new Set(statuses.slice(0, 20))], [403]);
    t.deepEqual([...new Set(statuses.slice(20))], [429]);
    const refused = await post(url, send({ secret: 'guess', id: 'a' }));
    t.is(refused.headers.get('retry-after'), '3');
    t.like(await refused.json(), { success: false });
    t.is((await post(url, send({ secret: long, id: 'b' }))).status, 201);
    clock.ms += 3_000;
    const later = await post(url, send({ secret: 'guess', id: 'c' }));
    t.is(later.status, 403);
  });
}

test('webhook-route lets nobody find a short secret, not by what it says of a payload either', async (t) => {
  const { context, store } = createWebhookSetup(t, createHookProject({ secret: 'short' }));
  const url = `${await serveRoute(t, webhookRoute({ webhooks: context, callers }))}/docbuild/webhook/guide`;
  for (let i = 0; i < 30; i++) await post(url, signGitee('Push Hook', push, `guess ${i}`));
  t.is((await post(url, signGitee('Push Hook', push, 'short'))).status, 429);
  const broken = { ...signGitee('Push Hook', push, 'short'), rawBody: Buffer.from('no JSON') };
  t.is((await post(url, broken)).status, 429);
  const logged = await store.deliveries.list({ project: 'guide', limit: 9 });
  t.deepEqual(logged.map(({ status }) => status).sort(), [403, 429]);
});

test('webhook-route does not count calls without any proof', async (t) => {
  const { context } = createWebhookSetup(t, createHookProject());
  const url = `${await serveRoute(t, webhookRoute({ webhooks: context, callers }))}/docbuild/webhook/guide`;
  for (let i = 0; i < 40; i++) t.is((await post(url, signGitee('Push Hook', push))).status, 403);
  t.is((await post(url, signGitee('Push Hook', push, 'guess'))).status, 403);
});
