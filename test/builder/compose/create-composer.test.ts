import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import templates from '#site-templates';
import { createComposer } from '../../../builder/compose/create-composer.ts';
import { createEnvironment } from '../../../builder/compose/create-environment.ts';
import { findMessages, MESSAGE_LANGUAGES } from '../../../builder/compose/messages.ts';
import { type NavigationNode, renderListing } from '../../../builder/compose/render-sidebar.ts';
import { createTheme } from '../../../builder/compose/theme.ts';
import { packageFile } from '../../../lib/package-file.ts';
import { createPageModel } from '../../helpers/create-page-model.ts';

const composer = createComposer();
const nasty = `</title><script>alert('x')</script>"'&{{ 7 * 7 }}`;
const theme = createPageModel().theme;

test('composePage() gives the same bytes for the same model', (t) => {
  t.is(composer.composePage(createPageModel()), createComposer().composePage(createPageModel()));
});

test('composePage() escapes every plain text', (t) => {
  const link = { title: nasty, url: nasty };
  const entry = { ...link, icon: undefined, isOutside: true, isCurrent: true, links: [] };
  const feature = { icon: { text: nasty }, title: nasty, details: nasty, link };
  const html = composer.composePage({
    ...createPageModel(),
    theme: {
      siteTitle: nasty,
      feedback: nasty,
      style: nasty,
      logo: { url: nasty, dark: nasty },
      favicon: nasty,
      image: nasty,
      styles: [nasty],
      hidesTitle: true,
      social: [{ title: nasty, url: nasty, icon: nasty }],
      fonts: [{ use: 'body', type: nasty, url: nasty, lang: undefined }],
      scripts: [{ url: nasty, isModule: true, attributes: [['data-x', nasty]] }],
      liveScript: nasty,
      announcement: { text: nasty, url: nasty },
      footer: { text: [{ title: nasty, url: undefined }], columns: [] },
      repository: { url: nasty, icon: nasty, isLinked: false },
      button: { script: nasty, api: nasty, site: nasty, isSingle: true },
      switches: { api: nasty, site: nasty, isSingle: true, hasVersions: true, hasLanguages: true },
    },
    language: { tag: nasty, dir: 'ltr' },
    fallbackLanguage: { tag: nasty, dir: 'ltr' },
    layout: 'home',
    title: nasty,
    sourceUrl: nasty,
    description: nasty,
    root: nasty,
    assets: nasty,
    header: [entry, { ...entry, icon: 'github' }, { ...entry, links: [entry] }],
    start: nasty,
    list: nasty,
    home: {
      name: nasty,
      text: nasty,
      tagline: nasty,
      image: { url: nasty, alt: nasty },
      actions: [{ ...link, primary: true }],
      features: [feature, { ...feature, icon: { image: { url: nasty, dark: nasty, alt: nasty } } }],
    },
    toc: [{ level: 2, id: nasty, text: nasty }],
    breadcrumbs: [link],
    previous: link,
    next: link,
    editUrl: nasty,
    canonical: nasty,
  });
  t.false(html.includes('<script>alert'));
  t.true(html.split('{{ 7 * 7 }}').length > 20);
});

test('composePage() lets no link run a script', (t) => {
  const url = 'javascript:alert(1)';
  const html = composer.composePage(
    createPageModel({
      theme: {
        ...theme,
        logo: { url, dark: url },
        favicon: url,
        image: url,
        styles: [url],
        social: [{ title: 'x', url, icon: 'M0 0' }],
        fonts: [{ use: 'body', type: 'font/woff2', url, lang: undefined }],
        scripts: [{ url, isModule: false, attributes: [] }],
        announcement: { text: 'x', url },
      },
      header: [{ title: 'x', url, icon: undefined, isOutside: true, isCurrent: false, links: [] }],
      editUrl: url,
      canonical: url,
    }),
  );
  t.false(html.includes('javascript:'));
});

test('composePage() leaves the content as it is', (t) => {
  const content = '<p>{{ page.title }} {% raw %} $& $1 &amp; \\n</p>\n';
  t.true(composer.composePage(createPageModel({ content })).includes(content));
});

test('composePage() names title, description, canonical and language', (t) => {
  const canonical = 'https://example.test/en/latest/guide/install.html';
  const html = composer.composePage(createPageModel({ canonical }));
  t.true(html.startsWith('<!doctype html>\n<html lang="en" dir="ltr">\n'));
  t.true(html.includes('<title>Install | Example</title>'));
  t.true(html.includes('<meta name="description" content="How to install it">'));
  t.true(html.includes(`<link rel="canonical" href="${canonical}">`));
});

