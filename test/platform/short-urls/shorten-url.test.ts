import test from 'ava';
import { DataError } from '../../../data/data-error.ts';
import { createMemoryStore } from '../../../data/memory/create-memory-store.ts';
import type { ShortUrlStore } from '../../../data/records/short-url.ts';
import { shortenUrl } from '../../../platform/short-urls/shorten-url.ts';

const now = new Date('2026-05-04T03:02:01.000Z');
const context = (shortUrls: ShortUrlStore, perDay = 100, at = now) => ({
  shortUrls,
  perDay,
  isOwn: async (url: URL) => url.hostname === 'own.example',
  now: at,
});
const request = { uid: '1', longUrl: 'https://example.org/a' };

/** Shortens and gives the code. */
async function codeOf(...[one, two]: Parameters<typeof shortenUrl>): Promise<string> {
  const outcome = await shortenUrl(one, two);
  if (outcome.kind === 'limited') throw new Error('limited');
  return outcome.shortUrl.code;
}

test('shorten-url() gives the same code for the same URL, however it is written, of one user', async (t) => {
  const { shortUrls } = createMemoryStore();
  const code = await codeOf(request, context(shortUrls));
  t.is(await codeOf({ ...request, longUrl: 'HTTPS://EXAMPLE.org:443/b/../a' }, context(shortUrls)), code);
  t.not(await codeOf({ ...request, uid: '2' }, context(shortUrls)), code);
  t.not(await codeOf({ ...request, longUrl: 'https://example.org/a#b' }, context(shortUrls)), code);
  t.is(await shortUrls.count(), 3);
});

test('shorten-url() gives one code for a hundred equal requests at once', async (t) => {
  const { shortUrls } = createMemoryStore();
  const codes = await Promise.all(Array.from({ length: 100 }, () => codeOf(request, context(shortUrls))));
  t.is(new Set(codes).size, 1);
  t.is(await shortUrls.count(), 1);
});

test('shorten-url() gives a chosen code beside the one made here, and again to whom it belongs', async (t) => {
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

test('shorten-url() takes another code where a random one is taken', async (t) => {
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

test('shorten-url() refuses addresses of this service', async (t) => {
  const { shortUrls } = createMemoryStore();
  const own = shortenUrl({ uid: '1', longUrl: 'https://OWN.example/t/abc' }, context(shortUrls));
  t.is((await t.throwsAsync(own, { instanceOf: DataError, message: /this service itself$/ }))?.code, 'invalid');
});

test('shorten-url() stops at the limit of a day, but known ones are still given', async (t) => {
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
