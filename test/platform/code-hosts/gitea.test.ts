import test from 'ava';
import { readWebhook, type WebhookReading } from '../../../platform/code-hosts/read-webhook.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';
import { type SignedCall, signGitea, signGithub } from '../../helpers/sign-webhook.ts';

const SECRET = 'It’s a secret';
const [COMMIT, TAG, ZEROS] = ['a'.repeat(40), 'b'.repeat(40), '0'.repeat(40)];

const read = (call: SignedCall, secret = ''): WebhookReading => readWebhook({ ...call, secret });

/** A push with the fields that Gitea sends beside those that count. */
function push(fields: object = {}): object {
  return {
    ref: 'refs/heads/feature/x',
    before: 'c'.repeat(40),
    after: COMMIT,
    compare_url: 'https://git.example.com/o/r',
    commits: [{ id: COMMIT, message: 'Webhooks' }],
    total_commits: 1,
    head_commit: { id: COMMIT, message: 'x' },
    repository: { id: 140, full_name: 'gitea/webhooks', html_url: 'https://git.example.com/gitea/webhooks' },
    pusher: { id: 1, login: 'gitea' },
    sender: { id: 1, login: 'gitea' },
    ...fields,
  };
}
const release = (fields: object = {}, action = 'published'): object => ({
  action,
  release: {
    id: 1,
    tag_name: 'v1.1',
    target_commitish: 'main',
    name: 'v1.1',
    draft: false,
    prerelease: false,
    ...fields,
  },
});

for (const sender of ['gitea', 'forgejo', 'gogs'] as const) {
  test(`${sender}: pushes of branches and tags are read, in either encoding, and not taken for GitHub's`, (t) => {
    for (const form of [false, true]) {
      const call = signGitea('push', push(), { secret: SECRET, id: 'id-1', form, sender });
      t.deepEqual(read(call, SECRET) as object, {
        service: sender === 'gogs' ? 'gogs' : 'gitea',
        event: 'push',
        deliveryId: 'id-1',
        verified: true,
        kind: 'build',
        ref: 'feature/x',
        refKind: 'branch',
        commit: COMMIT,
      });
    }
    const tag = push({ ref: 'refs/tags/v1.0', before: ZEROS, after: TAG, commits: null });
    t.like(read(signGitea('push', tag, { sender })), { kind: 'build', ref: 'v1.0', refKind: 'tag', commit: COMMIT });
  });

  test(`${sender}: a wrong or missing signature is refused, in either encoding`, (t) => {
    for (const form of [false, true]) {
      const { headers, rawBody } = signGitea('push', push(), { secret: SECRET, form, sender });
      const changed = Buffer.from(rawBody.toString().replace('webhooks', 'webhookz'));
      t.like(
        t.throws(() => read({ headers, rawBody: changed }, SECRET)),
        { code: 'wrong-signature' },
      );
      const other = signGitea('push', push(), { secret: 'another', form, sender });
      const error = t.throws(() => read(other, SECRET));
      t.like(error, { code: 'wrong-signature' });
      t.notRegex(error.message, /secret’|[0-9a-f]{20}/);
    }
    t.like(
      t.throws(() => read(signGitea('push', push(), { sender }), SECRET)),
      { code: 'missing-signature' },
    );
  });
}

test('forgejo: its own headers are enough', (t) => {
  const { headers, rawBody } = signGitea('push', push(), { secret: SECRET, id: 'id-1', sender: 'forgejo' });
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-forgejo-'));
  t.like(read({ headers: Object.fromEntries(own), rawBody }, SECRET), {
    service: 'gitea',
    event: 'push',
    deliveryId: 'id-1',
    verified: true,
    kind: 'build',
  });
});

test('gitea: a call of GitHub stays one of GitHub', (t) => {
  t.is(read(signGithub('push', push(), { secret: SECRET }), SECRET).service, 'github');
});

test('gitea: the deletion of a branch has an event of its own, that of a tag is also a push of zeros', (t) => {
  const deletion = { ref: 'feature/x', ref_type: 'branch', pusher_type: 'user' };
  t.like(read(signGitea('delete', deletion)), { kind: 'remove', ref: 'feature/x', refKind: 'branch' });
  t.like(read(signGitea('delete', { ...deletion, ref: 'v1.0', ref_type: 'tag' })), { ref: 'v1.0', refKind: 'tag' });
  const gone = push({ ref: 'refs/tags/v1.0', after: ZEROS, commits: [], head_commit: null });
  t.like(read(signGitea('push', gone)), { kind: 'remove', ref: 'v1.0', refKind: 'tag' });
});

test('gitea: a test delivery changes nothing, so it builds nothing, nor removes anything', (t) => {
  t.is(read(signGitea('push', push({ before: COMMIT }))).kind, 'ping');
  t.is(read(signGitea('push', push({ before: ZEROS, after: ZEROS }))).kind, 'ping', 'of an empty repository');
});

test('gitea: a release builds its tag when it is published, unless it is a pre-release', (t) => {
  t.like(read(signGitea('release', release())), { kind: 'build', ref: 'v1.1', refKind: 'tag', commit: '' });
  t.is(read(signGitea('release', release({ prerelease: true }))).kind, 'ignored');
  for (const action of ['updated', 'deleted']) {
    t.like(read(signGitea('release', release({}, action))), {
      kind: 'ignored',
      why: `release action "${action}" builds nothing`,
    });
  }
  for (const event of ['create', 'issues', '__proto__']) t.is(read(signGitea(event, push())).kind, 'ignored', event);
});

test('gitea: wrong types and names are refused by the name of the field', (t) => {
  const wrong: [string, object, RegExp][] = [
    ['push', push({ ref: 1 }), /"ref"/],
    ['push', push({ after: 'main' }), /"after": must be a commit id/],
    ['delete', { ref: 'x', ref_type: 'note' }, /"ref_type"/],
    ['delete', { ref: '--x', ref_type: 'branch' }, /not a valid name of a branch or tag/],
    ['release', { action: 'published' }, /"release"/],
    ['release', release({ tag_name: 'a..b' }), /not a valid name of a branch or tag/],
  ];
  for (const [event, payload, message] of wrong) t.throws(() => read(signGitea(event, payload)), { message });
});

test('gitea: 25 MB of a form with a wrong signature hold nobody up', (t) => {
  const { headers } = signGitea('push', push(), { secret: 'another', form: true });
  for (const piece of ['&', 'a&', '%7B', '+', '{},']) {
    const rawBody = Buffer.from(`payload=${piece.repeat(Math.floor(25_000_000 / piece.length))}`);
    const ms = fastestMs(() => t.throws(() => read({ headers, rawBody }, SECRET), { name: 'WebhookError' }));
    t.true(ms < 1_500, `${piece}: ${ms} ms`);
  }
});
