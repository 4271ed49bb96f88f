import test from 'ava';
import { parseConfig } from '../../../platform/config/read-config.ts';
import { hashSettings, listDifferences } from '../../../platform/nodes/setting-hashes.ts';

const SALT = 'a random text';
const hash = (yaml: string, salt = SALT) => hashSettings(parseConfig(yaml, 'docbuild.yml'), salt);

test('setting hashes: what each node has of its own makes no difference', async (t) => {
  const one = await hash('sites: s3://docs?endpoint=https://s3.example.org&cache_mb=100\n');
  const other = await hash(
    [
      'base_dir: ./other',
      'store: postgres://docbuild@db.example.org/docbuild',
      'sites: s3://docs/?cache_mb=5000&endpoint=https://s3.example.org',
      'api: {host: 0.0.0.0, port: 1, trusted_proxies: 1, drain_s: 3}',
      'metrics: {host: 0.0.0.0, port: 2}',
      'probes: {host: 0.0.0.0, port: 3}',
      'builds: {concurrency: 3, quick: 0, drain_s: 60, templates: ./t, extensions: ./e.mjs}',
      'utility: {ip: {db4: ./four.xdb, db6: ./six.xdb}}',
    ].join('\n'),
  );
  t.deepEqual(listDifferences(one, other), []);
});

test('setting hashes: all else does, by its key; maps are one value', async (t) => {
  const one = await hash('');
  const changes = {
    sites: 'sites: s3://docs?endpoint=https://s3.example.org',
    timezone: 'timezone: Asia/Shanghai',
    'api.docs_api_url': 'api: {docs_api_url: https://docs.example.org}',
    'docs.domain': 'docs: {domain: docs.example.net}',
    'builds.quick_s': 'builds: {quick_s: 6}',
    'builds.timeout_s': 'builds: {timeout_s: 601}',
    'limits.changes_per_minute': 'limits: {changes_per_minute: 7}',
    'auth.registration': 'auth: {registration: true}',
    'billing.tiers': 'billing: {tiers: [{price: 1, per_day: 1000}]}',
    code_hosts: 'code_hosts: {git.example.org: gitlab}',
    'cdn.headers': 'cdn: {headers: {Authorization: Bearer hush}}',
    'metrics.key': 'metrics: {key: hush-and-not-a-word}',
    'github_app.webhook_secret': 'github_app: {webhook_secret: hush}',
  };
  for (const [key, yaml] of Object.entries(changes)) {
    t.deepEqual(listDifferences(one, await hash(yaml)), [key]);
    t.deepEqual(listDifferences(await hash(yaml), await hash(yaml)), []);
  }
  t.deepEqual(
    listDifferences(await hash('metrics: {key: hush-and-not-a-word}'), await hash('metrics: {key: hush-and-one-word}')),
    ['metrics.key'],
  );
  t.deepEqual(
    listDifferences(
      await hash('sites: s3://docs/one?endpoint=https://s3.example.org'),
      await hash('sites: s3://docs/two?endpoint=https://s3.example.org'),
    ),
    ['sites'],
  );
});

test('setting hashes: a key that one of two releases does not know makes no difference', async (t) => {
  const { timezone: _, ...older } = await hash('');
  const newer = await hash('timezone: Asia/Shanghai');
  t.deepEqual(listDifferences(older, newer), []);
  t.deepEqual(listDifferences(newer, older), []);
});

test('setting hashes: tell no value, and are others in another database', async (t) => {
  const yaml = 'metrics: {key: hush-and-not-a-word}\ntimezone: Asia/Shanghai\n';
  const [one, other] = [await hash(yaml), await hash(yaml, 'another text')];
  t.notRegex(JSON.stringify(one), /hush|Shanghai/);
  for (const [key, text] of Object.entries(one)) {
    t.regex(text, /^[\w-]{22}$/);
    t.not(text, other[key]);
  }
});
