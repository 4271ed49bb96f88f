import test from 'ava';
import { readPrices } from '../../../platform/config/billing-schema.ts';
import { parseConfig } from '../../../platform/config/read-config.ts';
import { createSettings } from '../../../platform/config/settings.ts';
import { PRICES } from '../../../platform/quotas/grant.ts';

const parse = (yaml: string) => parseConfig(yaml, 'docbuild.yml');

test('settings: what counts at once is replaced, all else waits for a restart', (t) => {
  const first = parse('api: {port: 1}\ndocs: {domain: a.test}\n');
  const settings = createSettings(first);
  const next = parse(
    [
      'base_dir: ./other',
      'api: {port: 2, host: 0.0.0.0, trusted_proxies: 1, docs_api_url: https://b.test}',
      'docs: {domain: b.test}',
      'builds: {concurrency: 3}',
      'utility: {alpha: {timeout_s: 9}}',
      'auth: {token_days: 9}',
      'github_app: {webhook_secret: hush}',
    ].join('\n'),
  );
  const replacement = settings.replace(next);
  t.deepEqual([...replacement.changed].sort(), [
    'api.trusted_proxies',
    'auth.token_days',
    'builds.concurrency',
    'docs.domain',
  ]);
  t.deepEqual([...replacement.waiting].sort(), [
    'api.docs_api_url',
    'api.host',
    'api.port',
    'base_dir',
    'github_app.webhook_secret',
    'utility.alpha.timeout_s',
  ]);
  const now = settings.current();
  t.deepEqual([now.docs, now.builds, now.utility, now.auth], [next.docs, next.builds, first.utility, next.auth]);
  t.deepEqual(now.api, { ...first.api, trusted_proxies: 1 });
  t.deepEqual([now.base_dir, now.github_app], [first.base_dir, first.github_app]);
  t.is(first.docs.domain, 'a.test', 'who has the old one keeps it');
});

test('settings: the same again changes nothing, and what waits is named each time', (t) => {
  const settings = createSettings(parse(''));
  t.deepEqual(settings.replace(parse('')), { changed: [], waiting: [], overridden: [] });
  t.deepEqual(settings.replace(parse('api: {port: 2}')), { changed: [], waiting: ['api.port'], overridden: [] });
  t.deepEqual(settings.replace(parse('api: {port: 2}')), { changed: [], waiting: ['api.port'], overridden: [] });
  t.deepEqual(settings.replace(parse('builds: {concurrency: 2}')).changed, ['builds.concurrency']);
  t.deepEqual(settings.replace(parse('')).changed, ['builds.concurrency']);
});

test('settings: numbers that override hold whatever the configuration becomes, and until they are taken back', (t) => {
  const settings = createSettings(parse('builds: {quick: 2}\nutility: {alpha: {concurrency: 2}}'));
  const seen = () => [settings.current().builds.quick, settings.current().utility.alpha.concurrency];
  const both = new Map([
    ['builds.quick', 5],
    ['utility.alpha.concurrency', 6],
  ]);
  settings.override(both);
  t.deepEqual(seen(), [5, 2], 'what is used when the service starts is not replaced later');
  settings.override(both, { isStart: true });
  t.deepEqual(seen(), [5, 6]);
  const next = 'builds: {quick: 3, quick_s: 9}\nutility: {alpha: {concurrency: 2}}';
  t.deepEqual(settings.replace(parse(next)), {
    changed: ['builds.quick_s'],
    waiting: [],
    overridden: ['builds.quick'],
  });
  t.deepEqual(seen(), [5, 6]);
  settings.override(new Map());
  t.deepEqual(seen(), [3, 6]);
  t.is(settings.current().builds.quick_s, 9);
});

test('settings: prices count at once, and tiers must rise', (t) => {
  const settings = createSettings(parse('timezone: UTC'));
  const next = parse('billing: {tiers: [{price: 9, per_day: 50}, {price: 19, per_day: 500}], contact: Ask us}');
  t.deepEqual(settings.replace(next).waiting, []);
  t.deepEqual(readPrices(settings.current().billing), {
    tiers: [
      { price: 9, perDay: 50 },
      { price: 19, perDay: 500 },
    ],
    fenPerRequest: 1,
    creditDays: 365,
    contact: 'Ask us',
  });
  t.deepEqual(readPrices(parse('').billing), PRICES);
  for (const tiers of [
    '[{price: 9, per_day: 50}, {price: 9, per_day: 500}]',
    '[{price: 9, per_day: 50}, {price: 10, per_day: 50}]',
  ]) {
    t.throws(() => parse(`billing: {tiers: ${tiers}}`), {
      message: /"billing.tiers": must name tiers with rising price/,
    });
  }
  t.throws(() => parse('billing: {tiers: []}'), { message: /"billing.tiers": must have a tier/ });
  t.throws(() => parse('billing: {tiers: [{price: 0, per_day: 1}]}'), { message: /"billing.tiers.0.price": must be/ });
  t.throws(() => parse('billing: {tiers: [{price: 9, per_day: 19}]}'), {
    message: /"billing.tiers.0.per_day": must be a whole number from 20 to/,
  });
  t.is(parse('billing: {tiers: [{price: 9, per_day: 20}]}').billing.tiers[0]!.per_day, 20, 'no more than the free one');
  t.throws(() => parse(`billing: {contact: ${'x'.repeat(1001)}}`), {
    message: /"billing.contact": must not have more/,
  });
});
