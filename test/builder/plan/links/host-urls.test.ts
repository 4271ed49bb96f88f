import test from 'ava';
import { createHostUrls } from '../../../../builder/plan/links/host-urls.ts';

const patterns = [
  {
    id: 'one',
    icon: '',
    hosts: '^git\\.example$',
    file: '/a/{ref}/{path}',
    folder: '/b/{ref}/{path}',
    edit: '/c/{ref}/{path}?edit',
  },
  {
    id: 'one',
    icon: '',
    hosts: 'example',
    file: '/x/{ref}/{path}',
    folder: '/y/{ref}/{path}',
    edit: '/z/{ref}/{path}',
  },
];

test('createHostUrls() uses the first pattern for the host', (t) => {
  const urls = createHostUrls(patterns, 'https://git.example/o/r', 'main')!;
  t.is(urls.view('d/a.md', false), 'https://git.example/o/r/a/main/d/a.md');
  t.is(urls.view('d', true), 'https://git.example/o/r/b/main/d');
  t.is(urls.edit('d/a.md'), 'https://git.example/o/r/c/main/d/a.md?edit');
  t.is(createHostUrls(patterns, 'https://GIT2.Example/o/r', 'main')!.edit('a'), 'https://GIT2.Example/o/r/z/main/a');
});

test('createHostUrls() encodes branch and path', (t) => {
  const urls = createHostUrls(patterns, 'https://git.example/o/r', 'feature/#1 $&')!;
  t.is(urls.edit('a b/?{ref}.md'), 'https://git.example/o/r/c/feature/%231%20%24%26/a%20b/%3F%7Bref%7D.md?edit');
});

test('createHostUrls() returns nothing where no pattern is for the host', (t) => {
  for (const [url, branch] of [
    [undefined, 'main'],
    ['https://git.example/o/r', undefined],
    ['https://other.test/o/r', 'main'],
    ['not a URL', 'main'],
    ['https://other.test/git.example/r', 'main'],
  ] as const) {
    t.is(createHostUrls(patterns, url, branch), undefined);
  }
  t.is(createHostUrls([], 'https://git.example/o/r', 'main'), undefined);
});
