import test from 'ava';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import { handleWebhook } from '../../../platform/pushes/handle-webhook.ts';
import { createHookProject } from '../../helpers/create-records.ts';
import { createWebhookSetup, SOURCE, type WebhookSetup } from '../../helpers/create-webhook-setup.ts';
import { type SignedCall, signGitee, signGithub, signGitlab } from '../../helpers/sign-webhook.ts';

const project = createHookProject({ meta: { excluded_branch: 'dependabot/**|old' } });
const { secret } = project;
const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const push = (ref: string, after: string, id?: string): SignedCall =>
  signGithub('push', { ref, after }, { secret, ...(id === undefined ? {} : { id }) });
const remove = (ref: string): SignedCall =>
  signGithub('push', { ref, after: '0'.repeat(40), deleted: true }, { secret });

async function settle({ queue, builds }: WebhookSetup): Promise<void> {
  for (const { id } of await builds()) await queue.waitFor(id);
}

test('handle-webhook() asks for a build of the full ref and answers with it', async (t) => {
  const setup = createWebhookSetup(t, project);
  const answer = await setup.send(push('refs/heads/feature/x', A, 'id-1'));
  const [build] = await setup.builds();
  t.like(build, { ref: 'feature/x', commit: A, cause: 'webhook', status: 'queued' });
  t.deepEqual(answer, {
    status: 201,
    body: { success: true, message: '', branch: 'feature/x', build: { id: build!.id, status: 'queued' } },
  });
  t.deepEqual(await setup.store.deliveries.find('guide', 'id-1'), {
    project: 'guide',
    id: 'id-1',
    service: 'github',
    event: 'push',
    status: 201,
    build: build!.id,
    receivedAt: '2026-03-01T00:00:00.000Z',
    answer: 'build of "feature/x"',
    action: { kind: 'build', ref: 'feature/x', commit: A },
  });
});

test('handle-webhook() answers a ping', async (t) => {
  const setup = createWebhookSetup(t, project);
  const answer = await setup.send(signGithub('ping', { zen: '' }, { secret }));
  t.deepEqual(answer, { status: 200, body: { success: true, message: '', ping: 'pong' } });
  t.like(await setup.store.deliveries.list({ project: 'guide', limit: 2 }), [
    { event: 'ping', answer: 'pong', status: 200 },
  ]);
});

test('handle-webhook() says why it ignores a call, and records it', async (t) => {
  const setup = createWebhookSetup(t, project);
  const answer = await setup.send(signGithub('star', {}, { secret, id: 'id-1' }));
  t.deepEqual(answer, { status: 200, body: { success: true, message: 'ignored: event "star" builds nothing' } });
  t.like(await setup.store.deliveries.find('guide', 'id-1'), {
    answer: answer.body.message,
    action: undefined,
    build: '',
  });
});

test('handle-webhook() builds no excluded ref', async (t) => {
  const setup = createWebhookSetup(t, project);
  for (const branch of ['old', 'dependabot/npm/x']) {
    const answer = await setup.send(push(`refs/heads/${branch}`, A));
    t.deepEqual(answer, { status: 200, body: { success: false, message: 'excluded branch', branch } });
  }
  t.deepEqual(await setup.builds(), []);
});

test('handle-webhook() answers a repeated delivery as before, also when the build is over', async (t) => {
  const setup = createWebhookSetup(t, project);
  const call = push('refs/heads/main', A, 'id-1');
  const first = await setup.send(call);
  t.deepEqual(await setup.send(call), first);
  await setup.start();
  await settle(setup);
  const later = await setup.send(call);
  t.is(later.status, 201);
  t.deepEqual(later.body.build, { id: first.body.build!.id, status: 'passing' });
  t.is((await setup.builds()).length, 1);
});

test('handle-webhook() looks anew at a repeated delivery that built nothing', async (t) => {
  const setup = createWebhookSetup(t, project);
  t.false((await setup.send(push('refs/heads/old', A, 'id-1'))).body.success);
  await setup.store.projects.change('guide', (known) => ({ ...known, meta: {} }));
  t.is((await setup.send(push('refs/heads/old', A, 'id-1'))).status, 201);
  t.like(await setup.store.deliveries.find('guide', 'id-1'), { status: 201, answer: 'build of "old"' });
});

