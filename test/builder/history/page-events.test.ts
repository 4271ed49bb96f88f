import test from 'ava';
import { listEvents, presentEvents } from '../../../builder/history/page-events.ts';
import type { ReleaseChanges } from '../../../builder/history/release-changes.ts';
import { bucketOfPath } from '../../../lib/follow-page.ts';

const nothing: ReleaseChanges = {
  added: [],
  removed: [],
  moved: [],
  merged: [],
  split: [],
  sections: [],
  changed: [],
  unchanged: 0,
};

test('each file that is counted is there, and none where nothing happened', (t) => {
  t.deepEqual(presentEvents([], bucketOfPath), { buckets: 0, files: new Map() });
  const added = Array.from({ length: 600 }, (_, at) => `guide/page-${at}.html`);
  const events = listEvents('v1.1', { ...nothing, added });
  for (const bucketOf of [bucketOfPath, () => 1]) {
    const { buckets, files } = presentEvents(events, bucketOf);
    t.true(buckets > 1);
    t.deepEqual(
      [...files.keys()].sort((a, b) => a - b),
      [...Array(buckets).keys()],
    );
    const pages = [...files.values()].flatMap((text) => Object.keys((JSON.parse(text) as { pages: object }).pages));
    t.deepEqual(pages.sort(), added.toSorted());
  }
});
