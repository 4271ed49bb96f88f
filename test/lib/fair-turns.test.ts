import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { createFairTurns } from '../../lib/fair-turns.ts';

test('createFairTurns() lets so many go on in a turn, one of each owner after the other', async (t) => {
  const turns = createFairTurns(2);
  const gone: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) turns.wait(name[0]!, () => gone.push(name));
  const seen: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn();
    seen.push(gone.splice(0).join(' '));
  }
  t.deepEqual(seen, ['a1 b1', 'c1 a2', 'b2 a3', '']);
});

test('createFairTurns() lets who waits again go on in a later turn, and nobody who has left', async (t) => {
  const turns = createFairTurns(2);
  const gone: string[] = [];
  turns.wait('a', () => {
    gone.push('a');
    turns.wait('a', () => gone.push('a again'));
  });
  const leave = turns.wait('b', () => gone.push('b'));
  const leaveLater = turns.wait('b', () => gone.push('b2'));
  turns.wait('b', () => gone.push('b3'));
  leave();
  leaveLater();
  await nextTurn();
  t.deepEqual(gone, ['a', 'b3']);
  await nextTurn();
  t.deepEqual(gone, ['a', 'b3', 'a again']);
  leave();
  turns.wait('c', () => gone.push('c'));
  await nextTurn();
  t.deepEqual(gone, ['a', 'b3', 'a again', 'c']);
});
