import test from 'ava';
import { compareReleases } from '../../../builder/history/compare-releases.ts';
import { outlinePage, type PageOutline } from '../../../builder/history/page-outline.ts';
import type { ReleaseChanges, ReleasePages } from '../../../builder/history/release-changes.ts';
import type { PageSection } from '../../../builder/model.ts';
import fc from '../../helpers/fast-check.ts';

/** A page: its title, its text, and its sections by their headings. */
type Page = readonly [title: string, text: string, sections?: Readonly<Record<string, string>>];

const slugOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

function listSections([title, text, sections = {}]: Page): readonly PageSection[] {
  const rest = Object.entries(sections).map(([heading, own]) => ({ id: slugOf(heading), heading, text: own }));
  return [{ id: '', heading: title, text }, ...rest];
}

function createRelease(pages: Readonly<Record<string, Page>>, outlines: Map<string, PageOutline>): ReleasePages {
  const listed = Object.entries(pages).map(([path, page]) => {
    const outline = outlinePage(listSections(page));
    outlines.set(outline.hash, outline);
    return { path, title: page[0], key: outline.hash };
  });
  return { id: JSON.stringify(pages), pages: listed };
}

function compare(older: Readonly<Record<string, Page>>, newer: Readonly<Record<string, Page>>): ReleaseChanges {
  const outlines = new Map<string, PageOutline>();
  return compareReleases(createRelease(older, outlines), createRelease(newer, outlines), ({ key }) =>
    outlines.get(key),
  );
}

const NONE: ReleaseChanges = {
  added: [],
  removed: [],
  moved: [],
  merged: [],
  split: [],
  sections: [],
  changed: [],
  unchanged: 0,
};

/** Returns a text of its own for each seed. */
function say(seed: string, words = 120): string {
  const list: string[] = [];
  let at = [...seed].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) >>> 0, 7);
  while (list.length < words) {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
    list.push(`w${at % 900}`);
  }
  return list.join(' ');
}

const REST: Readonly<Record<string, Page>> = {
  'index.html': ['Home', say('home')],
  'guide/routing.html': ['Routing', say('routing')],
  'guide/errors.html': ['Errors', say('errors')],
};

test('compared releases: equal ones differ in nothing', (t) => {
  t.deepEqual(compare(REST, REST), { ...NONE, unchanged: 3 });
});

test('compared releases: a page that has changed keeps its path, and says which sections are others and how much', (t) => {
  const older: Page = ['Setup', say('intro'), { Install: say('install'), Options: say('options'), Gone: say('gone') }];
  const newer: Page = [
    'Setup',
    say('intro'),
    { Install: `${say('install')} and this`, 'All options': say('options'), New: say('new') },
  ];
  const { changed, ...rest } = compare({ ...REST, 'setup.html': older }, { ...REST, 'setup.html': newer });
  t.deepEqual({ ...rest, changed: [] }, { ...NONE, unchanged: 3 });
  const [{ amount, ...change }] = changed as [(typeof changed)[0]];
  t.deepEqual(change, {
    from: 'setup.html',
    path: 'setup.html',
    sections: {
      changed: ['install', 'all-options'],
      added: ['new'],
      removed: ['gone'],
      moved: [{ from: 'options', to: 'all-options' }],
    },
  });
  t.true(amount > 0.2 && amount < 0.4, `${amount}`);
});

test('compared releases: a page is found at another path, changed or not', (t) => {
  const page: Page = ['Setup', say('setup', 300), { Install: say('install') }];
  const changed: Page = ['Setting up', `${say('setup', 300)} ${say('more', 60)}`, { Install: say('install') }];
  t.deepEqual(compare({ ...REST, 'guide/setup.html': page }, { ...REST, 'start/install.html': page }), {
    ...NONE,
    moved: [{ from: 'guide/setup.html', to: 'start/install.html' }],
    unchanged: 4,
  });
  const found = compare({ ...REST, 'guide/setup.html': page }, { ...REST, 'start/install.html': changed });
  t.deepEqual(found.moved, [{ from: 'guide/setup.html', to: 'start/install.html' }]);
  t.deepEqual([found.added, found.removed, found.unchanged], [[], [], 3]);
  t.deepEqual(
    found.changed.map(({ from, path }) => [from, path]),
    [['guide/setup.html', 'start/install.html']],
  );
});

test('compared releases: pages that say the same follow their names, and are unsure without them', (t) => {
  const stub: Page = ['Stub', 'This page has not been written yet, come back later please'];
  t.deepEqual(compare({ 'a/x.html': stub, 'a/y.html': stub }, { 'b/x.html': stub, 'b/y.html': stub }).moved, [
    { from: 'a/x.html', to: 'b/x.html' },
    { from: 'a/y.html', to: 'b/y.html' },
  ]);
  const unsure = compare({ 'a/x.html': stub, 'a/y.html': stub }, { 'b/p.html': stub, 'b/q.html': stub });
  t.deepEqual(unsure.moved, []);
  t.deepEqual(unsure.removed, ['a/x.html', 'a/y.html']);
});

