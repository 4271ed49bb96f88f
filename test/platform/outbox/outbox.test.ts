import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { OutboxEntry } from '../../../data/records/outbox-entry.ts';
import { type Config, configSchema } from '../../../platform/config/config-schema.ts';
import { createOutbox } from '../../../platform/outbox/outbox.ts';
import { createClock } from '../../helpers/create-clock.ts';
import { createBuild, createProject } from '../../helpers/create-records.ts';
import { createSlowStore } from '../../helpers/create-slow-store.ts';

const guide = createProject({ name: 'guide' });
const other = createProject({ name: 'other' });
const build = createBuild({ id: 'b1' });

/** A outbox, what readers get, and a CDN that answers as a test says. */
function createPlace(
  t: ExecutionContext,
  cdn: Partial<Config['cdn']> = { url: 'https://cdn.example/' },
  { isAfterEnd = false } = {},
) {
  const store = createSlowStore([guide, other]);
  const clock = createClock('2026-05-04T12:00:00Z');
  const sites = new Map([
    ['guide', 'a'],
    ['other', 'x'],
  ]);
  const sent: string[] = [];
  const warnings: string[] = [];
  const outcomes: string[] = [];
  const place = {
    store,
    clock,
    sites,
    sent,
    warnings,
    outcomes,
    settings: configSchema.parse({ cdn }).cdn,
    answer: (_: readonly Pick<OutboxEntry, 'project'>[]): string | Promise<string> => '',
    batchSize: 100,
  };
  const outbox = createOutbox({
    projects: store.projects,
    entries: store.purges,
    failures: { delayed: 'Cannot tell the CDN to forget pages of', givenUp: 'The CDN keeps old pages of' },
    now: () => new Date(clock.nowMs()),
    wait: clock.wait,
    siteStorage: { identify: async (name) => sites.get(name) ?? '' },
    sender: {
      batchSize: () => place.batchSize,
      async send(purges) {
        sent.push(
          purges
            .map(({ project }) => project)
            .sort()
            .join(' '),
        );
        return place.answer(purges);
      },
      close: async () => {},
    },
    isAfterEnd,
    settings: () => place.settings,
    urlsOf: ({ name, domain }) => [`https://${domain || 'docs.example'}/${name}/`],
    onWarning: (message) => warnings.push(message),
    onError: (error) => t.fail(String(error)),
    onAttempt: (outcome) => outcomes.push(outcome),
  });
  const start = (): AbortController => {
    const stopping = new AbortController();
    const running = outbox.keepSending(stopping.signal);
    t.teardown(async () => {
      stopping.abort();
      await running;
    });
    return stopping;
  };
  /** Lets what can be done now be done: everything that waits does so for the clock. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 100; i++) await setImmediate();
  };
  const pass = async (seconds: number): Promise<void> => {
    await settle();
    await clock.pass(seconds * 1_000, settle);
    await settle();
  };
  return { ...place, place, outbox, start, pass };
}

test.serial(
  'a receiver that hears of ends is told when the end is stored, and without an end after half a minute',
  async (t) => {
    const { outbox, start, pass, sent, sites } = createPlace(
      t,
      { url: 'https://hooks.example/', again_s: 0 },
      { isAfterEnd: true },
    );
    start();
    await outbox.observe(guide, build);
    await pass(20);
    t.deepEqual(sent, []);
    await outbox.settle('guide');
    await pass(0);
    t.deepEqual(sent, ['guide']);
    await outbox.settle('guide');
    await outbox.settle('other');
    await pass(3_600);
    t.is(sent.length, 1);
    // The process that has noted it is gone.
    sites.set('guide', 'b');
    await outbox.observe(guide, build);
    await pass(29);
    t.is(sent.length, 1);
    await pass(2);
    t.is(sent.length, 2);
    // Another one builds it again, and nobody knows what was told before.
    await outbox.observe(guide, { ...build, retryOf: 'b0' });
    await outbox.settle('guide');
    await pass(0);
    t.is(sent.length, 3);
  },
);

test.serial(
  'a build after which readers get other files is told at once and once more, any other one is not',
  async (t) => {
    const { outbox, start, pass, sent, sites, outcomes, store } = createPlace(t);
    start();
    await outbox.observe(guide, build);
    await pass(14);
    t.deepEqual(sent, ['guide']);
    await pass(2);
    t.deepEqual(sent, ['guide', 'guide']);
    await outbox.observe(guide, build);
    await pass(3_600);
    t.is(sent.length, 2);
    sites.set('guide', 'b');
    await outbox.observe(guide, build);
    await pass(3_600);
    t.is(sent.length, 4);
    t.deepEqual(outcomes, ['delivered', 'delivered', 'delivered', 'delivered']);
    t.like(await store.purges.find('guide'), { nextAt: '', left: 0, site: 'b', failure: '' });
  },
);

test.serial('a build that takes the place of an interrupted one is told whatever it has changed', async (t) => {
  const { outbox, start, pass, sent } = createPlace(t, { url: 'https://cdn.example/', again_s: 0 });
  start();
  await outbox.observe(guide, build);
  await pass(1);
  await outbox.observe(guide, { retryOf: 'b1' });
  await pass(3_600);
  t.deepEqual(sent, ['guide', 'guide']);
});

test.serial('without a URL nothing is noted and nothing is sent', async (t) => {
  const { outbox, start, pass, sent, store } = createPlace(t, {});
  start();
  await outbox.observe(guide, build);
  t.is(await outbox.during([guide], async () => 'made'), 'made');
  await pass(3_600);
  t.deepEqual(sent, []);
  t.is(await store.purges.find('guide'), undefined);
});

test.serial('projects that wait are told together, and each by itself where a request takes one', async (t) => {
  const { outbox, start, pass, sent, place } = createPlace(t, { url: 'https://cdn.example/', again_s: 0 });
  await outbox.observe(guide, build);
  await outbox.observe(other, build);
  start();
  await pass(1);
  t.deepEqual(sent, ['guide other']);
  place.batchSize = 1;
  await outbox.observe(guide, { retryOf: 'b1' });
  await outbox.observe(other, { retryOf: 'b1' });
  await pass(1);
  t.deepEqual(sent.slice(1).sort(), ['guide', 'other']);
});

test.serial(
  'a CDN that fails is asked again, ever later, with all that has changed meanwhile, and one warning',
  async (t) => {
    const { outbox, start, pass, sent, place, warnings, outcomes, store } = createPlace(t);
    start();
    place.answer = () => '"cdn.example" answered 429';
    await outbox.observe(guide, build);
    await pass(1);
    t.like(await store.purges.find('guide'), { failure: '"cdn.example" answered 429', failures: 1, left: 2 });
    await outbox.observe(other, build);
    await pass(3);
    t.deepEqual(sent, ['guide'], 'the receiver is the same one');
    await pass(2);
    t.deepEqual(sent, ['guide', 'guide other']);
    await pass(13);
    t.is(sent.length, 2);
    place.answer = () => '';
    await pass(2);
    t.deepEqual(sent.slice(2), ['guide other']);
    await pass(20);
    t.deepEqual(sent.slice(3), ['guide other']);
    t.deepEqual(outcomes, ['delayed', 'delayed', 'delivered', 'delivered']);
    t.deepEqual(warnings, [
      'Cannot tell the CDN to forget pages of project "guide": "cdn.example" answered 429; tried again',
    ]);
  },
);

test.serial('what a CDN has refused for a day is given up, and said so', async (t) => {
  const { outbox, start, pass, sent, place, warnings, outcomes, store } = createPlace(t);
  start();
  place.answer = () => '"cdn.example" answered 403';
  await outbox.observe(guide, build);
  await pass(86_400 + 900);
  t.is(outcomes.at(-1), 'failed');
  t.is(warnings.at(-1), 'The CDN keeps old pages of project "guide": "cdn.example" answered 403; given up');
  t.like(await store.purges.find('guide'), { nextAt: '', failure: '"cdn.example" answered 403' });
  const { length } = sent;
  t.true(length > 90 && length < 110, `${length}`);
  await pass(86_400);
  t.is(sent.length, length);
});

test.serial('what changes while a request is under way is told by another one', async (t) => {
  const { outbox, start, pass, sent, place, sites } = createPlace(t, { url: 'https://cdn.example/', again_s: 0 });
  start();
  place.answer = async () => {
    if (sent.length > 1) return '';
    sites.set('guide', 'b');
    await outbox.observe(guide, build);
    return '';
  };
  await outbox.observe(guide, build);
  await pass(1);
  t.deepEqual(sent, ['guide', 'guide']);
  await pass(3_600);
  t.is(sent.length, 2);
});

test.serial(
  'a change is told after it is made, with the addresses from before and after, and also if its process dies',
  async (t) => {
    const { outbox, start, pass, sent, store } = createPlace(t);
    const moved = { ...guide, domain: 'guide.example' };
    await outbox.during([guide, moved], async () => {
      const noted = await store.purges.find('guide');
      t.is(noted?.nextAt, '2026-05-04T12:00:30.000Z');
    });
    t.like(await store.purges.find('guide'), {
      nextAt: '2026-05-04T12:00:00.000Z',
      urls: ['https://docs.example/guide/', 'https://guide.example/guide/'],
    });
    start();
    await pass(1);
    t.deepEqual(sent, ['guide']);
    // As if the process had been killed meanwhile.
    void outbox.during([other], () => new Promise(() => {}));
    await pass(29);
    t.deepEqual(sent, ['guide', 'guide']);
    await pass(2);
    t.deepEqual(sent, ['guide', 'guide', 'other']);
  },
);

test.serial('what is noted of a project that is gone is told twice and then forgotten', async (t) => {
  const { outbox, start, pass, sent, store } = createPlace(t);
  start();
  await outbox.during([guide], async () => void (await store.projects.remove('guide')));
  await pass(60);
  t.deepEqual(sent, ['guide', 'guide']);
  t.is(await store.purges.find('guide'), undefined);
});

test.serial('what a clock that was ahead has put off is sent when it is set right', async (t) => {
  const { outbox, start, pass, sent, store } = createPlace(t);
  await outbox.observe(guide, build);
  await store.purges.change('guide', (old) => ({ ...old!, nextAt: '2027-05-04T12:00:00.000Z' }));
  start();
  await pass(1);
  t.deepEqual(sent, ['guide']);
});

test.serial('who has pages forgotten is told what came of it', async (t) => {
  const { outbox, start, pass, sent, place } = createPlace(t);
  start();
  await outbox.observe(guide, build);
  await pass(60);
  const again = outbox.sendNow(guide);
  await pass(1);
  t.is(await again, '');
  t.is(sent.length, 3);
  place.answer = () => '"cdn.example" answered 403';
  const refused = outbox.sendNow(guide);
  await pass(1);
  t.is(await refused, '"cdn.example" answered 403');
  place.answer = () => '';
  // It does not wait for the pause after the failure.
  const third = outbox.sendNow(guide);
  await pass(1);
  t.is(await third, '');
});

test.serial('what is noted of a project that is gone is forgotten when it is given up, too', async (t) => {
  const { outbox, start, pass, place, store } = createPlace(t);
  start();
  place.answer = () => '"cdn.example" answered 403';
  await outbox.during([guide], async () => void (await store.projects.remove('guide')));
  await pass(86_400 + 900);
  t.is(await store.purges.find('guide'), undefined);
});
