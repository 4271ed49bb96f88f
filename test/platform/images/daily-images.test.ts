import test, { type ExecutionContext } from 'ava';
// Loaded before the clock matters: a request waits for today's image no longer than 2 s.
import 'undici';
import { createHttpClient } from '../../../lib/http-client.ts';
import { createDailyImages } from '../../../platform/images/daily-images.ts';
import { addDays } from '../../../platform/images/day.ts';
import { createImageSource } from '../../../platform/images/image-source.ts';
import { createClock } from '../../helpers/create-clock.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import { createImage } from '../../helpers/create-records.ts';
import { type ImageFault, imageEntry, serveImages } from '../../helpers/serve-images.ts';

const HOUR_MS = 3_600_000;

/** Daily images of zh-CN with a service, a store and a clock; noon of a day in Shanghai. */
async function createSetup(t: ExecutionContext, day = '20260315', timeoutMs = 20_000) {
  const service = await serveImages(t, day);
  const { images: store } = createMemoryStore();
  const clock = createClock(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T04:00:00Z`);
  const warnings: string[] = [];
  const client = createHttpClient({ timeoutMs, maxBytes: 100_000 });
  const images = createDailyImages({
    store,
    clock,
    baseUrl: service.url,
    market: 'zh-CN',
    timeZone: 'Asia/Shanghai',
    source: createImageSource({ baseUrl: service.url, market: 'zh-CN', client }),
    onWarning: (message) => warnings.push(message),
  });
  t.teardown(async () => {
    await images.close();
    await client.close();
  });
  /** Waits until the job has done what it does now. */
  const settle = async (): Promise<void> => {
    while (clock.waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  let stopping = new AbortController();
  const start = (): void => {
    stopping = new AbortController();
    void images.keepFilled(stopping.signal);
  };
  return {
    service,
    store,
    clock,
    warnings,
    images,
    start,
    stop: () => stopping.abort(),
    settle,
    dates: () => store.listDates('zh-CN', ''),
  };
}

const lastDays = (day: string, count: number) => Array.from({ length: count }, (_, i) => addDays(day, i + 1 - count));

test.serial('daily images: the job fills the archive with all days within reach when it starts', async (t) => {
  const { service, dates, settle, warnings, start } = await createSetup(t);
  start();
  await settle();
  t.deepEqual(await dates(), lastDays('20260315', 15));
  t.deepEqual(service.requests, [
    '/HPImageArchive.aspx?format=js&idx=0&n=8&mkt=zh-CN',
    '/HPImageArchive.aspx?format=js&idx=7&n=8&mkt=zh-CN',
  ]);
  t.deepEqual(warnings, []);
});

test.serial('daily images: the job asks nothing when nothing is missing', async (t) => {
  const { service, store, settle, clock, start } = await createSetup(t);
  await store.add(lastDays('20260315', 8).map((date) => createImage({ date })));
  start();
  await settle();
  await clock.pass(6 * HOUR_MS, settle);
  t.deepEqual(service.requests, []);
});

test.serial('daily images: the job runs between one and ten minutes after each midnight of the market', async (t) => {
  const { service, settle, clock, dates, start } = await createSetup(t);
  start();
  await settle();
  service.requests.length = 0;
  service.day = '20260316';
  await clock.pass(12 * HOUR_MS, settle);
  t.deepEqual(service.requests, [], 'before midnight, and on it');
  await clock.pass(11 * 60_000, settle);
  t.is(service.requests.length, 1);
  t.true((await dates()).includes('20260316'));
  service.day = '20260317';
  await clock.pass(24 * HOUR_MS, settle);
  t.is(service.requests.length, 2);
  t.deepEqual(await dates(), lastDays('20260317', 17));
});

test.serial('daily images: days on which the process did not run are filled in', async (t) => {
  const { service, store, settle, dates, start } = await createSetup(t);
  await store.add(lastDays('20260309', 20).map((date) => createImage({ date })));
  start();
  await settle();
  t.deepEqual(await dates(), [...lastDays('20260309', 20), ...lastDays('20260315', 6)]);
  t.is(service.requests.length, 1);
});

test.serial('daily images: older days that the service does not have are asked for once a day', async (t) => {
  const { service, settle, clock, dates, start } = await createSetup(t);
  service.missing.add('20260313');
  start();
  await settle();
  t.false((await dates()).includes('20260313'));
  service.requests.length = 0;
  await clock.pass(11 * HOUR_MS, settle);
  t.is(service.requests.length, 0);
  service.missing.clear();
  service.day = '20260316';
  await clock.pass(2 * HOUR_MS, settle);
  t.true((await dates()).includes('20260313'));
});

test.serial('daily images: what fails is tried again, less and less often, and told once', async (t) => {
  const { service, settle, clock, warnings, dates, start } = await createSetup(t);
  service.fault = (_, response) => void response.writeHead(503).end();
  start();
  await settle();
  const startMs = clock.nowMs();
  const delays: number[] = [];
  for (let i = 0; i < 9; i++) {
    const [next] = clock.waiting;
    delays.push(Math.round((next!.atMs - clock.nowMs()) / 60_000));
    await clock.pass(next!.atMs - clock.nowMs(), settle);
  }
  t.deepEqual(delays, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  t.is(warnings.length, 1);
  t.regex(warnings[0]!, /^Daily image: Cannot get images from "127\.0\.0\.1:\d+": the answer has status 503$/);
  service.fault = undefined;
  await clock.pass(2 * HOUR_MS, settle);
  t.true((await dates()).includes('20260315'));
  t.true(clock.nowMs() - startMs < 12 * HOUR_MS);
});

test.serial('daily images: an image that is published late is waited for', async (t) => {
  const { service, settle, clock, dates, warnings, start } = await createSetup(t);
  service.day = '20260314';
  start();
  await settle();
  t.is((await dates()).at(-1), '20260314');
  service.day = '20260315';
  await clock.pass(2 * 60_000, settle);
  t.is((await dates()).at(-1), '20260315');
  t.deepEqual(warnings, []);
});

test.serial('daily images: many requests at a time ask the service once', async (t) => {
  const { service, images } = await createSetup(t);
  service.fault = (request, response) => {
    service.fault = undefined;
    setTimeout(
      () => response.end(JSON.stringify({ images: lastDays('20260315', 15).map((day) => imageEntry(day)) })),
      100,
    );
    t.regex(request.url!, /idx=0/);
  };
  const found = await Promise.all(Array.from({ length: 100 }, () => images.findToday()));
  t.true(found.every((one) => one.kind === 'found' && one.image.date === '20260315'));
  t.is(service.requests.length, 1);
});

test.serial('daily images: a service that has nothing is asked less and less often for requests', async (t) => {
  const { service, images, clock } = await createSetup(t);
  service.fault = (_, response) => void response.writeHead(500).end();
  for (let i = 0; i < 600; i++) {
    t.is((await images.findToday()).kind, 'failed');
    await clock.pass(100, async () => {});
  }
  t.true(
    service.requests.length > 3 && service.requests.length < 12,
    `${service.requests.length} requests in a minute`,
  );
});

test.serial('daily images: today’s image is that of the day in the market', async (t) => {
  const { images, clock, service } = await createSetup(t);
  await clock.pass(12 * HOUR_MS - 1, async () => {});
  t.is(images.today(), '20260315');
  t.is(images.msUntilTomorrow(), 1);
  await clock.pass(1, async () => {});
  t.is(images.today(), '20260316');
  service.day = '20260316';
  const found = await images.findToday();
  t.true(found.kind === 'found' && found.image.date === '20260316');
});

test.serial('daily images: where today’s is not to be had, the latest one is given with the reason', async (t) => {
  const { images, store, service, clock } = await createSetup(t);
  await store.add([createImage({ date: '20260310' }), createImage({ date: '20260301' })]);
  service.fault = (_, response) => void response.end('<html>');
  const found = await images.findToday();
  t.true(
    found.kind === 'earlier' && found.image.date === '20260310' && /not a list of images/.test(String(found.reason)),
  );
  service.fault = undefined;
  service.day = '20260314';
  await clock.pass(60_000, async () => {});
  const later = await images.findToday();
  t.true(later.kind === 'earlier' && later.image.date === '20260314' && /not published yet/.test(String(later.reason)));
});

test.serial(
  'daily images: find() gives a day, asks the service for one within its reach, and knows what is missing',
  async (t) => {
    const { images, store, service } = await createSetup(t);
    await store.add([createImage({ date: '20250606' })]);
    t.is((await images.find('20250606')).kind, 'found');
    t.deepEqual(await images.find('20250607'), { kind: 'missing' });
    t.deepEqual(service.requests, []);
    service.missing.add('20260312');
    t.is((await images.find('20260311')).kind, 'found');
    t.deepEqual(await images.find('20260312'), { kind: 'missing' });
  },
);

const json =
  (value: unknown): ImageFault =>
  (_, response) =>
    void response.end(JSON.stringify(value));
const faults: Readonly<Record<string, { readonly fault: ImageFault; readonly says: RegExp }>> = {
  'is not there': { fault: (request) => void request.socket.destroy(), says: /Cannot reach/ },
  'answers 404': { fault: (_, response) => void response.writeHead(404).end(), says: /status 404/ },
  'answers 429': { fault: (_, response) => void response.writeHead(429).end(), says: /status 429/ },
  'gives HTML': { fault: (_, response) => void response.end('<!doctype html>'), says: /not a list of images/ },
  'gives nothing': { fault: (_, response) => void response.end(), says: /not a list of images/ },
  'gives null for images': { fault: json({ images: null }), says: /no usable image/ },
  'gives images of another host': {
    fault: json({ images: [imageEntry('20260315', { urlbase: '//evil.example/th?id=X' })] }),
    says: /no usable image/,
  },
  'never answers': { fault: () => {}, says: /did not answer within 1 s/ },
  'answers drop by drop': {
    fault(_, response) {
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    },
    says: /did not answer within 1 s/,
  },
  'never stops': {
    fault(_, response) {
      const timer = setInterval(() => response.write(' '.repeat(50_000)), 1);
      response.on('close', () => clearInterval(timer));
    },
    says: /more than 100000 bytes/,
  },
  'redirects elsewhere': {
    fault: (_, response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
    says: /redirects to "127\.0\.0\.1:1"/,
  },
  'redirects to another scheme': {
    fault: (_, response) => void response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
    says: /redirects to "file:"/,
  },
  'redirects for ever': {
    fault: (request, response) => void response.writeHead(307, { Location: request.url! }).end(),
    says: /redirects more than 3 times/,
  },
  'redirects to nothing': {
    fault: (_, response) => void response.writeHead(302, { Location: 'http://[' }).end(),
    says: /redirects to an invalid URL/,
  },
};
for (const [title, { fault, says }] of Object.entries(faults)) {
  test.serial(
    `daily images: a service that ${title} is a failure that says so, and leaves the archive alone`,
    async (t) => {
      // Only faults that are slow run into the limit.
      const isSlow = says.source.includes('within');
      const { images, service, dates, warnings } = await createSetup(t, '20260315', isSlow ? 1000 : 20_000);
      service.fault = fault;
      const found = await images.findToday();
      t.is(found.kind, 'failed');
      t.is(warnings.length, 1);
      t.regex(warnings[0]!, says);
      // Callers are told no hosts.
      t.regex(found.kind === 'failed' ? String(found.reason) : '', /^(?:it|the answer) [a-z0-9, ]+$/);
      t.deepEqual(await dates(), []);
    },
  );
}

test.serial('daily images: a redirect on the same host is followed', async (t) => {
  const { images, service } = await createSetup(t);
  service.fault = (request, response) => {
    service.fault = undefined;
    response.writeHead(302, { Location: `${request.url}&again=1` }).end();
  };
  t.is((await images.findToday()).kind, 'found');
  t.regex(service.requests[1]!, /again=1/);
});

test.serial('daily images: images of days to come do not get into the archive', async (t) => {
  const { images, service, dates } = await createSetup(t);
  service.fault = json({ images: [imageEntry('20260315'), imageEntry('20260316'), imageEntry('29991231')] });
  t.is((await images.findToday()).kind, 'found');
  t.deepEqual(await dates(), ['20260315']);
});

test.serial(
  'daily images: the archive is filled no more once another process does it, and again when that falls to this one',
  async (t) => {
    const { service, clock, start, stop, settle, dates } = await createSetup(t);
    start();
    await settle();
    stop();
    t.deepEqual(clock.waiting, []);
    service.day = '20260316';
    await clock.pass(48 * HOUR_MS, settle);
    t.false((await dates()).includes('20260316'));
    start();
    await settle();
    t.true((await dates()).includes('20260316'));
  },
);

test.serial('daily images: close() gives up what is under way', async (t) => {
  const { images, service, warnings, start } = await createSetup(t);
  service.fault = () => {};
  start();
  while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const startMs = performance.now();
  await images.close();
  t.true(performance.now() - startMs < 10_000);
  t.deepEqual(warnings, []);
});
