import test, { type ExecutionContext } from 'ava';
import { createBlocks } from '../../../platform/blocks/blocks.ts';
import { throwsData } from '../../data/contract/adapter.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';

const YEAR_MS = 365 * 86_400_000;

function createSetup(_: ExecutionContext) {
  const clock = { ms: Date.parse('2026-05-04T12:00:00Z') };
  const store = createMemoryStore();
  return { clock, store, blocks: createBlocks({ store: store.blocks, now: () => new Date(clock.ms) }) };
}

test('blocks: the hundredth refusal within a minute blocks a source for ten minutes', async (t) => {
  const { blocks, clock } = createSetup(t);
  const source = '2001:db8:1:2::/64';
  for (let i = 0; i < 99; i++) await blocks.countRefusal(source);
  t.is(await blocks.findForSource(source), undefined);
  await blocks.countRefusal('2001:db8:1:3::/64');
  t.is(await blocks.findForSource(source), undefined);
  await blocks.countRefusal(source);
  t.like(await blocks.findForSource(source), { by: 'limit', target: source, until: '2026-05-04T12:10:00.000Z' });
  t.is(await blocks.findForSource('2001:db8:1:3::/64'), undefined);
  clock.ms += 599_999;
  t.truthy(await blocks.findForSource(source));
  clock.ms += 1;
  t.is(await blocks.findForSource(source), undefined);
  t.deepEqual(await blocks.list({}), []);
});

test('blocks: a clock that is a year ahead for a while ends no block for good, and makes none last', async (t) => {
  const { blocks, clock } = createSetup(t);
  const own = await blocks.add({ kind: 'source', target: '203.0.113.7', until: '2026-05-05T12:00:00Z' });
  clock.ms += YEAR_MS;
  await blocks.prune();
  t.deepEqual(await blocks.list({}), []);
  for (let i = 0; i < 100; i++) await blocks.countRefusal('203.0.113.8');
  t.truthy(await blocks.findForSource('203.0.113.8'));
  clock.ms -= YEAR_MS;
  t.is(await blocks.findForSource('203.0.113.8'), undefined);
  t.deepEqual(await blocks.list({}), [own]);
});

test('blocks: refusals that are spread over more than a minute block nobody', async (t) => {
  const { blocks, clock } = createSetup(t);
  for (let i = 0; i < 500; i++) {
    await blocks.countRefusal('203.0.113.7');
    clock.ms += 610;
  }
  t.is(await blocks.findForSource('203.0.113.7'), undefined);
});

test('blocks: what the operator has blocked for longer stays as it is', async (t) => {
  const { blocks } = createSetup(t);
  const own = await blocks.add({ kind: 'source', target: '203.0.113.7', reason: 'Abuse' });
  const short = await blocks.add({ kind: 'source', target: '203.0.113.8', until: '2026-05-04T12:01:00Z' });
  for (const source of ['203.0.113.7', '203.0.113.8']) for (let i = 0; i < 100; i++) await blocks.countRefusal(source);
  t.deepEqual(await blocks.findForSource('203.0.113.7'), own);
  t.not((await blocks.findForSource('203.0.113.8'))?.until, short.until);
});

test('blocks: of several that hold, the one that lasts longest counts', async (t) => {
  const { blocks } = createSetup(t);
  await blocks.add({ kind: 'source', target: '203.0.113.0/24', until: '2026-05-04T13:00:00Z' });
  await blocks.add({ kind: 'source', target: '203.0.113.7', until: '2026-05-04T12:30:00Z' });
  t.is((await blocks.findForSource('203.0.113.7'))?.target, '203.0.113.0/24');
  await blocks.add({ kind: 'source', target: '203.0.113.7' });
  t.is((await blocks.findForSource('203.0.113.7'))?.until, '');
});