test('composePage() leaves out what is not there', (t) => {
  const html = composer.composePage(
    createPageModel({
      theme: { ...theme, footer: undefined, repository: undefined },
      header: [],
      description: '',
      toc: [],
      breadcrumbs: [],
      previous: undefined,
      next: undefined,
      editUrl: undefined,
      sourceUrl: undefined,
      updated: undefined,
      changes: undefined,
    }),
  );
  t.notRegex(
    html,
    /name="description"|breadcrumbs|_toc|pager|page-end|<footer|site-links|repository|announcement|canonical|undefined/,
  );
});

test('composePage() says which language a page without translation is in', (t) => {
  const html = composer.composePage(
    createPageModel({ language: { tag: 'fa', dir: 'rtl' }, fallbackLanguage: { tag: 'en', dir: 'ltr' } }),
  );
  t.true(html.includes('<html lang="fa" dir="rtl">'));
  t.regex(html, /<p class="notice">[^<]*انگلیسی[^<]*<\/p>\n<article id="_article" class="prose" lang="en" dir="ltr">/);
});

test('composePage() has no inline script, no inline style, and no address of another host but the author’s', (t) => {
  const html = composer.composePage(createPageModel());
  // Breadcrumbs are data, which no policy forbids.
  t.notRegex(html, /<script(?! (?:defer )?src=| type="application\/ld\+json">)|<style|\sstyle=|\son\w+=/);
  t.is(html.match(/<\/script>/g)?.length, html.match(/<script\b/g)?.length);
  t.deepEqual(
    [...html.replace('"@context":"https://schema.org"', '').matchAll(/https?:\/\/[^/"]+/g)].map((match) => match[0]),
    [...html.matchAll(/https?:\/\/example\.test/g)].map((match) => match[0]),
  );
});

test('themeFiles() holds every file of its own that pages refer to', (t) => {
  const names = new Set(composer.themeFiles().map((file) => file.name));
  const own = composer.createStyle(':root{--accent-light:#f00}');
  names.add(own.name);
  for (const style of [undefined, own.name]) {
    const html = composer.composePage(createPageModel({ theme: { ...theme, style } }));
    const used = [...html.matchAll(/(?:src|href|data-search|data-script|data-compare)="\.\.\/assets\/([^"|]*)/g)].map(
      (match) => match[1]!,
    );
    t.is(used.length, 7);
    t.deepEqual(
      used.filter((name) => !names.has(name)),
      [],
    );
  }
  t.is(names.size, 9);
});

/**
 * The greatest size, in KB, of what is loaded when a reader asks for it, by the beginning of its files' names. Search was 15 before it looked
 * for words that stand together.
 */
const LATER: Readonly<Record<string, number>> = { search: 15.5, history: 4, compare: 23 };

/**
 * In KB. It was 24 before code got a row for its tools, tables kept their heads in sight and the header fitted its links, which
 * readers have on the first page that they open; what only some pages have is a file of its own. It was 27 before the dialog of search
 * was in the page: one that is loaded when its key is pressed loses letters. It was 29 before the
 * header's menus grouped and marked versions, took arrow keys and had what the nav button alone had. It was 30 before the page for a
 * wrong address found the one that was meant. It was 31 before pages were requested ahead and social links had icons.
 */
const FIRST_PAGE = 31.5;

test(`themeFiles() needs at most ${FIRST_PAGE} KB with gzip, and more when a reader asks for it, in every language`, (t) => {
  const sumOf = (list: ReturnType<typeof composer.themeFiles>) =>
    list.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0);
  for (const tag of MESSAGE_LANGUAGES) {
    const files = composer.themeFiles({ tags: [tag] });
    const sizes = Object.keys(LATER).map(
      (stem) => [stem, sumOf(files.filter(({ name }) => name.startsWith(stem)))] as const,
    );
    const page = sumOf(files) - sizes.reduce((sum, [, size]) => sum + size, 0);
    t.true(page <= FIRST_PAGE * 1024, `${page} bytes`);
    for (const [stem, size] of sizes) t.true(size > 0 && size <= LATER[stem]! * 1024, `${stem}, ${tag}: ${size} bytes`);
  }
});

