import test, { type ExecutionContext } from 'ava';
import type { BuildRequest } from '../../../platform/builds/queue/build-queue.ts';
import { createSchedules } from '../../../platform/builds/schedules.ts';
import { createCrontabReader } from '../../../platform/cron/read-crontab-line.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import { createBuild, createProject } from '../../helpers/create-records.ts';

/** Schedules with a clock that is set by hand, and what they have requested. */
async function createSetup(
  t: ExecutionContext,
  { timezone = 'UTC', least = 5 }: { readonly timezone?: string; readonly least?: number } = {},
) {
  const store = createMemoryStore();
  t.teardown(() => store.close());
  const clock = { time: '2026-05-04T00:00:00.000Z', least, fails: false };
  const requests: BuildRequest[] = [];
  const warnings: string[] = [];
  const create = (zone: string) =>
    createSchedules({
      store,
      queue: {
        async request(request) {
          if (clock.fails) throw new Error('The disk is full');
          requests.push(request);
          return createBuild({ project: request.project, ref: request.ref });
        },
      },
      read: createCrontabReader(zone),
      leastMinutes: () => clock.least,
      now: () => new Date(clock.time),
      onWarning: (message) => void warnings.push(message),
    });
  const schedules = create(timezone);
  const add = async (name: string, schedule: string) =>
    store.projects.add(schedules.plan(createProject({ name, schedule })));
  const dueOf = async (name: string) => (await store.projects.find(name))?.scheduledAt;
  const { signal } = new AbortController();
  return { store, clock, requests, warnings, schedules, create, add, dueOf, signal };
}

test('schedules: plan() says when a project is due next, in the time zone of the server', async (t) => {
  const utc = await createSetup(t);
  t.is(utc.schedules.plan(createProject({ schedule: '0 3 * * *' })).scheduledAt, '2026-05-04T03:00:00.000Z');
  t.is(utc.schedules.plan(createProject({ schedule: '@monthly' })).scheduledAt, '2026-06-01T00:00:00.000Z');
  const shanghai = await createSetup(t, { timezone: 'Asia/Shanghai' });
  t.is(shanghai.schedules.plan(createProject({ schedule: '0 3 * * *' })).scheduledAt, '2026-05-04T19:00:00.000Z');
  const none = createProject({ schedule: '', scheduledAt: '2026-05-04T03:00:00.000Z' });
  t.is(utc.schedules.plan(none).scheduledAt, undefined);
});

test('schedules: plan() keeps a run that is due unless the schedule has changed', async (t) => {
  const { schedules } = await createSetup(t);
  const before = createProject({ schedule: '0 3 * * *', scheduledAt: '2026-05-03T03:00:00.000Z' });
  t.is(schedules.plan({ ...before, latest: 'v2' }, before).scheduledAt, before.scheduledAt);
  t.is(schedules.plan({ ...before, schedule: '0 4 * * *' }, before).scheduledAt, '2026-05-04T04:00:00.000Z');
});

test('schedules: plan() refuses what is no crontab, runs too often or never', async (t) => {
  const { schedules, clock } = await createSetup(t);
  for (const [schedule, message] of [
    ['often', /^Field "schedule": "often" has 1 field instead of 5/],
    ['@reboot', /^Field "schedule": "@reboot" runs when the machine starts/],
    ['61 * * * *', /^Field "schedule": field 1 \(minute\): "61" is not a number from 0 to 59/],
    ['* * * * *', /runs every 1 minute at times; the least distance is 5 minutes/],
    ['*/4 * * * *', /runs every 4 minutes at times/],
    ['0,58 * * * *', /runs every 2 minutes at times/],
    ['1,59 0,23 * * *', /runs every 2 minutes at times/],
    ['0 0 30 2 *', /never runs/],
  ] as const) {
    t.throws(() => schedules.plan(createProject({ schedule })), { name: 'DataError', message }, schedule);
  }
  for (const schedule of ['*/5 * * * *', '0,5 0 * * *', '@hourly']) {
    t.notThrows(() => schedules.plan(createProject({ schedule })), schedule);
  }
  clock.least = 60;
  t.throws(() => schedules.plan(createProject({ schedule: '*/30 * * * *' })), { message: /is 60 minutes/ });
});

test('schedules: runDue() requests a build of all versions once, and plans the next', async (t) => {
  const { schedules, clock, requests, add, dueOf, signal } = await createSetup(t);
  await add('daily', '0 3 * * *');
  await add('hourly', '@hourly');
  await schedules.runDue(signal);
  t.is(requests.length, 0);
  clock.time = '2026-05-04T01:00:00.500Z';
  await schedules.runDue(signal);
  await schedules.runDue(signal);
  const order = { ref: '', commit: '', cause: 'start', isScheduled: true } as const;
  t.deepEqual(requests, [{ project: 'hourly', ...order }]);
  t.deepEqual([await dueOf('hourly'), await dueOf('daily')], ['2026-05-04T02:00:00.000Z', '2026-05-04T03:00:00.000Z']);
});

