import test from 'ava';
import fc from 'fast-check';
import type { Ref } from '../../../builder/model.ts';
import { assignSlugs, versionSlug } from '../../../builder/refs/version-slug.ts';
import { createRefs } from './create-refs.ts';

const anyName = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.string({
    unit: fc.constantFrom('a', 'B', '/', '.', '\\', '\0', '-', ' ', '😀', 'é', 'e\u0301'),
    minLength: 1,
    maxLength: 300,
  }),
  fc.constantFrom('..', '.', '/', '//', '../..', '..\\..', 'a/../b', '\0', '...'),
);

test('versionSlug() turns slashes to hyphens and leaves the rest', (t) => {
  t.is(versionSlug('feature/x'), 'feature-x');
  for (const name of [
    'main',
    'v1.0',
    '--upload-pack=touch',
    'a$(id)',
    `x'"<svg>`,
    'ветка',
    '😀',
    'a%2Fb',
    '.x',
    'x#y?',
  ]) {
    t.is(versionSlug(name), name);
  }
});

test('versionSlug() never gives a name that leads elsewhere or that no folder can have', (t) => {
  fc.assert(
    fc.property(anyName, (name) => {
      const slug = versionSlug(name);
      t.notRegex(slug, /[/\\\0]/);
      t.false(['', '.', '..'].includes(slug));
      t.true(Buffer.byteLength(slug) <= 200);
    }),
    { numRuns: 2000 },
  );
});

test('versionSlug() cuts long names to different slugs', (t) => {
  const long = 'a'.repeat(300);
  t.not(versionSlug(`${long}1`), versionSlug(`${long}2`));
});

test('versionSlug() never cuts a character in half', (t) => {
  for (let shift = 0; shift < 4; shift++) {
    const slug = versionSlug(`${'x'.repeat(shift)}${'😀'.repeat(100)}`);
    t.regex(slug, /^x*(?:😀)+-[0-9a-f]{12}$/u);
    t.is(Buffer.from(slug).toString(), slug);
  }
});

test('assignSlugs() gives different refs different slugs, or says which two meet', (t) => {
  const names = fc.uniqueArray(
    fc.string({ unit: fc.constantFrom('a', 'A', '/', '-', 'é', 'e\u0301', '.'), minLength: 1, maxLength: 4 }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(names, (list) => {
      const refs = createRefs(...list);
      let slugs: ReadonlyMap<string, string>;
      try {
        slugs = assignSlugs(refs, list[0] ?? 'main');
      } catch (error) {
        t.is((error as { code?: string }).code, 'slug-taken');
        const [, first, second] = /^Refs "(.*)" and "(.*)" would both/s.exec((error as Error).message)!;
        const fold = (name: string) => versionSlug(name).normalize('NFC').toLowerCase();
        t.is(fold(first!), fold(second!));
        t.not(first, second);
        return;
      }
      const folded = [...slugs.values()].map((slug) => slug.normalize('NFC').toLowerCase());
      t.is(new Set(folded).size, list.length);
    }),
    { numRuns: 1000 },
  );
});

for (const [a, b] of [
  ['a/b', 'a-b'],
  ['Main', 'main'],
  ['caf\u00e9', 'cafe\u0301'],
  ['x\\y', 'x-y'],
] as const) {
  test(`assignSlugs() refuses ${JSON.stringify(a)} beside ${JSON.stringify(b)} and names both`, (t) => {
    const error = t.throws(() => assignSlugs(createRefs(a, b), 'other'), { code: 'slug-taken' });
    t.true(error!.message.includes(`"${a}"`) && error!.message.includes(`"${b}"`), error!.message);
    t.is((error as { location?: { ref?: string } }).location?.ref, b);
  });
}

test('assignSlugs() keeps the alias latest for the latest version', (t) => {
  const refs: readonly Ref[] = createRefs('main', 'latest');
  t.throws(() => assignSlugs(refs, 'main'), { code: 'slug-taken', message: /"latest".*"main"/ });
  t.is(assignSlugs(refs, 'latest').get('latest'), 'latest');
  t.throws(() => assignSlugs(createRefs('main', 'LATEST'), 'main'), { code: 'slug-taken' });
});
