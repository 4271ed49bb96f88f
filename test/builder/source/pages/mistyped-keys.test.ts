import test from 'ava';
import { readPageMeta } from '../../../../builder/source/pages/page-meta.ts';

/** Returns the problems of keys, without those of values. */
const judge = (...keys: readonly string[]): readonly string[] =>
  readPageMeta(Object.fromEntries(keys.map((key) => [key, 'x'])), undefined, () => 3)
    .problems.filter(({ message }) => message.startsWith('Unknown key'))
    .map(({ line, message }) => `${line} ${message}`);

const MISTYPED: readonly (readonly [key: string, meant: string])[] = [
  ['titel', 'title'],
  ['Title', 'title'],
  ['descripton', 'description'],
  ['desciptoin', 'description'],
  ['edit-link', 'editLink'],
  ['oder', 'order'],
  ['sidbar', 'sidebar'],
  ['hiden', 'hidden'],
  ['outlne', 'outline'],
  ['nxet', 'next'],
  ['redirect_form', 'redirect_from'],
  ['sidebar_postion', 'sidebar_position'],
];

for (const [key, meant] of MISTYPED) {
  test(`readPageMeta() takes the key ${key} for a mistyped ${meant}`, (t) => {
    t.deepEqual(judge(key), [`3 Unknown key "${key}": did you mean "${meant}"?`]);
  });
}

test('readPageMeta() says nothing about keys of other tools', (t) => {
  const others =
    'tags authors categories series images icon lead tile mode text editLinks featured slugs pageClass lastmod linkTitle nav_order toc_hide bookHidden cascade headless published x 标题 @sveltejs/kit __proto__ constructor';
  t.deepEqual(judge(...others.split(' ')), []);
  t.deepEqual(judge('x'.repeat(100_000)), []);
});

test('readPageMeta() says nothing where the right key stands, too', (t) => {
  t.deepEqual(judge('titel', 'title'), []);
});

test('readPageMeta() ignores the case of keys with Hugo', (t) => {
  t.deepEqual(readPageMeta({ Title: 'x', LinkTitle: 'y' }, 'hugo').problems, []);
});

test('readPageMeta() judges no more than ten keys', (t) => {
  const keys = [...'abcdefghijklm'].map((letter) => `sidebar_positio${letter}`);
  t.is(judge(...keys).length, 10);
});

test('readPageMeta() says which keys inside of a landing page were mistyped, and where they are', (t) => {
  const data = {
    layout: 'home',
    hero: {
      nmae: 'N',
      tagline: 'T',
      image: { scr: 'a.svg' },
      actions: [
        { text: 'A', lnk: 'a.md' },
        { text: 'B', link: 'b.md' },
      ],
    },
    features: [
      { title: 'F', details: '', icon: { src: 'a.svg', drak: 'b.svg' } },
      { titel: 'G', span: 2 },
    ],
    logos: { itmes: [] },
    closing: { titel: 'C', title: 'D' },
  };
  const asked: string[] = [];
  const { problems } = readPageMeta(data, undefined, (path) => asked.push(path.join('.')));
  const said = problems
    .filter(({ message }) => message.startsWith('Unknown key'))
    .map(({ line, message }) => [asked[line - 1], message]);
  t.deepEqual(said, [
    ['hero.nmae', 'Unknown key "hero.nmae": did you mean "name"?'],
    ['hero.image.scr', 'Unknown key "hero.image.scr": did you mean "src"?'],
    ['hero.actions.0.lnk', 'Unknown key "hero.actions.lnk": did you mean "link"?'],
    ['features.1.titel', 'Unknown key "features.titel": did you mean "title"?'],
    ['features.0.icon.drak', 'Unknown key "features.icon.drak": did you mean "dark"?'],
    ['logos.itmes', 'Unknown key "logos.itmes": did you mean "items"?'],
  ]);
});
