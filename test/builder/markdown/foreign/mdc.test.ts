import test from 'ava';
import { renderPage } from '../render-page.ts';

const render = (text: string) => renderPage(text);
const html = (text: string) => render(text).html;

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

test('Nuxt Content: containers have two colons, and more inside', (t) => {
  t.is(
    html('::tip{title="Mind"}\nx\n::\ny'),
    '<div class="callout tip">\n<p class="callout-title">Mind</p>\n<p>x</p>\n</div>\n<p>y</p>',
  );
  t.regex(
    html('::card-group\n:::card{title="A"}\nx\n:::\n\n  :::note\n  y\n  :::\n::\nz'),
    /^<div class="container cardgroup">\n<div class="container card">[\s\S]*<p>x<\/p>\n<\/div>\n<div class="callout note">[\s\S]*<p>y<\/p>\n<\/div>\n<\/div>\n<p>z<\/p>$/,
  );
  t.regex(
    html('a\n::note\n---\nicon: i-x\n---\nx\n::'),
    /^<p>a<\/p>\n<div class="callout note">\n.*\n<p>x<\/p>\n<\/div>$/,
  );
  t.regex(html('::code-group\n```sh [npm]\na\n```\n```sh [yarn]\nb\n```\n::'), /class="tabs code-group"/);
});

test('Nuxt Content: two colons that open or close nothing are text', (t) => {
  for (const text of ['::tip\nx', 'a\n::\nb', '::tip and more\nx\n::', '::std::vec\n::', '::tip\nx\n:::'])
    t.false(/<div/.test(html(text)), text);
  t.regex(html('::: tip\n::\nx\n:::\nz'), /<p>::\nx<\/p>\n<\/div>\n<p>z<\/p>$/);
  t.regex(html('::tip\n:::\nx\n::\nz'), /<p>x<\/p>\n<\/div>\n<p>z<\/p>$/);
});

test('Nuxt Content: links and words in properties of components are shown, and so is what unknown ones hold', (t) => {
  const card = render(':::card{title="A" to="/x/first-steps"}\nText\n:::\n');
  t.regex(card.html, /<p class="container-title"><a [^>]*>A<\/a><\/p>\n<p>Text<\/p>/);
  t.deepEqual(
    card.slots.map(({ url }) => url),
    ['/x/first-steps'],
  );
  t.regex(html('::read-more{to="/x/first-steps"}\n::'), /<a [^>]*>First steps<\/a>/);
  t.regex(
    html('::u-page-card\n---\ntitle: "T"\ndescription: D\nto: /x\n---\nText\n::'),
    />T<\/a>[\s\S]*<p>D<\/p>\n<p>Text<\/p>/,
  );
  const unknown = render('a\n\n::thing\nText\n::\n');
  t.is(unknown.html, '<p>a</p>\n<p>Text</p>');
  t.deepEqual(
    unknown.warnings.map(({ line, code }) => [line, code]),
    [[3, 'inert-tag']],
  );
});