test('handle-webhook() keeps what is known of a delivery that built something when its ref is excluded by now', async (t) => {
  const setup = createWebhookSetup(t, project);
  const call = push('refs/heads/main', A, 'id-1');
  const { body } = await setup.send(call);
  await setup.store.projects.change('guide', (known) => ({ ...known, meta: { excluded_branch: 'main' } }));
  t.is((await setup.send(call)).body.message, 'excluded branch');
  t.is((await setup.store.deliveries.find('guide', 'id-1'))?.build, body.build!.id);
  await setup.store.projects.change('guide', (known) => ({ ...known, meta: {} }));
  t.is((await setup.send(call)).body.build?.id, body.build!.id);
});

test('handle-webhook() builds a commit of a ref once, whatever the deliveries are called', async (t) => {
  const setup = createWebhookSetup(t, project);
  const first = await setup.send(push('refs/heads/main', A, 'id-1'));
  t.is((await setup.send(push('refs/heads/main', A, 'id-2'))).body.build?.id, first.body.build?.id);
  await setup.start();
  await settle(setup);
  t.is((await setup.send(push('refs/heads/main', A, 'id-3'))).body.build?.id, first.body.build?.id);
  t.not((await setup.send(push('refs/heads/other', A, 'id-4'))).body.build?.id, first.body.build?.id);
  t.is((await setup.builds()).length, 2);
});

test('handle-webhook() does not build a commit again that failed', async (t) => {
  const setup = createWebhookSetup(t, project);
  await setup.start(() => ({ status: 'failing', reason: 'no docs' }));
  const first = await setup.send(push('refs/heads/main', A));
  await settle(setup);
  t.deepEqual((await setup.send(push('refs/heads/main', A))).body.build, {
    id: first.body.build!.id,
    status: 'failing',
  });
});

test('handle-webhook() builds again what a branch is forced back to', async (t) => {
  const setup = createWebhookSetup(t, project);
  await setup.start();
  for (const commit of [A, B, A]) {
    await setup.send(push('refs/heads/main', commit));
    await settle(setup);
  }
  t.like(await setup.builds(), [{ commit: A }, { commit: B }, { commit: A }]);
  t.like((await setup.store.projects.find('guide'))?.versions, [{ ref: 'main', oid: A }]);
});

test('handle-webhook() builds again a branch that was deleted and came back', async (t) => {
  const setup = createWebhookSetup(t, project);
  await setup.start();
  for (const call of [push('refs/heads/x', A), remove('refs/heads/x'), push('refs/heads/x', A)]) {
    await setup.send(call);
    await settle(setup);
  }
  t.like(await setup.builds(), [{ kind: 'build' }, { kind: 'remove' }, { kind: 'build', status: 'passing' }]);
});

test('handle-webhook() builds a commit again after a build of all refs published another', async (t) => {
  const setup = createWebhookSetup(t, project);
  await setup.start();
  const first = await setup.send(push('refs/heads/main', A));
  await settle(setup);
  const versions = [{ ref: 'main', kind: 'branch' as const, oid: B, builtAt: '' }];
  await setup.store.projects.change('guide', (known) => ({ ...known, versions }));
  const second = await setup.send(push('refs/heads/main', A));
  t.not(second.body.build?.id, first.body.build?.id);
});

test('handle-webhook() takes the version of a deleted branch out of the site', async (t) => {
  const setup = createWebhookSetup(t, project);
  await setup.start();
  await setup.send(push('refs/heads/feature/x', A));
  await settle(setup);
  const answer = await setup.send(remove('refs/heads/feature/x'));
  const message = 'branch "feature/x" was deleted; its version is being removed from the site';
  t.deepEqual(answer, { status: 200, body: { success: true, message } });
  await settle(setup);
  t.deepEqual((await setup.store.projects.find('guide'))?.versions, []);
});

test('handle-webhook() answers a repeated deletion as before and removes once', async (t) => {
  const setup = createWebhookSetup(t, project);
  await setup.start();
  await setup.send(push('refs/heads/x', A));
  await settle(setup);
  const call = signGithub('push', { ref: 'refs/heads/x', after: '0'.repeat(40) }, { secret, id: 'id-2' });
  const first = await setup.send(call);
  t.deepEqual(await setup.send(call), first);
  t.is((await setup.builds()).length, 2);
});