test('themeFiles() asks no other host', (t) => {
  for (const { bytes, name } of composer.themeFiles()) {
    const text = Buffer.from(bytes).toString().replace('http://www.w3.org/2000/svg', '');
    t.notRegex(text, /https?:\/\/|@import|url\(/, name);
  }
});

test('composeNotFound() works at any depth', (t) => {
  const html = composer.composeNotFound({
    theme: createTheme(
      { title: 'Example', single: false, theme: {} },
      {
        images: {
          logo: { url: 'https://example.test/logo.svg' },
          favicon: { name: 'favicon.1.svg', bytes: Buffer.from('') },
        },
      },
      { siteRoot: '/docs/', assets: '/docs/assets/', languages: 2, versions: 2, repository: undefined },
    ),
    header: [],
    list: 'de/versions.html',
    language: { tag: 'de', dir: 'ltr' },
    base: '/docs/',
    home: 'de/latest/',
    assets: 'assets/',
  });
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]!);
  t.deepEqual(
    addresses.filter((url) => !/^(\/docs\/|#)/.test(url)),
    ['https://example.test/logo.svg'],
  );
  t.true(html.includes('href="/docs/de/latest/"'));
  t.true(html.includes('Seite nicht gefunden'));
});

test('composeRedirect() leads on with and without the reader’s doing', (t) => {
  const html = composer.composeRedirect({ url: '../b.html?x=1&y=2', language: { tag: 'ar', dir: 'rtl' } });
  t.true(html.includes('<meta http-equiv="refresh" content="0; url=../b.html?x=1&amp;y=2">'));
  t.true(html.includes('<link rel="canonical" href="../b.html?x=1&amp;y=2">'));
  t.true(html.includes('<a href="../b.html?x=1&amp;y=2">'));
  t.true(html.includes('<meta name="robots" content="noindex">'));
  t.true(html.includes('<html lang="ar" dir="rtl">'));
});

test('composeRedirect() passes query and fragment on before the browser sees the address without them', (t) => {
  const html = composer.composeRedirect({ url: '../b.html', language: { tag: 'en', dir: 'ltr' } });
  t.regex(html, /<link rel="canonical".*<script>.*location\.replace.*<\/script>\n<meta http-equiv="refresh"/s);
});

test('composeRedirect() lets no address run a script', (t) => {
  const html = composer.composeRedirect({ url: 'javascript:alert(1)', language: { tag: 'en', dir: 'ltr' } });
  t.notRegex(html, /(url=|href=")javascript:/);
});

test('renderListing() groups pages as the sidebar does, escaped', (t) => {
  const page = (title: string, path = `${title}.html`, children: readonly NavigationNode[] = []) => ({
    title,
    path,
    children,
  });
  const html = renderListing([
    page('<A>', 'a.html?b&c'),
    page('X', 'javascript:x'),
    {
      title: 'Group',
      path: undefined,
      children: [page('B'), { title: 'Inner', path: undefined, children: [page('C')] }],
    },
    page('Folder', 'folder/', [page('D'), page('Blog', 'https://example.org/')]),
    page('E'),
  ]);
  const lines = [
    '<ul class="listing">',
    '<li><a href="./a.html?b&amp;c">&lt;A&gt;</a></li>',
    '<li><a href="#">X</a></li>',
    '</ul>',
    '<h2>Group</h2>',
    '<ul class="listing">',
    '<li><a href="./B.html">B</a></li>',
    '<li>Inner',
    '<ul>',
    '<li><a href="./C.html">C</a></li>',
    '</ul>',
    '</li>',
    '</ul>',
    '<h2><a href="./folder/">Folder</a></h2>',
    '<ul class="listing">',
    '<li><a href="./D.html">D</a></li>',
    '<li><a href="https://example.org/">Blog</a></li>',
    '</ul>',
    '<hr>',
    '<ul class="listing">',
    '<li><a href="./E.html">E</a></li>',
    '</ul>',
    '',
  ];
  t.deepEqual(html.split('\n'), lines);
  t.is(renderListing([]), '');
});

test('createComposer() finds every template compiled ahead, as it stands in its file', (t) => {
  const folder = packageFile('templates/site/');
  const names = readdirSync(folder).filter((name) => name.endsWith('.njk'));
  t.true(names.includes('page.njk'));
  t.deepEqual(Object.keys(templates).sort(), names.sort());
  const env = createEnvironment({
    getSource: (name) => ({ src: readFileSync(new URL(name, folder), 'utf8'), path: name, noCache: false }),
  });
  const model = { url: 'https://example.org/?a=1&b=2', language: { tag: 'en', dir: 'ltr' }, text: findMessages('en') };
  t.is(composer.composeRedirect(model as never), env.render('redirect.njk', model));
});

test('a page without a heading of level 1 shows its title as one', (t) => {
  const compose = (content: string, more = {}) =>
    composer.composePage({ ...createPageModel(), title: 'Proxies & more', content, ...more });
  t.true(compose('<p>Text</p>').includes('<h1>Proxies &amp; more</h1>\n<p>Text</p>'));
  t.true(compose('<p>Text</p>', { title: '' }).includes(`<h1>${theme.siteTitle}</h1>`));
  t.true(compose('', { hidesTitle: true }).includes('<h1 class="visually-hidden">Proxies &amp; more</h1>'));
  t.true(compose('', { layout: 'home' }).includes('<h1 class="visually-hidden">Proxies &amp; more</h1>'));
  t.is(compose('<h1 id="a">A</h1>').match(/<h1/g)?.length, 1);
  t.is(compose('<H1\nalign="center">A</H1>').match(/<h1/gi)?.length, 1);
});