test('compared releases: what all pages of a kind say does not make two of them one', (t) => {
  const form = say('form', 200);
  const stub = (name: string): Page => [`class ${name}`, `${form} ${say(name, 15)}`];
  const kept = Object.fromEntries(['A', 'B', 'C', 'D'].map((name) => [`api/${name}.html`, stub(name)]));
  const found = compare({ ...kept, 'api/Old.html': stub('Old') }, { ...kept, 'api/New.html': stub('New') });
  t.deepEqual(found, { ...NONE, added: ['api/New.html'], removed: ['api/Old.html'], unchanged: 4 });
});

test('compared releases: two pages that exchange their paths are followed; one with nothing in common keeps its path', (t) => {
  const [a, b]: readonly Page[] = [
    ['A', say('one', 200)],
    ['B', say('two', 200)],
  ] as never;
  t.deepEqual(compare({ 'a.html': a!, 'b.html': b! }, { 'a.html': b!, 'b.html': a! }).moved, []);
  const apart = compare({ 'p.html': a!, 'x.html': REST['index.html']! }, { 'p.html': b!, 'q.html': a! });
  t.deepEqual(apart.moved, [{ from: 'p.html', to: 'q.html' }]);
  t.deepEqual([apart.added, apart.removed], [['p.html'], ['x.html']]);
  const rewritten = compare({ ...REST, 'p.html': a! }, { ...REST, 'p.html': b! });
  t.deepEqual(
    rewritten.changed.map(({ path, amount }) => [path, amount]),
    [['p.html', 1]],
  );
});

test('compared releases: a page that became a section of another one is found there, and back', (t) => {
  const host: Page = ['Guide', say('guide', 200), { Deploy: say('deploy') }];
  const part: Page = ['Setup', say('setup'), { Windows: say('windows'), Linux: say('linux') }];
  const whole: Page = [
    'Guide',
    say('guide', 200),
    { Setup: say('setup'), Windows: say('windows'), Linux: say('linux'), Deploy: say('deploy') },
  ];
  const apart = { ...REST, 'guide.html': host, 'setup.html': part };
  const together = { ...REST, 'guide.html': whole };
  const found = compare(apart, together);
  t.deepEqual(found.merged, [{ from: 'setup.html', to: 'guide.html', section: 'setup' }]);
  t.deepEqual([found.removed, found.moved], [['setup.html'], []]);
  t.deepEqual(
    found.sections.map(({ fromSection, toSection }) => [fromSection, toSection]),
    [
      ['', 'setup'],
      ['windows', 'windows'],
      ['linux', 'linux'],
    ],
  );
  const back = compare(together, apart);
  t.deepEqual(back.split, [{ from: 'guide.html', to: 'setup.html', section: 'setup' }]);
  t.deepEqual([back.added, back.moved], [['setup.html'], []]);
});

test('compared releases: a page that was split is where its beginning is, though another page has more of it', (t) => {
  const parts = { Create: say('create'), Publish: say('publish'), Processors: say('processors', 400) };
  const found = compare(
    { ...REST, 'plugins.html': ['Working with plugins', say('beginning', 60), parts] },
    {
      ...REST,
      'extend/processors.html': ['Processors', say('processors', 400)],
      'extend/plugins.html': ['Plugins', say('beginning', 60), { Create: say('create'), Publish: say('publish') }],
    },
  );
  t.deepEqual(found.moved, [{ from: 'plugins.html', to: 'extend/plugins.html' }]);
  t.deepEqual(found.split, [{ from: 'plugins.html', to: 'extend/processors.html', section: 'processors' }]);
  const processors = found.sections.find(({ fromSection }) => fromSection === 'processors');
  t.deepEqual(processors, {
    from: 'plugins.html',
    fromSection: 'processors',
    to: 'extend/processors.html',
    toSection: '',
  });
});

test('compared releases: a page written anew is found in its folder, which other pages have moved to', (t) => {
  const names = ['one', 'two', 'three'];
  const list = (folder: string, tests: string): Readonly<Record<string, Page>> =>
    Object.fromEntries([
      ...names.map((name) => [`${folder}/${name}.html`, [name, say(name)]]),
      [`${folder}/tests.html`, ['Writing tests', say(tests)]],
    ]);
  const found = compare({ ...REST, ...list('recipes', 'old') }, { ...REST, ...list('usage', 'new') });
  t.true(found.moved.some(({ from, to }) => from === 'recipes/tests.html' && to === 'usage/tests.html'));
  const alone = compare(
    { ...REST, 'recipes/tests.html': ['Writing tests', say('old')] },
    { ...REST, 'usage/tests.html': ['Writing tests', say('new')] },
  );
  t.deepEqual(alone.moved, []);
});

test('compared releases: a new page that repeats what another page goes on saying was no part of it', (t) => {
  const steps = { Repository: say('repository'), Install: say('install') };
  const found = compare(
    { ...REST, 'install/redhat.html': ['Red Hat', say('redhat'), steps] },
    {
      ...REST,
      'install/redhat.html': ['Red Hat', say('red hat'), steps],
      'install/amazon.html': ['Amazon', say('amazon', 20), steps],
    },
  );
  t.deepEqual([found.added, found.split, found.sections], [['install/amazon.html'], [], []]);
});

