import test from 'ava';
import { isSameFromAnyPage, safeUrl } from '../../../builder/compose/safe-url.ts';

for (const url of [
  'a.html',
  '../a/b.html#c',
  './a:b.html',
  'https://example.test/',
  'mailto:a@example.test',
  '',
  '#x',
]) {
  test(`safeUrl() leaves "${url}"`, (t) => {
    t.is(safeUrl(url), url);
  });
}

for (const url of [
  'javascript:alert(1)',
  ' JavaScript:1',
  'java\tscript:1',
  '\u0001javascript:1',
  'data:text/html,x',
  'vbscript:x',
]) {
  test(`safeUrl() disarms ${JSON.stringify(url)}`, (t) => {
    t.is(safeUrl(url), '#');
  });
}

test('isSameFromAnyPage() tells what a prefix would break', (t) => {
  t.deepEqual(['/a', '//host/a', 'https://host', 'mailto:a'].map(isSameFromAnyPage), [true, true, true, true]);
  t.deepEqual(['a', 'a/b', '../a', '', 'a?b=c:d'].map(isSameFromAnyPage), [false, false, false, false, false]);
});
