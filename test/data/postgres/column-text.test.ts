import test from 'ava';
import { toColumnText } from '../../../data/postgres/column-text.ts';
import fc from '../../helpers/fast-check.ts';

/** Texts of the units at the borders of what is written otherwise, halves of pairs included. */
const unit = fc.constantFrom(
  '\0',
  '\x01',
  '\x02',
  'a',
  '\ud7ff',
  '\ud800',
  '\udbff',
  '\udc00',
  '\udfff',
  '\ue000',
  '\ue001',
  '\uffff',
);
const text = fc.oneof(
  fc.array(unit, { maxLength: 5 }).map((units) => units.join('')),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const compareBytes = (one: string, other: string): number =>
  Math.sign(Buffer.compare(Buffer.from(toColumnText(one)), Buffer.from(toColumnText(other))));

test('column text: usual texts are themselves, with any letters', (t) => {
  for (const usual of ['', 'guide', '5:guide4:main', 'Über 文档 ~', 'x'.repeat(1200)]) t.is(toColumnText(usual), usual);
});

test('column text: bytes are in the order of UTF-16 code units, and PostgreSQL can store them', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(text, text, (one, other) => {
        const expected = one < other ? -1 : one > other ? 1 : 0;
        t.is(compareBytes(one, other), expected, JSON.stringify([one, other]));
        const written = toColumnText(one);
        t.true(Buffer.from(written).toString() === written && !written.includes('\0'));
      }),
      { numRuns: 700 },
    ),
  );
});

test('column text: long texts stay different, and short enough for an index together with another one', (t) => {
  const long = ['a', '文', '😀', '\0'].flatMap((letter) => [
    letter.repeat(5000),
    `${letter.repeat(5000)}b`,
    letter.repeat(1100),
  ]);
  const written = long.map(toColumnText);
  t.is(new Set(written).size, long.length);
  for (const one of written) t.true(Buffer.byteLength(one) <= 1200);
  // What such a text becomes is the text of nothing else.
  t.not(toColumnText(written[0]!), written[0]);
  t.is(compareBytes('b'.repeat(5000), `${'a'.repeat(999)}c`), 1);
});
