import test from 'ava';
import { readWebhook, type WebhookReading } from '../../../platform/code-hosts/read-webhook.ts';
import { type SignedCall, signGitlab } from '../../helpers/sign-webhook.ts';

const SECRET = 'It’s a secret';
const SIGNING_TOKEN = `whsec_${Buffer.from('a key of thirty-two bytes, random').toString('base64')}`;
const NOW = Date.parse('2026-03-01T00:00:00Z');
const [COMMIT, TAG, ZEROS] = ['a'.repeat(40), 'b'.repeat(40), '0'.repeat(40)];

const read = (call: SignedCall, secret = ''): WebhookReading => readWebhook({ ...call, secret, nowMs: NOW });

/** A push with the fields that GitLab sends beside those that count. */
function push(fields: object = {}): object {
  return {
    object_kind: 'push',
    event_name: 'push',
    before: 'c'.repeat(40),
    after: COMMIT,
    ref: 'refs/heads/feature/x',
    checkout_sha: COMMIT,
    ref_protected: false,
    message: null,
    user_username: 'jsmith',
    total_commits_count: 1,
    project: { id: 15, path_with_namespace: 'mike/diaspora', git_http_url: 'https://example.com/mike/diaspora.git' },
    commits: [{ id: COMMIT, title: 'Update', timestamp: '2026-02-28T23:00:00+00:00', added: [], removed: [] }],
    ...fields,
  };
}
const tagPush = (fields: object = {}): object =>
  push({
    object_kind: 'tag_push',
    event_name: 'tag_push',
    ref: 'refs/tags/v1.0',
    before: ZEROS,
    after: TAG,
    ...fields,
  });
const release = (fields: object = {}): object => ({
  id: 1,
  object_kind: 'release',
  action: 'create',
  tag: 'v1.1',
  name: 'v1.1',
  description: 'x',
  commit: { id: COMMIT, message: 'test', author: { name: 'x' } },
  ...fields,
});

test('gitlab: a push builds its branch, a tag push the commit that the tag leads to', (t) => {
  t.deepEqual(read(signGitlab('Push Hook', push(), { secret: SECRET, id: 'key-1' }), SECRET) as object, {
    service: 'gitlab',
    event: 'Push Hook',
    deliveryId: 'key-1',
    verified: true,
    kind: 'build',
    ref: 'feature/x',
    refKind: 'branch',
    commit: COMMIT,
  });
  t.like(read(signGitlab('Tag Push Hook', tagPush())), {
    kind: 'build',
    ref: 'v1.0',
    refKind: 'tag',
    commit: COMMIT,
    verified: false,
  });
  t.like(read(signGitlab('Tag Push Hook', tagPush({ checkout_sha: null }))), { commit: TAG });
});

test('gitlab: zeros are a deletion of the branch or tag', (t) => {
  const gone = { after: ZEROS, checkout_sha: null, commits: [] };
  t.like(read(signGitlab('Push Hook', push(gone))), { kind: 'remove', ref: 'feature/x', refKind: 'branch' });
  t.like(read(signGitlab('Tag Push Hook', tagPush({ ...gone, before: TAG }))), {
    kind: 'remove',
    ref: 'v1.0',
    refKind: 'tag',
  });
});

test('gitlab: a release builds its tag once, when it is created', (t) => {
  t.like(read(signGitlab('Release Hook', release())), { kind: 'build', ref: 'v1.1', refKind: 'tag', commit: COMMIT });
  t.like(read(signGitlab('Release Hook', release({ commit: null }))), { ref: 'v1.1', commit: '' });
  for (const action of ['update', 'delete']) {
    t.like(read(signGitlab('Release Hook', release({ action }))), {
      kind: 'ignored',
      why: `release action "${action}" builds nothing`,
    });
  }
});

test('gitlab: the test of a webhook changes nothing, so it builds nothing', (t) => {
  t.is(read(signGitlab('Push Hook', push({ before: COMMIT }))).kind, 'ping');
  t.is(read(signGitlab('Tag Push Hook', push({ before: COMMIT }))).kind, 'ping');
});

test('gitlab: system hooks, which report pushes to all repositories, and other events build nothing', (t) => {
  for (const event of ['System Hook', 'Merge Request Hook', '__proto__']) {
    t.like(read(signGitlab(event, push())), { kind: 'ignored', why: `event "${event}" builds nothing` });
  }
});

