import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFolderSite } from '../../../platform/sites/folder-sites.ts';
import { locatePage } from '../../../platform/sites/locate-page.ts';
import { findContentType } from '../../../platform/sites/media-types.ts';
import { createSiteIndexes } from '../../../platform/sites/site-indexes.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { buildInput as build, inputTest, makeInput } from '../../helpers/reported-inputs.ts';
import { runGit } from '../../helpers/run-git.ts';

function listIds(html: string): readonly string[] {
  return [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!);
}

inputTest('no id is given twice, and headings keep theirs', async (t) => {
  const site = await build(t, '18-heading-ids-collide');
  const html = site.read('en/latest/index.html');
  const ids = listIds(html);
  t.is(new Set(ids).size, ids.length, ids.join(' '));
  const headings = [...html.matchAll(/<h2 id="([^"]*)"[^>]*>(?:<span[^>]*><\/span>)*(?:<strong>)?(\w+(?: 1)?)/g)];
  t.deepEqual(
    headings.map(([, id, text]) => `${text}: ${id}`),
    [
      'Foo: foo',
      'Foo: foo-1',
      'Foo 1: foo-1-1',
      'Bar: foo-2',
      'Foo: foo-3',
      'Search: search',
      'Content: content',
      'Menu: menu',
      'Docbuild: docbuild',
      'Theme: theme',
      'fn1: fn1',
      'constructor: constructor',
      'proto: proto',
    ],
  );
});

inputTest('headings of signs and pictures have ids and entries, and a real "Section" keeps its own', async (t) => {
  const repository = makeInput(t, '19-headings-of-signs');
  for (const emoji of [true, false]) {
    const site = createSite(t);
    writeFileSync(join(repository, '.docbuild.yml'), `markdown: {emoji: ${emoji}}\n`);
    runGit(repository, 'add', '-A');
    runGit(repository, 'commit', '-qm', 'emoji');
    const { warnings } = await site.build(repository);
    const html = site.read('en/latest/index.html');
    const ids = listIds(html);
    t.is(new Set(ids).size, ids.length, ids.join(' '));
    t.deepEqual(
      ids.filter((id) => id === '' || id === '-1'),
      [],
    );
    t.regex(html, /<h2 id="section"[^>]*>(?:<span[^>]*><\/span>)*Section /);
    const outline = [.../<nav id="_toc"[\s\S]*?<\/nav>/.exec(html)![0].matchAll(/<a [^>]*>(.*?)<\/a>/g)];
    t.deepEqual(
      outline.map(([, text]) => text),
      ['::', '!!!', '🎉', 'Logo', '**', emoji ? '😃 Friendly' : ':smiley: Friendly', '😃 Friendly', 'Section'],
    );
    t.deepEqual(warnings, []);
    for (const id of ['smiley-friendly', '-friendly']) t.true(ids.includes(id));
  }
});

/** Returns where the links of a page lead, by their texts. */
function listLinks(html: string): Readonly<Record<string, string>> {
  const links = [...html.matchAll(/<a (?:[^>]* )?href="([^"]*)"[^>]*>([^<#]*)<\/a>/g)];
  return Object.fromEntries(links.map(([, url, text]) => [text!, decodeURI(url!)]));
}

function readLinks(site: TestSite, page: string): Readonly<Record<string, string>> {
  return listLinks(/<article[\s\S]*<\/article>/.exec(site.read(page))![0]);
}

inputTest('what follows a dot in the name of a file is part of its name, and languages are switched', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, '11-dots-in-file-names'));
  t.deepEqual(warnings, []);
  t.deepEqual(
    site.list().filter((path) => /^[a-z]+\/404\.html$/.test(path)),
    ['en/404.html', 'fr/404.html'],
  );
  for (const [code, home] of [
    ['en', 'Example'],
    ['fr', 'Exemple'],
  ]) {
    t.deepEqual(readLinks(site, `${code}/latest/index.html`), {
      s: './socket.io.html',
      n: './node.js.html',
      t: './node.ts.html',
      m: './make.it.html',
      e: './topic/1.1.example.html',
    });
    t.regex(site.read(`${code}/latest/topic/1.1.example.html`), new RegExp(`<h1[^>]*>${home}`));
  }
  for (const version of ['17.1', '17.2'])
    t.regex(site.read(`en/latest/Release_notes_${version}.html`), new RegExp(`Notes ${version} <a class="anchor"`));
});

