import test from 'ava';
import { createFailureLog } from '../../../api/http/failure-log.ts';
import { DataError } from '../../../data/data-error.ts';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import { createClock } from '../../helpers/create-clock.ts';
import { createServer } from '../../helpers/create-server.ts';

type Line = Readonly<Record<string, unknown>>;

/** A failure log whose clock is set by hand, with the lines that it has written. */
function createLog() {
  const clock = createClock('2026-03-01T00:00:00Z');
  const lines: Line[] = [];
  const add = (level: string) => (values: object, message: string) => void lines.push({ level, message, ...values });
  const log = createFailureLog({ error: add('error'), warn: add('warn') }, clock.wait);
  const takeLines = (): readonly Line[] => lines.splice(0);
  return { log, takeLines, passMinute: () => clock.pass(60_000, async () => {}) };
}

const full = (project: string) => new ServiceError('queue-full', `Project "${project}" has 500 builds waiting`);

test('failure log: what callers bring about is one line, then one a minute with its number, without a stack', async (t) => {
  const { log, takeLines, passMinute } = createLog();
  for (let i = 0; i < 1000; i++) log.report(full(`guide-${i}`), `request-${i}`);
  const first = { level: 'warn', message: 'Project "guide-0" has 500 builds waiting', code: 'queue-full' };
  t.deepEqual(takeLines(), [{ ...first, requestId: 'request-0' }]);
  await passMinute();
  const more = { ...first, message: `${first.message}; 999 times more`, count: 999, requestId: 'request-999' };
  t.deepEqual(takeLines(), [more]);
  await passMinute();
  t.deepEqual(takeLines(), []);
  log.report(full('guide-0'), 'later');
  t.like(takeLines()[0], { requestId: 'later' });
});

test('failure log: a mistake in the code has its stack once, whatever callers make its message', async (t) => {
  const { log, takeLines, passMinute } = createLog();
  const fail = (sent: string): Error => new TypeError(`Cannot read ${sent}`);
  for (const sent of ['a', 'b', 'c']) log.report(fail(sent));
  const [line, ...others] = takeLines();
  t.like(line, { level: 'error', message: 'failed' });
  t.true(line!['err'] instanceof TypeError);
  t.deepEqual(others, []);
  await passMinute();
  t.like(takeLines()[0], { level: 'error', message: 'failed: Cannot read a; 2 times more' });
});

test('failure log: different failures are different lines, and what was counted is written at the end', (t) => {
  const { log, takeLines } = createLog();
  const onDisk = (file: string) => new DataError('unwritable', `Cannot write "${file}": no space left`);
  for (const error of [full('guide'), onDisk('users.json'), onDisk('builds.json')]) log.report(error);
  t.deepEqual(
    takeLines().map(({ level, code, stack }) => [level, code, stack]),
    [
      ['warn', 'queue-full', undefined],
      ['error', 'unwritable', undefined],
    ],
  );
  log.close();
  t.like(takeLines()[0], { code: 'unwritable', count: 1 });
  log.close();
  t.deepEqual(takeLines(), []);
});

test('failure log: neither long messages nor many kinds of failures fill it', (t) => {
  const { log, takeLines } = createLog();
  log.report(new DataError('unwritable', 'x'.repeat(10_000)));
  t.is((takeLines()[0]!['message'] as string).length, 500);
  for (let kind = 0; kind < 3_000; kind++)
    log.report(new DataError('unwritable', '/'.repeat(1 + (kind % 60)) + 'a'.repeat(1 + Math.floor(kind / 60))));
  t.is(takeLines().length, 1_000);
  log.close();
  t.deepEqual(
    takeLines().map(({ count }) => count),
    [2_000],
  );
});

test('server: callers of the GitHub App that is not set up do not fill the log', async (t) => {
  const server = await createServer(t);
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async () => (await server.post('/docbuild/github/app', '{}')).status),
  );
  t.true(statuses.every((status) => status === 503));
  await server.close();
  const lines = server.logged().map((line) => JSON.parse(line) as Line);
  t.deepEqual(
    lines
      .filter(({ level }) => (level as number) >= 40)
      .map(({ level, code, count, err }) => [level, code, count, err]),
    [
      [40, 'not-configured', undefined, undefined],
      [40, 'not-configured', 29, undefined],
    ],
  );
});
