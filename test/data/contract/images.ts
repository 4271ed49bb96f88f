import test from 'ava';
import { createImage } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of images does. */
export function testImages({ name, open, reopen }: Adapter): void {
  const days = ['20260503', '20260501', '20260504', '20260430'];

  test.serial(`${name}: images.find() returns the image of a day and market with every field`, async (t) => {
    const store = await open(t);
    const [own, other] = [createImage(), createImage({ market: 'en-US', title: 'Another' })];
    t.deepEqual(await store.images.add([own, other]), ['20260504', '20260504']);
    const { images } = await reopen(store);
    t.deepEqual(await images.find('zh-CN', '20260504'), own);
    t.deepEqual(await images.find('en-US', '20260504'), other);
    t.is(await images.find('zh-CN', '20260505'), undefined);
    t.is(await images.find('__proto__', '20260504'), undefined);
  });

  test.serial(
    `${name}: images.findNewest(), findAt() and listDates() go by days, not by when they were added`,
    async (t) => {
      const store = await open(t);
      for (const date of days) await store.images.add([createImage({ date })]);
      await store.images.add([createImage({ market: 'en-US', date: '20260601' })]);
      const { images } = await reopen(store);
      t.is((await images.findNewest('zh-CN'))?.date, '20260504');
      t.is(await images.findNewest('fr-FR'), undefined);
      const found = await Promise.all(
        [0, 0.24, 0.25, 0.5, 0.75, 0.9999999].map((share) => images.findAt('zh-CN', share)),
      );
      t.deepEqual(
        found.map((image) => image?.date),
        ['20260430', '20260430', '20260501', '20260503', '20260504', '20260504'],
      );
      t.is(await images.findAt('fr-FR', 0.5), undefined);
      t.deepEqual(await images.listDates('zh-CN', '20260501'), ['20260501', '20260503', '20260504']);
      t.deepEqual(await images.listDates('zh-CN', '20260505'), []);
      t.deepEqual(await images.listDates('zh-CN', '00000000'), [...days].sort());
    },
  );

  test.serial(`${name}: images.add() keeps what a day has, and tells which days are new`, async (t) => {
    const store = await open(t);
    const first = createImage();
    const again = createImage({ urlbase: '/th?id=OHR.Other' });
    const answers = await Promise.all([
      store.images.add([first]),
      store.images.add([again, createImage({ date: '20260505' })]),
      store.images.add([]),
    ]);
    t.deepEqual(answers, [['20260504'], ['20260505'], []]);
    const { images } = await reopen(store);
    t.deepEqual(await images.find('zh-CN', '20260504'), first);
  });

  test.serial(`${name}: images.import() adds all or none, and replaces only where it is told to`, async (t) => {
    const store = await open(t);
    await store.images.add([createImage(), createImage({ date: '20260505' })]);
    const other = createImage({ title: 'Another' });
    const file = [other, createImage({ date: '20260505' }), createImage({ date: '20260506' })];
    t.deepEqual(await store.images.import(file, false), { added: 1, replaced: 0, kept: 1, unchanged: 1 });
    const wrong = store.images.import([other, createImage({ date: 'x' })], true);
    await throwsData(t, wrong, 'invalid', /"date"/);
    t.deepEqual(await store.images.find('zh-CN', '20260504'), createImage());
    t.deepEqual(await store.images.import(file, true), { added: 0, replaced: 1, kept: 0, unchanged: 2 });
    const { images } = await reopen(store);
    t.deepEqual(await images.find('zh-CN', '20260504'), other);
    t.deepEqual(await images.listDates('zh-CN', '0'), ['20260504', '20260505', '20260506']);
  });

  test.serial(`${name}: images.add() adds all or none`, async (t) => {
    const store = await open(t);
    await throwsData(t, store.images.add([createImage(), createImage({ date: '2026-05-05' })]), 'invalid', /"date"/);
    const { images } = await reopen(store);
    t.is(await images.findNewest('zh-CN'), undefined);
  });
}
