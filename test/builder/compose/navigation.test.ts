import test from 'ava';
import { createFolderNavigation } from '../../../builder/compose/folder-navigation.ts';
import {
  humanize,
  listReadingOrder,
  listTrails,
  type NavigationEntry,
  type NavigationPage,
  pageAddress,
  placeNavigation,
} from '../../../builder/compose/navigation.ts';
import type { NavigationNode } from '../../../builder/compose/render-sidebar.ts';
import fc from '../../helpers/fast-check.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';

function page(output: string, rest: Partial<NavigationPage> = {}): NavigationPage {
  return {
    output,
    place: output,
    title: `T ${output}`,
    label: undefined,
    order: undefined,
    date: undefined,
    ownTitle: undefined,
    parent: undefined,
    isHome: false,
    isHidden: false,
    ...rest,
  };
}

const buildNavigation = (pages: readonly NavigationPage[]) => createFolderNavigation(pages).all();

/** Returns a navigation as lines, indented. */
function show(nodes: readonly NavigationNode[], indent = ''): readonly string[] {
  return nodes.flatMap(({ title, path, children }) => [
    `${indent}${title} (${path ?? '-'})`,
    ...show(children, `${indent}  `),
  ]);
}

const paths = (nodes: readonly NavigationNode[]): readonly (string | undefined)[] => nodes.map(({ path }) => path);

test('buildNavigation() puts the home first, then pages, then folders, each by name with numbers as numbers', (t) => {
  const pages = ['b/1.html', 'z.html', '10-x.html', 'index.html', '2-x.html', 'B.html', 'a/1.html', 'a.html'].map(
    (output) => page(output),
  );
  t.deepEqual(show(buildNavigation(pages)), [
    'T index.html ()',
    'T 2-x.html (2-x.html)',
    'T 10-x.html (10-x.html)',
    'T a.html (a.html)',
    'T B.html (B.html)',
    'T z.html (z.html)',
    'A (-)',
    '  T a/1.html (a/1.html)',
    'B (-)',
    '  T b/1.html (b/1.html)',
  ]);
});

test('buildNavigation() titles a folder by its index and orders it by that', (t) => {
  const pages = [
    page('guide/index.html', { title: 'The guide', order: 1 }),
    page('guide/a.html'),
    page('x.html', { order: 2 }),
    page('y.html'),
  ];
  t.deepEqual(show(buildNavigation(pages)), [
    'The guide (guide/)',
    '  T guide/a.html (guide/a.html)',
    'T x.html (x.html)',
    'T y.html (y.html)',
  ]);
});

test('buildNavigation() orders by the given order first, also negative and broken numbers', (t) => {
  const pages = [
    page('a.html'),
    page('b.html', { order: 1.5 }),
    page('c.html', { order: -1 }),
    page('d.html', { order: 1 }),
    page('e.html', { order: 0 }),
  ];
  t.deepEqual(paths(buildNavigation(pages)), ['c.html', 'e.html', 'd.html', 'b.html', 'a.html']);
});

test('buildNavigation() leaves out a landing page at the root, and keeps one inside as its folder', (t) => {
  const pages = [
    page('index.html', { isHome: true }),
    page('a.html'),
    page('sub/index.html', { isHome: true, title: 'Sub' }),
  ];
  t.deepEqual(show(buildNavigation(pages)), ['T a.html (a.html)', 'Sub (sub/)']);
});

test('buildNavigation() does not depend on the order it is given, and lists every page once', (t) => {
  const output = fc
    .tuple(
      fc.constantFrom('', 'a/', 'a/b/', '__proto__/', '10/', '9/'),
      fc.constantFrom('index', 'x', 'X', '2', '10', 'constructor'),
    )
    .map(([folder, name]) => `${folder}${name}.html`);
  const list = fc.uniqueArray(
    fc
      .record({ output, title: fc.string(), order: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }) })
      .map(({ output: path, ...rest }) => page(path, rest)),
    { selector: (item) => item.output },
  );
  fc.assert(
    fc.property(
      list.chain((pages) => fc.tuple(fc.constant(pages), fc.shuffledSubarray(pages, { minLength: pages.length }))),
      ([pages, other]) => {
        const nodes = buildNavigation(pages);
        t.deepEqual(buildNavigation(other), nodes);
        t.deepEqual(paths(listReadingOrder(nodes)).toSorted(), pages.map((item) => pageAddress(item.output)).sort());
      },
    ),
  );
});

