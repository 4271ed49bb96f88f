import test from 'ava';
import { type Events, followHistory } from '../../../client/history/follow-history.ts';

const LINE = ['main', 'v4', 'v3', 'v2', 'v1'];
const told = (events: Events, version: string, path = 'a') => {
  const { entries, first, since } = followHistory(LINE, events, { version, path });
  return {
    entries: entries.map((entry) =>
      [entry.kind, entry.version, entry.path, entry.from, entry.base].filter(Boolean).join(' '),
    ),
    first: `${first.version} ${first.path}`,
    since: `${since.version} ${since.path}`,
  };
};

test('followHistory() of a page to which nothing happened', (t) => {
  t.deepEqual(told({}, 'v3'), { entries: [], first: 'v1 a', since: 'v1 a' });
});

test('followHistory() lists what happened, the newest first', (t) => {
  const events: Events = {
    a: [
      { version: 'v2', kind: 'added' },
      { version: 'v3', kind: 'changed', amount: 0.5 },
      { version: 'main', kind: 'changed', amount: 0.1 },
    ],
  };
  const entries = ['changed main a v4', 'changed v3 a v2', 'added v2 a'];
  t.deepEqual(told(events, 'v4'), { entries, first: 'v2 a', since: 'v3 a' });
  t.deepEqual(told(events, 'v2'), { entries, first: 'v2 a', since: 'v2 a' });
});

test('followHistory() goes with a page that moves, back and forth', (t) => {
  const events: Events = {
    old: [
      { version: 'v3', kind: 'left', other: 'a' },
      { version: 'v2', kind: 'changed', amount: 0.2 },
    ],
    a: [
      { version: 'v3', kind: 'moved', other: 'old', amount: 0.3 },
      { version: 'main', kind: 'left', other: 'b' },
    ],
    b: [{ version: 'main', kind: 'moved', other: 'a' }],
  };
  const entries = ['moved main b a', 'moved v3 a old v2', 'changed v2 old v1'];
  t.deepEqual(told(events, 'v4'), { entries, first: 'v1 old', since: 'v3 a' });
  t.deepEqual(told(events, 'v1', 'old'), { entries, first: 'v1 old', since: 'v1 old' });
  t.deepEqual(told(events, 'main', 'b'), { entries, first: 'v1 old', since: 'main b' });
});

test('followHistory() ends where the page is gone, whatever stands at its path later', (t) => {
  const events: Events = {
    a: [
      { version: 'v3', kind: 'removed' },
      { version: 'v4', kind: 'added' },
    ],
  };
  t.deepEqual(told(events, 'v2').entries, []);
  t.deepEqual(told(events, 'main').entries, ['added v4 a']);
});
