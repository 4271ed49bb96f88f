import test from 'ava';
import { readWebhook, type WebhookReading } from '../../../platform/code-hosts/read-webhook.ts';
import { type SignedCall, signBitbucket } from '../../helpers/sign-webhook.ts';

const SECRET = 'It’s a secret';
const [COMMIT, TAG, ZEROS] = ['a'.repeat(40), 'b'.repeat(40), '0'.repeat(40)];

const read = (call: SignedCall, secret = ''): WebhookReading => readWebhook({ ...call, secret });
const side = (name: string, type = 'branch', hash = COMMIT) => ({ type, name, target: { type: 'commit', hash } });
/** A push to Cloud, with fields beside those that count. */
const push = (...changes: readonly object[]) => ({
  push: { changes: changes.map((change) => ({ forced: false, commits: [], truncated: false, ...change })) },
  repository: { full_name: 'workspace/repository' },
});
/** A push to Data Center. */
const refsChanged = (...changes: readonly (readonly [id: string, toHash: string])[]) => ({
  eventKey: 'repo:refs_changed',
  changes: changes.map(([id, toHash]) => ({ ref: { id, displayId: id, type: 'BRANCH' }, refId: id, toHash })),
});

test('bitbucket: pushes of branches and tags are read', (t) => {
  const call = signBitbucket('repo:push', push({ old: null, new: side('feature/x') }), { secret: SECRET, id: 'id-1' });
  t.deepEqual(read(call, SECRET) as object, {
    service: 'bitbucket',
    event: 'repo:push',
    deliveryId: 'id-1',
    verified: true,
    kind: 'build',
    ref: 'feature/x',
    refKind: 'branch',
    commit: COMMIT,
  });
  const tag = push({ old: null, new: side('v1.0', 'tag') });
  t.like(read(signBitbucket('repo:push', tag)), { kind: 'build', ref: 'v1.0', refKind: 'tag', commit: COMMIT });
});

test('bitbucket: pushes to Data Center are read; the commit of a tag is not known', (t) => {
  const branch = signBitbucket('repo:refs_changed', refsChanged(['refs/heads/feature/x', COMMIT]));
  t.like(read(branch), { kind: 'build', ref: 'feature/x', refKind: 'branch', commit: COMMIT });
  const tag = signBitbucket('repo:refs_changed', refsChanged(['refs/tags/v1.0', TAG]));
  t.like(read(tag), { kind: 'build', ref: 'v1.0', refKind: 'tag', commit: '' });
  const gone = signBitbucket('repo:refs_changed', refsChanged(['refs/heads/feature/x', ZEROS]));
  t.like(read(gone), { kind: 'remove', ref: 'feature/x', refKind: 'branch' });
});

test('bitbucket: of several refs that one push changes, the first that is still there is built', (t) => {
  const gone = { old: side('old'), new: null };
  t.like(read(signBitbucket('repo:push', push(gone, { old: side('main'), new: side('main') }))), {
    kind: 'build',
    ref: 'main',
  });
  t.like(read(signBitbucket('repo:push', push(gone, { old: side('v1', 'tag'), new: null }))), {
    kind: 'remove',
    ref: 'old',
    refKind: 'branch',
  });
});

test('bitbucket: a test builds nothing, nor do other events and a push of nothing', (t) => {
  t.is(read(signBitbucket('diagnostics:ping', { test: true })).kind, 'ping');
  for (const event of ['repo:fork', 'pr:opened', '__proto__']) {
    t.is(read(signBitbucket(event, push({ new: side('main') }))).kind, 'ignored', event);
  }
  t.is(read(signBitbucket('repo:push', push())).kind, 'ignored');
  t.is(read(signBitbucket('repo:push', push({ new: side('x', 'bookmark') }))).kind, 'ignored');
});

test('bitbucket: a wrong or missing signature is refused', (t) => {
  const { headers, rawBody } = signBitbucket('repo:push', push({ new: side('main') }), { secret: SECRET });
  const changed = Buffer.from(rawBody.toString().replace('workspace', 'workspacf'));
  t.like(
    t.throws(() => read({ headers, rawBody: changed }, SECRET)),
    { code: 'wrong-signature' },
  );
  t.like(
    t.throws(() => read(signBitbucket('repo:push', push()), SECRET)),
    { code: 'missing-signature' },
  );
});

test('bitbucket: wrong types and names are refused by the name of the field', (t) => {
  const wrong: readonly (readonly [event: string, payload: object, message: RegExp])[] = [
    ['repo:push', {}, /"push"/],
    ['repo:push', push({ new: side('main', 'branch', 'main') }), /"push\.changes\.0\.new\.target\.hash"/],
    ['repo:push', push({ new: side('--x') }), /not a valid name of a branch or tag/],
    ['repo:refs_changed', { changes: [{ ref: 'main' }] }, /"changes\.0\.ref"/],
    ['repo:refs_changed', refsChanged(['main', COMMIT]), /does not begin with "refs\/"/],
  ];
  for (const [event, payload, message] of wrong) t.throws(() => read(signBitbucket(event, payload)), { message });
});
