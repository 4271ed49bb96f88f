import fc from '../helpers/fast-check.ts';
import test from '../helpers/serial-test.ts';
import { SHAPE_READERS } from '../helpers/shape-readers.ts';
import { findExcess, type Shape, shapesOf, writeShape } from '../helpers/shapes.ts';

const repeated = (unit: string, before = '', after = ''): Shape => ({ kind: 'repeated', before, unit, after });

/** What has taken more than its share once: the reader, its choice, the shape. */
const FINDS: readonly (readonly [reader: string, choice: number, shape: Shape])[] = [
  ['page', 16, repeated('::: code-group\n')],
  ['page', 16, repeated('::: v-pre\n')],
  ['page', 16, repeated('# a\n\n')],
  ['page', 16, repeated('ก')],
  ['page', 16, repeated('ภาษาไทย')],
  ['page', 16, repeated('_', 'a', 'b')],
  ['page', 16, repeated('?', 'http://a.b/', 'x')],
  ['page', 16, repeated(' ', '# a', 'b')],
  ['page', 17, repeated(' ', '# a', 'b')],
  ['page', 16, repeated(' [', '```js a')],
  ['page', 19, repeated(' ', 'a ', '\\{#b')],
  ['page', 178, repeated('<table><tr><td></div>(a)=\n{{#include a.md}}', '::: a№\n{{< /a >}}')],
  ['page', 16, repeated('<!--@include: a.md-->\n')],
  ['page', 0, repeated('<b class=a№><p>')],
  ['front matter', 0, repeated('a№: &a№ [*a]\n', 'a: &a [b]\n')],
  ['front matter', 0, repeated('a№: &a№ [x]\nb№: *a№\n')],
  ['front matter', 0, repeated('a№: b\n')],
  ['front matter', 0, repeated('<<: *a\n', 'a: &a {b: 1}\nc:\n')],
  ['front matter', 0, repeated('/', 'permalink: "a', 'a"')],
  ['configuration in YAML', 740, { kind: 'halves', before: '', first: '"', second: '|2\n' }],
  ['configuration in YAML', 0, repeated('*a,', 'a: &a [b]\nc: [', ']')],
  ['project file', 0, repeated('  /a№: /b\n', 'redirects:\n')],
  ['project file', 6, { kind: 'halves', before: '', first: '"a": 1,\n\n\n    ', second: '\n' }],
  ['front matter', 6, { kind: 'halves', before: '', first: '- a\n  /a№: /b\n  ', second: ':\n ' }],
  ['project file', 6, { kind: 'halves', before: '', first: '- a\n  /a№: /b\n  ', second: ':\n ' }],
  ['navigation', 0, repeated('/', 'export default {themeConfig:{sidebar:[{text:"a",link:"a', 'b"}]}}')],
  ['summary', 0, repeated(' ', '# a', 'b')],
  ['markup', 0, repeated(',', '<img srcset="a', 'b">')],
  ['markup', 0, repeated('a:', '<svg><path ')],
  ['encoding', 2, repeated('a', '', '\xe4\xe4\n')],
];

for (const [name, choice, shape] of FINDS) {
  test(`a text costs what it is long: ${name} ${choice}, ${JSON.stringify(writeShape(shape, 40)).slice(0, 60)}`, async (t) => {
    const reader = SHAPE_READERS.find((one) => one.name === name)!;
    t.deepEqual(await findExcess(reader, shape, { choice }), undefined);
  });
}

for (const reader of SHAPE_READERS) {
  test(`whatever shape a text has, it costs what it is long, or is refused with its line: ${reader.name}`, async (t) => {
    await t.notThrowsAsync(() =>
      fc.assert(
        fc.asyncProperty(shapesOf(reader.signs), fc.nat(1_000), async (shape, choice) => {
          const costs = await findExcess(reader, shape, { choice });
          if (costs)
            throw new Error(costs.map(({ ms, length }) => `${length} characters: ${Math.round(ms)} ms`).join(', '));
        }),
        { numRuns: reader.name === 'page' ? 250 : 60 },
      ),
    );
  });
}
