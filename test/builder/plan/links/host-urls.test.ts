import test from 'ava';
import { createHostUrls } from '../../../../builder/plan/links/host-urls.ts';

for (const [host, file, folder, edit] of [
  ['https://github.com/o/r', '/blob/main/d/a.md', '/tree/main/d', '/edit/main/d/a.md'],
  ['https://gitee.com/o/r', '/blob/main/d/a.md', '/tree/main/d', '/edit/main/d/a.md'],
  ['https://gitlab.example.test/g/s/r', '/-/blob/main/d/a.md', '/-/tree/main/d', '/-/edit/main/d/a.md'],
  ['https://codeberg.org/o/r', '/src/branch/main/d/a.md', '/src/branch/main/d', '/_edit/main/d/a.md'],
  ['https://bitbucket.org/o/r', '/src/main/d/a.md', '/src/main/d', '/src/main/d/a.md?mode=edit'],
] as const) {
  test(`createHostUrls() knows ${host}`, (t) => {
    const urls = createHostUrls(host, 'main')!;
    t.is(urls.view('d/a.md', false), host + file);
    t.is(urls.view('d', true), host + folder);
    t.is(urls.edit('d/a.md'), host + edit);
  });
}

test('createHostUrls() encodes branch and path', (t) => {
  const urls = createHostUrls('https://github.com/o/r', 'feature/#1 $&')!;
  t.is(urls.edit('a b/?{ref}.md'), 'https://github.com/o/r/edit/feature/%231%20%24%26/a%20b/%3F%7Bref%7D.md');
});

test('createHostUrls() gives nothing for hosts it does not know', (t) => {
  for (const [url, branch] of [
    [undefined, 'main'],
    ['https://github.com/o/r', undefined],
    ['https://example.test/o/r', 'main'],
    ['not a URL', 'main'],
    ['https://example.test/github/r', 'main'],
  ] as const) {
    t.is(createHostUrls(url, branch), undefined);
  }
});
