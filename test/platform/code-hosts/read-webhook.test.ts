import { createHmac } from 'node:crypto';
import test from 'ava';
import { WebhookError } from '../../../platform/code-hosts/code-host.ts';
import { readWebhook, type WebhookReading } from '../../../platform/code-hosts/read-webhook.ts';
import fc from '../../helpers/fast-check.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';
import { type SignedCall, signGitee, signGithub } from '../../helpers/sign-webhook.ts';
import { webhookExamples } from '../../helpers/webhook-examples.ts';

const SECRET = 'It’s a secret';
const ZEROS = '0'.repeat(40);
const COMMIT = '6113728f27ae82c7b1a177c8d03f9e96e0adf246';

const read = (call: SignedCall, secret = ''): WebhookReading => readWebhook({ ...call, secret });
const push = (fields: object): SignedCall => signGithub('push', { ref: 'refs/heads/main', after: COMMIT, ...fields });

/** Returns the meaning of an example, by its own fields. */
function expectMeaning(event: string, payload: Record<string, unknown>): object {
  if (event === 'release') {
    const { action, release } = payload as { action: string; release: { tag_name: string } };
    return action === 'released'
      ? { kind: 'build', ref: release.tag_name, refKind: 'tag', commit: '' }
      : { kind: 'ignored', why: `release action "${action}" builds nothing` };
  }
  const { ref, after, deleted } = payload as { ref: string; after: string; deleted: boolean };
  const refKind = ref.startsWith('refs/tags/') ? 'tag' : 'branch';
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '');
  return deleted ? { kind: 'remove', ref: name, refKind } : { kind: 'build', ref: name, refKind, commit: after };
}

const examples = webhookExamples('push', 'release');
test('read-webhook() is tried with pushes, deletions and releases of every edition', (t) => {
  t.true(examples.length >= 34);
  const count = (wanted: (payload: Record<string, unknown>) => boolean): number =>
    examples.filter(({ payload }) => wanted(payload)).length;
  t.true(count(({ deleted }) => deleted === true) >= 4);
  t.true(count(({ action }) => action === 'released') >= 1);
  t.true(count(({ created }) => created === true) >= 3);
});

for (const { title, event, payload } of examples) {
  test(`read-webhook() reads example ${title}`, (t) => {
    const sender = { service: 'github', event, deliveryId: 'a-1', verified: true };
    const expected = { ...sender, ...expectMeaning(event, payload) };
    for (const form of [false, true]) {
      for (const sha1 of [false, true]) {
        t.deepEqual(
          read(signGithub(event, payload, { secret: SECRET, form, sha1, id: 'a-1' }), SECRET) as object,
          expected,
        );
      }
    }
    t.deepEqual(read(signGithub(event, payload, { id: 'a-1' })) as object, { ...expected, verified: false });
    const wrong = signGithub(event, payload, { secret: 'another' });
    t.like(
      t.throws(() => read(wrong, SECRET), { instanceOf: WebhookError }),
      { code: 'wrong-signature' },
    );
  });
}

for (const { title, payload } of webhookExamples('push')) {
  test(`read-webhook() reads branches with slashes, deletions and forced pushes made from ${title}`, (t) => {
    const branch = { ...payload, ref: 'refs/heads/feature/x/refs/heads/y', deleted: false, after: COMMIT };
    t.like(read(signGithub('push', branch)), {
      kind: 'build',
      ref: 'feature/x/refs/heads/y',
      refKind: 'branch',
      commit: COMMIT,
    });
    t.like(read(signGithub('push', { ...branch, ref: 'refs/tags/rel/v1' })), { ref: 'rel/v1', refKind: 'tag' });
    t.like(read(signGithub('push', { ...branch, deleted: true, after: ZEROS })), {
      kind: 'remove',
      ref: 'feature/x/refs/heads/y',
      verified: false,
    });
    const other = COMMIT.replace('6', '7');
    t.like(read(signGithub('push', { ...branch, forced: true, after: other })), { kind: 'build', commit: other });
  });
}

for (const { title, event, payload } of webhookExamples('ping')) {
  test(`read-webhook() reads a ping: ${title}`, (t) => {
    t.is(read(signGithub(event, payload, { secret: SECRET }), SECRET).kind, 'ping');
  });
}

