import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { THEME_IDS } from '../../../../builder/markdown/page/page-state.ts';
import { packageFile } from '../../../../lib/package-file.ts';
import { renderDraft, renderPage } from '../render-page.ts';

/** Returns the ids of a page in the order of its HTML, those of formulas included. */
function listIds(text: string): readonly string[] {
  const { html, slots } = renderDraft(text);
  const filled = html.replace(/\0(\d+)\0/g, (_, number: string) => {
    const slot = slots[Number(number)]!;
    return slot.kind === 'formula' ? slot.html : '';
  });
  return [...filled.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!);
}

const hostile = `# Ids

## Foo

## Foo

## Foo 1

## Bar {#foo-2}

## Foo

## fn1

## fnref1

## fnref1-1

Text[^1] and again[^1], and ^[one in the text].

[^1]: Note.

## Tabs 1 1

=== "A"

    a

=== "B"

    b

## Tabs-1-2

## \\_content

## \\_toc-title

Text. {#_sidebar}

[a span]{#foo} <span id="foo">html</span>

<div id="Bar">html</div>

## Bar

\`\`\`js {#foo}
code
\`\`\`

## Code

\`\`\`js {#code}
code
\`\`\`

$$
a
$$ (sum)

## Sum

$$
\\begin{equation}\\label{product} b \\end{equation}
$$

$$
\\begin{equation}\\label{product} c \\end{equation}
$$

## Product

## constructor

## \\_\\_proto\\_\\_

## toString
`;

test('no id is given twice, whatever gives it', (t) => {
  const ids = listIds(hostile);
  t.deepEqual(
    ids.filter((id, at) => ids.indexOf(id) !== at),
    [],
  );
  t.true(ids.length > 35, ids.join(' '));
  t.false(ids.some((id) => THEME_IDS.includes(id)));
  for (const id of ['foo-2', 'fn1', 'fnref1', 'tabs-1-1', 'code', 'sum', 'constructor', '__proto__', 'tostring'])
    t.true(ids.includes(id), id);
});

test('ids that the author set come before made ones, wherever they stand', (t) => {
  const { html } = renderPage('## Code\n\n## Sum\n\n```js {#code}\na\n```\n\n$$\na\n$$ (sum)');
  t.regex(html, /<h2 id="code-1"/);
  t.regex(html, /<h2 id="sum-1"/);
  t.regex(html, /<div id="code" class="code-block"/);
  t.regex(html, /<div id="sum" class="formula"/);
});

test('headings come before footnotes and tabs, whose links and labels lead to their own', (t) => {
  const { html, ids } = renderPage('## fn1\n\na[^1]\n\n[^1]: Note.\n\n## Tabs 1 1\n\n=== "A"\n\n    a');
  t.regex(html, /<h2 id="fn1"/);
  t.regex(html, /<a href="#fn1-1" id="fnref1">1<\/a>/);
  t.regex(html, /<li id="fn1-1">/);
  t.regex(html, /<h2 id="tabs-1-1"/);
  t.regex(html, /id="tabs-1-1-1" checked><label class="tab-label" for="tabs-1-1-1">/);
  t.true(ids.includes('fn1-1'));
  t.false(ids.includes('tabs-1-1-1'));
});

test('an id that is used twice is reported with what became of it', (t) => {
  const text =
    '# A\n\n<b id="x">a</b>\n\nb {#x}\n\n<i id=x>c</i> <a id="y" name="y"></a>\n\n```js {#x}\n```\n\n## D {#x}';
  const { html, warnings } = renderPage(text);
  t.deepEqual(
    [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id),
    ['a', 'x-2', 'x', 'x-3', 'y', 'x-1', 'x-4'],
  );
  t.deepEqual(
    warnings.map(({ line, code }) => `${line} ${code}`),
    ['3', '7', '9', '12'].map((line) => `${line} duplicate-id`),
  );
  t.is(warnings[0]!.message, 'Id "x" is used twice; here it was changed to "x-2"');
  const [ours] = renderPage('a {#_toc}').warnings;
  t.is(ours!.message, 'Id "_toc" belongs to the page around the text and was changed to "_toc-1"');
});

test('headings of signs give way to a heading whose name is their id', (t) => {
  const { headings } = renderPage('## ::\n\n## !!!\n\n## ⚙️\n\n## Section\n\n## `**`\n\n## \n\n## -\n\n## Section 1');
  t.deepEqual(
    headings.map(({ id }) => id),
    ['section-2', 'section-3', 'section-4', 'section', 'section-5', 'section-6', 'section-7', 'section-1'],
  );
});

test('a heading of a picture has the text of the picture, and an empty one is no entry', (t) => {
  const { html, headings } = renderPage(
    '[[toc]]\n\n## ![Logo](a.png)\n\n## <img src="b.png" alt="Tom &amp; Jo">\n\n## ![](c.png)\n\n## \n\n## ::',
  );
  t.deepEqual(
    headings.map(({ text }) => text),
    ['Logo', 'Tom & Jo', '', '', '::'],
  );
  t.is(html.match(/<li>/g)!.length, 3);
  t.notRegex(html, /<a [^>]*><\/a>|Permalink: "/);
});

test('the ids of the theme are known', (t) => {
  const folder = packageFile('templates/site/');
  const templates = readdirSync(folder).filter((name) => name.endsWith('.njk'));
  const ids = templates.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/\sid="([^"{]*)"/g)].map(([, id]) => id!),
  );
  t.deepEqual([...new Set(ids)].sort(), [...THEME_IDS].sort());
});