test('gitlab: a wrong or missing token is refused, whatever else is sent', (t) => {
  const { headers, rawBody } = signGitlab('Push Hook', push(), { secret: SECRET });
  t.is(read({ headers, rawBody }, SECRET).verified, true);
  const sent = Buffer.from(SECRET).toString('latin1');
  t.is(read({ headers: { ...headers, 'x-gitlab-token': sent }, rawBody }, SECRET).verified, true);
  for (const token of ['x', `${SECRET} `, SECRET.slice(1)]) {
    const error = t.throws(() => read({ headers: { ...headers, 'x-gitlab-token': token }, rawBody }, SECRET));
    t.like(error, { code: 'wrong-signature' }, token);
    t.false(error.message.includes(SECRET));
  }
  const missing = t.throws(() => read(signGitlab('Push Hook', push()), SECRET));
  t.like(missing, { code: 'missing-signature' });
  t.regex(missing.message, /"X-Gitlab-Token" was not sent; set the webhook's secret token/);
});

test('gitlab: a signing token signs id, time and body', (t) => {
  const options = { secret: SIGNING_TOKEN, id: 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f' };
  const at = (sentMs: number): SignedCall => signGitlab('Push Hook', push(), { ...options, sentMs });
  t.like(read(at(NOW), SIGNING_TOKEN), { kind: 'build', verified: true, deliveryId: options.id });
  t.is(read(at(NOW - 4 * 60_000), SIGNING_TOKEN).verified, true);
  const { headers, rawBody } = at(NOW);
  const several = `v1,${'A'.repeat(43)}= ${headers['webhook-signature']}`;
  t.is(read({ headers: { ...headers, 'webhook-signature': several }, rawBody }, SIGNING_TOKEN).verified, true);
  const changes: [string, SignedCall][] = [
    ['an hour old', at(NOW - 60 * 60_000)],
    ['of tomorrow', at(NOW + 24 * 60 * 60_000)],
    ['another body', { headers, rawBody: Buffer.concat([rawBody, Buffer.from(' ')]) }],
    ['another id', { headers: { ...headers, 'webhook-id': 'another' }, rawBody }],
    ['no time', { headers: { ...headers, 'webhook-timestamp': 'NaN' }, rawBody }],
    ['no signature', { headers: { ...headers, 'webhook-signature': 'v1,' }, rawBody }],
  ];
  for (const [name, call] of changes) {
    t.like(
      t.throws(() => read(call, SIGNING_TOKEN)),
      { code: 'wrong-signature' },
      name,
    );
  }
  // A secret that is no signing token signs nothing.
  t.like(
    t.throws(() => read({ headers, rawBody }, SECRET)),
    { code: 'wrong-signature' },
  );
});

test('gitlab: before version 17.4 the id of a delivery is that of its event', (t) => {
  const { headers, rawBody } = signGitlab('Push Hook', push());
  const deliveryOf = (own: object): string => read({ headers: { ...headers, ...own }, rawBody }).deliveryId;
  t.is(
    deliveryOf({ 'x-gitlab-event-uuid': '13792a34-cac6-4fda-95a8-c58e00a3954e' }),
    '13792a34-cac6-4fda-95a8-c58e00a3954e',
  );
  t.is(deliveryOf({ 'x-gitlab-event-uuid': 'event', 'idempotency-key': 'call' }), 'call');
});

test('gitlab: wrong types and names are refused by the name of the field', (t) => {
  const wrong: [string, object, RegExp][] = [
    ['Push Hook', push({ ref: 1 }), /"ref"/],
    ['Push Hook', push({ after: 'main' }), /"after": must be a commit id/],
    ['Tag Push Hook', tagPush({ checkout_sha: '--x' }), /"checkout_sha"/],
    ['Release Hook', release({ tag: undefined }), /"tag"/],
    ['Release Hook', release({ tag: '--upload-pack=x' }), /not a valid name of a branch or tag/],
    ['Push Hook', push({ ref: 'refs/heads/a..b' }), /not a valid name of a branch or tag/],
  ];
  for (const [event, payload, message] of wrong) t.throws(() => read(signGitlab(event, payload)), { message });
  t.like(read(signGitlab('Push Hook', push({ ref: 'refs/keep-around/x' }))), { kind: 'ignored' });
});

test('gitlab: of a large push only the fields that count are read', (t) => {
  const commits = Array.from({ length: 2_000 }, (_, id) => ({ id, message: `"ref": ]} \\ ${'x'.repeat(300)}` }));
  t.like(read(signGitlab('Push Hook', push({ commits }), { secret: SECRET }), SECRET), {
    kind: 'build',
    ref: 'feature/x',
    commit: COMMIT,
  });
});