test('read-webhook() takes the SHA-256 signature where both are sent, whatever the other says', (t) => {
  const good = signGithub('push', { ref: 'refs/heads/main', after: COMMIT }, { secret: SECRET });
  t.is(read({ ...good, headers: { ...good.headers, 'x-hub-signature': 'sha1=0' } }, SECRET).kind, 'build');
  for (const value of ['', 'sha256=', 'sha256=00', String(good.headers['x-hub-signature'])]) {
    const headers = { ...good.headers, 'x-hub-signature-256': value };
    t.like(
      t.throws(() => read({ ...good, headers }, SECRET)),
      { code: 'wrong-signature' },
      value,
    );
  }
});

test('read-webhook() refuses a call without signature, and one whose body was changed by a byte', (t) => {
  const { headers, rawBody } = signGithub('push', { ref: 'refs/heads/main', after: COMMIT }, { secret: SECRET });
  const unsigned = { 'x-github-event': headers['x-github-event'] };
  t.like(
    t.throws(() => read({ headers: unsigned, rawBody }, SECRET)),
    { code: 'missing-signature' },
  );
  const changed = Buffer.concat([rawBody, Buffer.from(' ')]);
  t.like(
    t.throws(() => read({ headers, rawBody: changed }, SECRET)),
    { code: 'wrong-signature' },
  );
});

test('read-webhook() checks the signature before it parses', (t) => {
  const call = { headers: { 'x-github-event': 'push', 'x-hub-signature-256': 'sha256=0' }, rawBody: Buffer.from('{') };
  t.like(
    t.throws(() => read(call, SECRET)),
    { code: 'wrong-signature' },
  );
  t.like(
    t.throws(() => read(call)),
    { code: 'not-json' },
  );
});

test('read-webhook() does not show the secret or the signature it expected', (t) => {
  const call = signGithub('push', {}, { secret: 'another' });
  const { message } = t.throws(() => read(call, SECRET));
  t.false(message.includes(SECRET));
  t.false(/[0-9a-f]{20}/.test(message));
});

test('read-webhook() builds the commit that an annotated tag leads to', (t) => {
  const tag = { ref: 'refs/tags/v1', after: 'A'.repeat(40), head_commit: { id: 'b'.repeat(40) } };
  t.like(read(push(tag)), { kind: 'build', ref: 'v1', refKind: 'tag', commit: 'b'.repeat(40) });
  t.like(read(push({ ...tag, head_commit: null })), { commit: 'a'.repeat(40) });
  t.like(read(push({ ...tag, ref: 'refs/heads/v1' })), { commit: 'a'.repeat(40) });
});

test('read-webhook() takes "deleted" for a deletion whatever commit is named', (t) => {
  t.like(read(push({ deleted: true })), { kind: 'remove', ref: 'main' });
});

test('read-webhook() takes zeros for a deletion also where nothing says "deleted"', (t) => {
  t.like(read(push({ after: ZEROS })), { kind: 'remove', ref: 'main' });
  t.like(read(push({ after: '0'.repeat(64) })), { kind: 'remove', ref: 'main' });
});

test('read-webhook() ignores what is neither branch nor tag, and unknown events, by name', (t) => {
  t.like(read(push({ ref: 'refs/notes/commits' })), {
    kind: 'ignored',
    why: 'ref "refs/notes/commits" is neither a branch nor a tag',
  });
  t.like(read(signGithub('star', { action: 'created' })), { kind: 'ignored', why: 'event "star" builds nothing' });
  t.like(read(signGithub('__proto__', {})), { kind: 'ignored', why: 'event "__proto__" builds nothing' });
  t.like(read(signGithub('release', { action: 'con\nstructor' })), {
    kind: 'ignored',
    why: 'release action "con�structor" builds nothing',
  });
});

test('read-webhook() takes names as git does, however odd', (t) => {
  for (const ref of [
    '__proto__',
    'constructor',
    'a$(id)',
    `x'"<svg>`,
    'feature/-x',
    'zh/文档',
    'v1.0@2',
    'a{b',
    '@x',
  ]) {
    t.like(read(push({ ref: `refs/heads/${ref}` })), { kind: 'build', ref });
  }
});

