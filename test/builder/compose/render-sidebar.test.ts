import test from 'ava';
import { createSidebar, type NavigationNode } from '../../../builder/compose/render-sidebar.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';

const leaf = (title: string, path?: string): NavigationNode => ({ title, path, children: [] });
const group = (title: string, children: readonly NavigationNode[], path?: string): NavigationNode => ({
  title,
  path,
  children,
});
const flat = (count: number): NavigationNode[] =>
  Array.from({ length: count }, (_, index) => leaf(`Page ${index}`, `p${index}.html`));
const links = (html: string): string[] => [...html.matchAll(/<a href="([^"]*)"/g)].map((match) => match[1]!);

test('createSidebar() puts the prefix before each path', (t) => {
  const sidebar = createSidebar([leaf('A', 'a.html'), group('B', [leaf('C', 'b/c.html')], 'b/'), leaf('Home', '')]);
  t.deepEqual(links(sidebar.render({ prefix: '../', current: undefined })), [
    '../a.html',
    '../b/',
    '../b/c.html',
    '../',
  ]);
});

test('createSidebar() leaves absolute addresses alone', (t) => {
  const nodes = [leaf('A', 'https://example.test/a'), leaf('B', '/b'), leaf('C', '//example.test/c')];
  t.deepEqual(links(createSidebar(nodes).render({ prefix: '../', current: undefined })), [
    'https://example.test/a',
    '/b',
    '//example.test/c',
  ]);
});

test('createSidebar() marks the current page, once', (t) => {
  const sidebar = createSidebar([leaf('A', 'a.html'), leaf('Again', 'a.html')]);
  const html = sidebar.render({ prefix: './', current: 'a.html' });
  t.deepEqual(html.match(/<a [^>]*aria-current="page">[^<]*/g), ['<a href="./a.html" aria-current="page">A']);
});

test('createSidebar() opens the groups that hold the current page, and no deep one else', (t) => {
  const sidebar = createSidebar([
    group('Top', [group('With', [leaf('A', 'a.html')]), group('Without', [leaf('B', 'b.html')])]),
  ]);
  const html = sidebar.render({ prefix: './', current: 'a.html' });
  t.true(html.includes('<details open><summary>With<'));
  t.true(html.includes('<details><summary>Without<'));
});

test('createSidebar() opens a top-level group unless it is long', (t) => {
  const html = createSidebar([group('Short', flat(20)), group('Long', flat(21))]).render({ prefix: '', current: '' });
  t.true(html.includes('<details open><summary>Short<'));
  t.true(html.includes('<details><summary>Long<'));
});

test('createSidebar() puts no link into the button of a group', (t) => {
  const html = createSidebar([group('A "B"', flat(1), 'ab/')]).render({ prefix: './', current: 'ab/' });
  t.true(
    html.includes(
      '<a href="./ab/" aria-current="page">A &quot;B&quot;</a><details open><summary aria-label="A &quot;B&quot;"></summary>',
    ),
  );
});

test('createSidebar() escapes titles and paths', (t) => {
  const html = createSidebar([leaf('<b>&"\'', 'a.html?x="&y')]).render({ prefix: '"', current: undefined });
  t.is(html, `<ul>\n<li><a href="&quot;a.html?x=&quot;&amp;y">&lt;b&gt;&amp;&quot;'</a></li>\n</ul>\n`);
});

test('createSidebar() gives no address that runs a script', (t) => {
  const html = createSidebar([leaf('A', ' java\nscript:alert(1)')]).render({ prefix: '', current: undefined });
  t.deepEqual(links(html), ['#']);
});

test('createSidebar() shows 101 of 20,000 siblings, the current one amid them, and leads on at both ends', (t) => {
  const html = createSidebar(flat(20_000)).render({ prefix: './', current: 'p9000.html' });
  const shown = links(html);
  t.is(shown.length, 103);
  t.is(shown[0], './p8949.html');
  t.is(shown[51], './p9000.html');
  t.is(shown[102], './p9051.html');
  t.is(html.match(/class="more"/g)?.length, 2);
});

test('createSidebar() shows the first of many siblings for a page that is not in it', (t) => {
  const shown = links(createSidebar(flat(300)).render({ prefix: '', current: 'other.html' }));
  t.is(shown[0], 'p0.html');
  t.is(shown.length, 102);
});

