import test, { type ExecutionContext } from 'ava';
import { addDays, dayIn } from '../../../platform/images/day.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { serveImages } from '../../helpers/serve-images.ts';

const ZONE = 'Asia/Shanghai';

/** A server with a service; the day it is in the market. */
async function createSetup(t: ExecutionContext) {
  const today = dayIn(ZONE, new Date());
  const service = await serveImages(t, today);
  const server = await createServer(t, `utility: {image: {base_url: "${service.url}"}}\n`);
  return { service, server, today };
}

const ask = async (server: TestServer, query: string, headers: Record<string, string> = {}) => {
  const answer = await server.get(`/openservice/betapic${query}`, headers);
  const text = await answer.text();
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as { message?: string; data?: Record<string, string> };
  return { status: answer.status, headers: answer.headers, body, location: answer.headers.get('location') };
};

test.serial('image routes: both paths redirect to the image of today', async (t) => {
  const { server, service, today } = await createSetup(t);
  for (const name of ['betapic', 'bingpic']) {
    const answer = await server.get(`/openservice/${name}`);
    t.is(answer.status, 302);
    t.is(answer.headers.get('location'), `${service.url}/th?id=OHR.Picture${today}_1920x1080.jpg`);
    t.regex(answer.headers.get('vary')!, /\bAccept\b/);
    t.is(answer.headers.get('access-control-allow-origin'), '*');
    t.regex(answer.headers.get('cache-control')!, /^public, max-age=\d{1,4}$/);
  }
});

test.serial('image routes: sizes, for desktop and mobile', async (t) => {
  const { server } = await createSetup(t);
  const rows: Readonly<Record<string, string>> = {
    '?p=720p': '_1280x720.jpg',
    '?p=1080p': '_1920x1080.jpg',
    '?p=': '_1920x1080.jpg',
    '?p=4k': '_UHD.jpg',
    '?p=4K': '_UHD.jpg',
    '?mobile': '_1080x1920.jpg',
    '?mobile=': '_1080x1920.jpg',
    '?mobile=0&p=720p': '_720x1280.jpg',
    '?p=1080p&mobile': '_1080x1920.jpg',
  };
  for (const [query, end] of Object.entries(rows)) t.true((await ask(server, query)).location?.endsWith(end), query);
});

test.serial('image routes: JSON by flag or by Accept', async (t) => {
  const { server, service, today } = await createSetup(t);
  const wanted = {
    success: true,
    message: '',
    data: {
      copyright: `A place (© somebody, ${today})`,
      date: today,
      imgurl: `${service.url}/th?id=OHR.Picture${today}_UHD.jpg`,
      title: `Title of ${today}`,
      urlbase: `/th?id=OHR.Picture${today}`,
    },
  };
  t.deepEqual((await ask(server, '?p=4k&json')).body, wanted);
  t.deepEqual((await ask(server, '?json=0&p=4k')).body, wanted);
  const accepted = await ask(server, '?p=4k', { Accept: 'application/json' });
  t.deepEqual([accepted.status, accepted.body], [200, wanted]);
  t.regex(accepted.headers.get('vary')!, /\bAccept\b/);
  t.is((await ask(server, '', { Accept: 'image/*, application/json;q=0.5' })).status, 302);
  const head = await fetch(`${server.origin}/openservice/betapic?json`, { method: 'HEAD' });
  t.deepEqual([head.status, await head.text()], [200, '']);
});

test.serial('image routes: a day, any day, and days that there is no image of', async (t) => {
  const { server, service, today } = await createSetup(t);
  service.missing.add(addDays(today, -3));
  const past = await ask(server, `?json&d=${addDays(today, -2)}`);
  t.is(past.body.data?.['date'], addDays(today, -2));
  t.is(past.headers.get('cache-control'), 'public, max-age=86400');
  const seen = new Set<string>();
  for (let i = 0; i < 60; i++) {
    const { headers, body } = await ask(server, '?json&d=random');
    t.is(headers.get('cache-control'), 'no-store');
    seen.add(body.data!['date']!);
  }
  t.true(seen.size > 3);
  for (const day of [addDays(today, -3), addDays(today, -40)]) {
    const { status, body } = await ask(server, `?d=${day}`);
    t.deepEqual([status, body], [404, { success: false, message: `There is no image of ${day}` } as never]);
  }
});

