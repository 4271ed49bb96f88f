import test from 'ava';
import type { AuditEntry } from '../../../data/records/audit-entry.ts';
import type { Store } from '../../../data/store.ts';
import { createAuditEntry, createBlock, createUser } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

const DAY_MS = 86_400_000;

/** Declares what a store of the audit log does. */
export function testAudit({ name, open, reopen }: Adapter): void {
  const ids = (entries: readonly AuditEntry[]) => entries.map(({ id }) => id);
  const list = async (store: Store) => ids(await store.audit.list({ limit: 100 }));

  test.serial(`${name}: audit.list() returns entries, newest first, by who did what to what, in pages`, async (t) => {
    const store = await open(t);
    const all = [
      createAuditEntry({ id: '1', actor: 'boss', uid: '7', action: 'verifyUser', target: 'a' }),
      createAuditEntry({ id: '2', actor: 'command line (root)', uid: '', action: 'verifyUser', target: 'b' }),
      createAuditEntry({ id: '3', actor: 'boss', uid: '7', action: 'addBlock', target: 'a' }),
      createAuditEntry({ id: '4', actor: 'boss', uid: '7', action: 'reloadConfiguration', target: '' }),
    ];
    for (const entry of all) await store.audit.add(entry);
    const { audit } = await reopen(store);
    const ask = async (query: Partial<Parameters<typeof audit.list>[0]>) =>
      ids(await audit.list({ limit: 100, ...query }));
    t.deepEqual(await audit.list({ limit: 1 }), [all[3]!]);
    t.deepEqual(await ask({}), ['4', '3', '2', '1']);
    t.deepEqual(await ask({ limit: 2, before: '4' }), ['3', '2']);
    t.deepEqual(await ask({ actor: 'boss' }), ['4', '3', '1']);
    t.deepEqual(await ask({ actor: '7' }), ['4', '3', '1']);
    t.deepEqual(await ask({ actor: 'root' }), ['2']);
    t.deepEqual(await ask({ actor: '' }), []);
    t.deepEqual(await ask({ action: 'verifyUser' }), ['2', '1']);
    t.deepEqual(await ask({ action: 'verifyUser', before: '2' }), ['1']);
    t.deepEqual(await ask({ target: 'a' }), ['3', '1']);
    t.deepEqual(await ask({ target: 'a', action: 'addBlock', actor: 'boss' }), ['3']);
    t.deepEqual(await ask({ target: 'b', actor: 'boss' }), []);
    t.deepEqual(await ask({ limit: 0 }), []);
  });

  test.serial(
    `${name}: audit.prune() removes what is older, and the oldest of a group beyond its number`,
    async (t) => {
      const store = await open(t);
      for (let i = 0; i < 8; i++) {
        const at = `2026-05-0${i + 1}T00:00:00.000Z`;
        await store.audit.add(createAuditEntry({ id: `${i + 1}`, at, group: i % 2 === 0 ? 'operators' : 'attempts' }));
      }
      const life = {
        nowMs: Date.parse('2026-05-08T00:00:00Z'),
        lifeMs: 5 * DAY_MS,
        longestGapMs: 2 * DAY_MS,
        keep: { operators: 10, attempts: 2, others: 0 },
      };
      t.is(await store.audit.prune({ ...life, limit: 100 }), 3);
      const again = await reopen(store);
      t.deepEqual(await list(again), ['8', '7', '6', '5', '3']);
      t.is(
        await again.audit.prune({ ...life, nowMs: Date.parse('2028-05-08T00:00:00Z'), lifeMs: 3 * DAY_MS, limit: 1 }),
        1,
      );
      t.is(await again.audit.prune({ ...life, keep: { operators: 0, attempts: 0, others: 0 }, limit: 100 }), 4);
    },
  );

  test.serial(
    `${name}: audit.prune() takes no entry for older than the time that has passed, however wrong the clock was`,
    async (t) => {
      const store = await open(t);
      const times = [
        ...['2026-05-01', '2026-05-02', '2026-05-03'],
        ...['2027-05-03', '2027-05-04'], // a year ahead
        ...['2026-05-04', '2026-05-05'],
      ];
      for (const [i, day] of times.entries()) {
        await store.audit.add(createAuditEntry({ id: `${i}`, at: `${day}T00:00:00.000Z` }));
      }
      const prune = (day: string, lifeDays: number) =>
        store.audit.prune({
          nowMs: Date.parse(`${day}T00:00:00Z`),
          lifeMs: lifeDays * DAY_MS,
          longestGapMs: 7 * DAY_MS,
          keep: { operators: 100, attempts: 100, others: 100 },
          limit: 100,
        });
      // Ages on the day after: 1, 2 (that day), 2 and 3 (ahead), 10 (a week at most), 11 and 12.
      t.is(await prune('2026-05-06', 90), 0);
      t.is(await prune('2030-05-06', 90), 0);
      t.is(await prune('2030-05-06', 18), 0);
      t.is(await prune('2030-05-06', 17), 1);
      t.deepEqual(await list(await reopen(store)), ['6', '5', '4', '3', '2', '1']);
    },
  );

  test.serial(
    `${name}: recording() stores its entry with the first change, once, and not with what changes nothing`,
    async (t) => {
      const store = await open(t);
      const recording = store.recording(createAuditEntry({ id: '1' }));
      const user = createUser();
      t.is(await recording.users.find(user.uid), undefined);
      await recording.sessions.removeAllOf(user.uid);
      await recording.blocks.remove('host', 'example.com');
      t.false(recording.hasRecorded());
      t.deepEqual(await list(store), []);
      await recording.users.add(user);
      t.true(recording.hasRecorded());
      await recording.blocks.put('source', '203.0.113.7/32', () => createBlock());
      const again = await reopen(store);
      t.deepEqual(await list(again), ['1']);
      t.deepEqual(await again.users.find(user.uid), user);
      const same = again.recording(createAuditEntry({ id: '2' }));
      await same.users.change(user.uid, (one) => one);
      t.deepEqual(await list(again), ['1']);
      await same.blocks.remove('source', '203.0.113.7/32');
      t.deepEqual(await list(again), ['2', '1']);
    },
  );

  test.serial(`${name}: recording() stores nothing of a change that is refused`, async (t) => {
    const store = await open(t);
    await store.users.add(createUser());
    const recording = store.recording(createAuditEntry());
    await throwsData(t, recording.users.add(createUser()), 'taken', /already exists/);
    t.false(recording.hasRecorded());
    t.deepEqual(await list(await reopen(store)), []);
  });

  test.serial(`${name}: recording() refuses an entry that cannot be kept before anything is changed`, async (t) => {
    const store = await open(t);
    t.throws(() => store.recording(createAuditEntry({ details: 'x'.repeat(501) })), { code: 'invalid' });
  });
}
