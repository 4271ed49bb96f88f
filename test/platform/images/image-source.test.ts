import test from 'ava';
import { parseImageList } from '../../../platform/images/image-source.ts';
import fc from '../../helpers/fast-check.ts';
import { imageEntry } from '../../helpers/serve-images.ts';

const read = (images: unknown, market = 'zh-CN') =>
  parseImageList(Buffer.from(JSON.stringify({ images, tooltips: {} })), market);
const day = '20260315';

test('parseImageList() gives images by their local day', (t) => {
  t.deepEqual(read([imageEntry(day), imageEntry('20260314')]), [
    {
      market: 'zh-CN',
      date: '20260315',
      urlbase: '/th?id=OHR.Picture20260315',
      title: 'Title of 20260315',
      copyright: 'A place (© somebody, 20260315)',
    },
    {
      market: 'zh-CN',
      date: '20260314',
      urlbase: '/th?id=OHR.Picture20260314',
      title: 'Title of 20260314',
      copyright: 'A place (© somebody, 20260314)',
    },
  ]);
});

test('parseImageList() takes enddate for zh-CN, and elsewhere the day on which the market begins', (t) => {
  const entry = (fullstartdate: string) => [imageEntry(day, { startdate: '20260314', fullstartdate })];
  const dayOf = (market: string, fullstartdate: string) => read(entry(fullstartdate), market)[0]!.date;
  t.is(dayOf('zh-CN', '202603140700'), '20260315');
  t.is(dayOf('zh-CN', '202603141600'), '20260315');
  t.is(dayOf('en-US', '202603140700'), '20260314');
  t.is(dayOf('en-GB', '202603140000'), '20260314');
  t.is(dayOf('en-GB', '202603142300'), '20260315');
  t.is(dayOf('ja-JP', '202603141500'), '20260315');
  t.is(read([imageEntry(day, { fullstartdate: undefined })], 'en-US')[0]!.date, day);
});

test('parseImageList() leaves out images of a wrong shape and those from before the first day', (t) => {
  const wrong = [
    { urlbase: '//evil.example/th?id=OHR.X' },
    { urlbase: 'https://evil.example/th?id=OHR.X' },
    { urlbase: '/th?id=OHR.X@evil.example' },
    { urlbase: '/th?id=OHR.X\r\nSet-Cookie: a=b' },
    { urlbase: '/th?id=OHR.X"><script>' },
    { urlbase: '/th?id=' },
    { urlbase: `/th?id=${'x'.repeat(201)}` },
    { urlbase: '/../th?id=OHR.X' },
    { urlbase: undefined },
    { urlbase: 7 },
    { enddate: '20260230' },
    { enddate: 'today' },
    { enddate: undefined },
    { title: { a: 1 } },
    { copyright: 'x'.repeat(10_001) },
  ];
  const entries = wrong.map((values) => imageEntry('20260310', values));
  const dates = read([null, 1, 'x', [], ...entries, imageEntry(day), imageEntry('20250605')]).map(({ date }) => date);
  t.deepEqual(dates, [day]);
});

test('parseImageList() takes images without title or copyright, and cleans what they hold', (t) => {
  const [first, second] = read([
    imageEntry(day, { title: undefined, copyright: null }),
    imageEntry('20260314', { title: ' a\n\u0000b ', copyright: 'x'.repeat(3000) }),
  ]);
  t.deepEqual([first!.title, first!.copyright], ['', '']);
  t.is(second!.title, 'a b');
  t.is(second!.copyright.length, 2000);
});

test('parseImageList() says what is wrong with an answer that is no list, or an empty one', (t) => {
  const texts = ['', 'null', '[]', '{}', '{"images":{}}', '{"images":"x"}', '<html>', '{"images":[', '\u0000'];
  for (const text of texts) {
    t.throws(() => parseImageList(Buffer.from(text), 'zh-CN'), { message: /not a list of images/ }, text);
  }
  t.throws(() => read(Array.from({ length: 101 }, () => imageEntry(day))), { message: /not a list of images/ });
  for (const images of [null, [], [{}], [null]]) t.throws(() => read(images), { message: /no usable image/ });
  t.is(parseImageList(Buffer.from(`\uFEFF${JSON.stringify({ images: [imageEntry(day)] })}`), 'zh-CN').length, 1);
});

test('parseImageList() gives nothing but days of the calendar and paths on the source’s own host, whatever it reads', (t) => {
  const values = fc.record(
    {
      enddate: fc.oneof(fc.constant(day), fc.stringMatching(/^\d{8}$/), fc.anything()),
      startdate: fc.oneof(fc.constant(day), fc.anything()),
      urlbase: fc.oneof(
        fc.string().map((text) => `/th?id=${text}`),
        fc.webUrl(),
        fc.anything(),
      ),
      title: fc.oneof(fc.string(), fc.anything()),
      copyright: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(values, fc.anything()), { maxLength: 10 }), (entries) => {
      const text = JSON.stringify({ images: [...entries, imageEntry(day)] }, (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      );
      for (const { date, urlbase, title } of parseImageList(Buffer.from(text), 'zh-CN')) {
        t.regex(date, /^20[2-9]\d{5}$|^2[1-9]\d{6}$|^[3-9]\d{7}$/);
        const url = new URL(`https://images.example${urlbase}_UHD.jpg`);
        t.deepEqual([url.host, url.pathname, [...url.searchParams.keys()]], ['images.example', '/th', ['id']]);
        t.is(typeof title, 'string');
      }
    }),
    { numRuns: 170 },
  );
});
