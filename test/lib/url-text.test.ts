import { encodePath, isAbsoluteUrl } from '../../lib/url-text.ts';
import test from '../helpers/serial-test.ts';

const ABSOLUTE = [
  'https://a.test/',
  'HTTPS://a.test',
  '//a.test/x',
  'mailto:me@a.test',
  'javascript:alert(1)',
  'a+b.c-1:x',
];
const RELATIVE = ['', '/x', 'a/b:c', './a:b', '../a', '#a:b', '?a:b', '1a:b', ':x', ' https://a.test'];

test('isAbsoluteUrl() is true for a scheme and for another host, not for a path from the root', (t) => {
  t.deepEqual(ABSOLUTE.filter(isAbsoluteUrl), ABSOLUTE);
  t.deepEqual(RELATIVE.filter(isAbsoluteUrl), []);
});

test('encodePath() encodes names and keeps slashes', (t) => {
  t.is(encodePath('a b/ü?#%.html'), 'a%20b/%C3%BC%3F%23%25.html');
  t.is(encodePath('a/'), 'a/');
});