test('handle-webhook() says so when a deleted branch has no version', async (t) => {
  const setup = createWebhookSetup(t, project);
  const { body } = await setup.send(remove('refs/tags/v1'));
  t.deepEqual(body, { success: true, message: 'tag "v1" was deleted; it has no version' });
});

test('handle-webhook() removes nothing for a caller that nobody verified', async (t) => {
  const setup = createWebhookSetup(t, createHookProject({ secret: '' }));
  await setup.start();
  await setup.send(signGithub('push', { ref: 'refs/heads/x', after: A }));
  await settle(setup);
  const { status, body } = await setup.send(remove('refs/heads/x'));
  t.is(status, 200);
  t.regex(body.message, /^ignored: branch "x" was deleted, but the call is not verified/);
  t.is((await setup.store.projects.find('guide'))?.versions.length, 1);
});

test('handle-webhook() asks once for calls that come at the same time', async (t) => {
  const setup = createWebhookSetup(t, project);
  await setup.start();
  const calls = Array.from({ length: 20 }, (_, n) =>
    setup.send(push('refs/heads/main', A, n % 2 === 0 ? 'same' : `id-${n}`)),
  );
  const ids = new Set((await Promise.all(calls)).map(({ body }) => body.build?.id));
  t.is(ids.size, 1);
  t.is((await setup.builds()).length, 1);
});

test('handle-webhook() answers a copy of a call that got stuck as the call, whatever was built meanwhile', async (t) => {
  const setup = createWebhookSetup(t, project);
  await setup.start();
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  // The node that received it first answers nothing for a while.
  const { queue } = setup;
  const stuck: typeof setup.context = {
    ...setup.context,
    queue: {
      request: (request) => gate.then(() => queue.request(request)),
      removeVersion: (...values) => gate.then(() => queue.removeVersion(...values)),
    },
  };
  const sendTwice = async (call: SignedCall) => {
    const copy = handleWebhook({ project, source: SOURCE, ...call }, stuck);
    const first = await setup.send(call);
    await settle(setup);
    return { copy, first };
  };
  const pushed = await sendTwice(push('refs/heads/main', A, 'id-1'));
  const removed = await sendTwice(
    signGithub('push', { ref: 'refs/heads/main', after: '0'.repeat(40), deleted: true }, { secret, id: 'id-2' }),
  );
  await setup.send(push('refs/heads/main', B, 'id-3'));
  await settle(setup);
  letGo();
  t.is((await pushed.copy).body.build?.id, pushed.first.body.build?.id);
  t.deepEqual(await removed.copy, removed.first);
  await settle(setup);
  t.like(await setup.builds(), [{ commit: A }, { kind: 'remove' }, { commit: B }]);
  t.is((await setup.builds()).length, 3);
  t.like((await setup.store.projects.find('guide'))?.versions, [{ ref: 'main', oid: B }]);
});

test('handle-webhook() handles calls of Gitee, which have no id', async (t) => {
  const setup = createWebhookSetup(t, project);
  const payload = { ref: 'refs/tags/v1', after: A, deleted: false };
  const answers = [1, 2].map(() => setup.send(signGitee('Tag Push Hook', payload, secret)));
  const [one, other] = await Promise.all(answers);
  t.is(one!.status, 201);
  t.deepEqual(one, other);
  const deliveries = await setup.store.deliveries.list({ project: 'guide', limit: 10 });
  t.is(deliveries.length, 2);
  t.true(deliveries.every(({ service, id }) => service === 'gitee' && id !== ''));
});

test('handle-webhook() records a release with the build of its tag', async (t) => {
  const setup = createWebhookSetup(t, project);
  const payload = { action: 'released', release: { tag_name: 'v1' } };
  t.is((await setup.send(signGithub('release', payload, { secret }))).body.branch, 'v1');
  t.like(await setup.builds(), [{ ref: 'v1', commit: '' }]);
});