test('read-webhook() refuses names that git forbids', (t) => {
  const names = [
    '',
    '-x',
    '--upload-pack=touch',
    '..',
    'a..b',
    '../../x',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
  ];
  names.push(
    'a b',
    'a\nb',
    'a\0b',
    'a\x7fb',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{1}',
    '@',
    'a.',
    '\ud800',
    'x'.repeat(10_000),
  );
  for (const name of names) {
    for (const kind of ['heads', 'tags']) {
      const error = t.throws(() => read(push({ ref: `refs/${kind}/${name}` })), { instanceOf: WebhookError });
      t.like(error, { code: 'bad-ref' }, name);
      t.true((error?.message.length ?? 1000) < 250);
      t.notRegex(error?.message ?? '', /\p{C}/u);
    }
    t.like(
      t.throws(() => read(signGithub('release', { action: 'released', release: { tag_name: name } }))),
      { code: 'bad-ref' },
    );
  }
  t.like(
    t.throws(() => read(push({ ref: 'main' }))),
    { code: 'bad-ref' },
  );
});

test('read-webhook() refuses wrong types and missing fields by the name of the field', (t) => {
  const wrong: [object, RegExp][] = [
    [{ ref: 1 }, /"ref"/],
    [{ ref: undefined }, /"ref"/],
    [{ ref: ['refs/heads/main'] }, /"ref"/],
    [{ after: undefined }, /"after"/],
    [{ after: 'main' }, /"after": must be a commit id/],
    [{ after: `${COMMIT}\n` }, /"after"/],
    [{ deleted: 'false' }, /"deleted"/],
    [{ head_commit: { id: '--x' } }, /"head_commit.id"/],
  ];
  for (const [fields, message] of wrong) {
    t.like(
      t.throws(() => read(push(fields)), { instanceOf: WebhookError, message }),
      { code: 'wrong-shape' },
    );
  }
  for (const payload of [null, [], 'x', 1])
    t.like(
      t.throws(() => read(signGithub('push', payload))),
      { code: 'wrong-shape' },
    );
  t.throws(() => read(signGithub('release', { action: 'released', release: {} })), { message: /"release.tag_name"/ });
  t.throws(() => read(signGithub('release', {})), { message: /"action"/ });
});

test('read-webhook() refuses bodies that are no JSON, and forms without payload', (t) => {
  const send = (type: string, body: string | Buffer) => () =>
    read({ headers: { 'content-type': type, 'x-github-event': 'push' }, rawBody: Buffer.from(body) });
  t.like(t.throws(send('application/json', '')), { code: 'not-json', message: 'The body is not JSON' });
  t.like(t.throws(send('application/json', Buffer.from([0x22, 0xff, 0x22]))), {
    code: 'not-json',
    message: 'The body is not UTF-8',
  });
  t.like(t.throws(send('application/x-www-form-urlencoded; charset=utf-8', 'body=1')), {
    code: 'not-json',
    message: 'The form has no field "payload"',
  });
  t.like(t.throws(send('application/x-www-form-urlencoded', 'payload=%7B')), {
    code: 'not-json',
    message: 'The body is not JSON',
  });
  for (const payload of ['%', '%7', '%7Z', '{%zz}']) {
    t.like(t.throws(send('application/x-www-form-urlencoded', `a=b&payload=${payload}&c=d`)), {
      code: 'not-json',
      message: 'The form is not encoded correctly',
    });
  }
  t.like(t.throws(send('application/json', '['.repeat(1_000_000))), { code: 'not-json' });
});

test('read-webhook() reads a payload whatever its content type, unless it is a form', (t) => {
  const body = Buffer.from(JSON.stringify({ ref: 'refs/heads/main', after: COMMIT }));
  for (const type of [undefined, 'text/plain', 'application/vnd.github+json']) {
    const headers = { 'x-github-event': 'push', ...(type === undefined ? {} : { 'content-type': type }) };
    t.is(read({ headers, rawBody: body }).kind, 'build');
  }
});

test('read-webhook() refuses who sends no header of a code host that is known', (t) => {
  for (const headers of [
    {},
    { 'x-onedev-event': 'push' },
    { 'x-github-event': '' },
    { 'x-github-event': 'x'.repeat(101) },
  ]) {
    t.like(
      t.throws(() => read({ headers, rawBody: Buffer.from('{}') })),
      { code: 'unknown-service' },
    );
  }
});

