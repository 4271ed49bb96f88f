import test from 'ava';
import { renderPage } from '../render-page.ts';

const render = (text: string) => renderPage(text);

test('Nuxt Content: a component in a line that leads somewhere is a link', (t) => {
  const { html, slots, warnings } = render(
    'See :read-more{to="/docs/first-steps#a"} and :u-button{label="Go" to="https://a.test/" icon="i-x"}.\n',
  );
  t.regex(html, /^<p>See <a [^>]*>First steps<\/a> and <a href="https:\/\/a\.test\/"[^>]*>Go<\/a>\.<\/p>$/);
  t.deepEqual(
    slots.map(({ url }) => url),
    ['/docs/first-steps#a'],
  );
  t.deepEqual(warnings, []);
});

test('Nuxt Content: other components in a line show their titles, and are reported', (t) => {
  const { html, warnings } = render(':video-thing{title="A talk" videoId="x"}\n\n:u-icon{name="i-x"}\n\nb\n');
  t.is(html, '<p>A talk</p>\n<p>b</p>');
  t.deepEqual(
    warnings.map(({ line, code }) => [line, code]),
    [
      [1, 'inert-tag'],
      [3, 'inert-tag'],
    ],
  );
});

test('Nuxt Content: what has no properties is text, and so is code', (t) => {
  for (const text of ['a:b{to="c"}', ':b{c}', ':tada:', ':B{to="c"}', '`:b{to="c"}`', ':b{to="c"}d', '\\:b{to="c"}'])
    t.false(/<a /.test(render(`${text}\n`).html), text);
});