test('compared releases: a section that moved between two pages is found', (t) => {
  const [one, two, moved] = [say('one', 200), say('two', 200), say('moved')];
  const found = compare(
    { 'a.html': ['A', one, { Proxy: moved }], 'b.html': ['B', two] },
    { 'a.html': ['A', one], 'b.html': ['B', two, { 'Behind a proxy': moved }] },
  );
  t.deepEqual(found.sections, [{ from: 'a.html', fromSection: 'proxy', to: 'b.html', toSection: 'behind-a-proxy' }]);
});

test('compared releases: translations that come are told apart from changes', (t) => {
  const outlines = new Map<string, PageOutline>();
  const [original, translation] = [
    outlinePage(listSections(['A', say('a')])),
    outlinePage(listSections(['甲', '文字文字文字'])),
  ];
  for (const outline of [original, translation]) outlines.set(outline.hash, outline);
  const older = { id: '1', pages: [{ path: 'a.html', title: 'A', key: original.hash, isFallback: true }] };
  const newer = { id: '2', pages: [{ path: 'a.html', title: '甲', key: translation.hash }] };
  const read = ({ key }: { readonly key: string }) => outlines.get(key);
  t.is(compareReleases(older, newer, read).changed[0]?.translation, 'added');
  t.is(compareReleases(newer, older, read).changed[0]?.translation, 'removed');
});

test('compared releases: every page of both is accounted for exactly once, whatever they say', (t) => {
  const text = fc.constantFrom('', 'x', ...['a', 'b', 'c', 'd', 'e'].map((seed) => say(seed, 60)));
  const section = fc.record({ heading: fc.constantFrom('One', 'Two', 'Three'), text });
  const page = fc.tuple(fc.constantFrom('A', 'B', 'C'), text, fc.array(section, { maxLength: 3 }));
  const release = fc.dictionary(fc.constantFrom('a.html', 'b.html', 'c/a.html', 'c/index.html', 'd.html'), page);
  const toPages = (
    made: Readonly<Record<string, readonly [string, string, readonly { heading: string; text: string }[]]>>,
  ) =>
    Object.fromEntries(
      Object.entries(made).map(([path, [title, own, sections]]): [string, Page] => [
        path,
        [title, own, Object.fromEntries(sections.map(({ heading, text: said }) => [heading, said]))],
      ]),
    );
  t.notThrows(() =>
    fc.assert(
      fc.property(release, release, (one, other) => {
        const [older, newer] = [toPages(one), toPages(other)];
        const found = compare(older, newer);
        const { added, removed, moved, merged, split, changed, unchanged } = found;
        const sort = (paths: readonly string[]): string => [...paths].sort().join();
        const movedFrom = new Set(moved.map(({ from }) => from));
        const kept = Object.keys(older).filter((path) => Object.hasOwn(newer, path) && !movedFrom.has(path));
        const before = sort([...removed, ...movedFrom, ...kept]);
        const after = sort([...added, ...moved.map(({ to }) => to), ...kept]);
        return (
          before === sort(Object.keys(older)) &&
          after === sort(Object.keys(newer)) &&
          changed.length + unchanged === kept.length + moved.length &&
          merged.every(({ from, to }) => removed.includes(from) && Object.hasOwn(newer, to)) &&
          split.every(({ from, to }) => added.includes(to) && Object.hasOwn(older, from)) &&
          changed.every(({ amount }) => amount > 0 && amount <= 1)
        );
      }),
    ),
  );
});

test('sections in any number may go to other pages at once', (t) => {
  const [pages, each] = [130, 1_000];
  const outline = (name: string, ids: readonly string[]): PageOutline => {
    const sections = ids.map((id) => ({ id, heading: id, hash: id, words: 30, sample: '' }));
    return {
      hash: name,
      limit: 1,
      sections: [{ id: '', heading: name, hash: name, words: 9, sample: '' }, ...sections],
    };
  };
  const numbers = Array.from({ length: pages }, (_, at) => at);
  const list = (name: string, idsOf: (at: number) => readonly string[]) =>
    numbers.map((at) => [`${name}${at}.html`, outline(`${name}${at}`, idsOf(at))] as const);
  const ids = (idOf: (place: number) => string) => Array.from({ length: each }, (_, place) => idOf(place));
  const older = list('a', (at) => ids((place) => `${at}-${place}`));
  const newer = list('b', (at) => ids((place) => `${(at + place) % pages}-${place}`));
  const outlines = new Map<string, PageOutline>([...older, ...newer]);
  const release = (id: string, own: typeof older): ReleasePages => ({
    id,
    pages: own.map(([path, { hash }]) => ({ path, title: hash, key: path })),
  });
  const { sections } = compareReleases(release('1', older), release('2', newer), ({ key }) => outlines.get(key));
  t.is(sections.length, pages * each);
  t.true(sections.every(({ fromSection, toSection }) => fromSection === toSection));
});
