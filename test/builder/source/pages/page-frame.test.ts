import test from 'ava';
import type { Data } from '../../../../builder/config/data-values.ts';
import { type Generator, rulesOf } from '../../../../builder/generators/generators.ts';
import { readFrame } from '../../../../builder/source/pages/page-frame.ts';

const read = (data: Data, generator?: Generator) =>
  readFrame(data, rulesOf(generator).frontMatter ?? {}, () => 7).frame;
const NONE = [2, 1];

const OUTLINES: readonly (readonly [data: Data, expected: readonly number[]])[] = [
  [{}, [2, 3]],
  [{ outline: 2 }, [2, 2]],
  [{ outline: '4' }, [2, 4]],
  [{ outline: [3, 4] }, [3, 4]],
  [{ outline: [4, 2] }, [4, 4]],
  [{ outline: 'deep' }, [2, 6]],
  [{ outline: false }, NONE],
  [{ outline: 'false' }, NONE],
  [{ outline: [0, 99] }, [2, 3]],
  [{ outline: 2.5 }, [2, 3]],
  [{ outline: { level: 9 } }, [2, 3]],
  [{ tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 4 } }, [2, 4]],
  [{ tableOfContents: false }, NONE],
  [{ toc_min_heading_level: 3, toc_max_heading_level: 5 }, [3, 5]],
  [{ hide_table_of_contents: true }, NONE],
  [{ hide: ['toc'] }, NONE],
  [{ toc: false }, NONE],
  [{ toc: true }, [2, 3]],
];

for (const [data, expected] of OUTLINES) {
  test(`readFrame() reads the levels ${expected} from ${JSON.stringify(data)}`, (t) => {
    t.deepEqual(read(data).outline, expected as [number, number]);
  });
}

test('readFrame() hides the sidebar where an author says so, in the words of each generator', (t) => {
  for (const data of [{ sidebar: false }, { displayed_sidebar: null }, { hide: ['navigation'] }]) {
    t.false(read(data).hasSidebar, JSON.stringify(data));
  }
  for (const data of [
    {},
    { sidebar: true },
    { sidebar: { label: 'x' } },
    { sidebar: 'auto' },
    { hide: 'navigation' },
  ]) {
    t.true(read(data).hasSidebar, JSON.stringify(data));
  }
});

test('readFrame() reads neighbours: none, a text, a link, or both', (t) => {
  const next = (value: unknown, generator?: Generator) => read({ next: value }, generator).next;
  t.is(next(undefined), undefined);
  t.is(next(false), false);
  t.deepEqual(next('Read on'), { text: 'Read on', link: undefined });
  t.deepEqual(next({ text: 'Read on', link: 'b.md' }), { text: 'Read on', link: { url: 'b.md', line: 7 } });
  t.deepEqual(next({ label: 'Read on', link: '/b/' }, 'starlight'), { text: 'Read on', link: { url: '/b/', line: 7 } });
  t.deepEqual(next('./b.md', 'vuepress'), { text: undefined, link: { url: './b.md', line: 7 } });
  t.is(next('chapter-2', 'jekyll'), undefined, 'may mean anything there');
  t.is(next(true), undefined);
  t.is(next({}), undefined);
  t.is(read({ pagination_prev: null }).previous, false);
  t.deepEqual(read({ pagination_prev: 'guide/a' }).previous, { text: undefined, link: { url: '/guide/a', line: 7 } });
});

test('readFrame() reads edit links and dates', (t) => {
  const urls = ['https://example.test/edit'];
  t.deepEqual(
    [
      {},
      { editLink: false },
      { editLink: true },
      { editUrl: false },
      { custom_edit_url: null },
      { editUrl: urls[0] },
    ].map((data) => read(data).edit),
    [undefined, false, undefined, false, false, urls[0]],
  );
  t.is(read({ editLink: 'docs/a.md' }).edit, undefined, 'a path is not a link');
  t.is(read({ lastUpdated: false }).updated, false);
  t.is(read({ lastUpdated: true }).updated, undefined);
  for (const key of ['lastUpdated', 'lastmod', 'last_modified_at', 'updated']) {
    t.is(read({ [key]: '2024-02-03' }).updated, '2024-02-03', key);
  }
  t.is(read({ last_update: { date: '2024-02-03T04:05:06Z' } }).updated, '2024-02-03T04:05:06Z');
  t.is(read({ lastUpdated: 'yesterday' }).updated, undefined);
  t.is(read({ lastUpdated: '2024-99-99' }).updated, undefined);
});
