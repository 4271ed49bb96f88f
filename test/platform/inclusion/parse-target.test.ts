import test from 'ava';
import { parseTarget } from '../../../platform/inclusion/inclusion-query.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';

test('parseTarget() writes an address as it is searched for', (t) => {
  t.is(parseTarget(' https://A.Example:443/p#x ').url, 'https://a.example/p');
  t.is(parseTarget('HTTP://例子.测试/中 文').url, 'http://xn--fsqu00a.xn--0zwm56d/%E4%B8%AD%20%E6%96%87');
  t.is(parseTarget('https://a.example').url, 'https://a.example/');
  t.is(parseTarget('http://127.1/').url, 'http://127.0.0.1/');
  t.is(parseTarget('https://a.example/../b?x=1&y=#').url, 'https://a.example/b?x=1&y=');
});

const wrong: readonly (readonly [string | undefined, RegExp])[] = [
  [undefined, /"url" is missing/],
  ['  ', /is missing/],
  ['a.example', /must begin with http/],
  ['ftp://a.example/', /must begin with http/],
  ['javascript:alert(1)', /must begin with http/],
  ['http:/a.example', /must begin with http/],
  ['//a.example', /must begin with http/],
  ['https://', /not a valid URL/],
  ['https://a b.example/', /not a valid URL/],
  ['https://a.example:99999/', /not a valid URL/],
  ['https://[::1/', /not a valid URL/],
  ['https://user@a.example/', /credentials/],
  ['https://user:hush@a.example/', /credentials/],
  ['https://a.example/\nb', /control characters/],
  ['https://a.example/\tb', /control characters/],
  ['https://a.example/\u0000', /control characters/],
  ['https://a.example/\ud800', /invalid Unicode/],
  // What is left of bytes that are no UTF-8, such as %C4%E3 of GBK: another address than the one that was meant.
  ['https://a.example/\ufffd\ufffd', /bytes that are not UTF-8; write "%25" for each "%" of the URL/],
  [`https://a.example/${'a'.repeat(2048)}`, /more than 2048/],
  [`https://a.example/${'中'.repeat(1000)}`, /more than 6000 characters once/],
];
for (const [text, message] of wrong) {
  test(`parseTarget() refuses ${JSON.stringify(text)?.slice(0, 60)}`, (t) => {
    const error = t.throws(() => parseTarget(text), { name: 'ServiceError', message });
    t.false(error.message.includes('hush'));
  });
}

test('parseTarget() refuses 5 million characters at once', (t) => {
  for (const text of ['https://a.example/'.padEnd(5e6, 'a'), ' '.repeat(5e6), 'h'.repeat(5e6)]) {
    const ms = fastestMs(() => {
      t.throws(() => parseTarget(text), { name: 'ServiceError' });
    });
    t.true(ms < 50, `${ms} ms`);
  }
});
