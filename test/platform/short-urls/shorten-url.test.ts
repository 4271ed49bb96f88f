import test from 'ava';
import { DataError } from '../../../data/data-error.ts';
import type { ShortUrlStore } from '../../../data/records/short-url.ts';
import { isTarget, parseTarget, shortenUrl } from '../../../platform/short-urls/shorten-url.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import fc from '../../helpers/fast-check.ts';

const now = new Date('2026-05-04T03:02:01.000Z');
const context = (shortUrls: ShortUrlStore, perDay = 100, at = now) => ({
  shortUrls,
  perDay,
  isOwn: async (url: URL) => url.hostname === 'own.example',
  checkChange: () => {},
  now: at,
});
const request = { uid: '1', longUrl: 'https://example.org/a' };

/** Shortens and returns the code. */
async function codeOf(...[one, two]: Parameters<typeof shortenUrl>): Promise<string> {
  const outcome = await shortenUrl(one, two);
  if (outcome.kind === 'limited') throw new Error('limited');
  return outcome.shortUrl.code;
}

test('shortenUrl() returns the same code for the same URL, however it is written, of one user', async (t) => {
  const { shortUrls } = createMemoryStore();
  const code = await codeOf(request, context(shortUrls));
  t.is(await codeOf({ ...request, longUrl: 'HTTPS://EXAMPLE.org:443/b/../a' }, context(shortUrls)), code);
  t.not(await codeOf({ ...request, uid: '2' }, context(shortUrls)), code);
  t.not(await codeOf({ ...request, longUrl: 'https://example.org/a#b' }, context(shortUrls)), code);
  t.is(await shortUrls.count(), 3);
});

test('shortenUrl() returns one code for a hundred equal requests at once', async (t) => {
  const { shortUrls } = createMemoryStore();
  const codes = await Promise.all(Array.from({ length: 100 }, () => codeOf(request, context(shortUrls))));
  t.is(new Set(codes).size, 1);
  t.is(await shortUrls.count(), 1);
});

test('shortenUrl() returns a chosen code beside a generated one, and again to its owner', async (t) => {
  const { shortUrls } = createMemoryStore();
  const made = await codeOf(request, context(shortUrls));
  t.is(await codeOf({ ...request, code: 'Mine' }, context(shortUrls)), 'Mine');
  t.is(await codeOf({ ...request, code: 'mine' }, context(shortUrls)), 'Mine');
  t.is(await codeOf(request, context(shortUrls)), made);
  for (const other of [{ uid: '2' }, { longUrl: 'https://example.org/b' }, { code: 'MINE', uid: '2' }]) {
    const error = await t.throwsAsync(codeOf({ ...request, code: 'Mine', ...other }, context(shortUrls)));
    t.is((error as DataError).code, 'taken');
  }
});

test('shortenUrl() takes another code where a random one is taken', async (t) => {
  const { shortUrls } = createMemoryStore();
  let tries = 0;
  const unlucky: ShortUrlStore = {
    ...shortUrls,
    async add(shortUrl, limit) {
      if (++tries <= 3) throw new DataError('taken', 'Taken');
      return shortUrls.add(shortUrl, limit);
    },
  };
  await codeOf(request, context(unlucky));
  t.is(tries, 4);
  tries = -100;
  t.is((await t.throwsAsync(codeOf({ ...request, uid: '2' }, context(unlucky))))?.message, 'Taken');
});

test('shortenUrl() refuses URLs of this service', async (t) => {
  const { shortUrls } = createMemoryStore();
  const own = shortenUrl({ uid: '1', longUrl: 'https://OWN.example/t/abc' }, context(shortUrls));
  t.is((await t.throwsAsync(own, { instanceOf: DataError, message: /this service itself$/ }))?.code, 'invalid');
});

