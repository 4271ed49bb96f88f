import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

import { writeJson } from '../../lib/write-json.ts';
import { createFolder } from '../helpers/create-repository.ts';
import fc from '../helpers/fast-check.ts';

test('writeJson() writes what JSON.stringify() returns', (t) => {
  const path = join(createFolder(t), 'a.json');
  const check = (value: unknown): void => {
    writeJson(path, value);
    t.is(readFileSync(path, 'utf8'), JSON.stringify(value));
  };
  for (const value of [{}, [], null, 1, 'ä€😀', { a: undefined, b: { c: {} } }, { a: [undefined, { b: 1 }] }])
    check(value);
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 7 }), check), { numRuns: 200 });
});

test('writeJson() writes large values in pieces', (t) => {
  const path = join(createFolder(t), 'a.json');
  const rows = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`row ${at}`, '文字'.repeat(40_000)]));
  writeJson(path, { rows });
  t.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { rows });
});
