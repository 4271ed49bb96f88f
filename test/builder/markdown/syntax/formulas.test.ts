import test from 'ava';
import type { Generator } from '../../../../builder/generators/generators.ts';
import { readSections } from '../../../../builder/markdown/draft-sections.ts';
import { dependsOnGenerator } from '../../../../builder/markdown/page/dialect.ts';
import { renderDraft, renderPage } from '../render-page.ts';

const render = (text: string, generator?: Generator, mdx = false) => renderPage(text, { generator, mdx });
const html = (text: string) => {
  const page = render(text).html;
  return /<p>.*<p>|<div/s.test(page) ? page : page.replace(/^<p>(.*)<\/p>$/s, '$1');
};
/** The formulas of a text as `‹text content›`, doubled if they are set apart. */
const shown = (text: string) =>
  html(text).replace(/<math( display="block")?[^>]*>(.*?)<\/math>/gs, (_, block: string | undefined, inner: string) => {
    const text = inner.replace(/<[^>]*>/g, '');
    return block === undefined ? `‹${text}›` : `‹‹${text}››`;
  });

test('a formula in a text becomes MathML', (t) => {
  t.is(html('a $x^2$.'), 'a <math><msup><mi>x</mi><mn class="tml-sml-pad">2</mn></msup></math>.');
  t.is(
    shown('设$a$为 $b_1$，($c$) **$d$**, $e$-th, the $n$th'),
    '设‹a›为 ‹b1›，(‹c›) <strong>‹d›</strong>, ‹e›-th, the ‹n›th',
  );
  t.is(shown('$`f(x)`$ and $a \\text{ and } b$'), '‹f(x)› and ‹a\u00a0and\u00a0b›');
  t.is(shown('$a_1$ and $b_2$, $x*y$ and $z*w$'), '‹a1› and ‹b2›, ‹x∗y› and ‹z∗w›');
  t.is(shown('two\n$a +\nb$ lines'), 'two\n‹a+b› lines');
  t.deepEqual(render('$a$').extras, ['formulas']);
});

test('spacing and braces of TeX are left to it', (t) => {
  t.true(html('$a\\,b\\;c\\!d$').includes('<mspace width="0.1667em">'));
  t.true(html('$\\{a\\}$').includes('{'));
  t.is(shown('$\\frac{1}{2}$ {{ x }}').includes('‹12›'), true);
  for (const generator of ['vitepress', 'jekyll', 'mkdocs'] as const)
    t.true(render('$\\frac{{a}}{{b}}$', generator).html.includes('<mfrac>'), generator);
  t.true(render('$\\frac{a}{b}$ and {1 + 1}', undefined, true).html.includes('<mfrac>'));
});

test('prices, variables and prose are no formulas', (t) => {
  for (const text of [
    '$5 and $10',
    '$5-$10, $5/$10, $5, $10',
    'US$5 and C$5',
    'admin:$$apr1$$… and $apr1$ x',
    '$\\{Ids\\}$\\{Names\\}',
    '$20 and 30 US$',
    'from $1.50 US$ on',
    '价格$5，$10',
    '$HOME and $PATH',
    '$HOME/$PATH:$FOO',
    '$(FOO)/$(BAR)',
    '$'.concat('{FOO}/$', '{BAR}'),
    '$FOO_BAR:$BAZ_QUX',
    '$ npm i and $ npm run',
    'echo $$ and $$',
    'foo$ and bar$',
    'use $el or click$ as names',
    '$END$ and $SELECTION$',
    '"$a" and "$b"',
    'a $x`y`$ b'.replace('`y`', '`'),
    '$ a$ and $a $',
    '\\$a$ b',
    'a \\$5 b\\$',
    '$',
    '$$',
    '$$$$',
    '$a',
  ]) {
    const page = render(text);
    t.false(page.html.includes('<math'), text);
    t.deepEqual(page.warnings, [], text);
    t.deepEqual(page.extras, [], text);
  }
  t.is(
    html('`$a$` and\n\n    $b$'),
    '<p><code>$a$</code> and</p>\n<div class="code-block"><pre tabindex="0"><code>$b$</code></pre></div>',
  );
});

test('a formula on lines of its own is set apart', (t) => {
  const block = (text: string) => shown(text);
  const apart = '<div class="formula" tabindex="0">‹‹a=b››</div>';
  for (const text of ['$$a = b$$', '$$\na = b\n$$', '$$a =\nb$$', '```math\na = b\n```', '$$ a = b $$  '])
    t.is(block(text), apart, text);
  t.is(block('text\n$$\na = b\n$$\ntext'), `<p>text</p>\n${apart}\n<p>text</p>`);
  t.is(block('- a\n\n  $$\n  a = b\n  $$\n'), `<ul>\n<li>\n<p>a</p>\n${apart}\n</li>\n</ul>`);
  t.is(block('> $$a = b$$'), `<blockquote>\n${apart}\n</blockquote>`);
  t.is(block('$$\na = b\n$$ (eq-1)'), apart.replace('<div', '<div id="eq-1"'));
  t.is(block('$$a = b$$ {#eq-1}'), apart.replace('<div', '<div id="eq-1"'));
  t.deepEqual(render('$$a$$ {#b}\n\n[x](#b)').ids, ['b']);
  t.is(shown('so $$a = b$$ holds'), 'so ‹‹a=b›› holds');
  t.is(shown('$$a$$ and $$b$$'), '‹‹a›› and ‹‹b››');
  t.regex(shown('$$\\text{if $x$}$$'), /‹‹if\u00a0x››/);
});