test('createSidebar() unfolds only the trail of a large tree', (t) => {
  const groups = Array.from({ length: 30 }, (_, g) =>
    group(
      `Group ${g}`,
      Array.from({ length: 10 }, (_, p) => leaf(`Page ${p}`, `g${g}/p${p}.html`)),
    ),
  );
  const html = createSidebar(groups).render({ prefix: './', current: 'g7/p3.html' });
  t.deepEqual(html.match(/<details[^>]*><summary>[^<]*/g), ['<details open><summary>Group 7']);
  t.true(html.includes('<a href="./g8/p0.html">Group 8</a>'));
  t.is(links(html).length, 29 + 10);
});

/** Groups of pages `g0/p0.html` …, in the first of which lies a group. */
const sections = (count: number, pages: number): NavigationNode[] =>
  Array.from({ length: count }, (_, g) =>
    group(`Section ${g}`, [
      ...Array.from({ length: pages }, (_, p) => leaf(`Page ${p}`, `g${g}/p${p}.html`)),
      group('Inner', [leaf('Deep', `g${g}/inner/deep.html`)]),
    ]),
  );
const summaries = (html: string): readonly string[] =>
  [...html.matchAll(/<details( open)?><summary[^>]*>([^<]*)/g)].map(([, open, title]) => `${title}${open ?? ''}`);

test('createSidebar() shows the section at hand, all of it open, and a link to the first page of each other one', (t) => {
  const html = createSidebar([leaf('Home', ''), ...sections(8, 7)]).render({ prefix: './', current: 'g2/p3.html' });
  t.deepEqual(summaries(html), ['Section 2 open', 'Inner open']);
  t.deepEqual(
    [...html.matchAll(/<li class="section"><a href="([^"]*)">([^<]*)/g)].map(([, url, title]) => `${title} ${url}`),
    [0, 1, 3, 4, 5, 6, 7].map((g) => `Section ${g} ./g${g}/p0.html`),
  );
  t.is(links(html).length, 1 + 7 + 8);
});

test('createSidebar() shows all sections of a small navigation, of more where that is wanted, and of fewer one alone', (t) => {
  const place = { prefix: '', current: 'g2/p3.html' };
  t.is(summaries(createSidebar(sections(4, 5)).render(place)).length, 8);
  t.deepEqual(summaries(createSidebar(sections(4, 5), 'section').render(place)), ['Section 2 open', 'Inner open']);
  t.is(summaries(createSidebar(sections(8, 7), 'all').render(place)).length, 16);
  t.is(
    links(createSidebar(sections(30, 10), 'all').render(place)).length,
    29 + 11,
    'no choice shows a whole large tree',
  );
});

test('createSidebar() takes groups for sections where there are several, below one that holds them all', (t) => {
  const whole = createSidebar([leaf('Home', ''), group('Docs', [leaf('About', 'about.html'), ...sections(8, 7)])]);
  const html = whole.render({ prefix: '', current: 'g2/inner/deep.html' });
  t.deepEqual(summaries(html), ['Docs open', 'Section 2 open', 'Inner open']);
  t.is(links(html).length, 2 + 7 + 8);
  const outside = whole.render({ prefix: '', current: 'hidden.html' });
  t.deepEqual(summaries(outside), ['Docs open']);
  t.is(links(outside).length, 2 + 8);
  t.is(links(createSidebar([group('Docs', flat(100))]).render({ prefix: '', current: '' })).length, 100);
});

test('createSidebar() shows a long section around the current page, and closes groups whose author wants it', (t) => {
  const long = createSidebar([...sections(1, 300), ...sections(2, 2)]).render({ prefix: '', current: 'g0/p150.html' });
  t.is(links(long).length, 101 + 2 + 2);
  const closed: NavigationNode = { ...group('Closed', flat(3)), isCollapsed: true };
  const html = createSidebar([group('A', [leaf('A', 'a.html'), closed]), group('B', flat(80))]).render({
    prefix: '',
    current: 'a.html',
  });
  t.deepEqual(summaries(html), ['A open', 'Closed']);
});

test('createSidebar() takes linear time for a site of 20,000 pages in one folder', (t) => {
  const sidebar = createSidebar(flat(20_000));
  const started = cpuTimeMs();
  for (let index = 0; index < 20_000; index++) sidebar.render({ prefix: './', current: `p${index}.html` });
  const perPageMs = (cpuTimeMs() - started) / 20_000;
  t.true(perPageMs < 0.3, `${perPageMs} ms a page`);
});
