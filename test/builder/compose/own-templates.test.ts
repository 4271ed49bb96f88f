import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readOwnTemplates } from '../../../builder/compose/own-templates.ts';
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
  t.regex(read(), /<article class="prose">\s*<p>start<\/p><h1[\s\S]*<\/h1>\s*<p>end<\/p><\/article>/);
  t.regex(read(), /<footer>[^<]*: mine<\/footer>/);
  t.regex(read(), /<i>Edit this page<\/i>\s*<\/body>/);
  t.regex(site.read('404.html'), /: mine<\/footer>/, 'shared parts change everywhere');
  await site.build(repository.folder);
  t.is(read(), plain);
  t.notRegex(plain, /evil/);
});

test('buildSite() says what is wrong with a template of an operator', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# A\n' });
  const site = createSite(t);
  for (const text of ['{% if %}', '{{ nothing.there }}', '{% include "none.njk" %}']) {
    const error = await site.fail(repository.folder, { templates: { 'footer.njk': text } });
    t.is(error.code, 'bad-option', text);
    t.regex(error.message, /A template cannot be used/);
  }
});
