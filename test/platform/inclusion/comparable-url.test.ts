import test from 'ava';
import { comparableUrl } from '../../../platform/inclusion/inclusion-query.ts';
import fc from '../../helpers/fast-check.ts';

const same: readonly (readonly [string, string, string])[] = [
  ['the scheme', 'http://a.example/p', 'https://a.example/p'],
  ['the case of the host', 'https://A.Example/p', 'https://a.example/p'],
  ['www', 'https://www.a.example/p', 'https://a.example/p'],
  ['the default port', 'https://a.example:443/p', 'http://a.example:80/p'],
  ['the fragment', 'https://a.example/p#part', 'https://a.example/p'],
  ['a final slash', 'https://a.example/p/', 'https://a.example/p'],
  ['a final slash of the host', 'https://a.example', 'https://a.example/'],
  ['a final slash before the query', 'https://a.example/p/?a=1', 'https://a.example/p?a=1'],
  ['the case of percent-encoding', 'https://a.example/%e4%b8%ad', 'https://a.example/%E4%B8%AD'],
  ['whether characters are encoded', 'https://a.example/中', 'https://a.example/%E4%B8%AD'],
  ['whether plain characters are encoded', 'https://a.example/%7Ea%2Db(1)', 'https://a.example/~a-b%281%29'],
  ['whether quotes are encoded in a query', "https://a.example/?q='x'", 'https://a.example/?q=%27x%27'],
  ['how a host is written', 'https://例子.测试/', 'https://xn--fsqu00a.xn--0zwm56d/'],
  ['a final dot of the host', 'https://a.example./p', 'https://a.example/p'],
  ['an empty query', 'https://a.example/p?', 'https://a.example/p'],
];
for (const [what, one, other] of same) {
  test(`comparableUrl() ignores ${what}`, (t) => {
    t.is(comparableUrl(one), comparableUrl(other));
    t.not(comparableUrl(one), undefined);
  });
}

const different: readonly (readonly [string, string])[] = [
  ['https://a.example/p', 'https://a.example/P'],
  ['https://a.example/p', 'https://a.example/p?a=1'],
  ['https://a.example/p?a=1', 'https://a.example/p?a=2'],
  ['https://a.example/p', 'https://b.a.example/p'],
  ['https://a.example/p', 'https://a.example:8080/p'],
  ['https://a.example/p', 'https://a.example/p/q'],
  ['https://a.example/a%2Fb', 'https://a.example/a/b'],
  ['https://a.example/?a=1%26b', 'https://a.example/?a=1&b'],
  ['https://a.example/a%25', 'https://a.example/a%'],
  ['https://www.com/', 'https://com/'],
  ['https://wwwa.example/', 'https://a.example/'],
];
for (const [one, other] of different) {
  test(`comparableUrl() tells ${one} from ${other}`, (t) => t.not(comparableUrl(one), comparableUrl(other)));
}

test('comparableUrl() gives undefined for what is no address of the web', (t) => {
  for (const text of ['', 'x', '/p', 'ftp://a.example/', 'javascript:alert(1)', 'mailto:a@b.example', 'http://'])
    t.is(comparableUrl(text), undefined, text);
});

test('comparableUrl() gives the same again for what it gave', (t) => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const key = comparableUrl(url);
      t.not(key, undefined);
      return comparableUrl(`https://${key}`) === key;
    }),
  );
});