test('read-webhook() takes ids of deliveries that look like ids', (t) => {
  const event = 'ping';
  t.is(
    read(signGithub(event, {}, { id: '72d3162e-cc78-11e3-81ab-4c9367dc0958' })).deliveryId,
    '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  );
  for (const id of ['', 'a b', '../x', 'refused.x', 'x'.repeat(101)])
    t.is(read(signGithub(event, {}, { id })).deliveryId, '');
});

test('read-webhook() reads Push and Tag Push of Gitee', (t) => {
  const payload = {
    hook_name: 'push_hooks',
    ref: 'refs/heads/feature/x',
    after: COMMIT,
    created: true,
    deleted: false,
  };
  const sender = { service: 'gitee', deliveryId: '', verified: true };
  t.deepEqual(read(signGitee('Push Hook', payload, SECRET), SECRET) as object, {
    ...sender,
    event: 'Push Hook',
    kind: 'build',
    ref: 'feature/x',
    refKind: 'branch',
    commit: COMMIT,
  });
  t.like(read(signGitee('Tag Push Hook', { ...payload, ref: 'refs/tags/v1' }, SECRET), SECRET), {
    kind: 'build',
    ref: 'v1',
    refKind: 'tag',
  });
  t.like(read(signGitee('Push Hook', { ...payload, deleted: true, after: ZEROS }, SECRET), SECRET), {
    kind: 'remove',
    verified: true,
  });
  t.like(read(signGitee('Merge Request Hook', payload)), {
    kind: 'ignored',
    why: 'event "Merge Request Hook" builds nothing',
    verified: false,
  });
  const test = signGitee('Push Hook', payload, SECRET);
  t.is(read({ ...test, headers: { ...test.headers, 'x-gitee-ping': 'true' } }, SECRET).kind, 'ping');
});

test('read-webhook() refuses Gitee calls with a wrong or missing token', (t) => {
  const payload = { ref: 'refs/heads/main', after: COMMIT };
  for (const token of ['', 'x', `${SECRET} `, SECRET.slice(1)]) {
    t.like(
      t.throws(() => read(signGitee('Push Hook', payload, token), SECRET), { instanceOf: WebhookError }),
      { code: token === '' ? 'missing-signature' : 'wrong-signature' },
    );
  }
});

test("read-webhook() takes Gitee's signature by key, within an hour", (t) => {
  // A signature from public code, which was made apart from ours.
  const known = { token: 'AbEvusCKxqRkBtTr4fD47SGVP/mRwlt48iuUYMFRloI=', timestamp: 1672135206524, secret: '123654' };
  const at = (nowMs: number, token = known.token) => {
    const { headers, rawBody } = signGitee('Push Hook', { ref: 'refs/heads/main', after: COMMIT }, token);
    return readWebhook({
      headers: { ...headers, 'x-gitee-timestamp': String(known.timestamp) },
      rawBody,
      secret: known.secret,
      nowMs,
    });
  };
  t.like(at(known.timestamp), { kind: 'build', verified: true });
  t.like(at(known.timestamp + 59 * 60_000, encodeURIComponent(known.token)), { kind: 'build' });
  t.like(
    t.throws(() => at(known.timestamp + 61 * 60_000)),
    { code: 'wrong-signature' },
  );
  t.like(
    t.throws(() => at(known.timestamp - 61 * 60_000)),
    { code: 'wrong-signature' },
  );
  t.like(
    t.throws(() => at(known.timestamp, createHmac('sha256', 'x').update('y').digest('base64'))),
    { code: 'wrong-signature' },
  );
});

test('read-webhook() reads large bodies for what it needs, in either encoding', (t) => {
  const commits = Array.from({ length: 2_000 }, (_, id) => ({ id, message: `"ref": ]} \\ é +& ${'x'.repeat(300)}` }));
  const payload = { commits, ref: 'refs/heads/zh/文档', after: COMMIT, deleted: false, head_commit: { id: COMMIT } };
  for (const form of [false, true]) {
    const call = signGithub('push', payload, { secret: SECRET, form });
    t.true(call.rawBody.length > 600_000);
    t.like(read(call, SECRET), { kind: 'build', ref: 'zh/文档', commit: COMMIT });
  }
});

test('read-webhook() reads bodies of any size alike: escaped names, a byte order mark, bytes that are no text', (t) => {
  const read = (json: string | Buffer) => {
    const rawBody = Buffer.from(json);
    const signature = createHmac('sha256', SECRET).update(rawBody).digest('hex');
    const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${signature}` };
    return readWebhook({ headers, rawBody, secret: SECRET });
  };
  for (const size of [0, 255_000, 257_000, 20_000_000]) {
    const body = `"\\u0072ef":"refs/heads/\\u0061","\\u0061ft\\u0065r":"${COMMIT}","x":"${'x'.repeat(size)}"`;
    t.like(read(`{${body}}`), { kind: 'build', ref: 'a', commit: COMMIT, verified: true }, `${size}`);
    t.like(read(`\ufeff{${body}}`), { kind: 'build', ref: 'a' }, `${size}`);
    const broken = Buffer.concat([Buffer.from(`{${body},"ref":"refs/heads/`), Buffer.from([0xff]), Buffer.from('"}')]);
    t.like(
      t.throws(() => read(broken)),
      { code: 'not-json', message: 'The body is not UTF-8' },
      `${size}`,
    );
  }
});

const hostile: [string, (repeat: number) => string][] = [
  ['[[[[', (n) => '['.repeat(n * 8)],
  ['{"a":{"a":', (n) => '{"a":'.repeat((n * 8) / 5)],
  ['{},{},', (n) => `{"x":[${'{},'.repeat((n * 8) / 3)}1]}`],
  ['"k1":1,"k2":1,', (n) => `{${Array.from({ length: n / 2 }, (_, k) => `"k${k}":1`).join()}}`],
  ['"ref":1,"ref":1,', (n) => `{${'"ref":1,'.repeat(n)}"x":1}`],
  ['a long name', (n) => `{"after":"${COMMIT}","ref":"refs/heads/${'a/'.repeat(n * 4)}"}`],
  ['backslashes', (n) => `{"x":"${'\\\\'.repeat(n * 4)}"}`],
];
for (const [name, create] of hostile) {
  test(`read-webhook() is not held up by 25 MB of ${name}`, (t) => {
    const rawBody = Buffer.from(create(3_000_000));
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const body = type === 'application/json' ? rawBody : Buffer.concat([Buffer.from('a&payload='), rawBody]);
      const headers = { 'x-github-event': 'push', 'content-type': type };
      const ms = fastestMs(() => {
        t.throws(() => readWebhook({ headers, rawBody: body, secret: '' }), { instanceOf: WebhookError });
      });
      t.true(ms < 1_500, `${ms} ms`);
    }
  });
}

