import test from 'ava';
import { judgeClock, judgeRequests, judgeSpace, judgeWay } from '../../platform/diagnosis/judge.ts';
import { createProxyWatch, MARK_HEADER } from '../../platform/diagnosis/proxy-watch.ts';

const GB = 1e9;

test('judgeSpace() counts bytes and files', (t) => {
  const space = { free: 50 * GB, size: 100 * GB, freeFiles: 1e6, files: 1e7 };
  const judge = (part: Partial<typeof space>) => judgeSpace('/data', { ...space, ...part }).status;
  t.is(judge({}), 'ok');
  t.is(judge({ free: 0.1 * GB }), 'error');
  t.is(judge({ free: 1 * GB }), 'warning');
  // A small disk that is mostly empty.
  t.is(judge({ free: 1 * GB, size: 2 * GB }), 'ok');
  t.is(judge({ freeFiles: 5_000 }), 'warning');
  t.is(judge({ freeFiles: 10 }), 'error');
  // Some file systems have no limit of files.
  t.is(judge({ freeFiles: 0, files: 0 }), 'ok');
});

test('judgeClock() tells a clock that is ahead from one that is behind', (t) => {
  t.is(judgeClock(-4_000, 'x').status, 'ok');
  t.is(judgeClock(-30_000, 'x').message, 'The clock is 30 s behind x');
  t.is(judgeClock(30_000, 'x').status, 'warning');
  t.is(judgeClock(61_000, 'x').status, 'error');
});

test('judgeWay() wants as many entries as proxies are trusted, the same host, and the protocol', (t) => {
  const url = 'https://docs.example.org';
  const seen = { entries: 1, hasProtocol: true, host: 'docs.example.org' };
  t.is(judgeWay(url, seen, 1).status, 'ok');
  t.is(judgeWay(url, { ...seen, hasProtocol: false }, 1).status, 'warning');
  t.is(judgeWay(url, seen, 0).advice, 'set "api.trusted_proxies" to 1');
  t.regex(judgeWay(url, { ...seen, entries: 0 }, 1).message, /callers can invent their address$/);
  t.regex(
    judgeWay(url, { ...seen, host: 'backend:5000' }, 1).message,
    /"backend:5000" in place of "docs\.example\.org"/,
  );
});

test('a watch counts the last thousand requests, and takes out those with a mark of its own', (t) => {
  const watch = createProxyWatch();
  const mark = watch.createMark();
  watch.note({ [MARK_HEADER]: mark, host: 'a', 'x-forwarded-for': '192.0.2.1, 192.0.2.2' });
  watch.note({ [MARK_HEADER]: 'invented', host: 'a' });
  t.deepEqual([...watch.countRecent()], [[0, 1]]);
  t.deepEqual(watch.take(mark), { entries: 2, hasProtocol: false, host: 'a' });
  t.is(watch.take(mark), undefined);
  for (let i = 0; i < 1_000; i++) watch.note({ 'x-forwarded-for': '192.0.2.1' });
  t.deepEqual([...watch.countRecent()], [[1, 1_000]]);
  t.is(judgeRequests(watch.countRecent(), 1).status, 'ok');
  t.is(judgeRequests(watch.countRecent(), 0).status, 'warning');
  t.is(judgeRequests(watch.countRecent(), 2).status, 'warning');
  t.is(judgeRequests(new Map(), 2).message, 'Nobody has asked since the server started');
});
