import test from 'ava';
import type { Block } from '../../../data/records/block.ts';
import type { Store } from '../../../data/store.ts';
import { createBlock } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of blocks does. */
export function testBlocks({ name, open, reopen }: Adapter): void {
  const put = ({ blocks }: Store, block: Block): Promise<Block> => blocks.put(block.kind, block.target, () => block);
  const targets = (blocks: readonly Block[]) => blocks.map(({ target }) => target).sort();

  test.serial(`${name}: blocks.find() returns a block with every field, by kind and target`, async (t) => {
    const store = await open(t);
    const own = createBlock({ until: '2026-05-05T00:00:00.000Z', reason: 'Tries "all" keys', by: 'limit' });
    await put(store, own);
    const { blocks } = await reopen(store);
    t.deepEqual(await blocks.find('source', '203.0.113.7/32'), own);
    t.is(await blocks.find('host', '203.0.113.7/32'), undefined);
  });

  test.serial(`${name}: blocks.listMatching() returns every network that holds a source`, async (t) => {
    const store = await open(t);
    for (const target of ['203.0.113.7/32', '203.0.0.0/16', '203.0.112.0/23', '198.51.100.0/24', '2001:db8::/32']) {
      await put(store, createBlock({ target }));
    }
    const { blocks } = await reopen(store);
    const match = async (source: string) => targets(await blocks.listMatching('source', source));
    t.deepEqual(await match('203.0.113.7'), ['203.0.0.0/16', '203.0.112.0/23', '203.0.113.7/32']);
    t.deepEqual(await match('::ffff:203.0.113.8'), ['203.0.0.0/16', '203.0.112.0/23']);
    t.deepEqual(await match('203.0.114.7'), ['203.0.0.0/16']);
    t.deepEqual(await match('198.51.101.0'), []);
    t.deepEqual(await match('2001:db8:1:2::/64'), ['2001:db8::/32']);
    t.deepEqual(await match('2001:db9:1:2::/64'), []);
    for (const source of ['', 'none', '203.0.113', '::/0']) t.deepEqual(await match(source), []);
    await blocks.remove('source', '203.0.0.0/16');
    t.deepEqual(await match('203.0.114.7'), []);
  });

  test.serial(`${name}: blocks.listMatching() returns a host and the domains above it`, async (t) => {
    const store = await open(t);
    for (const target of ['example.com', 'a.example.com', 'b.example.com', 'org']) {
      await put(store, createBlock({ kind: 'host', target }));
    }
    const { blocks } = await reopen(store);
    const match = async (host: string) => targets(await blocks.listMatching('host', host));
    t.deepEqual(await match('x.a.example.com'), ['a.example.com', 'example.com']);
    t.deepEqual(await match('example.com'), ['example.com']);
    t.deepEqual(await match('notexample.com'), []);
    t.deepEqual(await match('example.org'), ['org']);
    t.deepEqual(await match('com'), []);
  });

  test.serial(`${name}: blocks.list() returns pages, hosts first`, async (t) => {
    const store = await open(t);
    const all = [
      createBlock({ kind: 'host', target: 'a.example' }),
      createBlock({ kind: 'host', target: 'b.example' }),
      createBlock({ target: '198.51.100.0/24' }),
      createBlock({ target: '203.0.113.7/32' }),
    ];
    await Promise.all(all.toReversed().map((block) => put(store, block)));
    const { blocks } = await reopen(store);
    t.deepEqual(await blocks.list({ limit: 9 }), all);
    t.deepEqual(await blocks.list({ limit: 2, after: all[0]! }), all.slice(1, 3));
    for (const limit of [0, -1, Number.NaN]) t.deepEqual(await blocks.list({ limit }), []);
  });

  test.serial(`${name}: blocks.put() decides by what is there, one caller at a time`, async (t) => {
    const store = await open(t);
    const seen: (string | undefined)[] = [];
    const add = (reason: string) =>
      store.blocks.put('source', '203.0.113.7/32', (old) => {
        seen.push(old?.reason);
        return reason === 'kept' ? old! : createBlock({ reason });
      });
    const answers = await Promise.all([add('a'), add('b'), add('kept')]);
    t.deepEqual(
      [seen, answers.map(({ reason }) => reason)],
      [
        [undefined, 'a', 'b'],
        ['a', 'b', 'b'],
      ],
    );
    const { blocks } = await reopen(store);
    t.is((await blocks.find('source', '203.0.113.7/32'))?.reason, 'b');
    const other = createBlock({ target: '203.0.113.8/32' });
    await throwsData(
      t,
      blocks.put('source', '203.0.113.7/32', () => other),
      'invalid',
    );
    const loose = createBlock({ target: '203.0.113.8' });
    await throwsData(
      t,
      blocks.put('source', loose.target, () => loose),
      'invalid',
    );
  });

  test.serial(`${name}: blocks.prune() removes those that ended, and those by limit but the newest`, async (t) => {
    const store = await open(t);
    const ends = (minute: number) => `2026-05-04T12:0${minute}:00.000Z`;
    await put(store, createBlock({ target: '10.0.0.1/32', until: ends(1) }));
    await put(store, createBlock({ target: '10.0.0.2/32' }));
    await put(store, createBlock({ target: '10.0.0.3/32', until: ends(5) }));
    for (const i of [9, 3, 6, 7]) {
      await put(store, createBlock({ target: `10.0.1.${i}/32`, by: 'limit', until: ends(i) }));
    }
    await store.blocks.prune({ nowIso: ends(4), keep: 9, keepEnded: 2 });
    t.is((await store.blocks.list({ limit: 9 })).length, 7);
    await store.blocks.prune({ nowIso: ends(4), keep: 2 });
    const { blocks } = await reopen(store);
    t.deepEqual(targets(await blocks.list({ limit: 9 })), ['10.0.0.2/32', '10.0.0.3/32', '10.0.1.7/32', '10.0.1.9/32']);
    t.deepEqual(targets(await blocks.listMatching('source', '10.0.1.6')), []);
    await blocks.prune({ nowIso: ends(4), keep: 2, latestIso: ends(7) });
    t.deepEqual(targets(await blocks.list({ limit: 9 })), ['10.0.0.2/32', '10.0.0.3/32', '10.0.1.7/32']);
  });
}
