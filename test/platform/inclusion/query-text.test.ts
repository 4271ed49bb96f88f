import test from 'ava';
import { baiduQueryText } from '../../../platform/inclusion/baidu.ts';
import { parseTarget } from '../../../platform/inclusion/inclusion-query.ts';

const textOf = (url: string): string => baiduQueryText(parseTarget(url));

test('baiduQueryText() gives an address of up to 76 bytes as it is', (t) => {
  const url = 'https://a.example/'.padEnd(76, 'p');
  t.is(textOf(url), url);
});

test('baiduQueryText() asks for host and path above 76 bytes', (t) => {
  const path = '/'.padEnd(60, 'p');
  t.is(textOf(`https://a.example${path}`), `site:a.example inurl:${path}`);
  t.is(textOf(`https://www.a.example:8080${path}?a=1`), `site:www.a.example inurl:${path}?a=1`);
  const host = `${'a'.repeat(60)}.${'b'.repeat(20)}.example`;
  t.is(textOf(`https://${host}/`), `site:${host}`);
});

test('baiduQueryText() counts a Chinese character as two bytes', (t) => {
  const url = `https://a.example/${'中'.repeat(29)}`;
  t.is(url.length, 47);
  t.is(textOf(url), url);
  t.regex(textOf(`${url}中`), /^site:a\.example inurl:\/%E4%B8%AD/);
});

test('baiduQueryText() takes addresses whose encoding is not UTF-8', (t) => {
  const path = `/${'%B0%C1'.repeat(20)}`;
  t.is(textOf(`https://a.example${path}`), `site:a.example inurl:${path}`);
});
