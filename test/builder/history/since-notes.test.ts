import test from 'ava';
import { findSinceNotes, markSince, type SinceBadge } from '../../../builder/history/since-notes.ts';

const versionsOf = (text: string): readonly (readonly [number, string, string])[] =>
  findSinceNotes(text).map(({ line, heading, version }) => [line, heading, version]);

test('findSinceNotes() finds the notes of several generators below headings', (t) => {
  const notes = [
    '```{versionadded} 1.2',
    ':::{versionadded} 1.2',
    '.. versionadded:: 1.2',
    '!!! info "Added in version 1.2"',
    '!!! versionadded "1.2"',
    '::: tip New in v1.2',
    '> Since 1.2',
    '*New in version 1.2.*',
    '<Badge type="tip" text="1.2+" />',
    '<!-- md:version 1.2 -->',
    '(Available since 1.2)',
    '自 1.2 起可用',
    'Seit Version 1.2',
  ];
  for (const note of notes)
    t.deepEqual(versionsOf(`# Page\n\nText.\n\n## Part\n\n${note}\n`), [[7, 'Part', '1.2']], note);
});

test('findSinceNotes() reads badges and brackets of headings', (t) => {
  t.deepEqual(versionsOf('## `useData` <Badge type="info" text="1.3+" /> {#use}\n'), [
    [1, '`useData` <Badge type="info" text="1.3+" />', '1.3'],
  ]);
  t.is(findSinceNotes('## One <Badge text="since v2" /> {#use .a}\n')[0]?.id, 'use');
  t.deepEqual(versionsOf('## Part (since v1.3)\n'), [[1, 'Part (since v1.3)', '1.3']]);
  t.deepEqual(versionsOf('## Part (v1.3+)\n'), [[1, 'Part (v1.3+)', '1.3']]);
});

test('findSinceNotes() takes nothing else for a note', (t) => {
  const others = [
    '## Part <Badge text="^1.9.0" />',
    '## Part <Badge text="beta" />',
    '## Version 1.3',
    '## Part\n\nDeprecated since 1.4.',
    '## Part\n\nSince 3 days it rains.',
    '## Part\n\nText.\n\nSince 1.3 there is more.',
    '## Part\n\n```md\nSince 1.3\n```',
    '## Part\n\n`1.3` is a number.',
    '```md\n## Part\n\nSince 1.3\n```',
    '## Part\n\nSince 1.3% of all pages',
    '## Changes in 1.3',
  ];
  for (const text of others) t.deepEqual(versionsOf(text), [], text);
});

test('findSinceNotes() counts headings of the same text', (t) => {
  const notes = findSinceNotes('## A\n\nText.\n\n## A\n\nSince 1.2\n', 10);
  t.deepEqual(notes, [{ line: 16, version: '1.2', heading: 'A', id: undefined, before: 1 }]);
});

const badge = (text: string): SinceBadge => ({ text, title: `In "${text}"` });
const heading = (level: number, id: string, inner = id): string =>
  `<h${level} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Permalink: ${id}">#</a></h${level}>`;

test('markSince() puts badges into headings, before their anchors', (t) => {
  const html = `${heading(1, 'title')}<p>a</p>${heading(2, 'one')}<p>b</p>${heading(2, 'a&quot;b')}`;
  const marked = markSince(html, (id) => (id === 'one' || id === 'a"b' ? badge('v1.3') : undefined));
  t.is(
    marked,
    html
      .replace('one <a', 'one <span class="since" title="In &quot;v1.3&quot;">v1.3</span> <a')
      .replace(
        'b <a class="anchor" href="#a&',
        'b <span class="since" title="In &quot;v1.3&quot;">v1.3</span> <a class="anchor" href="#a&',
      ),
  );
});

test('markSince() says once what a heading and those below it have in common', (t) => {
  const ages: Record<string, string> = { '': 'v1.2', a: 'v1.2', b: 'v1.3', c: 'v1.3', d: 'v1.4', e: 'v1.2' };
  const html = [
    heading(1, 'title'),
    heading(2, 'a'),
    heading(2, 'b'),
    heading(3, 'c'),
    heading(3, 'd'),
    heading(2, 'e'),
  ].join('\n');
  const marked = markSince(html, (id) => (ages[id] ? badge(ages[id]) : undefined));
  const found = [...marked.matchAll(/<h\d id="(\w+)">\w+(?: <span[^>]*>([^<]*))?/g)].map(([, id, text]) => [id, text]);
  t.deepEqual(found, [
    ['title', 'v1.2'],
    ['a', undefined],
    ['b', 'v1.3'],
    ['c', undefined],
    ['d', 'v1.4'],
    ['e', undefined],
  ]);
});

test('markSince() leaves headings alone whose author says since when they are there', (t) => {
  const own = [
    heading(2, 'a', 'A <span class="badge tip">1.3+</span>'),
    heading(2, 'a', 'A (since 1.3)'),
    `${heading(2, 'a')}\n<div class="callout tip"><p class="callout-title">Added in version 1.2</p></div>`,
    `${heading(2, 'a')}\n<p><em>New in version 1.2.</em></p>`,
  ];
  for (const html of own) t.is(markSince(html, () => badge('v1.4')).replace(/^<h1.*?<\/h1>/, ''), html);
  const other = heading(2, 'a', 'A <span class="badge tip">beta</span>');
  t.regex(
    markSince(other, (id) => (id ? badge('v1') : undefined)),
    /<span class="since"/,
    'a badge that says something else',
  );
});

test('markSince() leaves a page of other HTML as it is', (t) => {
  for (const html of ['', '<h1', '<h2 id="a">', '<h2 id="a" title="<">x</h2>', '<h3>x</h3>'.repeat(10)]) {
    t.is(
      markSince(html, (id) => (id === 'b' ? badge('v1') : undefined)),
      html,
    );
  }
});
