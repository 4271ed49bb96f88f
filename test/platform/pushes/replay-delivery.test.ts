import test from 'ava';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import { replayDelivery } from '../../../platform/pushes/replay-delivery.ts';
import { createHookProject } from '../../helpers/create-records.ts';
import { createWebhookSetup } from '../../helpers/create-webhook-setup.ts';
import { signGithub } from '../../helpers/sign-webhook.ts';

const A = 'a'.repeat(40);
const push = { ref: 'refs/heads/main', after: A };

test('replay-delivery() builds again what was built', async (t) => {
  const { send, start, queue, store, context, builds } = createWebhookSetup(t, createHookProject({ secret: '' }));
  await start();
  const first = await send(signGithub('push', push, { id: 'id-1' }));
  await queue.waitFor(first.body.build!.id);
  const again = await replayDelivery({ project: 'guide', id: 'id-1', cause: 'console' }, context);
  t.is(again.status, 201);
  t.not(again.body.build?.id, first.body.build?.id);
  await queue.waitFor(again.body.build!.id);
  t.like(await builds(), [{ cause: 'webhook' }, { cause: 'console', commit: A, status: 'passing' }]);
  t.like(await store.deliveries.find('guide', 'id-1'), {
    build: again.body.build?.id,
    answer: 'replayed: build of "main"',
  });
});

test('replay-delivery() removes what an unverified call asked to remove', async (t) => {
  const { send, start, queue, store, context, builds } = createWebhookSetup(t, createHookProject({ secret: '' }));
  await start();
  const { body } = await send(signGithub('push', push));
  await queue.waitFor(body.build!.id);
  await send(signGithub('push', { ...push, after: '0'.repeat(40) }, { id: 'id-2' }));
  const answer = await replayDelivery({ project: 'guide', id: 'id-2', cause: 'console' }, context);
  t.deepEqual(answer, {
    status: 200,
    body: { success: true, message: '"main" is being removed from the site' },
  });
  await queue.waitFor((await builds())[1]!.id);
  t.deepEqual((await store.projects.find('guide'))?.versions, []);
  t.like(await replayDelivery({ project: 'guide', id: 'id-2', cause: 'console' }, context), {
    body: { success: true, message: '"main" has no version' },
  });
});

test('replay-delivery() builds no excluded ref', async (t) => {
  const { send, store, context } = createWebhookSetup(t, createHookProject({ secret: '' }));
  await send(signGithub('push', push, { id: 'id-1' }));
  await store.projects.change('guide', (known) => ({ ...known, meta: { excluded_branch: 'main' } }));
  t.like((await replayDelivery({ project: 'guide', id: 'id-1', cause: 'console' }, context)).body, {
    success: false,
    message: 'excluded branch',
  });
});

test('replay-delivery() refuses unknown deliveries and those that asked for nothing', async (t) => {
  const { send, context } = createWebhookSetup(t, createHookProject({ secret: '' }));
  await send(signGithub('ping', {}, { id: 'id-1' }));
  const replay = (project: string, id: string) => replayDelivery({ project, id, cause: 'command' }, context);
  t.like(await t.throwsAsync(replay('guide', 'id-1'), { instanceOf: ServiceError }), { status: 409 });
  t.like(await t.throwsAsync(replay('guide', '__proto__'), { instanceOf: ServiceError }), { status: 404 });
  t.like(await t.throwsAsync(replay('constructor', 'id-1'), { instanceOf: ServiceError }), { status: 404 });
});
