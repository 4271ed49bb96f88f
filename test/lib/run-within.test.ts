import { runWithin, TookTooLong } from '../../lib/run-within.ts';
import { trimSigns } from '../../lib/trim-signs.ts';
import test from '../helpers/serial-test.ts';

test('runWithin() ends loops and expressions when their time is up, and passes everything else on', (t) => {
  t.is(
    runWithin(10_000, () => 1),
    1,
  );
  t.throws(() => runWithin(10_000, () => JSON.parse('{')), { instanceOf: SyntaxError });
  t.throws(
    () =>
      runWithin(50, () => {
        for (;;);
      }),
    { instanceOf: TookTooLong },
  );
  t.throws(() => runWithin(50, () => /^(a+)+$/.test(`${'a'.repeat(40)}b`)), { instanceOf: TookTooLong });
  t.is(
    runWithin(10_000, () => runWithin(1, () => 2)),
    2,
    'the outer time holds',
  );
});

test('trimSigns() takes signs off the ends', (t) => {
  t.is(trimSigns('//a//b//', '/'), '//a//b');
  t.is(trimSigns('//a//b//', '/', { both: true }), 'a//b');
  t.is(trimSigns('///', '/', { both: true }), '');
});