const anyHeader = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.string()), fc.constant(undefined));
const headerName = fc.constantFrom(
  ...['x-gitlab-event', 'x-gitlab-token', 'webhook-signature', 'webhook-timestamp', 'webhook-id', 'idempotency-key'],
  ...['x-gitea-event', 'x-forgejo-event', 'x-gitea-signature', 'x-gitea-delivery'],
  ...['x-github-event', 'x-gitee-event', 'x-gitee-token', 'x-gitee-timestamp', 'x-gitee-ping', 'x-hub-signature'],
  ...['x-hub-signature-256', 'x-github-delivery', 'content-type', '__proto__', 'constructor'],
);
const events = fc.constantFrom(
  ...['push', 'release', 'delete', 'ping', 'Push Hook', 'Tag Push Hook', 'Release Hook', '__proto__'],
);
const field = fc.oneof(
  fc.anything(),
  fc.constant('refs/heads/'),
  fc.string().map((name) => `refs/tags/${name}`),
  fc.constant(COMMIT),
  fc.constant(ZEROS),
);
const fields = fc.constantFrom(
  'before',
  'checkout_sha',
  'tag',
  'commit',
  'ref_type',
  'ref',
  'after',
  'deleted',
  'head_commit',
  'action',
  'release',
  '__proto__',
  'toString',
);
const anyBody = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json({ maxDepth: 5 }).map((json) => Buffer.from(json)),
  fc.dictionary(fields, field).map((payload) => Buffer.from(toJson(payload))),
);

function toJson(value: unknown): string {
  const seen = JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item));
  return seen ?? 'null';
}

test('read-webhook() throws nothing but WebhookError, with a status of the contract, whatever comes', (t) => {
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(
      fc.dictionary(headerName, anyHeader),
      fc.option(events),
      fc.constantFrom('x-github-event', 'x-gitee-event', 'x-gitlab-event', 'x-gitea-event'),
      anyBody,
      fc.constantFrom('', '', 'x'),
      (others, event, name, rawBody, secret) => {
        const headers = { ...others, ...(event === null ? {} : { [name]: event }) };
        try {
          const { kind } = readWebhook({ headers, rawBody, secret });
          counts.set(kind, (counts.get(kind) ?? 0) + 1);
        } catch (error) {
          if (!(error instanceof WebhookError)) throw error;
          counts.set(error.code, (counts.get(error.code) ?? 0) + 1);
        }
      },
    ),
    { numRuns: 1_700 },
  );
  for (const outcome of ['ping', 'ignored', 'wrong-shape', 'missing-signature'])
    t.true((counts.get(outcome) ?? 0) > 0, outcome);
});
