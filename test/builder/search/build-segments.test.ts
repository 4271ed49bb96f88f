import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { BuildError } from '../../../builder/build-error.ts';
import { buildSegments } from '../../../builder/search/build-segments.ts';
import {
  buildSegment,
  encodePageEntry,
  recallSection,
  type SegmentInput,
} from '../../../builder/search/search-segment.ts';
import { packageFile } from '../../../lib/package-file.ts';
import { createFolder } from '../../helpers/create-repository.ts';

const segments = Array.from({ length: 20 }, (_, at): SegmentInput => {
  const entry = encodePageEntry([{ id: '', heading: `Page ${at}`, text: `Words of page ${at} 文字` }]);
  return [[{ title: `Title ${at}`, key: `k${at}`, lead: '' }, entry]];
});

const workerUrl = packageFile('dist/index-worker.js');
const read = (at: number): SegmentInput => segments[at]!;

test('buildSegments() makes on a thread what buildSegment() makes, in the same order, and reads a few at a time', async (t) => {
  const made: string[] = [];
  let most = 0;
  let taken = 0;
  const promises = buildSegments(segments.length, {
    workerUrl,
    read: (at) => {
      taken += 1;
      most = Math.max(most, taken - made.length);
      return read(at);
    },
    keep: (at, part) => {
      made[at] = part;
    },
  });
  await promises[0];
  t.true(made.length > 0);
  await Promise.all(promises);
  t.deepEqual(
    made,
    segments.map((segment) => buildSegment(segment)),
  );
  t.true(most <= 4, `${most} at a time`);
});

test('buildSegments() rejects what is left when a segment cannot be read or kept', async (t) => {
  const refuse = (at: number): void => {
    if (at === 5) throw new RangeError('no');
  };
  const reading = buildSegments(segments.length, {
    workerUrl,
    read: (at) => {
      refuse(at);
      return read(at);
    },
    keep: () => {},
  });
  const keeping = buildSegments(segments.length, { workerUrl, read, keep: refuse });
  for (const promises of [reading, keeping]) {
    const ends = (await Promise.allSettled(promises)).map(({ status }) => status);
    t.is(ends.at(-1), 'rejected');
    t.is(ends[0], 'fulfilled');
  }
});

test('buildSegment() makes the same of sections that are remembered, wherever they stand then', (t) => {
  const all = segments.flat();
  const backwards = [...all].reverse();
  const [withLead, changed] = [all, backwards].map((list) =>
    list.map(([page, entry], at): SegmentInput[number] => [
      at === 3 ? { ...page, lead: 'Lead words' } : page,
      at === 5 ? `${entry}\n${encodePageEntry([{ id: 'new', heading: 'New', text: 'New new' }])}` : entry,
    ]),
  );
  for (const input of [all, backwards, withLead!, changed!, all]) {
    t.deepEqual(buildSegment(input, recallSection), buildSegment(input));
  }
});

test('buildSegments() rejects all that is left when its thread fails', async (t) => {
  const missing = pathToFileURL(join(createFolder(t), 'none.js'));
  for (const result of await Promise.allSettled(
    buildSegments(segments.length, { workerUrl: missing, read, keep: () => {} }),
  )) {
    if (result.status === 'fulfilled') return t.fail();
    t.true(result.reason instanceof BuildError);
    t.is(result.reason.code, 'worker');
    t.regex(result.reason.message, /^The thread that indexes pages failed: .*none\.js/);
  }
});