test('placeNavigation() keeps the author’s order and titles, and fills in those of pages', (t) => {
  const pages = new Map([page('a.html'), page('b/index.html', { title: 'B' })].map((item) => [item.output, item]));
  const entry = (rest: Partial<NavigationEntry>): NavigationEntry => ({
    title: undefined,
    output: undefined,
    url: undefined,
    children: [],
    ...rest,
  });
  const entries = [
    entry({ output: 'b/index.html' }),
    entry({
      title: 'Group',
      children: [entry({ title: 'Mine', output: 'a.html' }), entry({ url: 'https://example.test/' })],
    }),
    entry({ title: 'A label' }),
  ];
  t.deepEqual(show(placeNavigation(entries, pages)), [
    'B (b/)',
    'Group (-)',
    '  Mine (a.html)',
    '  https://example.test/ (https://example.test/)',
    'A label (-)',
  ]);
});

test('placeNavigation() leaves out what has no page in this release', (t) => {
  const entry = (rest: Partial<NavigationEntry>): NavigationEntry => ({
    title: undefined,
    output: undefined,
    url: undefined,
    children: [],
    ...rest,
  });
  const pages = new Map([['a.html', page('a.html')]]);
  const entries = [
    entry({ output: 'gone.html' }),
    entry({ title: 'Gone', output: 'gone.html' }),
    entry({ title: 'Empty', children: [entry({ output: 'gone.html' })] }),
    entry({ title: 'Half', output: 'gone.html', children: [entry({ output: 'a.html' })] }),
  ];
  t.deepEqual(show(placeNavigation(entries, pages)), ['Half (-)', '  T a.html (a.html)']);
});

const tree: readonly NavigationNode[] = [
  { title: 'Home', path: '', children: [] },
  {
    title: 'Guide',
    path: 'guide/',
    children: [
      { title: 'A', path: 'guide/a.html', children: [] },
      { title: 'More', path: undefined, children: [{ title: 'B', path: 'guide/more/b.html', children: [] }] },
      { title: 'Elsewhere', path: 'https://example.test/', children: [] },
      { title: 'Host', path: '//example.test/', children: [] },
    ],
  },
  { title: 'A again', path: 'guide/a.html', children: [] },
];

test('listReadingOrder() gives each page once, without groups and other hosts', (t) => {
  t.deepEqual(paths(listReadingOrder(tree)), ['', 'guide/', 'guide/a.html', 'guide/more/b.html']);
});

test('listTrails() gives what stands above a page where it is listed first', (t) => {
  const trails = listTrails(tree);
  const titles = (path: string) => trails.get(path)?.map(({ title }) => title);
  t.deepEqual(titles(''), []);
  t.deepEqual(titles('guide/'), []);
  t.deepEqual(titles('guide/a.html'), ['Guide']);
  t.deepEqual(titles('guide/more/b.html'), ['Guide', 'More']);
  t.is(titles('gone.html'), undefined);
});

test('pageAddress() encodes each part and drops the name of an index', (t) => {
  t.deepEqual(['index.html', 'a/index.html', 'a b/ü#?.html', 'myindex.html', 'a%2Fb/x.html'].map(pageAddress), [
    '',
    'a/',
    'a%20b/%C3%BC%23%3F.html',
    'myindex.html',
    'a%252Fb/x.html',
  ]);
});

for (const [name, title] of [
  ['getting-started', 'Getting started'],
  ['01-getting_started', 'Getting started'],
  ['01. intro', 'Intro'],
  ['2024', '2024'],
  ['2024-01-02', '2024 01 02'],
  ['---', '---'],
  ['指南', '指南'],
  ['😀-x', '😀 x'],
  ['v1.2', 'v1.2'],
] as const) {
  test(`humanize() makes "${title}" of "${name}"`, (t) => {
    t.is(humanize(name), title);
  });
}

test('buildNavigation() stays fast with 20,000 pages', (t) => {
  const pages = Array.from({ length: 20_000 }, (_, at) => page(`${at % 100}/${at % 10}/${at}.html`));
  const ms = fastestMs(() => {
    const nodes = buildNavigation(pages);
    listReadingOrder(nodes);
    listTrails(nodes);
  });
  t.true(ms < 1500);
});
