import test from 'ava';
import type { Ref } from '../../../builder/model.ts';
import { assignSlugs, versionSlug } from '../../../builder/refs/version-slug.ts';
import fc from '../../helpers/fast-check.ts';
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
    { numRuns: 700 },
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

const fold = (name: string) => versionSlug(name).normalize('NFC').toLowerCase();

test('assignSlugs() gives different refs different slugs, and says of the others which one they meet', (t) => {
  const names = fc.uniqueArray(
    fc.string({ unit: fc.constantFrom('a', 'A', '/', '-', 'é', 'e\u0301', '.'), minLength: 1, maxLength: 4 }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(names, (list) => {
      const { slugs, conflicts } = assignSlugs(createRefs(...list), list[0]!);
      t.is(slugs.size + conflicts.size, list.length);
      t.is(new Set([...slugs.values()].map(fold)).size, slugs.size);
      t.true(slugs.has(list[0]!), 'the latest is always there');
      for (const [name, { code, message, location }] of conflicts) {
        const [, own, owner] = /^Ref "(.*)" cannot be published as .*: so is "(.*)"; exclude/s.exec(message)!;
        t.deepEqual([code, own, location.ref], ['slug-taken', name, name]);
        t.true(fold(owner!) === fold(name) && slugs.has(owner!));
      }
    }),
    { numRuns: 330 },
  );
});

for (const [owner, other] of [
  ['a-b', 'a/b'],
  ['Main', 'main'],
  ['caf\u00e9', 'cafe\u0301'],
  ['x-y', 'x\\y'],
] as const) {
  test(`assignSlugs() prefers ${JSON.stringify(owner)} to ${JSON.stringify(other)}`, (t) => {
    for (const refs of [
      createRefs(owner, other),
      ...(versionSlug(other) === other ? [] : [createRefs(other, owner)]),
    ]) {
      const { slugs, conflicts } = assignSlugs(refs, 'elsewhere');
      t.deepEqual([[...slugs.keys()], [...conflicts.keys()]], [[owner], [other]]);
    }
  });
}

test('assignSlugs() leaves a slug to the ref that has it, and to the latest before all', (t) => {
  const refs = createRefs('a-b', 'a/b');
  t.deepEqual([...assignSlugs(refs, 'main', { holders: new Set(['a/b']) }).slugs.keys()], ['a/b']);
  t.deepEqual([...assignSlugs(refs, 'a/b', { holders: new Set(['a-b']) }).slugs.keys()], ['a/b']);
});

test('assignSlugs() keeps the alias latest for the latest version', (t) => {
  const refs: readonly Ref[] = createRefs('main', 'latest');
  t.regex(assignSlugs(refs, 'main').conflicts.get('latest')!.message, /"latest".*"main"/);
  t.is(assignSlugs(refs, 'latest').slugs.get('latest'), 'latest');
  t.true(assignSlugs(createRefs('main', 'LATEST'), 'main').conflicts.has('LATEST'));
});

test('assignSlugs() keeps the names of the files of the site', (t) => {
  const { slugs, conflicts } = assignSlugs(createRefs('main', 'INDEX.html', '404.html'), 'main');
  t.deepEqual([[...slugs.keys()], [...conflicts.keys()].sort()], [['main'], ['404.html', 'INDEX.html']]);
});
