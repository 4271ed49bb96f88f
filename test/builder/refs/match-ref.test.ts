import test from 'ava';
import { createRefMatcher, parseRefList } from '../../../builder/refs/match-ref.ts';
import fc from '../../helpers/fast-check.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';

const part = fc.string({
  unit: fc.constantFrom('a', 'b', '.', '-', '_', '1', 'é', '😀', '$', '(', "'", '"', '<'),
  minLength: 1,
  maxLength: 6,
});
const refName = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

const cases: readonly (readonly [list: string, matched: readonly string[], others: readonly string[]])[] = [
  ['main', ['main'], ['main2', 'a/main', 'Main']],
  ['v1.*', ['v1.0', 'v1.', 'v1.2.3-rc.1'], ['v10', 'v1', 'v1.0/x', 'xv1.0']],
  ['*', ['main', '.hidden', 'a b'], ['a/b']],
  ['**', ['main', 'a/b', 'a/b/c', '.x/y'], []],
  ['dependabot/**', ['dependabot/npm/x', 'dependabot/x', 'dependabot'], ['dependabots', 'x/dependabot/y']],
  ['**/x', ['x', 'a/x', 'a/b/x'], ['ax', 'x/a']],
  ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['az', 'a/bz', 'a/z/y']],
  ['feature/*', ['feature/x'], ['feature/x/y', 'feature', 'feature/x/']],
  ['v?', ['v1', 'vx'], ['v', 'v12', 'v/']],
  ['v[0-9]', ['v1'], ['va', 'v10', 'v/']],
  ['v[!0-9]', ['va'], ['v1', 'v/']],
  ['v[^0-9]', ['va'], ['v1']],
  ['{a,b/c}.x', ['a.x', 'b/c.x'], ['b.x', 'a,b/c.x']],
  ['{v{1,2},main}', ['v1', 'v2', 'main'], ['v3', 'v']],
  ['release-{1..3}', [], ['release-4']],
  ['x[', ['x['], ['x']],
  ['x{a', ['x{a'], ['xa']],
  ['+(a)*', ['+(a)b'], ['aa']],
  ['!main*', ['!main1'], ['dev', 'main1']],
  ['--upload-pack=touch', ['--upload-pack=touch'], ['-']],
  ['a$(id)', ['a$(id)'], ['a']],
  [`x'"<svg>`, [`x'"<svg>`], ['x']],
  ['a.b*', ['a.bc'], ['axbc']],
  ['a+*', ['a+1'], ['aa1']],
];
for (const [list, matched, others] of cases) {
  test(`createRefMatcher() reads ${JSON.stringify(list)}`, (t) => {
    const matches = createRefMatcher(list);
    t.deepEqual(
      matched.filter((name) => !matches(name)),
      [],
    );
    t.deepEqual(
      others.filter((name) => matches(name)),
      [],
    );
  });
}

test('createRefMatcher() matches any name by itself, even one that holds pattern characters', (t) => {
  const wild = fc.string({
    unit: fc.constantFrom('a', '/', '*', '?', '[', ']', '{', '}', ',', '!', '\\', '(', ')', '.', '-'),
    minLength: 1,
  });
  t.notThrows(() => fc.assert(fc.property(wild, (name) => createRefMatcher(name)(name))));
});

test('createRefMatcher() lets * match a run inside one part and nothing else', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(part, part, refName, (before, after, middle) => {
        const matched = createRefMatcher(`${before}*${after}`)(before + middle + after);
        return matched === !middle.includes('/');
      }),
    ),
  );
});

test('createRefMatcher() lets ** match any number of parts', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(part, refName, part, (first, middle, last) => {
        const matches = createRefMatcher(`${first}/**/${last}`);
        return matches(`${first}/${middle}/${last}`) && matches(`${first}/${last}`);
      }),
    ),
  );
});

test('createRefMatcher() agrees with a plain search for patterns of letters, ? and *', (t) => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 });
  const search = (glob: string, text: string): boolean => {
    if (glob === '') return text === '';
    if (glob[0] === '*')
      return search(glob.slice(1), text) || (text !== '' && text[0] !== '/' && search(glob, text.slice(1)));
    return (
      text !== '' &&
      (glob[0] === text[0] || (glob[0] === '?' && text[0] !== '/')) &&
      search(glob.slice(1), text.slice(1))
    );
  };
  t.notThrows(() =>
    fc.assert(
      fc.property(pattern, name, (glob, text) => {
        fc.pre(!glob.includes('**') && /[*?]/.test(glob));
        return createRefMatcher(glob)(text) === search(glob, text);
      }),
      { numRuns: 700 },
    ),
  );
});

test('createRefMatcher() matches a list when one of its entries does', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(refName, { minLength: 1, maxLength: 5 }), refName, (entries, name) => {
        return createRefMatcher(entries.join(' | '))(name) === entries.includes(name);
      }),
    ),
  );
});

test('createRefMatcher() matches nothing with an empty list', (t) => {
  t.false(createRefMatcher('')(''));
  t.false(createRefMatcher(' | ')('main'));
});

const hostile: readonly (readonly [title: string, list: string, name: string])[] = [
  ['many stars', `${'*a'.repeat(240)}b`, 'a'.repeat(100_000)],
  ['many stars on a long name', `${'*a'.repeat(240)}b`, 'a'.repeat(1_000)],
  ['many globstars', `${'**/a/'.repeat(90)}b`, 'a/'.repeat(500)],
  ['many alternatives', `${'{a,aa}'.repeat(80)}b`, 'a'.repeat(1_000)],
  ['nested alternatives', `${'{a,'.repeat(120)}b${'}'.repeat(120)}`, 'a'.repeat(1_000)],
  ['a long name', 'v*', `v${'1'.repeat(100_000)}`],
  ['a long exact entry', 'x'.repeat(100_000), 'x'.repeat(99_999)],
];
for (const [title, list, name] of hostile) {
  test(`createRefMatcher() stays fast with ${title}`, (t) => {
    const ms = fastestMs(() => {
      createRefMatcher(list)(name);
    });
    t.true(ms < 50);
  });
}

for (const [title, list] of [
  ['an overlong pattern', '*a'.repeat(50_000)],
  ['an overlong class', `[${'a'.repeat(100_000)}]`],
  ['too many patterns', Array.from({ length: 20_000 }, (_, at) => `*${at}`).join('|')],
] as const) {
  test(`createRefMatcher() refuses ${title}`, (t) => {
    t.throws(() => createRefMatcher(list), { name: 'BuildError', code: 'bad-option' });
  });
}

test('parseRefList() takes another separator', (t) => {
  t.deepEqual(parseRefList('a|b; c ;;', ';'), ['a|b', 'c']);
});
