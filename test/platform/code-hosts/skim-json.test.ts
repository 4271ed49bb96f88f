import test from 'ava';
import { skimJson } from '../../../platform/code-hosts/skim-json.ts';
import fc from '../../helpers/fast-check.ts';

const FIELDS = new Set(['ref', 'after', 'deleted']);
const skim = (text: string): unknown => {
  const json = skimJson(Buffer.from(text), FIELDS);
  return json === undefined ? undefined : (JSON.parse(json.toString()) as unknown);
};
const pick = (value: object): object => Object.fromEntries(Object.entries(value).filter(([name]) => FIELDS.has(name)));

test('skim-json() gives the fields that are asked for as the parser does', (t) => {
  const name = fc.oneof(fc.constantFrom(...FIELDS, 'other'), fc.string({ unit: 'binary' }));
  const space = fc.constantFrom(undefined, 1, '\t');
  let kept = 0;
  fc.assert(
    fc.property(fc.dictionary(name, fc.jsonValue()), space, (object, indent) => {
      const text = JSON.stringify(object, undefined, indent);
      const parsed = pick(JSON.parse(text) as object);
      kept += Object.keys(parsed).length;
      t.deepEqual(skim(text), parsed, text);
    }),
    { numRuns: 700 },
  );
  t.true(kept > 500);
});

test('skim-json() knows a field by any spelling of its name, as the parser does', (t) => {
  const spell = (name: string, shown: number): string =>
    [...name]
      .map((character, place) =>
        (shown >> place) % 2 === 0 ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
      .join('');
  for (const name of [...FIELDS, 'other']) {
    for (let shown = 0; shown < 2 ** name.length; shown++) {
      const text = `{"x":1,"${spell(name, shown)}":"é","ref":"\\u0072"}`;
      t.deepEqual(skim(text), pick(JSON.parse(text) as object), text);
    }
  }
  t.deepEqual(skim(String.raw`{"ref":1,"\u0072ef":2}`), { ref: 2 });
  t.deepEqual(skim(String.raw`{"\x72ef":1,"ref\\":2,"\u0072":3}`), {}, 'other names');
  t.deepEqual(skim('\ufeff{"ref":1}'), { ref: 1 }, 'a byte order mark');
});

test('skim-json() gives the last of fields with one name, as the parser does', (t) => {
  t.deepEqual(skim('{"ref":1,"x":{"ref":2},"ref":"3"}'), { ref: '3' });
});

test('skim-json() knows the ends of strings', (t) => {
  t.deepEqual(skim(String.raw`{"x":"\"","y":"\\","ref":"\\\"}","z":["]\"","}"]}`), { ref: '\\"}' });
});

test('skim-json() gives nothing for what is no whole object', (t) => {
  const wrong = [
    '',
    ' ',
    '[]',
    '"ref"',
    '1',
    '{',
    '{"ref"',
    '{"ref":',
    '{"ref":1',
    '{"ref":1,',
    '{"ref":1,}',
    '{"ref" 1}',
    '{ref:1}',
  ];
  wrong.push(
    '{"x":[',
    '{"x":"',
    '{"x":"\\"}',
    '{"x":{}',
    '{"ref":1}}',
    '{"ref":1} x',
    '{"ref":,"x":1}',
    '{,}',
    '{"a":1 "b":2}',
  );
  for (const text of wrong) t.is(skim(text), undefined, text);
});

test('skim-json() never keeps much, nor what is nested deep', (t) => {
  t.is(skim(`{"ref":"${'x'.repeat(1_000_001)}"}`), undefined);
  t.is(skim(`{${'"ref":1,'.repeat(200_000)}"ref":1}`), undefined);
  t.is(skim(`{"x":${'['.repeat(101)}${']'.repeat(101)}}`), undefined);
  t.deepEqual(skim(`{"x":${'['.repeat(100)}${']'.repeat(100)}}`), {});
});

test('skim-json() skips any text of the parser that was cut or changed without a throw of its own', (t) => {
  const text = fc.jsonValue().map((value) => JSON.stringify({ ref: 'x', value, after: [value] }));
  t.notThrows(() =>
    fc.assert(
      fc.property(text, fc.nat(), fc.string({ maxLength: 3 }), (whole, place, change) => {
        const at = place % whole.length;
        skimJson(Buffer.from(whole.slice(0, at) + change + whole.slice(at + change.length)), FIELDS);
        skimJson(Buffer.from(whole.slice(0, at)), FIELDS);
      }),
      { numRuns: 700 },
    ),
  );
});