test('shortenUrl() stops at the limit of a day, but known ones are still given', async (t) => {
  const { shortUrls } = createMemoryStore();
  const make = (i: number, at: Date) =>
    shortenUrl({ uid: '1', longUrl: `https://example.org/${i}` }, context(shortUrls, 10, at));
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => make(i, new Date(now.getTime() + i * 1000))));
  t.is(outcomes.filter(({ kind }) => kind === 'done').length, 10);
  t.deepEqual(outcomes[10], { kind: 'limited', retryAfterS: 86_400 - 10 });
  t.is((await make(3, now)).kind, 'done');
  t.is((await make(99, new Date(now.getTime() + 86_399_000))).kind, 'limited');
  t.is((await make(99, new Date(now.getTime() + 86_401_000))).kind, 'done');
  t.deepEqual(await shortenUrl({ ...request, uid: '2' }, context(shortUrls, 0)), {
    kind: 'limited',
    retryAfterS: 86_400,
  });
});

test('shortenUrl() changes when a known short URL expires only where the owner may change it', async (t) => {
  const { shortUrls } = createMemoryStore();
  const asked: string[] = [];
  const counted = { ...context(shortUrls), checkChange: (uid: string) => void asked.push(uid) };
  const expiresAt = '2026-06-01T00:00:00.000Z';
  await shortenUrl({ ...request, expiresAt }, counted);
  await shortenUrl({ ...request, expiresAt }, counted);
  await shortenUrl(request, counted);
  t.deepEqual(asked, [], 'nothing has changed so far');
  const later = { ...request, expiresAt: '2026-07-01T00:00:00.000Z' };
  const refusing = {
    ...counted,
    checkChange: () => {
      throw new Error('too many');
    },
  };
  await t.throwsAsync(shortenUrl(later, refusing), { message: 'too many' });
  t.is((await shortUrls.list({ limit: 9 }))[0]!.expiresAt, expiresAt);
  await shortenUrl(later, counted);
  t.deepEqual(asked, ['1']);
  t.is((await shortUrls.list({ limit: 9 }))[0]!.expiresAt, later.expiresAt);
});

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
  test(`parseTarget() accepts ${JSON.stringify(given.slice(0, 60))}`, (t) => {
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
  ['https://', /must be a URL/],
  ['https://exa mple.org/', /must be a URL/],
  ['https://example.org:99999/', /must be a URL/],
  ['https://1.2.3.4.5.6:1/', /must be a URL/],
  ['http://%00/', /must be a URL/],
  ['https://user@example.org/', /user name or password/],
  ['https://user:pass@example.org/', /user name or password/],
  ['https://:pass@example.org/', /user name or password/],
  ['https://example.org/\r\nSet-Cookie: a=b', /control characters/],
  ['https://example.org/\u0000', /control characters/],
  ['java\tscript:alert(1)', /control characters/],
  ['https://example.org/\u0085', /control characters/],
  ['https://example.org/\ufffd', /characters that are not UTF-8/],
  ['https://example.org/\ud800', /characters that are not UTF-8/],
  [`https://example.org/${'a'.repeat(2_048)}`, /more than 2048 characters$/],
  [`https://example.org/${'道'.repeat(1_000)}`, /once it is written in ASCII/],
];

for (const [given, message] of refused) {
  test(`parseTarget() refuses ${JSON.stringify(given.slice(0, 60))}${given.length > 60 ? '…' : ''}`, (t) => {
    const error = t.throws(() => parseTarget(given), { instanceOf: DataError, message });
    t.is(error?.code, 'invalid');
    t.false(error?.message.includes('pass@'));
  });
}

test('parseTarget() returns, whatever the text, a URL that is safe in a header and the same when read again', (t) => {
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
    { numRuns: 700 },
  );
});

test.serial('parseTarget() refuses a million characters at once', (t) => {
  const start = cpuTimeMs();
  for (const text of [
    `https://${'a'.repeat(1e6)}`,
    ' '.repeat(1e6),
    `${' '.repeat(1e6)}x`,
    `https://${'@'.repeat(1e6)}`,
  ]) {
    t.throws(() => parseTarget(text), { instanceOf: DataError });
  }
  t.true(cpuTimeMs() - start < 2_000);
});
