import test from 'ava';
import { encodePath, isAbsoluteUrl, readableHost } from '../../lib/url-text.ts';

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

test('readableHost() writes a host or that of a URL in its own letters where it is in punycode', (t) => {
  t.is(readableHost('https://xn--bcher-kva.example:8443/?a'), 'bücher.example');
  t.is(readableHost('xn--r8jz45g.xn--zckzah'), '例え.テスト');
  for (const text of [
    'https://example.org/xn--bcher-kva',
    'example.org',
    '203.0.113.0/24',
    '2001:db8::/32',
    'xn--',
    '',
  ]) {
    t.is(readableHost(text), '', text);
  }
});
