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

test('createSidebar() takes linear time for a site of 20,000 pages in one folder', (t) => {
  const sidebar = createSidebar(flat(20_000));
  const started = cpuTimeMs();
  for (let index = 0; index < 20_000; index++) sidebar.render({ prefix: './', current: `p${index}.html` });
  const perPageMs = (cpuTimeMs() - started) / 20_000;
  t.true(perPageMs < 0.3, `${perPageMs} ms a page`);
});
