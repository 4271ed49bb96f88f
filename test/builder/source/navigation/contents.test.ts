import test from 'ava';
import { findLanguages } from '../../../../builder/source/languages.ts';
import { findContents, readContents, readContentsLinks } from '../../../../builder/source/navigation/contents.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';

/** Returns the tables of contents among files, of which these have texts. */
function find(names: readonly string[], texts: Readonly<Record<string, string>>) {
  const files = [...names, ...Object.keys(texts)].map((path) => ({ path, oid: path }));
  const links = (path: string) => (Object.hasOwn(texts, path) ? readContentsLinks(texts[path]!) : undefined);
  return Object.fromEntries(
    [...findContents(files, findLanguages(files, undefined), links)].map(([key, { path }]) => [key, path]),
  );
}
const list = (...links: readonly string[]) =>
  `# Contents\n\n- Part\n${links.map((link) => `  - [T](${link})\n`).join('')}`;
const pages = ['README.md', 'a.md', 'b.md', 'c.md', 'guide/d.md', 'guide/index.md'];

test('readContentsLinks() knows texts that are nothing but lists of links', (t) => {
  const laravel = '- ## Start\n    - [A](/docs/{{version}}/a)\n\t- [B](b)\n- [API](https://api.test)\n';
  t.deepEqual(readContentsLinks(laravel), { links: ['/docs/{{version}}/a', 'b'], isFlat: false });
  const pingcap =
    '<!-- markdownlint-disable\nMD007 -->\n# Table\n\n## One\n\n- [A [x]](/a.md "T") **NEW**\n* **[B](<b c.md>)**\n1. [C](c_(d).md)\n';
  t.deepEqual(readContentsLinks(pingcap)?.links, ['/a.md', 'b c.md', 'c_(d).md']);
  t.deepEqual(readContentsLinks('- [A](a.md)\n- [B](b.md)\n'), { links: ['a.md', 'b.md'], isFlat: true });
});

test('readContentsLinks() leaves texts that say more', (t) => {
  for (const text of [
    '',
    '# A\n\nText.\n',
    '- [A](https://host.test)\n- [B](#b)\n',
    '- [A](a.md)\n\nText with [b](b.md).\n\nMore.\n',
    '- one\n- two\n- [A](a.md)\n',
    '- [A](a.md) tells how to install the lamp on a wall\n- [B](b.md) tells how to install it elsewhere\n',
    `- [A](a.md)\n\n\`\`\`\ncode\n\`\`\`\n`,
    `- [A](a.md)\n\n| a | b |\n| - | - |\n| c | d |\n`,
  ]) {
    t.is(readContentsLinks(text), undefined, text);
  }
});

test('findContents() finds the file that lists most pages, whatever it is called', (t) => {
  const all = list('/a.md', './b', 'c.html', '/docs/1.0/guide/d', 'guide/');
  for (const name of ['TOC.md', 'documentation.md', 'Contents.markdown', 'zz.md'])
    t.deepEqual(find(pages, { [name]: all }), { '': name });
  const most = list('a.md', 'b.md', 'c.md', 'guide/d.md');
  t.deepEqual(find(pages, { 'TOC.md': most, 'TOC-all.md': all }), { '': 'TOC.md' }, 'the usual name');
  t.deepEqual(find(pages, { 'some.md': most, 'all.md': all }), { '': 'all.md' });
  t.deepEqual(find(pages, { 'SUMMARY.md': list('a.md') }), { '': 'SUMMARY.md' });
});

test('findContents() knows further tables by the name of the first', (t) => {
  const most = list('a.md', 'b.md', 'c.md', 'guide/d.md');
  const texts = { 'TOC.md': most, 'TOC-api.md': list('a.md'), 'TOC_dev.md': list('b.md'), 'TOCs.md': list('c.md') };
  const files = [...pages, ...Object.keys(texts)].map((path) => ({ path, oid: path }));
  const links = (path: string) => (Object.hasOwn(texts, path) ? readContentsLinks(texts[path as 'TOC.md']) : undefined);
  const found = findContents(files, findLanguages(files, undefined), links).get('');
  t.deepEqual([found?.path, found?.others], ['TOC.md', ['TOC-api.md', 'TOC_dev.md']]);
});

test('findContents() takes no other page for a table of contents', (t) => {
  const all = list('a.md', 'b.md', 'c.md', 'guide/d.md');
  for (const name of ['README.md', 'index.md', 'Home.md', 'README.de.md', 'guide/TOC.md'])
    t.deepEqual(find(pages, { [name]: all }), {}, name);
  t.deepEqual(find(pages, { 'links.md': list('a.md', 'b.md') }), {}, 'few pages');
  t.deepEqual(
    find(pages, { 'old.md': list('a.md', 'b.md', 'c.md', 'guide/d.md', 'u', 'v', 'w', 'x', 'y') }),
    {},
    'dead',
  );
  t.deepEqual(find([...pages, ...'efghi'.split('').map((x) => `${x}.md`)], { 'x.md': all }), {}, 'less than half');
  const flat = '- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n- [D](guide/d.md)\n';
  t.deepEqual(find(pages, { 'sitemap.md': flat }), {}, 'flat, with folders');
  t.deepEqual(find(pages, { 'SUMMARY.md': list('x.md') }), {}, 'of other pages');
});

test('findContents() finds that of each language', (t) => {
  const names = ['en', 'zh'].flatMap((code) => 'abcd'.split('').map((name) => `${code}/${name}.md`));
  const text = list('a.md', 'b.md', '/c.md', '/en/d.md');
  t.deepEqual(find(names, { 'en/TOC.md': text, 'zh/TOC.md': list('a.md', 'b.md', 'c.md', 'd.md') }), {
    en: 'en/TOC.md',
    zh: 'zh/TOC.md',
  });
  t.deepEqual(find(names, { 'en/TOC.md': text }), { en: 'en/TOC.md' });
});

test('readContents() gives groups, titles and anchors', (t) => {
  const text =
    '<!-- - [no](no.md) -->\n- ## Start\n    - [One](/x/one#top)\n    - **[Two](two)**\n- [Out](https://host.test)\n';
  const targets = new Map([
    ['/x/one#top', 'one.md'],
    ['two', 'b/two.md'],
  ]);
  const [group, out] = readContents(text, 'TOC.md', { sourceFolder: 'docs/', targets }).languages['']!;
  t.is(group!.title, 'Start');
  t.deepEqual(
    group!.children.map(({ title, target }) => [title, target?.path]),
    [
      ['One', 'docs/one.md#top'],
      ['Two', 'docs/b/two.md'],
    ],
  );
  t.is(out!.target?.path, 'https://host.test');
});

test('lists of links are read in linear time', (t) => {
  for (const part of ['- [', '- [a](', '- [a](b) {', '<!--', '- [[', '- [a](b(', '- \\[', '- [a](/}}/{{']) {
    const [short, long] = [part.repeat(3_000), part.repeat(30_000)];
    const lines = `${part.repeat(60)}\n`.repeat(500);
    const time = (text: string) => fastestMs(() => readContentsLinks(text));
    t.true(time(long!) < 40 * time(short!) + 100, part);
    t.true(time(lines) < 500, part);
  }
});