inputTest('links find files whose names are in another Unicode form, and the dead one is readable', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, '15-cjk-and-decomposed-paths'));
  t.deepEqual(
    warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ['docs/index.md:5: Link "指南/没有.md" leads to no page or file'],
  );
  const links = readLinks(site, 'en/latest/index.html');
  t.is(links.composed, './café.html'.normalize('NFC'));
  t.is(links.voiced, './が.html'.normalize('NFC'));
  for (const url of Object.values(links)) {
    if (!url.endsWith('.md')) t.true(site.has(`en/latest/${url.replace(/#.*/, '')}`), url);
  }
});

inputTest('a symbolic link does not take the address of the file that it leads to', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, 'b17-symlinks-odd'));
  t.is(readLinks(site, 'en/latest/index.html').x, './deep/x.html');
  for (const page of ['deep/x', 'alias/x', 'chain', 'name with space'])
    t.true(site.has(`en/latest/${page}.html`), page);
  t.notRegex(site.list().join('\n'), /abs|out\.html|again/);
  t.deepEqual(
    warnings.map(({ file, code }) => `${file} ${code}`),
    ['.docbuild.yml', 'documentation/abs.md', 'documentation/deep/again', 'documentation/out.md'].map(
      (file) => `${file} symbolic-link`,
    ),
  );
});

inputTest(
  'links and pictures of an included text count from its file, and ranges count lines of the file',
  async (t) => {
    const site = createSite(t);
    const { warnings } = await site.build(makeInput(t, 'b11-include-of-other-folders'));
    t.deepEqual(
      warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
      [
        'docs/deep/page.md:13: Cannot include "../../../etc/passwd": it is outside the repository',
        'docs/deep/page.md:15: Cannot include "../parts/": file does not exist',
        'docs/deep/page.md:17: Cannot include "../parts/_none.md": file does not exist',
      ],
    );
    const html = site.read('en/latest/deep/page.html');
    t.is(html.match(/<img src="\.\.\/parts\/img\/a\.png"/g)!.length, 4);
    const links = readLinks(site, 'en/latest/deep/page.html');
    t.is(links.up, '../');
    t.is(html.match(/<a href="\.\.\/parts\/sib\.html">sib<\/a>/g)!.length, 2);
    t.is(html.match(/INNER <a href="\.\.\/parts\/sib\.html#s">/g)!.length, 3);
    t.is(html.match(/<h1.*aria-label="Permalink: Part"/g)!.length, 2);
    t.notRegex(html, /title: Part/);
    t.regex(html, /<li>\s*<p>item<\/p>\s*<p>INNER [\s\S]*?<\/li>\s*<li>\s*<p>two<\/p>/);
  },
);

inputTest('two regions of one file keep their ids and notes, and what is shown twice is reported', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, '33-two-regions-of-one-file'));
  const html = site.read('en/latest/index.html');
  const ids = listIds(html);
  t.is(new Set(ids).size, ids.length, ids.join(' '));
  for (const id of ['query_suggestion', 'online_status', 'query_suggestion-1']) t.true(ids.includes(id), id);
  t.is(html.match(/<h2[^>]*>Query /g)!.length, 2);
  t.deepEqual(
    warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    [
      'docs/index.md:7: Id "query_suggestion" is used twice; here it was changed to "query_suggestion-1"',
      'docs/index.md:9: Cannot include "./_basic.md": it has no region "three"',
    ],
  );
  t.is(html.match(/Note of one\./g)!.length, 1);
});

inputTest('values of front matter count or are reported, and none takes another place or runs', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, 'b15-front-matter-values'));
  t.deepEqual(
    warnings.map(({ file, line, message }) => `${file.slice('docs/'.length)}:${line}: ${message}`),
    [
      'd.md:2: "order" must be a number: "first" is ignored',
      'e.md:2: "title" must be a text: ["x","y"] is ignored',
      'f.md:2: "title" must be a text: {"en":"X"} is ignored',
      'h.md:2: "draft" must be true or false: "yes" is read as true',
      'j.md:2: "draft" must be true or false: 0 is ignored',
      'k.md:2: "hidden" must be true or false: "no" is read as false',
      'l.md:2: URL "../../../evil" ignored: no page can have it',
      'm.md:2: URL "a b?c#d" ignored: no page can have it',
      'n.md:2: "redirect_to" must be a page or a URL of the web: "javascript:alert(1)" is ignored',
      's.md:3: "lastUpdated" must be a date such as 2024-05-31, true or false: "2024-13-45" is ignored',
      't.md:0: Published as "t.html": "index.md" already produces the page "index.html"',
      'v.md:2: Unknown key "Title": did you mean "title"?',
    ],
  );
  const pages = site.list().flatMap((path) => /^en\/latest\/(\w+)\.html$/.exec(path)?.[1] ?? []);
  t.is(pages.join(''), 'abcdefgindexjklmnopqrstuv');
  const sidebar = /<nav id="_sidebar"[\s\S]*?<\/nav>/.exec(site.read('en/latest/a.html'))![0];
  t.deepEqual(
    [...sidebar.matchAll(/<a href="[^"]*"[^>]*>([^<]*)</g)].slice(0, 5).map(([, title]) => title),
    ['Home', 'b', 'c', 'a', 'd'],
  );
  t.regex(sidebar, /&lt;script&gt;alert/);
  for (const page of pages) t.notRegex(site.read(`en/latest/${page}.html`), /<script>alert|javascript:alert/);
  t.regex(site.read('en/latest/n.html'), /text of n/);
});

