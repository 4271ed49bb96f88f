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
  const { html, warnings } = render(
    ':video-thing{title="A talk" videoId="x"}\n\n:u-icon{name="i-x"}\n\n:thing{a="x"}\n\nb\n',
  );
  t.is(html, '<p>A talk</p>\n<p>b</p>');
  t.deepEqual(
    warnings.map(({ line, code }) => [line, code]),
    [
      [1, 'inert-tag'],
      [5, 'inert-tag'],
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

test('Nuxt Content: the parts of a component stand in their order, without the names of their places', (t) => {
  const { html, warnings } = render(
    '::u-page-section\n#title\nBuild [it]{.text-brand} `now`\n\n#description\nWords\n\n  :::u-button{to="/start"}\n  Get **started**\n  :::\n#links\n:hero-links\n```md\n#title\n```\n::\nend\n',
  );
  t.regex(html, /^<div class="container section">\n<p class="container-title">Build it now<\/p>\n<p>Words<\/p>/);
  t.regex(html, /<p><a [^>]*class="button primary"[^>]*>Get started<\/a><\/p>/);
  t.regex(html, /<code>#title<\/code>/);
  t.notRegex(html, /#description|#links|hero-links/);
  t.regex(html, /<\/div>\n<p>end<\/p>$/);
  t.deepEqual(
    warnings.map(({ line, message }) => [line, message]),
    [[12, 'Tag <hero-links> belongs to another generator and was left out']],
  );
});

test('Nuxt Content: buttons without a text have their label, and pictures for two schemes are the light one', (t) => {
  t.regex(html('::u-button\n---\nlabel: Go\nto: /x\n---\n::'), /^<p><a [^>]*class="button primary"[^>]*>Go<\/a><\/p>$/);
  t.regex(html('::thing\n#title\nA :br B\n::'), />A B</);
  const { html: image, slots } = render(':u-color-mode-image{.w-full.top-0 light="/a.svg" dark="/b.svg" alt="A"}\n');
  t.regex(image, /<img [^>]*alt="A"/);
  t.deepEqual(
    slots.map(({ url }) => url),
    ['/a.svg'],
  );
});

test('Nuxt Content: a callout that leads somewhere keeps its title, and has a link below', (t) => {
  const { html, slots } = render('::tip{to="/x/first-steps#a"}\nText\n::\n');
  t.regex(
    html,
    /^<div class="callout tip">\n<p class="callout-title">Tip<\/p>\n<p>Text<\/p>\n<p><a [^>]*>First steps<\/a><\/p>\n<\/div>$/,
  );
  t.deepEqual(
    slots.map(({ url }) => url),
    ['/x/first-steps#a'],
  );
});

test('Nuxt Content: what is reported has the name that its author wrote', (t) => {
  t.deepEqual(
    render('::u-thing\nx\n::\n').warnings.map(({ message }) => message),
    ['Tag <u-thing> belongs to another generator and was left out'],
  );
});

test('Nuxt Content: an accordion with a title is details, players are links, lists with icons are lists', (t) => {
  t.regex(html('::accordion{title="Q"}\nx\n::'), /<summary>Q<\/summary>/);
  t.regex(html(':video-accordion{title="A" videoId="1" platform="vimeo"}\n'), /href="https:\/\/vimeo\.com\/1"[^>]*>A</);
  t.regex(html(':video-accordion{title="A" videoId="1"}\n'), /href="https:\/\/www\.youtube\.com\/watch\?v=1"/);
  const { html: list, warnings } = render('::list{type="success"}\n- a\n::');
  t.is(list, '<ul>\n<li>a</li>\n</ul>');
  t.deepEqual(warnings, []);
});

test('Nuxt Content: a fence inside of code with more marks hides no place, and one with a language closes nothing', (t) => {
  t.regex(html('::thing\n```md\n```js\n#title\n```\n#description\nx\n::'), /```js\n#title[\s\S]*<p>x<\/p>$/);
  t.is(html('a\n:pm-foo\nb'), '<p>a\n:pm-foo\nb</p>');
});

test('Nuxt Content: a title of several lines stays where it is, and marks outside of components are text', (t) => {
  t.is(html('::thing\n#title\na\n\nb\n::'), '<p>a</p>\n<p>b</p>');
  t.is(html('#title\na'), '<p>#title\na</p>');
  t.is(html(':hero-links\n'), '<p>:hero-links</p>');
  t.is(html('a\n:br\nb'), '<p>a</p>\n<p>b</p>');
});

test('Nuxt Content: components of Nuxt UI, Docus and Undocs are what they stand for', (t) => {
  t.regex(html('::prose-tip\nx\n::'), /^<div class="callout tip">/);
  t.regex(
    html('::tabs\n  :::tabs-item{label="A" icon="i-x"}\n  x\n  :::\n::'),
    /class="tab-label"[^>]*>A<[\s\S]*<p>x<\/p>/,
  );
  t.regex(
    html('::accordion\n  :::accordion-item{label="Q"}\n  x\n  :::\n::'),
    /^<details[^>]*>\n<summary>Q<\/summary>\n<p>x<\/p>\n<\/details>$/,
  );
  t.regex(html('::code-tree\n```ts [a.ts]\na\n```\n```ts [b.ts]\nb\n```\n::'), />a\.ts<[\s\S]*>b\.ts</);
  t.regex(
    html('::field-group\n  :::field{name="maxAge" type="number" required}\n  Seconds\n  :::\n::'),
    /^<div class="container field">\n<p class="container-title">maxAge<\/p>\n<p><code>number<\/code> · <code>required<\/code><\/p>\n<p>Seconds<\/p>\n<\/div>$/,
  );
});

test('Nuxt Content: commands are shown for each package manager', (t) => {
  const commands = (text: string): readonly string[] =>
    [...html(text).matchAll(/<code[^>]*>([\s\S]*?)<\/code>/g)].map(([, code]) => code!.replace(/<[^>]*>/g, '').trim());
  t.deepEqual(commands(':pm-install{name="a b@2" dev}\n'), [
    'npm install -D a b@2',
    'yarn add -D a b@2',
    'pnpm add -D a b@2',
    'bun add -d a b@2',
    'deno add --dev npm:a npm:b@2',
  ]);
  t.deepEqual(commands('a\n::pm-x{command="create-x <name>"}\n::\n'), [
    'npx create-x &lt;name&gt;',
    'yarn dlx create-x &lt;name&gt;',
    'pnpm dlx create-x &lt;name&gt;',
    'bunx create-x &lt;name&gt;',
    'deno run -A npm:create-x &lt;name&gt;',
  ]);
  t.is(commands(':pm-run{script="dev"}')[4], 'deno task dev');
  t.is(html(':pm-run{x="dev"}'), '');
});
