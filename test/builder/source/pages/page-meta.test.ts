import test from 'ava';
import { readPageMeta } from '../../../../builder/source/pages/page-meta.ts';
import fc from '../../../helpers/fast-check.ts';

const empty = {
  title: undefined,
  label: undefined,
  description: undefined,
  order: undefined,
  date: undefined,
  layout: 'doc',
  hero: undefined,
  features: [],
  logos: undefined,
  closing: undefined,
  hidesTitle: false,
  isSearchable: true,
  draft: undefined,
  visibility: 'listed',
  address: undefined,
  aliases: [],
  redirectTo: undefined,
  id: undefined,
  parent: undefined,
  frame: {
    hasSidebar: true,
    outline: [2, 3],
    previous: undefined,
    next: undefined,
    asksForButton: false,
    edit: undefined,
    updated: undefined,
    head: [],
    image: undefined,
  },
  problems: [],
} as const;

test('readPageMeta() reads title, description and order under the names other tools use', (t) => {
  t.deepEqual(readPageMeta({}), empty);
  t.deepEqual(readPageMeta({ title: ' Guide ', description: 2024, order: 3 }), {
    ...empty,
    title: 'Guide',
    description: '2024',
    order: 3,
  });
  for (const key of ['sidebar_position', 'nav_order', 'weight']) t.is(readPageMeta({ [key]: -1.5 }).order, -1.5);
  for (const [order, value] of [
    ['1.0', 1],
    ['010', 10],
    ['1e3', 1000],
    ['.5', 0.5],
    ['+2', 2],
    ['2nd', undefined],
  ] as const)
    t.is(readPageMeta({ order }).order, value, order);
});

test('readPageMeta() leaves out what is of another kind', (t) => {
  for (const data of [
    { title: ['x'], description: {}, order: 'third', layout: 'page', hero: 'x', features: 'x' },
    { title: '', order: Number.NaN, features: [null, 1, {}, { title: '' }] },
  ])
    t.deepEqual({ ...readPageMeta(data), problems: [] }, empty);
});

test('readPageMeta() reads a landing page', (t) => {
  const meta = readPageMeta({
    layout: 'home',
    hero: {
      name: 'N',
      text: 'T',
      tagline: 'G',
      image: { src: '/logo.svg', alt: 'Logo' },
      actions: [
        { text: 'Start', link: '/guide' },
        { text: 'Source', link: 'https://example.test/', theme: 'alt' },
        { text: 'No link' },
      ],
    },
    features: [
      { icon: '⚡', title: 'Fast', details: 'Very', link: 'fast.md', linkText: 'How' },
      { icon: 'fa-rocket-with-a-long-name', title: 'Safe' },
    ],
  });
  t.deepEqual(meta, {
    ...empty,
    layout: 'home',
    hero: {
      name: 'N',
      text: 'T',
      tagline: 'G',
      image: { url: '/logo.svg', alt: 'Logo', line: 1 },
      actions: [
        { text: 'Start', link: '/guide', primary: true, line: 1 },
        { text: 'Source', link: 'https://example.test/', primary: false, line: 1 },
      ],
    },
    features: [
      { icon: '⚡', title: 'Fast', details: 'Very', link: 'fast.md', linkText: 'How', line: 1 },
      { icon: undefined, title: 'Safe', details: '', link: undefined, linkText: undefined, line: 0 },
    ],
  });
});

test('readPageMeta() takes an image that is only an address', (t) => {
  t.deepEqual(readPageMeta({ hero: { image: 'a.png' } }).hero?.image, { url: 'a.png', alt: '', line: 1 });
});

test('readPageMeta() survives any data, and reads nothing that is inherited', (t) => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('title', 'order', 'hero', 'features', '__proto__'), fc.anything()),
      (data) => void readPageMeta(data),
    ),
  );
  t.deepEqual(readPageMeta(Object.create({ title: 'inherited', hero: { name: 'x' } })), empty);
});

test("readPageMeta() counts Zola's redirects from the root of the site", (t) => {
  const redirect = (to: string, generator: 'zola' | 'hugo') =>
    readPageMeta({ redirect_to: to }, generator).redirectTo?.url;
  t.is(redirect('guide/a', 'zola'), '/guide/a');
  t.is(redirect('https://x.example/a', 'zola'), 'https://x.example/a');
  t.is(redirect('@/guide/a.md', 'zola'), '@/guide/a.md');
  t.is(redirect('guide/a', 'hugo'), 'guide/a');
});
