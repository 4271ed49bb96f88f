import test from 'ava';
import { findBody, parseRanges } from '../../../../builder/markdown/include/select-lines.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { renderPage } from '../render-page.ts';

/** Renders a page of a repository with these files. */
function render(text: string, files: Readonly<Record<string, string>>) {
  return renderPage(text, {
    includes: new Map(Object.entries(files)),
    pagePath: 'docs/guide/page.md',
    sourceDir: 'docs',
  });
}

/** Returns the lines that an include shows, of files whose lines are paragraphs. */
function linesOf(include: string, file: string, name = '../_part.md'): readonly string[] {
  const path = name.replace('../', 'docs/');
  const { html } = render(include.replace('FILE', name), { [path]: file });
  return [...html.matchAll(/<p>(?:<code>)?(.*?)<\//gs)].flatMap(([, text]) => text!.split('\n'));
}

const marked = `---
title: Part
---
L4
L5
<!-- #region a -->
L7
<!-- #region b -->
L9
<!-- #endregion b -->
L11
<!-- #endregion a -->
L13`;

test('ranges count the lines of the file, those that are not shown included', (t) => {
  for (const [range, lines] of [
    ['{4,}', 'L4 L5 L7 L9 L11 L13'],
    ['{5,7}', 'L5 L7'],
    ['{,4}', 'L4'],
    ['{2,5}', 'L4 L5'],
    ['{8,}', 'L9 L11 L13'],
    ['{9}', 'L9'],
    ['{ 9 , 11 }', 'L9 L11'],
    ['{1,3}', ''],
    ['{0,4}', 'L4'],
    ['{99,}', ''],
    ['', 'L4 L5 L7 L9 L11 L13'],
    ['#a', 'L7 L9 L11'],
    ['#b', 'L9'],
  ] as const) {
    t.is(linesOf(`<!--@include: FILE${range}-->`, marked).join(' '), lines, range);
    const crlf = marked.replaceAll('\n', '\r\n');
    t.is(linesOf(`<!--@include: FILE${range}-->`, crlf).join(' '), lines, `${range}, CRLF`);
  }
  t.deepEqual(linesOf('--8<-- "FILE:5:7"', marked), ['L5', 'L7']);
  t.deepEqual(linesOf('--8<-- "FILE:9:9"', marked), ['L9']);
  t.deepEqual(linesOf('{{#include FILE:11}}', marked), ['L11']);
  t.deepEqual(linesOf('{{#include FILE::4}}', marked), ['L4']);
});

test('ranges of a region count its lines', (t) => {
  for (const [range, lines] of [
    ['#a{1,1}', 'L7'],
    ['#a{2,}', 'L9 L11'],
    ['#a{3,3}', 'L9'],
    ['#a{,3}', 'L7 L9'],
    ['#a{5}', 'L11'],
  ] as const) {
    t.is(linesOf(`<!--@include: FILE${range}-->`, marked).join(' '), lines, range);
  }
  const { html } = render('<!--@include: ../_a.md#a{1,3}-->', {
    'docs/_a.md':
      '  <!-- #region a -->\n  one\n    <!-- #region b -->\n  two\n  <!-- #endregion -->\n  <!-- #endregion -->',
  });
  t.is(html, '<p>one\ntwo</p>');
});

test('front matter of an included page is not shown, and the text between two rules is none', (t) => {
  for (const front of ['---\ntitle: A\n---\n', '---\n---\n', '---\n# c\n"a": b\n...\n', '+++\ntitle = "A"\n+++\n'])
    t.is(render('<!--@include: ../_a.md-->', { 'docs/_a.md': `${front}Text` }).html, '<p>Text</p>', front);
  for (const text of ['---\n\nSome prose\n\n---\n\nText', '---\n# Title\n---\n\nText', '---\ntitle: A\n\nText'])
    t.true(findBody(text) === 0, text);
  t.is(render('<!--@include: ../_a.md-->', { 'docs/_a.md': '---\n\nprose\n\n---\n' }).html, '<hr>\n<p>prose</p>\n<hr>');
});

test('parseRanges() and findBody() take linear time', (t) => {
  const start = cpuTimeMs();
  parseRanges(`${' '.repeat(100_000)}x`);
  parseRanges(`1${' '.repeat(100_000)}x`);
  findBody(`---\n${'---  \t  x\n'.repeat(100_000)}`);
  findBody(`---\n${'- '.repeat(1_000_000)}`);
  findBody(`---\n${' '.repeat(1_000_000)}`);
  t.true(cpuTimeMs() - start < 1_000);
});

test('links, pictures and HTML of an included file say which file contains them', (t) => {
  const { slots } = render(
    '[page](a.md)\n\n<!--@include: ../parts/_a.md-->\n\n[page](b.md)\n\n<i><img src="c.png"></i>\n',
    {
      'docs/parts/_a.md':
        '[a](a.md)\n\n<img src="a.png"> ![a](b.png)\n\n::: tip [t](t.md)\n| a |\n| - |\n| [c](c.md) |\n\n- ^[[note](n.md)]\n:::\n\n<!--@include: inner/_b.md-->\n\n[z](z.md) [def]\n\n[def]: d.md\n\n<div style="background: url(bg.png)">\n\n[in div](i.md)\n\n</div>',
      'docs/parts/inner/_b.md': '[b](b.md)',
    },
  );
  const own = slots.filter(({ from }) => from === undefined).map(({ url }) => url);
  t.deepEqual(own.sort(), ['a.md', 'b.md', 'c.png']);
  const inner = slots.filter(({ from }) => from === 'docs/parts/inner/_b.md').map(({ url }) => url);
  t.deepEqual(inner, ['b.md']);
  const part = slots.filter(({ from }) => from === 'docs/parts/_a.md').map(({ url }) => url);
  t.deepEqual(part.sort(), ['a.md', 'a.png', 'b.png', 'bg.png', 'c.md', 'd.md', 'i.md', 'n.md', 't.md', 'z.md']);
});

const notes = (html: string) => [...html.matchAll(/<li id="(fn[^"]*)"><p>(.*?) <a/g)].map(([, , text]) => text);

test('footnotes of different files are not mixed, though their labels are the same', (t) => {
  const { html, warnings } = render(
    'page[^1]\n\n<!--@include: ./_a.md-->\n\n<!--@include: ./_b.md-->\n\nagain[^1]\n\n[^1]: of the page\n',
    { 'docs/guide/_a.md': 'a[^1]\n\n[^1]: of a', 'docs/guide/_b.md': 'b[^1]\n\n[^1]: of b' },
  );
  t.deepEqual(notes(html), ['of the page', 'of a', 'of b']);
  t.regex(html, /again<sup class="footnote-ref"><a href="#fn1" id="fnref1-1">1</);
  t.deepEqual(warnings, []);
});

test('a text may refer to the notes of the page or of another file, but not in place of its own', (t) => {
  const files = {
    'docs/guide/_notes.md': '[^x]: shared',
    'docs/guide/_a.md': 'a[^x] and b[^p]',
    'docs/guide/_b.md': '<!-- #region r -->\nc[^own]\n<!-- #endregion r -->\n\n[^own]: not included',
  };
  const shared = render(
    '<!--@include: ./_a.md-->\n\np[^x]\n\n[^p]: of the page\n\n<!--@include: ./_notes.md-->',
    files,
  );
  t.deepEqual(notes(shared.html), ['shared', 'of the page']);
  const region = render('p[^own]\n\n<!--@include: ./_b.md#r-->\n\n[^own]: of the page', files);
  t.regex(region.html, /c\[\^own\]/);
  t.deepEqual(
    region.warnings.map(({ line, message }) => `${line}: ${message}`),
    ['3: Reference "[^own]" has no definition'],
  );
});

test('definitions of links count in their own file first', (t) => {
  const { slots } = render(
    '[x] [only a]\n\n<!--@include: ./_a.md-->\n\n<!--@include: ./_b.md-->\n\n[x]: page.md\n[y]: y.md\n',
    {
      'docs/guide/_a.md': '[x] [y]\n\n[x]: a.md\n[only a]: only-a.md\n',
      'docs/guide/_b.md': '[x] [constructor]\n\n[x]: b.md\n',
    },
  );
  t.deepEqual(
    slots.map(({ url }) => url),
    ['page.md', 'only-a.md', 'a.md', 'y.md', 'b.md'],
  );
});

test('very many notes and includes take linear time', (t) => {
  const many = Array.from({ length: 3_000 }, (_, at) => `a[^${at}] [^x${at}]\n\n[^${at}]: n`).join('\n\n');
  const page = '<!--@include: ./_a.md-->\n\n'.repeat(20);
  const start = cpuTimeMs();
  render(page, { 'docs/guide/_a.md': many });
  t.true(cpuTimeMs() - start < 15_000);
});