test('schedules: runs that were missed while the server was down are one', async (t) => {
  const { schedules, clock, requests, add, dueOf, signal } = await createSetup(t);
  for (let i = 0; i < 120; i++) await add(`p${i}`, '*/5 * * * *');
  clock.time = '2026-05-07T10:02:00.000Z';
  await schedules.planAll(signal);
  await schedules.runDue(signal);
  await schedules.runDue(signal);
  t.is(requests.length, 120);
  t.is(new Set(requests.map(({ project }) => project)).size, 120);
  t.is(await dueOf('p7'), '2026-05-07T10:05:00.000Z');
});

test('schedules: a run that could not be requested is still due', async (t) => {
  const { schedules, clock, requests, add, dueOf, signal } = await createSetup(t);
  await add('daily', '0 3 * * *');
  clock.time = '2026-05-04T03:00:01.000Z';
  clock.fails = true;
  await t.throwsAsync(schedules.runDue(signal), { message: 'The disk is full' });
  t.is(await dueOf('daily'), '2026-05-04T03:00:00.000Z');
  clock.fails = false;
  await schedules.runDue(signal);
  t.is(requests.length, 1);
});

test('schedules: planAll() follows another time zone, and leaves alone what is due', async (t) => {
  const { clock, requests, add, dueOf, create, signal } = await createSetup(t);
  await add('daily', '0 3 * * *');
  await add('missed', '0 1 * * *');
  clock.time = '2026-05-04T02:00:00.000Z';
  const tokyo = create('Asia/Tokyo');
  await tokyo.planAll(signal);
  t.deepEqual([await dueOf('daily'), await dueOf('missed')], ['2026-05-04T18:00:00.000Z', '2026-05-04T01:00:00.000Z']);
  await tokyo.runDue(signal);
  t.deepEqual(
    requests.map(({ project }) => project),
    ['missed'],
  );
});

test('schedules: a larger distance holds for schedules that were set before, and one that cannot be read ends', async (t) => {
  const { store, schedules, clock, requests, warnings, add, dueOf, signal } = await createSetup(t);
  await add('often', '*/5 * * * *');
  clock.least = 60;
  clock.time = '2026-05-04T00:05:10.000Z';
  await schedules.runDue(signal);
  t.is(await dueOf('often'), '2026-05-04T01:05:00.000Z');
  await store.projects.change('often', (project) => ({ ...project, schedule: 'H H * * *' }));
  clock.time = '2026-05-04T02:00:00.000Z';
  await schedules.runDue(signal);
  t.is(await dueOf('often'), undefined);
  t.is(requests.length, 2);
  t.regex(warnings.join(), /^Project "often" is not built by its schedule any more: Field "schedule": field 1/);
});

test('schedules: a clock that is set back a little runs nothing twice, whoever plans then', async (t) => {
  const { schedules, clock, requests, add, dueOf, signal } = await createSetup(t);
  await add('daily', '0 3 * * *');
  await add('often', '*/5 * * * *');
  clock.time = '2026-05-04T03:00:01.000Z';
  await schedules.runDue(signal);
  t.is(requests.length, 2);
  clock.time = '2026-05-04T02:48:00.000Z';
  await schedules.planAll(signal);
  t.deepEqual([await dueOf('daily'), await dueOf('often')], ['2026-05-05T03:00:00.000Z', '2026-05-04T03:05:00.000Z']);
  clock.time = '2026-05-04T03:04:59.000Z';
  await schedules.planAll(signal);
  await schedules.runDue(signal);
  t.is(requests.length, 2);
});

test('schedules: a clock that was wrong by months stops no schedule once it is right again', async (t) => {
  const { schedules, clock, requests, add, dueOf, signal } = await createSetup(t);
  await add('daily', '0 3 * * *');
  for (const time of ['2026-11-04T12:00:00.000Z', '2026-11-05T12:00:00.000Z']) {
    clock.time = time;
    await schedules.runDue(signal);
  }
  t.deepEqual([requests.length, await dueOf('daily')], [2, '2026-11-06T03:00:00.000Z']);
  clock.time = '2026-05-04T12:00:00.000Z';
  await schedules.planAll(signal);
  t.is(await dueOf('daily'), '2026-05-05T03:00:00.000Z');
});
