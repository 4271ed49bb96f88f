import test from 'ava';
import { createSimilarPathFinder, writeLike } from '../../../../builder/plan/links/similar-paths.ts';

const PATHS = [
  'docs/index.md',
  'docs/guide/other.md',
  'docs/guide/README.md',
  'docs/guide/setup.md',
  'docs/api/setup.md',
  'docs/api/client.mdx',
  'docs/img/logo.png',
  'docs/img/b.png',
];

for (const [wanted, found] of [
  ['docs/guide/othr.md', 'docs/guide/other.md'],
  ['docs/guide/othr', 'docs/guide/other.md'],
  ['docs/guide/Other.html', 'docs/guide/other.md'],
  ['docs/other.md', 'docs/guide/other.md'],
  ['docs/guid/setup.md', 'docs/guide/setup.md'],
  ['docs/giude/', 'docs/guide/README.md'],
  ['docs/img/lgoo.png', 'docs/img/logo.png'],
  ['docs/img/logo.jpg', undefined],
  ['docs/guide/index.md', undefined],
  ['docs/nothing.md', undefined],
  ['docs/img/a.png', undefined],
] as const) {
  test(`the path that ${wanted} probably means is ${found ?? 'not guessed'}`, (t) => {
    t.is(createSimilarPathFinder(PATHS)(wanted), found);
  });
}

test('a finder answers for two hundred paths that lead nowhere, and looks for no more', (t) => {
  const find = createSimilarPathFinder(PATHS);
  for (let at = 0; at < 200; at++) find(`docs/none/${at}-nothing-like-this.md`);
  t.is(find('docs/guide/othr.md'), undefined);
});

test('a path is written as its author wrote the wrong one', (t) => {
  const found = 'docs/guide/other.md';
  const write = (written: string, wanted: string, folder: string): string =>
    writeLike(written, { wanted, found, folder });
  t.is(write('othr.md', 'docs/guide/othr.md', 'docs/guide/'), 'other.md');
  t.is(write('./othr.md', 'docs/guide/othr.md', 'docs/guide/'), './other.md');
  t.is(write('./othr.md', 'docs/api/othr.md', 'docs/api/'), '../guide/other.md');
  t.is(write('/guide/othr', 'docs/guide/othr', 'docs/api/'), '/guide/other');
  t.is(write('/guide/othr.html', 'docs/guide/othr.html', 'docs/api/'), '/guide/other.html');
  t.is(write('guide/othr', 'docs/guide/othr', 'docs/'), 'guide/other');
  const index = { wanted: 'docs/giude/', found: 'docs/guide/README.md', folder: 'docs/' };
  t.is(writeLike('giude/', index), 'guide/');
  t.is(writeLike('giude/index.md', index), 'guide/README.md');
});
