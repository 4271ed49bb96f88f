import { createHmac } from 'node:crypto';
import test from 'ava';
import { createSigningSecret } from '../../../lib/standard-webhooks.ts';
import { createPurgeSender, fillRequest } from '../../../platform/cdn/send-purge.ts';
import { type Config, configSchema } from '../../../platform/config/config-schema.ts';
import { createOutboxEntry } from '../../helpers/create-records.ts';
import { serveReceiver } from '../../helpers/serve-receiver.ts';

const TIME = new Date('2026-05-04T12:00:00Z');
const SITES = [
  createOutboxEntry({ project: 'guide', urls: ['https://guide.example/', 'https://docs.example/docs/guide/'] }),
  createOutboxEntry({ project: 'a_b', urls: ['https://docs.example/docs/a_b/'] }),
];
const settings = (cdn: Partial<Config['cdn']>): Config['cdn'] => configSchema.parse({ cdn }).cdn;

test('fillRequest() writes what Cloudflare, Fastly, bunny.net and Varnish expect, as the documentation shows it', (t) => {
  const cloudflare = settings({
    url: 'https://api.cloudflare.example/client/v4/zones/0a1b/purge_cache',
    headers: { Authorization: 'Bearer token' },
    body: '{"tags": [{tags}]}',
  });
  t.deepEqual(fillRequest(cloudflare, SITES, TIME), {
    url: 'https://api.cloudflare.example/client/v4/zones/0a1b/purge_cache',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'docbuild', authorization: 'Bearer token' },
    body: '{"tags": ["docbuild-guide","docbuild-a_b"]}',
  });
  const fastly = settings({
    url: 'https://api.fastly.example/service/0a1b/purge',
    headers: { 'Fastly-Key': 'token', 'Surrogate-Key': '{tags}', 'Fastly-Soft-Purge': '1' },
  });
  t.deepEqual(fillRequest(fastly, SITES, TIME), {
    url: 'https://api.fastly.example/service/0a1b/purge',
    method: 'POST',
    headers: {
      'user-agent': 'docbuild',
      'fastly-key': 'token',
      'surrogate-key': 'docbuild-guide docbuild-a_b',
      'fastly-soft-purge': '1',
    },
    body: '',
  });
  const bunny = settings({ url: 'https://bunny.example/pullzone/1/purgeCache', body: '{"CacheTag": "{tag}"}' });
  t.is(fillRequest(bunny, SITES.slice(0, 1), TIME).body, '{"CacheTag": "docbuild-guide"}');
  const varnish = settings({ url: 'http://10.0.0.5/', method: 'PURGE', headers: { xkey: '{tags}' } });
  t.like(fillRequest(varnish, SITES, TIME), {
    method: 'PURGE',
    body: '',
    headers: { xkey: 'docbuild-guide docbuild-a_b' },
  });
  t.is(
    fillRequest(settings({ url: 'https://cdn.example/{tags}/x' }), SITES, TIME).url,
    'https://cdn.example/docbuild-guide%20docbuild-a_b/x',
  );
});

test('fillRequest() describes what has changed where the operator has written nothing, and signs it', (t) => {
  const secret = createSigningSecret();
  const { body, headers } = fillRequest(settings({ url: 'https://hook.example/', secret }), SITES, TIME);
  t.deepEqual(JSON.parse(body), {
    type: 'sites.changed',
    timestamp: '2026-05-04T12:00:00.000Z',
    data: {
      tags: ['docbuild-guide', 'docbuild-a_b'],
      sites: [
        { project: 'guide', tag: 'docbuild-guide', urls: SITES[0]!.urls },
        { project: 'a_b', tag: 'docbuild-a_b', urls: SITES[1]!.urls },
      ],
    },
  });
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  t.is(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(text).digest('base64')}`);
  t.false('webhook-signature' in fillRequest(settings({ url: 'https://hook.example/' }), SITES, TIME).headers);
});

test('the sender takes one purge a request where the request has {tag}, and a hundred otherwise', (t) => {
  const sizeOf = (cdn: Partial<Config['cdn']>) =>
    createPurgeSender({ settings: () => settings(cdn), now: () => TIME }).batchSize();
  t.is(sizeOf({ url: 'https://cdn.example/', body: '[{tags}]' }), 100);
  t.is(sizeOf({ url: 'https://cdn.example/' }), 100);
  t.is(sizeOf({ url: 'https://cdn.example/{tag}' }), 1);
  t.is(sizeOf({ url: 'https://cdn.example/', headers: { 'x-tag': '{tag}' } }), 1);
});

test('the sender reaches addresses of the public internet and allowed ones, follows no redirect, and says why it failed', async (t) => {
  const receiver = await serveReceiver(t);
  let cdn = settings({ url: receiver.url });
  const sender = createPurgeSender({ settings: () => cdn, now: () => TIME, timeoutMs: 2_000 });
  t.teardown(() => sender.close());
  t.regex(await sender.send(SITES), /^"127\.0\.0\.1" is not on the public internet; allow it with "cdn\.allowed"/);
  const named = receiver.url.replace('127.0.0.1', 'localhost');
  cdn = settings({ url: named });
  t.regex(await sender.send(SITES), /^"localhost" is not on the public internet; allow it/);
  t.is(receiver.received.length, 0);
  cdn = settings({ url: receiver.url, allowed: ['127.0.0.0/8'] });
  t.is(await sender.send(SITES), '');
  receiver.answer = (response) => void response.writeHead(302, { location: receiver.url }).end();
  t.regex(await sender.send(SITES), /^"127\.0\.0\.1:\d+" answered 302$/);
  t.is(receiver.received.length, 2);
});

test('the configuration refuses what could not be sent', (t) => {
  const refuse = (cdn: unknown) => !configSchema.safeParse({ cdn }).success;
  t.true(refuse({ url: 'ftp://cdn.example/' }));
  t.true(refuse({ url: 'https://{tag}.cdn.example/' }));
  t.true(refuse({ url: 'https://user:password@cdn.example/' }));
  t.true(refuse({ url: 'https://cdn.example/', method: 'purge it' }));
  t.true(refuse({ url: 'https://cdn.example/', method: 'CONNECT' }));
  t.true(refuse({ headers: { 'Content-Length': '3' } }));
  t.true(refuse({ headers: { 'x-a': 'b\r\nx-c: d' } }));
  t.true(refuse({ headers: { 'x a': 'b' } }));
  t.true(refuse({ secret: 'whsec_short' }));
  t.true(refuse({ keep_s: -1 }));
  t.true(refuse({ tag_header: 'Cache Tag' }));
  t.false(refuse({ url: 'http://10.0.0.5:6081/{tag}?a', method: 'BAN' }));
});