inputTest('translations with URLs of their own are translations of each other', async (t) => {
  const site = createSite(t);
  const { fallbacks, warnings } = await site.build(makeInput(t, 'b07-slugs-by-language'), {
    baseUrl: 'https://x.example/',
  });
  t.deepEqual(warnings, []);
  t.is(fallbacks, 1);
  t.regex(site.read('de/latest/start.html'), /http-equiv="refresh" content="0; url=\.\/anfang\.html"/);
  t.notRegex(site.read('de/latest/index.html'), /start\.html/);
  const index = (await createSiteIndexes({ find: () => openFolderSite(site.out) }).read('any'))!;
  const locate = (path: string, lang: string) =>
    locatePage(index, path)!.alternates.find((other) => other.lang === lang);
  t.like(locate('/de/latest/anfang.html', 'en'), { url: 'en/latest/start.html', exists: true });
  t.like(locate('/en/latest/start.html', 'de'), { url: 'de/latest/anfang.html', exists: true });
  const entries = site.read('sitemap.xml').split('</url>');
  for (const url of ['en/latest/start.html', 'de/latest/anfang.html']) {
    const entry = entries.find((part) => part.includes(`<loc>https://x.example/${url}</loc>`))!;
    t.regex(entry, /hreflang="en" href="https:\/\/x\.example\/en\/latest\/start\.html"/);
    t.regex(entry, /hreflang="de" href="https:\/\/x\.example\/de\/latest\/anfang\.html"/);
  }
});

inputTest('downloads with any ending are published as they are, and a folder without a page is reported', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, '16-downloads-with-odd-endings'));
  t.deepEqual(
    warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ['docs/index.md:3: Link "files/" leads to no page or file'],
  );
  const links = readLinks(site, 'en/latest/index.html');
  t.deepEqual(links, {
    1: './files/root-ca.crt',
    2: './files/LICENSE',
    // Web servers give no file whose name begins with a dot.
    3: './_files/docs/files/_.env.example',
    4: './files/schema.v2',
    5: './files/report.html',
    6: './files/data.2024.csv',
    7: './files/root-ca.crt',
    dir: 'files/',
  });
  const contents = { 1: 'CERT\n', 2: 'x\n', 3: 'x\n', 4: 'x\n', 5: '<p>own page</p>\n', 6: 'a,b\n' };
  for (const [text, content] of Object.entries(contents)) t.is(site.read(`en/latest/${links[text]}`), content, text);
  for (const path of ['files/root-ca.crt', 'files/LICENSE', 'files/schema.v2'])
    t.notRegex(findContentType(path) ?? '', /html|xml/, path);
});

inputTest('a page and a folder of the same name have addresses of their own', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, '26-same-name-file-and-folder'));
  t.deepEqual(warnings, []);
  t.deepEqual(readLinks(site, 'en/latest/index.html'), {
    q: './quickstart/quickstart.html',
    a: './api.html',
    b: './api/',
    c: './api/',
    d: './api.html',
    o: './odd.html.html',
  });
  t.is(readLinks(site, 'en/latest/api/index.html').outer, '../api.html');
  for (const [page, title] of [
    ['api', 'Api'],
    ['api/index', 'Api index'],
    ['api/part', 'Api part'],
  ]) {
    const sidebar = /<nav id="_sidebar"[\s\S]*?<\/nav>/.exec(site.read(`en/latest/${page}.html`))![0];
    t.deepEqual(
      [...sidebar.matchAll(/aria-current="page">([^<]*)</g)].map(([, text]) => text),
      [title!],
    );
    t.regex(sidebar, />Api<\/a>/);
    t.regex(sidebar, />Api index<\/a>/);
  }
  const found = await openFolderSite(site.out).find({ path: '/en/latest/api', isFolder: false });
  t.not(found.kind, 'missing');
  t.false(site.has('en/latest/odd.html'));
});