test.serial('image routes: wrong parameters are a 400 that says what is wrong', async (t) => {
  const { server, service, today } = await createSetup(t);
  await ask(server, '');
  service.requests.length = 0;
  const tomorrow = addDays(today, 1);
  const rows: Readonly<Record<string, RegExp>> = {
    '?mobile&p=4k': /^Parameter "p": "4k" does not exist for mobile devices$/,
    '?p=8k': /^Parameter "p": must be one of "720p", "1080p", "4k"$/,
    '?p=__proto__': /^Parameter "p"/,
    '?d=20250605': /^Parameter "d": the first image is that of 20250606$/,
    '?d=20250230': /neither a date/,
    '?d=2025-06-06': /neither a date/,
    '?d=Random': /neither a date/,
    '?d=today': /neither a date/,
    '?d=%00': /neither a date/,
    [`?d=${'1'.repeat(2000)}`]: /more than 100 characters/,
    [`?d=${tomorrow}`]: new RegExp(`^Parameter "d": ${tomorrow} is in the future; today is ${today}$`),
    '?d=99991231': /in the future/,
    '?d=20260101&d=20260102': /given more than once/,
  };
  for (const [query, message] of Object.entries(rows)) {
    const { status, body, headers } = await ask(server, query);
    t.is(status, 400, query);
    t.regex(body.message!, message);
    t.is(headers.get('cache-control'), 'no-store');
  }
  t.deepEqual(service.requests, []);
});

test.serial(
  'image routes: while the service is down, today’s request gets the latest image with a message, another day a 502',
  async (t) => {
    const yesterday = addDays(dayIn(ZONE, new Date()), -1);
    const service = await serveImages(t, yesterday);
    const server = await createServer(t, `utility: {image: {base_url: "${service.url}"}}\n`);
    await ask(server, `?d=${yesterday}`);
    service.fault = (_, response) => void response.writeHead(500).end();
    await new Promise((resolve) => setTimeout(resolve, 600));
    const { status, body, headers } = await ask(server, '?json');
    t.is(status, 200);
    t.is(body.data?.['date'], yesterday);
    t.regex(body.message!, new RegExp(`^This is the image of ${yesterday}; that of \\d{8} is not available: `));
    t.is(headers.get('cache-control'), 'public, max-age=60');
    t.is((await ask(server, '')).location, `${service.url}/th?id=OHR.Picture${yesterday}_1920x1080.jpg`);
    const exact = await ask(server, `?d=${addDays(yesterday, 1)}`);
    t.true([404, 502].includes(exact.status), 'no other day in its place');
  },
);

test.serial('image routes: with nothing known it is a 502 that says why, also for any day', async (t) => {
  const service = await serveImages(t, dayIn(ZONE, new Date()));
  service.fault = (_, response) => void response.end('<html>');
  const server = await createServer(t, `utility: {image: {base_url: "${service.url}"}}\n`);
  for (const query of ['', '?json', '?d=random', `?d=${dayIn(ZONE, new Date())}`]) {
    const { status, body } = await ask(server, query);
    t.is(status, 502, query);
    t.regex(body.message!, /^Cannot return the .*image.*: the answer is not a list of images$/);
  }
  for (let i = 0; i < 50; i++) await ask(server, '');
  const told = server.logged().filter((line) => line.includes('not a list of images'));
  t.is(told.length, 1, 'the log tells of it once');
});

test.serial('image routes: without configuration it is a 502 that says so, and nothing is asked for', async (t) => {
  const server = await createServer(t);
  for (const query of ['', '?json', '?d=random', '?d=20250606']) {
    const { status, body } = await ask(server, query);
    t.is(status, 502);
    t.regex(body.message!, /not configured.*"utility\.image\.base_url"/);
  }
  t.is((await ask(server, '?d=20250101')).status, 400);
});

test.serial('image routes: the archive outlives the server', async (t) => {
  const { server, service, today } = await createSetup(t);
  await ask(server, '');
  await server.close();
  service.fault = (request) => void request.socket.destroy();
  const again = await createServer(t, `utility: {image: {base_url: "${service.url}"}}\n`, server.folder);
  t.is((await ask(again, `?json&d=${today}`)).body.data?.['date'], today);
  t.is((await ask(again, `?json&d=${addDays(today, -14)}`)).status, 200);
});
