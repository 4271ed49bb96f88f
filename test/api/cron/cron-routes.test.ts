import test, { type ExecutionContext } from 'ava';
import { cronFailures, cronRoutes } from '../../../api/cron/cron-routes.ts';
import { handleErrors } from '../../../api/http/errors.ts';
import { createRouter } from '../../../api/http/router.ts';
import { cpuTimeMs, measureSlowness } from '../../helpers/cpu-time.ts';
import { createServer } from '../../helpers/create-server.ts';
import { serveRoutes } from '../../helpers/serve-routes.ts';

interface Answer {
  readonly status: number;
  readonly body: { readonly success: boolean; readonly message: string | null; readonly data?: readonly string[] };
}

/** Serves the route as if it were Sunday, 2026-03-15 10:30 UTC. */
async function servePreview(t: ExecutionContext, timezone = 'UTC') {
  const routes = cronRoutes({ timezone, now: () => new Date('2026-03-15T10:30:00Z') });
  const router = createRouter(routes);
  const present = handleErrors((error) => t.fail(String(error)), [cronFailures]);
  const origin = await serveRoutes(t, (ctx, next) => present(ctx, () => router(ctx as never, next)));
  const get = async (path: string): Promise<Answer> => {
    const response = await fetch(origin + path);
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  return {
    get,
    ask: (query: Record<string, string>) => get(`/openservice/crontab?${new URLSearchParams(query)}`),
  };
}

test('crontab: one run after now is listed unless more is asked for', async (t) => {
  const { ask } = await servePreview(t);
  const [expression, data] = ['30 4 * * *', ['2026-03-16 04:30:00']];
  t.deepEqual(await ask({ expression }), { status: 200, body: { success: true, message: null, data } });
  const empty = { expression, query_times: '', query_type: '', format_time: '' };
  t.deepEqual((await ask(empty)).body.data, data, 'a parameter without a value is not given');
  t.deepEqual((await ask({ expression, unknown: 'x' })).body.data, data, 'unknown parameters are ignored');
});

for (const [name, character] of [
  ['a no-break space', '\u00a0'],
  ['an ideographic space', '\u3000'],
  ['a zero width space', '\u200b'],
] as const) {
  test(`crontab: ${name} between fields is named`, async (t) => {
    const { ask } = await servePreview(t);
    const { status, body } = await ask({ expression: ['0', '0', '*', '*', '*'].join(character) });
    t.is(status, 400);
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    t.is(body.message, `Parameter "expression": contains ${name} (U+${code}); write a space between fields`);
  });
}

test('crontab: any white space that crontab does not know is named by its code', async (t) => {
  const { ask } = await servePreview(t);
  const { body } = await ask({ expression: '0 0\u2009* * *' });
  t.is(body.message, 'Parameter "expression": contains the character U+2009; write a space between fields');
});

test('crontab: a time zone may be given, in any case, and an unknown one is named', async (t) => {
  const { ask } = await servePreview(t, 'America/New_York');
  const format_time = '%F %H:%M %Z %z';
  const runs = async (timezone: string) => (await ask({ expression: '30 4 * * *', format_time, timezone })).body;
  t.deepEqual((await runs('')).data, ['2026-03-16 04:30 EDT -0400']);
  t.deepEqual((await runs('Asia/Shanghai')).data, ['2026-03-16 04:30 CST +0800']);
  t.deepEqual((await runs('asia/shanghai')).data, ['2026-03-16 04:30 CST +0800']);
  t.deepEqual((await runs('UTC')).data, ['2026-03-16 04:30 UTC +0000']);
  for (const wrong of ['Mars/Olympus', '../../etc/passwd', 'x'.repeat(200), 'Asia/Shanghai\0']) {
    const { status, body } = await ask({ expression: '30 4 * * *', timezone: wrong });
    t.is(status, 400, wrong);
    t.regex(body.message ?? '', /^Parameter "timezone": ".*" is not a time zone such as UTC or Asia\/Shanghai$/);
    t.true((body.message ?? '').length < 250);
  }
});

test('crontab: runs before now are listed with the last one first', async (t) => {
  const { ask } = await servePreview(t);
  const { body } = await ask({ expression: '@daily', query_times: '3', query_type: 'prev', format_time: '%e/%b' });
  t.deepEqual(body.data, ['15/Mar', '14/Mar', '13/Mar']);
});

test('crontab: up to 32 runs are listed', async (t) => {
  const { ask } = await servePreview(t);
  const { body } = await ask({ expression: '0 0 29 2 *', query_times: '32' });
  t.is(body.data?.length, 32);
  t.is(body.data?.[31], '2156-02-29 00:00:00');
});

test('crontab: times are those of the configured zone', async (t) => {
  const { ask } = await servePreview(t, 'Asia/Shanghai');
  const { body } = await ask({ expression: '0 19 * * *', query_times: '2', format_time: '%F %T %z %Z' });
  t.deepEqual(body.data, ['2026-03-15 19:00:00 +0800 CST', '2026-03-16 19:00:00 +0800 CST']);
});

for (const [query, message] of [
  [{}, 'Parameter "expression": is missing; five fields are needed, such as "30 4 * * mon-fri"'],
  [{ expression: '* * * * mo' }, /^Parameter "expression": field 5 \(day of week\): "mo" is not a number/],
  [{ expression: '0 0 30 2 *' }, /"0 0 30 2 \*" never runs/],
  [{ query_times: '33' }, 'Parameter "query_times": "33" is not a whole number from 1 to 32'],
  [{ query_times: '0' }, /"query_times": "0"/],
  [{ query_times: '-1' }, /"query_times": "-1"/],
  [{ query_times: '1.5' }, /"query_times": "1.5"/],
  [{ query_times: '1e1' }, /"query_times": "1e1"/],
  [{ query_times: '9'.repeat(500) }, /"query_times": "9{100}…"/],
  [{ query_type: 'last' }, 'Parameter "query_type": "last" is neither "next" nor "prev"'],
  [
    { format_time: '%Y'.repeat(129) },
    /^Parameter "format_time": "(?:%Y){50}…" has 258 characters, the maximum is 256$/,
  ],
  [{ format_time: '%9999d' }, 'Parameter "format_time": "%9999d": width 9999 is above 4096'],
] as const) {
  test(`crontab: ${JSON.stringify(query).slice(0, 60)} is a clear error`, async (t) => {
    const { ask } = await servePreview(t);
    const base = 'expression' in query || Object.keys(query).length === 0 ? {} : { expression: '@daily' };
    const { status, body } = await ask({ ...base, ...query });
    t.is(status, 400);
    t.deepEqual([body.success, body.data], [false, []]);
    if (typeof message === 'string') t.is(body.message, message);
    else t.regex(body.message ?? '', message);
  });
}

test('crontab: an expression that no clock ever shows is an error that says how far it looked', async (t) => {
  const { ask } = await servePreview(t, 'America/New_York');
  const { status, body } = await ask({ expression: '30 2 8-14 3 */7' });
  t.is(status, 400);
  t.is(body.message, 'Parameter "expression": "30 2 8-14 3 */7" does not run in the 60 years after 2026-03-15');
});

test.serial('crontab: whatever is asked is answered within 50 ms of work', async (t) => {
  const { ask } = await servePreview(t, 'America/New_York');
  await ask({ expression: '0 0 29 2 1', query_times: '32' });
  for (const query of [
    { expression: '*/'.repeat(3_900) },
    { expression: '0 0 29 2 */7', query_times: '32', query_type: 'prev' },
    { expression: '0 0 30 2 *', query_times: '32' },
    { expression: '30 2 8-14 3 */7', query_times: '32' },
    { expression: '* * * * *', query_times: '32', format_time: '%c'.repeat(128) },
    { expression: '* * * * *', query_times: '32', format_time: '%'.repeat(2_500) },
  ]) {
    const spent: number[] = [];
    // On a busy machine the same work takes more time now and then.
    while (spent.length < 10 && Math.min(...spent) >= 50) {
      const start = cpuTimeMs();
      await ask(query);
      const ms = cpuTimeMs() - start;
      spent.push(ms < 50 ? ms : ms / measureSlowness());
    }
    t.true(Math.min(...spent) < 50, `${JSON.stringify(query).slice(0, 80)} took ${spent} ms`);
  }
});

test('server: previews of crontabs may be read by pages of any origin, and are in the API document', async (t) => {
  const server = await createServer(t, 'timezone: Asia/Kathmandu\n');
  const answer = await server.get('/openservice/crontab?expression=*%20*%20*%20*%20*&format_time=%25z', {
    Origin: 'https://pages.example',
  });
  t.is(answer.status, 200);
  t.is(answer.headers.get('access-control-allow-origin'), '*');
  t.is(answer.headers.get('cache-control'), 'no-store');
  t.deepEqual(await answer.json(), { success: true, message: null, data: ['+0545'] });
  const failed = await server.get('/openservice/crontab', { Origin: 'https://pages.example' });
  t.deepEqual([failed.status, failed.headers.get('access-control-allow-origin')], [400, '*']);
  t.is((await server.get(`/openservice/crontab?expression=${'*'.repeat(10_000)}`)).status, 414);
  t.is((await server.get(`/openservice/crontab?expression=${'*'.repeat(100_000)}`)).status, 431);
  t.is((await server.get('/openservice/crontab?expression=@daily&expression=@hourly')).status, 400);
  const document = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, { get: { parameters: { name: string; required: boolean }[] } }>;
  };
  const { parameters } = document.paths['/openservice/crontab']!.get;
  t.deepEqual(
    parameters.map(({ name }) => name),
    ['expression', 'query_times', 'query_type', 'format_time', 'timezone'],
  );
  t.deepEqual(
    parameters.filter(({ required }) => required).map(({ name }) => name),
    ['expression'],
  );
});
