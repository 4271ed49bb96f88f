import { compareNames } from '../../../builder/compose/compare-names.ts';
import fc from '../../helpers/fast-check.ts';
import test from '../../helpers/serial-test.ts';

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

test('compareNames() sorts numbers by value, and upper and lower case alike', (t) => {
  const names = ['v10', 'V2', 'v1.10', 'v1.9', 'a-b', 'a b', 'A_B', '10', '9', 'b', 'Ä'];
  t.deepEqual(names.toSorted(compareNames), ['9', '10', 'Ä', 'a b', 'A_B', 'a-b', 'b', 'v1.9', 'v1.10', 'V2', 'v10']);
});

test('compareNames() agrees with Intl.Collator', (t) => {
  const plain = fc.string({ unit: fc.constantFrom(...' _-.,~$%0012399aAbBzZ/[]'), maxLength: 12 });
  const name = fc.oneof(plain, plain, fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 6 }));
  fc.assert(
    fc.property(name, name, (a, b) => {
      t.is(Math.sign(compareNames(a, b)), Math.sign(collator.compare(a, b)), JSON.stringify([a, b]));
    }),
    { numRuns: 1_000 },
  );
  const long = `1${'0'.repeat(253)}`;
  for (const [a, b] of [
    [long, `${long}1`],
    [`${long}1`, `2${long}`],
  ] as const) {
    t.is(Math.sign(compareNames(a, b)), Math.sign(collator.compare(a, b)));
  }
});