test('blocks: remove() unblocks and forgets what was counted', async (t) => {
  const { blocks } = createSetup(t);
  for (let i = 0; i < 199; i++) await blocks.countRefusal('203.0.113.7');
  t.is((await blocks.remove({ kind: 'source', target: '203.0.113.7' })).by, 'limit');
  t.is(await blocks.findForSource('203.0.113.7'), undefined);
  await blocks.countRefusal('203.0.113.7');
  t.is(await blocks.findForSource('203.0.113.7'), undefined);
  await throwsData(
    t,
    blocks.remove({ kind: 'source', target: '203.0.113.7' }),
    'not-found',
    /^"203\.0\.113\.7\/32" is not blocked$/,
  );
});

test('blocks: isHostBlocked() knows a host however it is written, and all below it', async (t) => {
  const { blocks, clock } = createSetup(t);
  await blocks.add({ kind: 'host', target: 'Example.COM.' });
  await blocks.add({ kind: 'host', target: 'münchen.example' });
  await blocks.add({ kind: 'host', target: '203.0.113.7' });
  await blocks.add({ kind: 'host', target: '2001:db8::1' });
  await blocks.add({ kind: 'host', target: 'short.example', until: '2026-05-04T12:01:00Z' });
  for (const host of [
    'example.com',
    'EXAMPLE.com.',
    'a.b.example.com',
    'xn--mnchen-3ya.example',
    '0xcb.0.113.7',
    '[2001:DB8:0::1]',
    'short.example',
  ]) {
    t.true(await blocks.isHostBlocked(host), host);
  }
  for (const host of ['example.org', 'com', 'notexample.com', '', 'a b', '203.0.113.8', '__proto__', 'constructor']) {
    t.false(await blocks.isHostBlocked(host), host);
  }
  clock.ms += 60_000;
  t.false(await blocks.isHostBlocked('short.example'));
});

const wrong: readonly (readonly [input: Parameters<ReturnType<typeof createBlocks>['add']>[0], says: RegExp])[] = [
  [{ kind: 'source', target: 'example.com' }, /not an address or range/],
  [{ kind: 'source', target: '0.0.0.0/0' }, /too large a range; the largest has \/8/],
  [{ kind: 'source', target: '::/0' }, /the largest has \/16/],
  [{ kind: 'host', target: 'https://example.com' }, /not a host/],
  [{ kind: 'host', target: 'example.com:80' }, /not a host/],
  [{ kind: 'host', target: '' }, /not a host/],
  [{ kind: 'source', target: '203.0.113.7', until: 'tomorrow' }, /"tomorrow" is not a time/],
  [{ kind: 'source', target: '203.0.113.7', until: '2020-01-01' }, /ended already/],
  [{ kind: 'source', target: '203.0.113.7', reason: 'x'.repeat(501) }, /more than 500 characters/],
];
for (const [input, says] of wrong) {
  test(`blocks: add() refuses ${JSON.stringify(input).slice(0, 80)}`, async (t) => {
    const { blocks } = createSetup(t);
    await throwsData(t, blocks.add(input), 'invalid', says);
    t.deepEqual(await blocks.list({}), []);
  });
}

test('blocks: what is never blocked passes every block, and gets none', async (t) => {
  const { store } = createSetup(t);
  const neverBlocked = ['203.0.113.0/28', ' 2001:db8:7::1 '];
  const blocks = createBlocks({ store: store.blocks, now: () => new Date(), neverBlocked: () => neverBlocked });
  await blocks.add({ kind: 'source', target: '203.0.0.0/16' });
  await blocks.add({ kind: 'source', target: '2001:db8::/32' });
  t.is(await blocks.findForSource('203.0.113.15'), undefined);
  t.like(await blocks.findForSource('203.0.113.16'), { target: '203.0.0.0/16' });
  t.is(await blocks.findForSource('2001:db8:7::/64'), undefined);
  t.truthy(await blocks.findForSource('2001:db8:7:1::/64'));
  for (let i = 0; i < 100; i++) await blocks.countRefusal('203.0.113.1');
  t.is((await blocks.list({})).length, 2);
});
