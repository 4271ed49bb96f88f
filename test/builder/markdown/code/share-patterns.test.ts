import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createOnigurumaEngine } from 'shiki/engine/oniguruma';
import { sharePatterns } from '../../../../builder/markdown/code/share-patterns.ts';
import fc from '../../../helpers/fast-check.ts';

const wasm = fileURLToPath(import.meta.resolve('shiki/onig.wasm'));
let plain: Awaited<ReturnType<typeof createOnigurumaEngine>>;
test.before(async () => {
  plain = await createOnigurumaEngine(readFile(wasm));
});

/** Patterns that look around, match nothing, depend on where the search starts, or move where a match begins. */
const sources = [
  ...['', '$', '^', 'a', 'b+', '[ab]c?', '(?<=a)b', '(?<!a)c', '(?=bc)', '\\Ga', '\\G', '\\Aa', 'a\\Kb', '(a)(b)?'],
  ...['é', '😀', 'c$', '\\bcab\\b', '(?!a).', 'a{2,}', '(b|c)\\1', '.*c', '\\z', '(?i)B', '\uFFFF', 'x|', 'bb(?<y>c)'],
];
const list = fc.array(fc.constantFrom(...sources), { maxLength: 24 });
const line = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', 'é', '😀'), maxLength: 30 });

test('sharePatterns() finds what the engine finds, in any order of lists, lines and places', (t) => {
  fc.assert(
    fc.property(
      fc.array(list, { minLength: 1, maxLength: 5 }),
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(31), fc.nat(7)), { maxLength: 40 }),
      (lists, lines, searches) => {
        const shared = sharePatterns(plain);
        const scanners = lists.map((patterns) => [plain.createScanner(patterns), shared.createScanner(patterns)]);
        const texts = lines.map((text) => plain.createString(text));
        for (const [listIndex, lineIndex, place, options] of searches) {
          const text = texts[lineIndex % texts.length]!;
          const start = Math.min(place, lines[lineIndex % lines.length]!.length);
          const [expected, found] = scanners[listIndex % lists.length]!.map((scanner) =>
            scanner.findNextMatchSync(text, start, options as never),
          );
          t.deepEqual(found, expected);
        }
        for (const object of [...scanners.flat(), ...texts]) object.dispose?.();
      },
    ),
    { numRuns: 170 },
  );
});

test('sharePatterns() compiles a stretch of patterns once', (t) => {
  const compiled: string[] = [];
  const shared = sharePatterns({
    createString: (text) => plain.createString(text),
    createScanner(patterns) {
      compiled.push(...(patterns as string[]));
      return plain.createScanner(patterns);
    },
  });
  const common = Array.from({ length: 100 }, (_, index) => `common${index}`);
  for (let end = 0; end < 20; end++) shared.createScanner([`end${end}`, ...common]);
  t.true(compiled.length <= 20 + 3 * common.length, `${compiled.length} patterns`);
});

test('sharePatterns() lets go of lists that nobody uses, and only of those', (t) => {
  let alive = 0;
  const shared = sharePatterns({
    createString: (text) => plain.createString(text),
    createScanner(patterns) {
      const scanner = plain.createScanner(patterns);
      alive++;
      return {
        findNextMatchSync: (text, start, options) => scanner.findNextMatchSync(text, start, options),
        dispose: () => {
          alive--;
          scanner.dispose?.();
        },
      };
    },
  });
  const kept = shared.createScanner(['(x)', 'y']);
  for (let count = 0; count < 10_000; count++) shared.createScanner([`a${count}`, 'y']).dispose?.();
  t.true(alive < 4_000, `${alive} scanners`);
  t.is(kept.findNextMatchSync('..y', 0, 0 as never)?.index, 1);
});
