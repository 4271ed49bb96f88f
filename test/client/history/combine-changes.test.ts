import test from 'ava';
import { type Combined, combineChanges, type Step } from '../../../client/history/combine-changes.ts';

const step = (kind: string, path?: string, more: Partial<Step> = {}): Step => ({
  kind,
  path,
  title: path ?? 'x',
  ...more,
});
const describe = ({ kind, path, from, amount }: Combined): string =>
  [kind, path, from, amount === 0 ? undefined : (amount ?? '?')].filter((part) => part !== undefined).join(' ');
const told = (...versions: readonly (readonly Step[])[]): readonly string[] => combineChanges(versions).map(describe);

test('combineChanges() of one version is what it says', (t) => {
  const steps = [
    step('added', 'a'),
    step('removed', 'b'),
    step('moved', 'd', { from: 'c' }),
    step('changed', 'e', { amount: 0.25 }),
    step('moved', undefined, { from: 'f', title: 'f' }),
  ];
  t.deepEqual(told(steps), ['added a', 'removed b', 'moved d c', 'changed e 0.25', 'removed f']);
});

test('combineChanges() follows a page through moves, back to where it was, too', (t) => {
  const away = [step('moved', 'b', { from: 'a' })];
  const on = [step('moved', 'c', { from: 'b', amount: 0.5 })];
  t.deepEqual(told(away, on), ['moved c a 0.5']);
  t.deepEqual(told(away, on, [step('changed', 'c', { amount: 0.5 })]), ['moved c a 0.75']);
  t.deepEqual(told(away, [step('moved', 'a', { from: 'b' })]), []);
  t.deepEqual(told(away, [step('removed', 'b')]), ['removed a']);
});

test('combineChanges() forgets what came and went', (t) => {
  t.deepEqual(told([step('added', 'a')], [step('changed', 'a', { amount: 1 })]), ['added a 1']);
  t.deepEqual(told([step('added', 'a')], [step('removed', 'a')]), []);
  t.deepEqual(told([step('removed', 'a')], [step('added', 'a')]), ['changed a ?'], 'it may say the same again');
});

test('combineChanges() knows pages apart that change places', (t) => {
  const swap = [step('moved', 'b', { from: 'a' }), step('moved', 'a', { from: 'b' })];
  t.deepEqual(told(swap), ['moved a b', 'moved b a']);
  t.deepEqual(told(swap, swap), []);
  t.deepEqual(told([step('moved', 'b', { from: 'a' }), step('added', 'a')]), ['added a', 'moved b a']);
});

test('combineChanges() goes back to the version that two come from, then forth', (t) => {
  const between = (back: readonly Step[], forth: readonly Step[] = []): readonly string[] =>
    combineChanges([forth], [back]).map(describe);
  const steps = [
    step('added', 'a', { from: 'e' }),
    step('removed', 'b'),
    step('moved', 'd', { from: 'c', amount: 0.5 }),
    step('changed', 'e', { amount: 0.25 }),
    step('moved', undefined, { from: 'f', title: 'f' }),
  ];
  t.deepEqual(between(steps), ['removed a', 'added b', 'moved c d 0.5', 'changed e 0.25', 'added f']);
  t.deepEqual(between([step('changed', 'a', { amount: 0.5 })], [step('changed', 'b', { amount: 0.5 })]), [
    'changed a 0.5',
    'changed b 0.5',
  ]);
  t.deepEqual(between([step('changed', 'a', { amount: 0.5 })], [step('changed', 'a', { amount: 0.5 })]), [
    'changed a ?',
  ]);
  t.deepEqual(between([step('moved', 'b', { from: 'a' })], [step('moved', 'b', { from: 'a' })]), []);
  t.deepEqual(between([step('added', 'a')], [step('added', 'a')]), ['changed a ?']);
});