test('a formula ends at a blank line', (t) => {
  t.false(render('$$\na\n\nb\n$$').html.includes('<math'));
  t.false(render('$a\n\nb$').html.includes('<math'));
});

test("two dollar signs do not set a formula apart in a line of Jekyll's Markdown", (t) => {
  t.true(render('so $$a$$ holds', 'jekyll').html.includes('<p>so <math><mi>a'));
  t.true(render('$$a$$', 'jekyll').html.includes('<math display="block"'));
  t.true(dependsOnGenerator('so $$a$$ holds'));
  t.false(dependsOnGenerator('so $a$ holds'));
});

test('directives and roles of MyST are formulas', (t) => {
  const apart = /^<div class="formula" tabindex="0"><math display="block"/;
  for (const text of ['```{math}\n:label: eq\na = b\n```', ':::{math}\na = b\n:::']) {
    const page = render(text).html;
    t.regex(page, apart, text);
    t.false(page.includes('label'));
  }
  t.true(html('{math}`a^2`').startsWith('<math><msup>'));
  const aligned = render('```{math}\na &= b\n\nc &= d \\\\\n&= e\n```');
  t.is(aligned.html.match(/<mtr>/g)?.length, 3);
  t.deepEqual(aligned.warnings, []);
});

test('TeX that is wrong is shown, with a warning at its line', (t) => {
  const page = render('a\n\nb\nc $\\foo{<b>}$ d\n\n$$\n\\frac{a\n$$\n\n```math\n\\bar \\foo\n```\n');
  t.deepEqual(
    page.warnings.map(({ line, code, message }) => ({ line, code, message })),
    [
      { line: 4, code: 'formula', message: 'Formula "\\foo{<b>}" is shown as text: Unsupported function name: \\foo' },
      {
        line: 6,
        code: 'formula',
        message: `Formula "\\frac{a" is shown as text: Unexpected end of input in a macro argument, expected '}'`,
      },
      {
        line: 10,
        code: 'formula',
        message: 'Formula "\\bar \\foo" is shown as text: Unsupported function name: \\foo',
      },
    ],
  );
  t.true(page.html.includes('c <span class="formula-error">$\\foo{&lt;b&gt;}$</span> d'));
  t.true(page.html.includes('<code>\\frac{a</code>'));
  t.true(page.html.includes('<code>\\bar \\foo</code>'));
  t.deepEqual(page.extras, []);
});

test('TeX cannot link, load, set styles or reach other formulas', (t) => {
  for (const tex of [
    '\\href{javascript:alert(1)}{x}',
    '\\includegraphics{x.png}',
    '\\class{a}{x}',
    '\\id{a}{x}',
    '\\style{color:red}{x}',
    '\\data{a=b}{x}',
    '\\color{red;background:url(//a.example)}x',
    '\\htmlClass{a}{x}',
  ]) {
    t.is(render(`$${tex}$`).warnings.length, 1, tex);
  }
  t.false(html('$a<script>alert(1)</script>b"$').includes('<script'));
  t.false(html('$\\text{<img src=x onerror=y>}$').includes('<img'));
  t.true(html('$\\rule{900em}{900em}$').includes('width="50em" height="50em"'));
  const both = render('$\\gdef\\zz{x}\\zz$\n\n$\\zz$');
  t.deepEqual(
    both.warnings.map(({ line }) => line),
    [3],
  );
});

test('a reference to another formula is its name', (t) => {
  t.is(shown('see $\\eqref{eq:one}$'), 'see ‹(eq:one)›');
  t.is(shown('$a_1$ of $\\ref{eq_1}$'), '‹a1› of ‹eq_1›');
});

test('a formula that does not end, or expands without end is an error', (t) => {
  for (const tex of ['\\def\\a{\\a\\a}\\a', '{'.repeat(1000)]) t.is(render(`$$${tex}$$`).warnings[0]?.code, 'formula');
  t.regex(render(`\`\`\`math\n${'a'.repeat(6_000)}\n\`\`\``).warnings[0]!.message, /longer than 5000 characters$/);
});

test('macros count as work of the page', (t) => {
  const macros = `$\\def\\a{xx}\\def\\b{${'\\a'.repeat(400)}}\\b\\b$ `;
  t.throws(() => renderPage(macros.repeat(500)), { code: 'page-limit' });
});

test('formulas are words of headings, pictures and the search index', (t) => {
  const page = render('# About $x^2$\n\n![a $b$](c.png)');
  t.deepEqual(page.headings, [{ level: 1, id: 'about-x2', text: 'About x^2' }]);
  t.true(page.html.includes('alt="a b"'));
  const [section] = readSections(renderDraft('# T\n\nSee $\\alpha_1$.\n\n$$\n\\beta\n$$'));
  t.is(section!.text, 'See \\alpha_1. \\beta');
});

