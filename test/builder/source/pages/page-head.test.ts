import test from 'ava';
import { readHead } from '../../../../builder/source/pages/page-frame.ts';

const read = (value: unknown) => readHead(value, (path) => 10 + Number(path[1] ?? 0));
const reasons = (value: unknown): readonly string[] => read(value).problems.map(({ message }) => message);

test('readHead() accepts meta and link elements in the notations of VitePress and Starlight', (t) => {
  const { head, problems } = read([
    ['meta', { name: 'keywords', content: 'a, b' }],
    { tag: 'meta', attrs: { property: 'og:image', content: 'https://example.test/x.png', onclick: 'x()' } },
    ['link', { rel: 'license', href: 'https://example.test/mit', media: 'print' }],
  ]);
  t.deepEqual(problems, []);
  t.deepEqual(head, [
    {
      tag: 'meta',
      attributes: [
        ['name', 'keywords'],
        ['content', 'a, b'],
      ],
    },
    {
      tag: 'meta',
      attributes: [
        ['property', 'og:image'],
        ['content', 'https://example.test/x.png'],
      ],
    },
    {
      tag: 'link',
      attributes: [
        ['rel', 'license'],
        ['href', 'https://example.test/mit'],
      ],
    },
  ]);
});

const REFUSED: readonly (readonly [item: unknown, reason: RegExp])[] = [
  [['script', { src: 'https://evil.example/x.js' }], /not "script"$/],
  [['SCRIPT', {}, 'alert(1)'], /not "script"$/],
  [['style', {}, 'body{}'], /not "style"$/],
  [['base', { href: 'https://evil.example/' }], /not "base"$/],
  [['meta', { 'http-equiv': 'refresh', content: '0; url=https://evil.example/' }], /needs "name" or "property"/],
  [['meta', { name: 'referrer', content: 'unsafe-url' }], /named "referrer"/],
  [['meta', { name: 'viewport', content: 'width=1' }], /named "viewport"/],
  [['meta', { charset: 'utf-7' }], /needs "name"/],
  [['meta', { name: 'og:title\nx', content: 'a' }], /is not allowed/],
  [['link', { rel: 'stylesheet', href: 'https://evil.example/x.css' }], /rel "stylesheet"/],
  [['link', { rel: 'alternate stylesheet', href: 'https://evil.example/x.css' }], /rel "alternate stylesheet"/],
  [['link', { rel: 'preconnect', href: 'https://evil.example' }], /rel "preconnect"/],
  [['link', { rel: 'icon', href: 'https://evil.example/x.ico' }], /rel "icon"/],
  [['link', { rel: 'me', href: 'javascript:alert(1)' }], /absolute URL/],
  [['link', { rel: 'me', href: '//evil.example' }], /absolute URL/],
  [['link', { rel: 'me' }], /absolute URL/],
  ['meta', /must name an element/],
  [null, /must name an element/],
  [{ tag: {}, attrs: [] }, /must name an element/],
];

for (const [item, reason] of REFUSED) {
  test(`readHead() refuses ${JSON.stringify(item)}`, (t) => {
    const { head, problems } = read([item]);
    t.deepEqual(head, []);
    t.is(problems.length, 1);
    t.is(problems[0]!.line, 10);
    t.regex(problems[0]!.message, reason);
  });
}

test('readHead() bounds what it takes', (t) => {
  const { head } = read([['meta', { name: 'keywords', content: 'x'.repeat(5000) }]]);
  t.is(head[0]!.attributes[1]![1].length, 1000);
  const many = Array.from({ length: 60 }, () => ['meta', { name: 'author', content: 'x' }]);
  t.is(read(many).head.length, 50);
  t.deepEqual(reasons(many), ['"head" has more than 50 elements; the others are left out']);
  t.deepEqual(read({ meta: 1 }), { head: [], problems: [] }, 'what is no list belongs to another tool');
});
