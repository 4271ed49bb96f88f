import test from 'ava';
import fc from 'fast-check';
import { DataError } from '../../../data/data-error.ts';
import { isTarget, parseTarget } from '../../../platform/short-urls/parse-target.ts';

const LONG = 'https://example.org/';

const accepted: readonly (readonly [given: string, target: string])[] = [
  ['https://example.org', 'https://example.org/'],
  ['  HTTP://Example.ORG:80/A b?c="d"#<e>  ', 'http://example.org/A%20b?c=%22d%22#%3Ce%3E'],
  ['https://bücher.example/Straße?ü=ß#é', 'https://xn--bcher-kva.example/Stra%C3%9Fe?%C3%BC=%C3%9F#%C3%A9'],
  ['https://例え.テスト/道', 'https://xn--r8jz45g.xn--zckzah/%E9%81%93'],
  ['https://example.org/a/../b/./c', 'https://example.org/b/c'],
  ['https://example.org\\evil', 'https://example.org/evil'],
  ['http://127.1:8080/', 'http://127.0.0.1:8080/'],
  ['http://[2001:DB8::1]/', 'http://[2001:db8::1]/'],
  ['https://example.org/?to=javascript:alert(1)//', 'https://example.org/?to=javascript:alert(1)//'],
  ['https://@example.org/', 'https://example.org/'],
  [LONG + 'a'.repeat(2_048 - LONG.length), LONG + 'a'.repeat(2_048 - LONG.length)],
];

for (const [given, target] of accepted) {
  test(`parse-target() accepts ${JSON.stringify(given.slice(0, 60))}`, (t) => {
    t.is(parseTarget(given), target);
    t.is(parseTarget(target), target);
  });
}

const refused: readonly (readonly [given: string, message: RegExp])[] = [
  ['', /is missing$/],
  ['   ', /is missing$/],
  ['example.org', /must begin with http/],
  ['//evil.example', /must begin with http/],
  ['/docs', /must begin with http/],
  ['javascript:alert(1)', /must begin with http/],
  ['JaVaScRiPt://example.org/%0aalert(1)', /must begin with http/],
  ['data:text/html,<script>', /must begin with http/],
  ['ftp://example.org/', /must begin with http/],
  ['file:///etc/passwd', /must begin with http/],
  ['https:example.org', /must begin with http/],
  ['view-source:https://example.org', /must begin with http/],
  ['\u00a0https://example.org', /must begin with http/],
  ['https://', /must be an address/],
  ['https://exa mple.org/', /must be an address/],
  ['https://example.org:99999/', /must be an address/],
  ['https://1.2.3.4.5.6:1/', /must be an address/],
  ['http://%00/', /must be an address/],
  ['https://user@example.org/', /user name or password/],
  ['https://user:pass@example.org/', /user name or password/],
  ['https://:pass@example.org/', /user name or password/],
  ['https://example.org/\r\nSet-Cookie: a=b', /control characters/],
  ['https://example.org/\u0000', /control characters/],
  ['java\tscript:alert(1)', /control characters/],
  ['https://example.org/\u0085', /control characters/],
  ['https://example.org/\ufffd', /characters that are no UTF-8/],
  ['https://example.org/\ud800', /characters that are no UTF-8/],
  [`https://example.org/${'a'.repeat(2_048)}`, /more than 2048 characters$/],
  [`https://example.org/${'道'.repeat(1_000)}`, /once it is written in ASCII/],
];

for (const [given, message] of refused) {
  test(`parse-target() refuses ${JSON.stringify(given.slice(0, 60))}${given.length > 60 ? '…' : ''}`, (t) => {
    const error = t.throws(() => parseTarget(given), { instanceOf: DataError, message });
    t.is(error?.code, 'invalid');
    t.false(error?.message.includes('pass@'));
  });
}

test('parse-target() gives, of whatever text, an address that is safe in a header and the same when read again', (t) => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.constantFrom('http://', 'https://', 'HTTPS://', '@', ':', '\\', '//', '#', '?', '%0d%0a', '"><svg>', 'ß', '。'),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      for (const text of [parts.join(''), `https://a.example${parts.join('')}`]) {
        let target: string;
        try {
          target = parseTarget(text);
        } catch (error) {
          t.true(error instanceof DataError, String(error));
          continue;
        }
        t.true(isTarget(target) && target.length <= 2_048);
        t.notRegex(target, /["<>]/);
        t.is(parseTarget(target), target);
        const { username, password, protocol } = new URL(target);
        t.is(username + password, '');
        t.regex(protocol, /^https?:$/);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('parse-target() refuses a million characters at once', (t) => {
  const start = performance.now();
  for (const text of [
    `https://${'a'.repeat(1e6)}`,
    ' '.repeat(1e6),
    `${' '.repeat(1e6)}x`,
    `https://${'@'.repeat(1e6)}`,
  ]) {
    t.throws(() => parseTarget(text), { instanceOf: DataError });
  }
  t.true(performance.now() - start < 2_000);
});