test('formulas survive when raw HTML is cleaned', (t) => {
  const page = renderPage('<b onclick="x">a</b> $x^2$ <math><mi>y</mi></math>', {}, { html: 'safe' });
  t.true(page.html.includes('<b>a</b> <math><msup><mi>x</mi>'));
  t.false(page.html.includes('<mi>y</mi>'));
});

test('formulas stay text where a project wants that', (t) => {
  const page = renderPage('$a$\n\n$$\nb\n$$\n\n```math\nc\n```', {}, { math: false });
  t.false(page.html.includes('<math'));
  t.deepEqual([page.extras, page.warnings], [[], []]);
  t.is(renderPage('$\\frac{a}{b}$', { mdx: true }, { math: false }).html, '<p>$\\frac{a}{b}$</p>');
});

test('references show the tags and numbers of equations, wherever these are on the page', (t) => {
  const shown = (text: string): string =>
    renderPage(text)
      .html.replace(/.*<p>/s, '')
      .replace(/<[^>]*>/g, '')
      .trim();
  const tagged = '$$\na = b \\tag{A}\\label{eq:a}\n$$\n\n';
  const numbered =
    '$$\n\\begin{align}\na &= b \\label{x}\\\\\nc &= d \\tag{*}\\label{y}\\\\\ne &= \\begin{pmatrix}f\\\\g\\end{pmatrix} \\label{z}\n\\end{align}\n$$\n\n';
  t.is(shown(`${tagged}See $\\eqref{eq:a}$, $\\ref{eq:a}$.\n`), 'See (A), A.');
  t.is(shown(`${numbered}$\\eqref{x}$ $\\eqref{y}$ $\\eqref{z}$ $\\ref{none}$\n`), '(1) (*) (2) none');
  t.regex(renderPage(`See $\\eqref{eq:a}$.\n\n${tagged}`).html, /^<p>See <math><mtext>\(A\)</);
  t.is(shown('```math\na \\tag{1}\\label{q}\n```\n\n$\\ref{q}$\n'), '1');
  t.is(shown('$$a \\tag{5\\%}\\label{p}$$\n\nIs $\\ref{p}$\n'), 'Is 5%');
});

test('references show tags of any kind, but none that would make a page grow', (t) => {
  const read = (tag: string) => {
    const page = renderPage(`By \\eqref{q}, $\\eqref{q}$\n\n$$a \\tag{${tag}}\\label{q}$$\n`);
    t.deepEqual(page.warnings, []);
    return /<p>By (.*?), <math>(.*?)<\/math>/s
      .exec(page.html)!
      .slice(1)
      .map((one) => one.replace(/<[^>]*>/g, ''));
  };
  t.deepEqual(read('a<b'), ['(a&lt;b)', '(a&lt;b)']);
  t.deepEqual(read('$\\alpha$'), ['(α)', '(α)']);
  t.deepEqual(read('A $x$'), ['(A\u00a0x)', '(A\u00a0x)']);
  t.deepEqual(read('\\{1\\}'), ['({1})', '({1})']);
  t.deepEqual(read('9'.repeat(51)), ['\\eqref{q}', '(q)']);
});

test('references in the text show them, too, where the page has an equation with a label', (t) => {
  const equation = '$$\na = b \\tag{A}\\label{eq:a_1}\n$$\n';
  const page = renderPage(
    `# About \\ref{eq:a_1}\n\nBy \\eqref{eq:a_1} and *\\ref{eq:a_1}*.\n\nSee\n\\eqref{none}, \`\\ref{eq:a_1}\`, \\\\ref{eq:a_1}\n\n${equation}`,
  );
  t.regex(page.html, /<h1[^>]*>About A <a .*<\/h1>\n<p>By \(A\) and <em>A<\/em>\.<\/p>/);
  t.regex(page.html, /<p>See\n\\eqref\{none\}, <code>\\ref\{eq:a_1\}<\/code>, \\ref\{eq:a_1\}<\/p>/);
  t.is(page.headings[0]!.text, 'About A');
  t.regex(renderPage(`![By \\ref{eq:a_1}, \\*](https://a.example/b.png)\n\n${equation}`).html, /alt="By A, \*"/);
  t.deepEqual(page.warnings, [
    {
      line: 6,
      code: 'formula',
      message: 'Reference "\\eqref{none}" leads to no equation of this page: it needs \\label{none}',
    },
  ]);
  for (const text of ['Write \\ref{x}.\n', 'Write \\ref{x}.\n\n```tex\n\\label{x}\n```\n']) {
    const plain = renderPage(text);
    t.regex(plain.html, /<p>Write \\ref\{x\}\.<\/p>/);
    t.deepEqual(plain.warnings, []);
  }
  t.regex(renderPage(`By \\ref{eq:a_1}\n\n${equation}`, {}, { math: false }).html, /<p>By \\ref\{eq:a_1\}<\/p>/);
});
