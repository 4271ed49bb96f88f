import test from 'ava';
import { findIncludes } from '../../../../builder/markdown/include/include-references.ts';
import { renderPage } from '../render-page.ts';

const flat = (text: string): string => renderPage(text).html.replace(/\n/g, '');

test('MyST: options of directives in colons are no text', (t) => {
  const html = flat(
    '::::{grid} 1 2 2 3\n:gutter: 1\n\n:::{grid-item-card} {octicon}`plug;1em` Plug\n:link: guide.md\n:link-type: doc\n\nText\n+++\n[More](more.md)\n:::\n\n::::\n\nAfter\n',
  );
  t.is(
    html,
    '<div class="container grid"><div class="container card"><p class="container-title"><a href="{guide.md}"> Plug</a></p>' +
      '<p>Text</p><p><a href="{more.md}">More</a></p></div></div><p>After</p>',
  );
});

test('MyST: directives include Markdown and code, and say why they cannot', (t) => {
  const text =
    '```{include} parts/a.md\n```\n\n> ~~~{literalinclude} b.js\n> :language: js\n> ~~~\n\n:::{include} /parts/a.md\n:::\n\n```{include} no.md\n```\n';
  t.deepEqual(
    findIncludes(text).map(({ kind, path }) => `${kind} ${path}`),
    ['markdown parts/a.md', 'markdown b.js', 'markdown /parts/a.md', 'markdown no.md'],
  );
  const includes = new Map(Object.entries({ 'docs/parts/a.md': 'Part *a*.\n', 'docs/b.js': 'let b;\n' }));
  const { html, warnings } = renderPage(text, { includes, pagePath: 'docs/page.md', sourceDir: 'docs' });
  t.is(html.match(/Part <em>a<\/em>/g)?.length, 2);
  t.regex(html, /data-language="js"/);
  t.deepEqual(
    warnings.map(({ line, message }) => `${line}: ${message}`),
    ['11: Cannot include "no.md": file does not exist'],
  );
});

test('MyST: callouts in colons may have options, other containers are as before', (t) => {
  t.is(
    flat(':::{note} Title\n:class: x\n\nText\n:::\n'),
    '<div class="callout note"><p class="callout-title">Title</p><p>Text</p></div>',
  );
  t.is(flat(':::{note} Title\nText\n:::\n'), flat(':::note Title\nText\n:::\n'));
  t.regex(flat(':::{card} :x:\n\nText\n'), /:::/);
});

test('MyST: directives in colons mean what they mean in fences', (t) => {
  const inFence = (text: string): string => flat(text.replaceAll(':::', '```'));
  for (const text of [
    ':::{versionadded} 1.2\nText\n:::\n',
    ':::{code-block} js\nlet a;\n:::\n',
    ':::{toctree}\na\nb\n:::\n',
    ':::{seealso}\nText\n:::\n',
  ]) {
    t.is(flat(text), inFence(text), text);
  }
  t.regex(
    flat('::::{tab-set}\n:::{tab-item} A\nOne\n:::\n:::{tab-item} B\nTwo\n:::\n::::\n'),
    /label[^>]*>A<.*One.*label[^>]*>B<.*Two/,
  );
  t.regex(flat(':::{card} Title\nHead\n^^^\nText\n+++\nFoot\n:::\n'), /Title.*<p>Head<\/p><p>Text<\/p><p>Foot<\/p>/);
  t.is(flat('(a/b-c)=\n'), '<span id="a/b-c"></span>');
});

test('MyST: comments and block breaks are left out of pages with directives alone', (t) => {
  const text = '% A comment\n\nText\n% more\n\n+++ {"a": 1}\n\n100\n% of it\n';
  t.is(flat(`\`\`\`{note}\nHi\n\`\`\`\n\n${text}`).replace(/^<div.*?<\/div>/, ''), '<p>Text</p><p>100</p>');
  t.regex(flat(text), /% A comment.*% more.*\+\+\+ .*% of it/);
});

test('MyST: a span has attributes, a defined link keeps its own', (t) => {
  t.is(
    flat('A [*span* of text]{.wide #here} and [x]{nothing here}.\n'),
    '<p>A <span id="here" class="wide"><em>span</em> of text</span> and [x]{nothing here}.</p>',
  );
  t.is(flat('[a]{.wide}\n\n[a]: b.md\n'), '<p><a href="{b.md}" class="wide">a</a></p>');
});

test('MyST: settings for what follows show nothing, wrappers their content', (t) => {
  for (const name of [
    'currentmodule',
    'py:currentmodule',
    'module',
    'default-domain',
    'highlightlang',
    'sectionauthor',
  ]) {
    const { html, warnings } = renderPage(`\`\`\`{${name}} anvil.forge\n\`\`\`\n\nText\n\n:::{${name}} anvil\n:::\n`);
    t.is(html, '<p>Text</p>', name);
    t.deepEqual(warnings, []);
  }
  t.is(flat('```{rst-class} wide\nText *x*\n```\n'), '<p>Text <em>x</em></p>');
});
