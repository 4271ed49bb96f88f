import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readOwnTemplates } from '../../../builder/compose/own-templates.ts';
import { TEMPLATE_VARIABLES } from '../../../builder/compose/template-variables.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const PAGE = `{% extends "docbuild/page.njk" %}
{% block head_end %}<meta name="x" content="{{ page.title }}">{% endblock %}
{% block content_start %}<p>start</p>{% endblock %}
{% block content_end %}<p>end</p>{% endblock %}
{% block body_end %}<i>{{ text.edit }}</i>{% endblock %}
`;

test('readOwnTemplates() reads the templates of a folder, and refuses others', (t) => {
  const folder = createFolder(t);
  t.throws(() => readOwnTemplates(folder), { code: 'bad-option', message: /has none of page\.njk/ });
  writeFileSync(join(folder, 'footer.njk'), 'Mine');
  writeFileSync(join(folder, 'notes.txt'), 'x');
  t.deepEqual(readOwnTemplates(folder), { 'footer.njk': 'Mine' });
  writeFileSync(join(folder, 'redirect.njk'), 'x');
  t.throws(() => readOwnTemplates(folder), { code: 'bad-option', message: /"redirect\.njk" is not one of/ });
  t.throws(() => readOwnTemplates(join(folder, 'none')), { code: 'bad-option', message: /must be a folder/ });
});

test('buildSite() lets an operator change templates, and never one of the repository', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# A & B\n',
    'docs/footer.njk': 'evil',
    'templates/site/footer.njk': 'evil',
    'templates/footer.njk': 'evil',
  });
  const site = createSite(t);
  const read = (): string => site.read('en/main/index.html');
  await site.build(repository.folder);
  const plain = read();
  const templates = { 'page.njk': PAGE, 'footer.njk': '<footer>{{ theme.siteTitle }}: mine</footer>' };
  await site.build(repository.folder, { templates });
  t.regex(read(), /<meta name="x" content="A &amp; B">\s*<\/head>/);
  t.regex(read(), /<article id="_article" class="prose">\s*<p>start<\/p><h1[\s\S]*<\/h1>\s*<p>end<\/p><\/article>/);
  t.regex(read(), /<footer>[^<]*: mine<\/footer>/);
  t.regex(read(), /<i>Edit this page<\/i>\s*<\/body>/);
  t.regex(site.read('404.html'), /: mine<\/footer>/, 'shared parts change everywhere');
  await site.build(repository.folder);
  t.is(read(), plain);
  t.notRegex(plain, /evil/);
});

const IN_PAGE = '{% extends "docbuild/page.njk" %}\n{% block content_end %}\n';

/** Templates with a mistake, and where and how it is described. */
const MISTAKES: readonly (readonly [file: string, text: string, message: string])[] = [
  ['footer.njk', 'a\n{% if %}\n', 'footer.njk:2: unexpected token: %}'],
  [
    'footer.njk',
    'a\n\nx {{ nothing.there }}\n',
    'footer.njk:3: "nothing.there" has no value: there is no variable "nothing" here',
  ],
  ['footer.njk', 'a\n{% include "none.njk" %}\n', 'footer.njk:2: There is no template "none.njk"'],
  [
    'footer.njk',
    'a\n{% include "docbuild/foter.njk" %}',
    'footer.njk:2: There is no template "docbuild/foter.njk"; did you mean "docbuild/footer.njk"?',
  ],
  ['footer.njk', 'a\n\n{{ theme.siteTitle | uper }}\n', 'footer.njk:3: There is no filter "uper"'],
  [
    'footer.njk',
    'a\n\n{{ theme.sitetitle }}\n',
    'footer.njk:3: "theme.sitetitle" has no value: "theme" has no "sitetitle"; did you mean "siteTitle"?',
  ],
  [
    'footer.njk',
    'a\n\n{{ theme.favicon }}\n',
    'footer.njk:3: "theme.favicon" has no value on every page: write {% if theme.favicon %} … {% endif %} around it',
  ],
  [
    'footer.njk',
    'a\n\n{{ theme.siteTitle() }}\n',
    'footer.njk:3: Unable to call `theme["siteTitle"]`, which is not a function',
  ],
  ['head.njk', '{% for a in [{}] %}\n{{ a.b.c }}\n{% endfor %}', 'head.njk:2: "a.b.c" has no value'],
  [
    'page.njk',
    `${IN_PAGE}{{ page.nix.da }}{% endblock %}`,
    'page.njk:3: "page.nix.da" has no value: "page" has no "nix"',
  ],
  [
    'page.njk',
    `${IN_PAGE}{{ super() }}\n{{ pag.title }}{% endblock %}`,
    'page.njk:4: "pag.title" has no value: there is no variable "pag" here; did you mean "page"?',
  ],
  ['page.njk', `${IN_PAGE}{% endblok %}`, 'page.njk:3: unknown block tag: endblok'],
  [
    'page.njk',
    '{% extends "docbuild/page.njk" %}\n\n{% block content_ende %}{% endblock %}',
    'page.njk:3: Block "content_ende" would not be shown: "docbuild/page.njk" has body_end, content_end, content_start, head_end',
  ],
  [
    'not-found.njk',
    'x\n{{ page.title }}',
    'not-found.njk:2: "page.title" has no value: there is no variable "page" here',
  ],
];

for (const [index, [file, text, message]] of MISTAKES.entries()) {
  test(`buildSite() says once in which template a mistake is, at which line, and what it is: ${index + 1}`, async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# A\n' });
    const error = await createSite(t).fail(repository.folder, { templates: { [file]: text } });
    t.is(error.code, 'bad-option');
    t.is(error.message, `A template cannot be used: ${message}`);
  });
}

test('buildSite() finds a mistake in one template beside others that have none', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# A\n', 'docs/b.md': '# B\n' });
  const templates = {
    'page.njk': `${IN_PAGE}{{ super() }}<p>end</p>{% endblock %}`,
    'header.njk': 'Header\n{% include "docbuild/header.njk" %}',
    'footer.njk':
      '{% set end = "x" %}\n{% include "docbuild/footer.njk" %}\n{{ end }}{{ page.titel if page is defined }}',
  };
  const site = createSite(t);
  const error = await site.fail(repository.folder, { templates });
  t.regex(
    error.message,
    /used: footer\.njk:3: "page\.titel if page is defined" has no value: "page" has no "titel"; did you mean "title"\?$/,
  );
  await site.build(repository.folder, { templates: { ...templates, 'footer.njk': 'Footer' } });
  t.regex(site.read('en/main/b.html'), /Header[\s\S]*<h1[\s\S]*<p>end<\/p>[\s\S]*Footer/);
});

test('templates get the variables that are documented', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '---\nlayout: home\nhero: {name: N}\n---\n', 'docs/b.md': '# B\n' });
  const list = (names: readonly string[]): string =>
    names.map((name) => `{{ "${name}" if ${name} is not defined }}`).join('');
  // What may be nothing is not defined then.
  const sure = (rows: Readonly<Record<string, string>>): readonly string[] =>
    Object.keys(rows).filter((name) => !rows[name]!.includes('or nothing'));
  const { 'All templates': all, Pages: ofPages, page, theme } = TEMPLATE_VARIABLES;
  const shared = [...sure(all), ...sure(theme).map((name) => `theme.${name}`)];
  const onPages = [...shared, ...sure(ofPages), ...sure(page).map((name) => `page.${name}`)];
  const site = createSite(t);
  await site.build(repository.folder, {
    templates: {
      'page.njk': `{% extends "docbuild/page.njk" %}{% block content_end %}[${list(onPages)}]{% endblock %}`,
      'footer.njk': `[${list(shared)}]`,
      'home.njk': `[${list(['home.features', 'home.actions'])}]`,
    },
  });
  // Names that are missing would stand in the brackets.
  t.regex(site.read('en/main/b.html'), /\[\]<\/article>[\s\S]*\[\]/);
  t.regex(site.read('en/main/index.html'), /\[\][\s\S]*\[\]<\/article>/);
  t.regex(site.read('404.html'), /\[\]/);
});
