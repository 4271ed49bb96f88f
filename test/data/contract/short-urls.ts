import test from 'ava';
import type { ShortUrl } from '../../../data/records/short-url.ts';
import { createShortUrl, createUser } from '../../helpers/create-records.ts';
import fc from '../../helpers/fast-check.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of short URLs does. */
export function testShortUrls({ name, open, reopen }: Adapter): void {
  const codes = (shortUrls: readonly ShortUrl[]) => shortUrls.map(({ code }) => code);
  const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  /** Returns short URLs of different targets. */
  const createMany = (count: number, values: Partial<ShortUrl> = {}): ShortUrl[] =>
    Array.from({ length: count }, (_, i) =>
      createShortUrl({ code: `code-${i}`, longUrl: `https://example.org/${i}`, createdAt: at(i), ...values }),
    );

  test.serial(
    `${name}: shortUrls.find() returns a short URL with every field, whatever the case of its code`,
    async (t) => {
      const store = await open(t);
      const own = createShortUrl({ code: 'My-Link_1', isCustom: true, isDisabled: true });
      t.deepEqual(await store.shortUrls.add(own), own);
      const { shortUrls } = await reopen(store);
      t.deepEqual(await shortUrls.find('My-Link_1'), own);
      t.deepEqual(await shortUrls.find('my-link_1'), own);
      for (const unknown of ['', 'My-Link', '__proto__', 'constructor']) t.is(await shortUrls.find(unknown), undefined);
    },
  );

  test.serial(`${name}: shortUrls keep codes that objects have`, async (t) => {
    const store = await open(t);
    await store.shortUrls.add(createShortUrl({ code: 'constructor', isCustom: true }));
    const { shortUrls } = await reopen(store);
    t.is((await shortUrls.find('constructor'))?.code, 'constructor');
    t.is(await shortUrls.find('toString'), undefined);
  });

  test.serial(`${name}: shortUrls.findByTarget() returns the code made here, of this user`, async (t) => {
    const store = await open(t);
    const [made] = createMany(1);
    await store.shortUrls.add({ ...made!, code: 'mine', isCustom: true });
    await store.shortUrls.add(made!);
    await store.shortUrls.add({ ...made!, code: 'other', uid: '2' });
    const { shortUrls } = await reopen(store);
    t.is((await shortUrls.findByTarget(made!.uid, made!.longUrl))?.code, 'code-0');
    t.is((await shortUrls.findByTarget('2', made!.longUrl))?.code, 'other');
    t.is(await shortUrls.findByTarget('3', made!.longUrl), undefined);
    t.is(await shortUrls.findByTarget(made!.uid, `${made!.longUrl}/`), undefined);
  });

  test.serial(`${name}: shortUrls.list() returns pages, newest first, of all or of a user`, async (t) => {
    const store = await open(t);
    const all = createMany(6).map((one, i) => ({ ...one, uid: i % 3 === 0 ? '2' : '1' }));
    for (const i of [3, 0, 5, 1, 4, 2]) await store.shortUrls.add(all[i]!);
    const { shortUrls } = await reopen(store);
    const newest = codes(all).reverse();
    t.deepEqual(codes(await shortUrls.list({ limit: 100 })), newest);
    t.deepEqual(codes(await shortUrls.list({ limit: 2 })), newest.slice(0, 2));
    t.deepEqual(codes(await shortUrls.list({ limit: 2, before: newest[1]!.toUpperCase() })), newest.slice(2, 4));
    t.deepEqual(codes(await shortUrls.list({ uid: '2', limit: 9 })), ['code-3', 'code-0']);
    t.deepEqual(codes(await shortUrls.list({ uid: '2', before: 'code-2', limit: 9 })), ['code-0']);
    t.deepEqual(await shortUrls.list({ before: 'unknown', limit: 9 }), []);
    t.deepEqual(await shortUrls.list({ uid: '3', limit: 9 }), []);
    for (const limit of [0, -1, Number.NaN]) t.deepEqual(await shortUrls.list({ limit }), []);
    t.deepEqual(
      [await shortUrls.count(), await shortUrls.count({ uid: '1' }), await shortUrls.count({ uid: '3' })],
      [6, 4, 0],
    );
  });

  test.serial(`${name}: shortUrls.list() keeps pages apart where many were made in the same moment`, async (t) => {
    const store = await open(t);
    for (const one of createMany(9, { createdAt: at(0) })) await store.shortUrls.add(one);
    const { shortUrls } = await reopen(store);
    const seen: string[] = [];
    for (let page = await shortUrls.list({ limit: 2 }); page.length > 0; ) {
      seen.push(...codes(page));
      page = await shortUrls.list({ limit: 2, before: seen.at(-1)! });
    }
    t.is(seen.length, 9);
    t.is(new Set(seen).size, 9);
  });

  test.serial(`${name}: shortUrls.add() refuses a code that is taken, whatever its case`, async (t) => {
    const { shortUrls } = await open(t);
    const own = createShortUrl({ code: 'Docs', isCustom: true });
    await shortUrls.add(own);
    const others = [
      { ...own, uid: '2' },
      { ...own, longUrl: 'https://example.org/other' },
      { ...own, isCustom: false },
      { ...own, code: 'dOCS', uid: '2' },
    ];
    for (const other of others) await throwsData(t, shortUrls.add(other), 'taken', /^Code "docs" is taken$/i);
    t.deepEqual(await shortUrls.list({ limit: 9 }), [own]);
  });

  test.serial(`${name}: shortUrls.add() returns the one that the user has already, and changes nothing`, async (t) => {
    const store = await open(t);
    const [made] = createMany(1);
    const own = createShortUrl({ code: 'Own', isCustom: true, longUrl: made!.longUrl });
    await store.shortUrls.add(made!);
    await store.shortUrls.add(own);
    await store.shortUrls.change('own', (one) => ({ ...one, isDisabled: true }));
    t.deepEqual(await store.shortUrls.add({ ...made!, code: 'later', createdAt: at(9) }), made);
    t.deepEqual(await store.shortUrls.add({ ...own, code: 'oWN' }), { ...own, isDisabled: true });
    const { shortUrls } = await reopen(store);
    t.is(await shortUrls.count(), 2);
    t.is(await shortUrls.find('later'), undefined);
  });

  test.serial(`${name}: shortUrls.add() makes one code of a hundred equal requests at once`, async (t) => {
    const store = await open(t);
    const [made] = createMany(1);
    const added = await Promise.all(
      Array.from({ length: 100 }, (_, i) => store.shortUrls.add({ ...made!, code: `try-${i}` })),
    );
    t.deepEqual(new Set(added.map((one) => one?.code)), new Set(['try-0']));
    t.is(await (await reopen(store)).shortUrls.count(), 1);
  });

  test.serial(`${name}: shortUrls.add() lets one of many have a code that all want`, async (t) => {
    const store = await open(t);
    const tries = Array.from({ length: 20 }, (_, i) =>
      store.shortUrls.add(createShortUrl({ code: 'wanted', isCustom: true, uid: `${i + 1}` })),
    );
    const outcomes = await Promise.allSettled(tries);
    t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    t.is((await (await reopen(store)).shortUrls.list({ limit: 9 })).length, 1);
  });

  test.serial(
    `${name}: shortUrls.add() stops exactly at the limit, which neither known ones nor other users use up`,
    async (t) => {
      const store = await open(t);
      const limit = { since: at(10), count: 20 };
      const [old, foreign] = [createMany(5), createMany(5, { uid: '2', createdAt: at(10) })];
      for (const one of old) await store.shortUrls.add(one, limit);
      for (const [i, one] of foreign.entries()) await store.shortUrls.add({ ...one, code: `foreign-${i}` }, limit);
      const wanted = createMany(100, { createdAt: at(10) }).map((one) => ({ ...one, longUrl: `${one.longUrl}?new` }));
      const added = await Promise.all(
        wanted.map((one, i) => store.shortUrls.add({ ...one, code: `new-${i}`, isCustom: i % 2 === 0 }, limit)),
      );
      t.is(added.filter((one) => one !== undefined).length, 20);
      t.is((await store.shortUrls.add({ ...old[0]!, code: 'again' }, limit))?.code, 'code-0');
      const { shortUrls } = await reopen(store);
      t.is(await shortUrls.count({ uid: old[0]!.uid }), 25);
      t.is(await shortUrls.add(createShortUrl({ code: 'more' }), limit), undefined);
      t.is((await shortUrls.add(createShortUrl({ code: 'more' }), { ...limit, since: at(11) }))?.code, 'more');
      t.is(await shortUrls.add(createShortUrl({ uid: '3' }), { ...limit, count: 0 }), undefined);
    },
  );

  test.serial(`${name}: shortUrls.add() does not count what was made while the clock was ahead`, async (t) => {
    const store = await open(t);
    const limit = { since: at(10), count: 2 };
    for (const [i, one] of createMany(5, { createdAt: '2036-05-04T03:02:01.000Z' }).entries()) {
      await store.shortUrls.add({ ...one, code: `ahead-${i}`, isCustom: true });
    }
    const add = (code: string) =>
      store.shortUrls.add(createShortUrl({ code, isCustom: true, createdAt: at(11) }), limit);
    t.deepEqual([(await add('one'))?.code, (await add('two'))?.code, await add('three')], ['one', 'two', undefined]);
  });

  test.serial(
    `${name}: shortUrls.change() returns the short URL as it is now, and refuses what would not stand beside others`,
    async (t) => {
      const store = await open(t);
      const [one, two] = createMany(2);
      await store.shortUrls.add(one!);
      await store.shortUrls.add(two!);
      const disable = (shortUrl: ShortUrl): ShortUrl => ({ ...shortUrl, isDisabled: true });
      const disabled = await store.shortUrls.change('CODE-0', disable);
      t.deepEqual(disabled, { ...one!, isDisabled: true });
      await throwsData(
        t,
        store.shortUrls.change('unknown', disable),
        'not-found',
        /^Short URL "unknown" does not exist$/,
      );
      await throwsData(
        t,
        store.shortUrls.change('code-0', (shortUrl) => ({ ...shortUrl, code: 'code-2' })),
        'invalid',
      );
      await throwsData(
        t,
        store.shortUrls.change('code-0', (shortUrl) => ({ ...shortUrl, longUrl: two!.longUrl })),
        'taken',
      );
      const { shortUrls } = await reopen(store);
      t.deepEqual(await shortUrls.list({ limit: 9 }), [two!, disabled]);
    },
  );

  const toHosts = (hosts: readonly string[]): ShortUrl[] =>
    createMany(hosts.length).map((one, i) => ({ ...one, longUrl: `https://${hosts[i]}/${i}` }));

  test.serial(`${name}: shortUrls.list() and count() select those to a host and those below it`, async (t) => {
    const store = await open(t);
    const hosts = [
      ...['evil.example', 'a.evil.example:8443', 'notevil.example', 'evil.example.org', 'evil.example.'],
      ...['[2001:db8::1]:80', '203.0.113.7', 'evil-example'],
    ];
    for (const one of toHosts(hosts)) await store.shortUrls.add(one);
    await store.shortUrls.add(createShortUrl({ code: 'by-hand', longUrl: '/evil.example' }));
    const { shortUrls } = await reopen(store);
    t.deepEqual(codes(await shortUrls.list({ host: 'evil.example', limit: 9 })), ['code-4', 'code-1', 'code-0']);
    t.deepEqual(codes(await shortUrls.list({ host: 'evil.example', before: 'code-4', limit: 1 })), ['code-1']);
    t.deepEqual(codes(await shortUrls.list({ host: 'a.evil.example', limit: 9 })), ['code-1']);
    t.deepEqual(codes(await shortUrls.list({ host: '2001:db8::1', limit: 9 })), ['code-5']);
    t.deepEqual(codes(await shortUrls.list({ host: '203.0.113.7', limit: 9 })), ['code-6']);
    t.is(await shortUrls.count({ host: 'evil.example' }), 3);
    t.is(await shortUrls.count({ host: 'example' }), 4);
    t.deepEqual(await shortUrls.list({ host: '', limit: 9 }), []);
  });

  test.serial(`${name}: shortUrls are found with their owners, and counted by them`, async (t) => {
    const store = await open(t);
    const owner = createUser({ uid: '1', areShortUrlsDisabled: true });
    await store.users.add(owner);
    const [mine, foreign] = createMany(2).map((one, i) => ({ ...one, uid: `${i + 1}` }));
    await store.shortUrls.add(mine!);
    await store.shortUrls.add(foreign!);
    const { shortUrls } = await reopen(store);
    t.deepEqual(await shortUrls.findOwned('CODE-0'), { shortUrl: mine!, owner });
    t.is(await shortUrls.findOwned('unknown'), undefined);
    t.deepEqual(await shortUrls.listOwned({ limit: 9 }), [
      { shortUrl: foreign!, owner: undefined },
      { shortUrl: mine!, owner },
    ]);
    t.deepEqual(await shortUrls.countOfUsers(['2', '3', '1']), [1, 0, 1]);
  });

  test.serial(`${name}: shortUrls.changeAll() changes a selection, and says how many are different`, async (t) => {
    const store = await open(t);
    const all = createMany(2_100).map((one, i) => ({ ...one, uid: i % 2 === 0 ? '1' : '2', isDisabled: i < 4 }));
    await Promise.all(all.map((one) => store.shortUrls.add(one)));
    const set = (isDisabled: boolean) => (one: ShortUrl) =>
      one.isDisabled === isDisabled ? one : { ...one, isDisabled };
    t.is(await store.shortUrls.changeAll({ uid: '1' }, set(true)), 1_048);
    await store.shortUrls.change('code-1', set(false));
    const rename = (one: ShortUrl): ShortUrl => ({ ...one, longUrl: 'https://other.example/' });
    await throwsData(t, store.shortUrls.changeAll({ uid: '2' }, rename), 'invalid');
    const { shortUrls } = await reopen(store);
    const disabled = (await shortUrls.list({ limit: 9_999 })).filter(({ isDisabled }) => isDisabled);
    t.deepEqual(
      [disabled.length, disabled.filter(({ uid }) => uid === '2').map(({ code }) => code)],
      [1_051, ['code-3']],
    );
    t.is(await shortUrls.changeAll({ host: 'example.org' }, set(true)), 1_049);
  });

  test.serial(`${name}: shortUrls of another shape are refused`, async (t) => {
    const { shortUrls } = await open(t);
    await throwsData(t, shortUrls.add(createShortUrl({ code: '' })), 'invalid', /^Cannot keep this short URL: "code"/);
    await throwsData(t, shortUrls.add(createShortUrl({ isDisabled: 'no' as never })), 'invalid', /"isDisabled"/);
    t.is(await shortUrls.count(), 0);
  });

  test.serial(`${name}: after random changes shortUrls answer as a plain list does`, async (t) => {
    const values = fc.record({
      code: fc.constantFrom('a', 'B', 'b', 'c', 'D'),
      uid: fc.constantFrom('1', '2'),
      longUrl: fc.constantFrom('https://x.example/', 'https://y.example/'),
      isCustom: fc.boolean(),
      createdAt: fc.constantFrom(at(0), at(1)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(values, { maxLength: 12 }), async (wanted) => {
        const store = await open(t);
        const known: ShortUrl[] = [];
        for (const value of wanted) {
          const one = createShortUrl(value);
          const isSameCode = (other: ShortUrl) => other.code.toLowerCase() === one.code.toLowerCase();
          const same = known.find(
            (other) =>
              (one.isCustom ? isSameCode(other) : true) &&
              other.isCustom === one.isCustom &&
              other.uid === one.uid &&
              other.longUrl === one.longUrl,
          );
          if (same) t.deepEqual(await store.shortUrls.add(one), same);
          else if (known.some(isSameCode)) await throwsData(t, store.shortUrls.add(one), 'taken');
          else {
            t.deepEqual(await store.shortUrls.add(one), one);
            known.push(one);
          }
        }
        const { shortUrls, close } = await reopen(store);
        for (const uid of ['1', '2']) {
          t.is(await shortUrls.count({ uid }), known.filter((one) => one.uid === uid).length);
          for (const longUrl of ['https://x.example/', 'https://y.example/']) {
            const made = known.find((one) => !one.isCustom && one.uid === uid && one.longUrl === longUrl);
            t.deepEqual(await shortUrls.findByTarget(uid, longUrl), made);
          }
        }
        for (const one of known) t.deepEqual(await shortUrls.find(one.code.toUpperCase()), one);
        await close();
      }),
      { numRuns: 40 },
    );
  });
}