test('handle-webhook() records refused calls of one reason once, however many come', async (t) => {
  const setup = createWebhookSetup(t, project);
  const refused = signGithub('push\x1b[31m', { ref: 'refs/heads/main', after: A }, { secret: 'another', id: 'id-1' });
  await setup.send(push('refs/heads/main', A, 'good'));
  for (let n = 0; n < 50; n++) await t.throwsAsync(setup.send(refused), { instanceOf: ServiceError });
  await t.throwsAsync(setup.send({ headers: {}, rawBody: Buffer.from('') }), { message: /Unknown service/ });
  const list = await setup.store.deliveries.list({ project: 'guide', limit: 1000 });
  t.deepEqual(list.map(({ id }) => id).sort(), ['good', 'refused.unknown-service', 'refused.wrong-signature']);
  t.like(await setup.store.deliveries.find('guide', 'refused.wrong-signature'), {
    status: 403,
    event: 'push�[31m',
    service: 'github',
    build: '',
    action: undefined,
    answer: "refused: The signature is wrong: the webhook's secret is not the project's secret",
  });
  setup.clock.ms += 10_000;
  await t.throwsAsync(setup.send(refused));
  const record = await setup.store.deliveries.find('guide', 'refused.wrong-signature');
  t.regex(record!.answer, /\(51 such calls since the server began\)$/);
  t.is(record!.receivedAt, '2026-03-01T00:00:10.000Z');
});

test('handle-webhook() takes a delivery that was refused before the secret was right', async (t) => {
  const setup = createWebhookSetup(t, project);
  const call = signGithub('push', { ref: 'refs/heads/main', after: A }, { secret: 'new', id: 'id-1' });
  await t.throwsAsync(setup.send(call), { message: /signature is wrong/ });
  await setup.store.projects.change('guide', (known) => ({ ...known, secret: 'new' }));
  t.is((await setup.send(call)).status, 201);
});

test('handle-webhook() does not record what it could not do, so that it may be sent again', async (t) => {
  const setup = createWebhookSetup(t, project);
  const broken = { ...setup.context, queue: { ...setup.queue, request: () => Promise.reject(new Error('disk full')) } };
  const call = push('refs/heads/main', A, 'id-1');
  await t.throwsAsync(handleWebhook({ project, source: SOURCE, ...call }, broken), { message: 'disk full' });
  t.is(await setup.store.deliveries.find('guide', 'id-1'), undefined);
  t.is((await setup.send(call)).status, 201);
});

test('handle-webhook() keeps the newest deliveries of a project', async (t) => {
  const setup = createWebhookSetup(t, project);
  for (let n = 0; n < 260; n++) {
    setup.clock.ms++;
    await setup.send(signGithub('star', {}, { secret, id: `id-${n}` }));
  }
  const list = await setup.store.deliveries.list({ project: 'guide', limit: 1000 });
  t.true(list.length >= 200 && list.length < 220, String(list.length));
  t.is(list[0]?.id, 'id-259');
});

test('handle-webhook() asks for no build of a project that is gone', async (t) => {
  const setup = createWebhookSetup(t, project);
  await setup.store.projects.remove('guide');
  const call = handleWebhook({ project, source: SOURCE, ...push('refs/heads/main', A) }, setup.context);
  t.like(await t.throwsAsync(call, { instanceOf: ServiceError }), { status: 404 });
  t.deepEqual(await setup.builds(), []);
});

test('handle-webhook() takes calls with one id for different refs as different deliveries', async (t) => {
  const setup = createWebhookSetup(t, createHookProject());
  // GitLab before 17.4 sends the refs of one push so.
  const send = (ref: string) => {
    const { headers, rawBody } = signGitlab('Push Hook', { ref: `refs/heads/${ref}`, after: A }, { secret });
    return setup.send({ headers: { ...headers, 'x-gitlab-event-uuid': 'one-push' }, rawBody });
  };
  const [main, other] = [await send('main'), await send('other')];
  t.deepEqual([main.body.branch, other.body.branch], ['main', 'other']);
  t.not(main.body.build!.id, other.body.build!.id);
  // Sent again, each is answered as before.
  t.deepEqual([await send('main'), await send('other')], [main, other]);
  t.is((await setup.builds()).length, 2);
  const deliveries = await setup.store.deliveries.list({ project: 'guide', limit: 10 });
  t.true(deliveries.some(({ id, action }) => id === 'one-push' && action?.ref === 'main'));
  t.true(deliveries.some(({ id, action }) => id !== 'one-push' && action?.ref === 'other'));
  t.is(deliveries.length, 2);
});
