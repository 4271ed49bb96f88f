import test from 'ava';
import { FIRST_DAY } from '../../../platform/images/day.ts';
import { parseArchive } from '../../../platform/images/parse-archive.ts';
import { createImage } from '../../helpers/create-records.ts';

const LIMITS = { market: 'zh-CN', today: () => '20260601' };
const entry = (date: string, values: object = {}) => {
  const { market: _, ...image } = createImage({ date });
  return { ...image, ...values };
};

test('parseArchive() reads an array, an answer of the source and JSON Lines alike', (t) => {
  const entries = [entry('20260504'), entry('20260505')];
  const expected = { images: [createImage({ date: '20260504' }), createImage({ date: '20260505' })], tooEarly: 0 };
  for (const text of [
    JSON.stringify(entries, null, 2),
    `\uFEFF${JSON.stringify({ images: entries, tooltips: {} })}\n`,
    entries.map((one) => JSON.stringify(one)).join('\r\n\n'),
  ]) {
    t.deepEqual(parseArchive(text, LIMITS), expected);
  }
});

test('parseArchive() takes days of other forms, markets and entries without texts, and leaves out early days', (t) => {
  const { urlbase } = entry('20260504');
  const lines = [
    { date: '2026-05-04', urlbase, market: 'en-US' },
    { enddate: '20260505', urlbase, title: ' A\n\u0007title ', copyright: null, hsh: 'x' },
    entry(FIRST_DAY),
    entry('20250605'),
    entry('20100101'),
  ];
  const { images, tooEarly } = parseArchive(lines.map((one) => JSON.stringify(one)).join('\n'), LIMITS);
  t.is(tooEarly, 2);
  t.deepEqual(images.slice(0, 2), [
    { market: 'en-US', date: '20260504', urlbase, title: '', copyright: '' },
    { market: 'zh-CN', date: '20260505', urlbase, title: 'A title', copyright: '' },
  ]);
  t.is(images[2]!.date, FIRST_DAY);
});

test('parseArchive() refuses a file in which anything is wrong, and names the place', (t) => {
  const good = JSON.stringify(entry('20260504'));
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /^The file contains no images$/],
    ['[]', /^The file contains no images$/],
    [`${good}\n{"date"`, /^Line 2: not valid JSON$/],
    [`[${good}, 7]`, /^Image 2: must be an object$/],
    [JSON.stringify([entry('20260230')]), /^Image 1: "date" must be a day such as/],
    [JSON.stringify([entry('20260602')]), /^Image 1: day 20260602 is in the future$/],
    [JSON.stringify([entry('20260504', { date: undefined })]), /^Image 1: "date" is missing$/],
    [
      JSON.stringify([entry('20260504', { urlbase: 'https://evil.example/th?id=a' })]),
      /^Image 1: "urlbase" must be a path/,
    ],
    [JSON.stringify([entry('20260504', { market: 'zh' })]), /^Image 1: "market" must be a market/],
    [
      `${good}\n${JSON.stringify(entry('20260504', { title: 'B' }))}`,
      /^Line 2: day 20260504 has another image in line 1$/,
    ],
    [`[${Array.from({ length: 20_001 }, () => good).join()}]`, /^The file contains more than 20000 images$/],
  ];
  for (const [text, message] of wrong) t.throws(() => parseArchive(text, LIMITS), { name: 'DataError', message });
  t.is(parseArchive(`${good}\n${good}`, LIMITS).images.length, 1, 'the same twice does no harm');
});
