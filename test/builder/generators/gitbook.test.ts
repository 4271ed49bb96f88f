import test, { type ExecutionContext } from 'ava';
import { planMigration } from '../../../builder/plan-migration.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { readSidebar } from '../../helpers/read-sidebar.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const create = (t: ExecutionContext, files: Readonly<Record<string, string>>) => {
  const repository = createRepository(t);
  commitFiles(repository, files);
  return { repository, site: createSite(t) };
};

const PAGES: Readonly<Record<string, string>> = {
  'SUMMARY.md':
    '# Table of contents\n\n* [Welcome](README.md)\n\n## First steps\n\n* [Install it](guide/install.md)\n  * [On Linux](guide/linux.md)\n* [The API](https://example.test)\n',
  'README.md':
    '---\ndescription: Boils water\ncover: .gitbook/assets/a (1).png\n---\n\n# Kettle\n\n<figure><img src=".gitbook/assets/a (1).png" alt=""><figcaption><p>Words</p></figcaption></figure>\n',
  'CONTRIBUTING.md': '# Contributing\n',
  '.gitbook/assets/a (1).png': 'p',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nIncluded words.\n',
  'guide/README.md': '# Guide\n',
  'guide/install.md': `---
icon: hammer
layout:
  title:
    visible: true
---

# Install

{% hint style="warning" %}
A *hint*.
{% endhint %}

{% tabs %}
{% tab title="npm" %}
{% code title="run.sh" overflow="wrap" %}
\`\`\`sh
npm i
\`\`\`
{% endcode %}
{% endtab %}

{% tab title="yarn" %}
Text
{% endtab %}
{% endtabs %}

{% content-ref url="linux.md" %}
[linux.md](linux.md)
{% endcontent-ref %}

{% stepper %}
{% step %}
### One

First.
{% endstep %}
{% endstepper %}

{% include "../.gitbook/includes/note.md" %}

{% embed url="https://www.youtube.com/watch?v=abcdefghijk" %}

{% file src="../.gitbook/assets/a (1).png" %}

<details>

<summary>More</summary>

Hidden *words*.

</details>

![](<../.gitbook/assets/a (1).png>) {{ value }}
`,
  'guide/linux.md': '# Linux\n\n[Back](../README.md) [Guide](./) [Part](install.md#one)\n',
};

test('GitBook: the summary is the navigation; its blocks, pictures and included texts are shown', async (t) => {
  for (const [config, folder] of [
    ['', ''],
    ['redirects:\n  old/install: ./guide/install.md\n', ''],
    ['root: ./book/\nstructure:\n  summary: TOC.md\n', 'book/'],
  ] as const) {
    const summary = config.includes('TOC.md') ? 'TOC.md' : 'SUMMARY.md';
    const files = Object.fromEntries(
      Object.entries(PAGES).map(([path, text]) => [folder + (path === 'SUMMARY.md' ? summary : path), text]),
    );
    const { repository, site } = create(t, { ...files, ...(config !== '' && { '.gitbook.yaml': config }) });
    const { sources, warnings } = await site.build(repository.folder);
    t.deepEqual(sources, [
      { folder: folder.replace(/\/$/, ''), generator: 'gitbook', isReadmeOnly: false, refs: ['main'] },
    ]);
    t.deepEqual(warnings, []);
    const home = site.read('en/main/index.html');
    t.deepEqual(readSidebar(home), [
      'Welcome -> ./',
      'First steps',
      '  Install it -> ./guide/install.html +',
      '    On Linux -> ./guide/linux.html',
      '  The API -> https://example.test',
    ]);
    t.regex(home, /<figure><img src="[^"]*\.png"/);
    const page = site.read('en/main/guide/install.html');
    t.regex(page, /<div class="callout warning">/);
    t.regex(page, /class="tab-label"[^>]*>npm</);
    t.regex(page, /<p class="container-title">run\.sh</);
    t.is(page.match(/>linux\.md<\/a>/g)?.length, 1);
    t.regex(page, /<h3 id="one"/);
    t.regex(page, /Included words\./);
    t.regex(page, /youtube/);
    t.regex(page, /<summary>More<\/summary>/);
    t.regex(page, /\{\{ value \}\}/);
    t.notRegex(page, /\{%|icon: hammer/);
    t.regex(site.read('en/main/guide/linux.html'), /href="[^"]*install\.html#one"/);
    t.false(site.list().some((path) => /(?:summary|toc|note)\.html/i.test(path)));
  }
});

test('GitBook: docbuild migrate takes redirects over', async (t) => {
  const { repository, site } = create(t, {
    ...PAGES,
    '.gitbook.yaml':
      'redirects:\n  old/install: ./guide/install.md\n  /gone: guide/linux.md\n  far: https://example.test\n',
  });
  const { project } = await planMigration({ repository: repository.folder, cacheFolder: site.cacheFolder });
  t.deepEqual(project.redirects, {
    'far.html': 'https://example.test',
    'gone.html': 'guide/linux.md',
    'old/install.html': 'guide/install.md',
  });
});

test('HonKit: each language that LANGS.md lists has its summary', async (t) => {
  const summary = (title: string): string => `# Summary\n\n* [${title}](README.md)\n* [${title} 1](a.md)\n`;
  const { repository, site } = create(t, {
    'book.json':
      '{"title": "Kettle", "plugins": ["-sharing", "theme-x"], "variables": {"py": {"version": "3.14"}, "n": 5}}',
    'LANGS.md': '# Languages\n\n* [English](en/)\n* [简体中文](zh-hans/)\n',
    'README.md': '# How to work on it\n',
    'CHANGELOG.md': '# Changes\n',
    'en/SUMMARY.md': summary('Book'),
    'en/GLOSSARY.md': '# Words\n',
    'en/README.md': '# Book\n',
    'en/a.md':
      '# A\n\nPython {{ book.py.version }}, `{{ book.n }}`, {{ other }}, {{book.none}}.\n\n```sh\npip {{ book.n }} {{ x }}\n```\n',
    'zh-hans/SUMMARY.md': summary('书'),
    'zh-hans/README.md': '# 书\n',
    'zh-hans/a.md': '# 一\n',
  });
  const { sources, warnings } = await site.build(repository.folder);
  t.is(sources[0]?.generator, 'gitbook');
  t.deepEqual(
    warnings.map(({ message }) => message),
    ['"{{book.none}}" belongs to another generator and was left out'],
  );
  t.regex(
    site.read('en/main/a.html'),
    /<p>Python 3\.14, <code>5<\/code>, \{\{ other \}\}, \.<\/p>[\s\S]*>5 <\/span><span class="ts">\{\{ x \}\}</,
  );
  t.deepEqual(
    site.list().filter((path) => /^en\/main\/.*html$/.test(path)),
    ['en/main/GLOSSARY.html', 'en/main/a.html', 'en/main/index.html'],
  );
  t.deepEqual(readSidebar(site.read('zh-hans/main/index.html')), ['书 -> ./', '书 1 -> ./a.html']);
  t.regex(site.read('en/main/index.html'), /<title>[^<]*Kettle<\/title>/);
});

test('GitBook: folders of languages that are books of their own are languages', async (t) => {
  const book = (code: string): Record<string, string> => ({
    [`docs/${code}/.gitbook.yaml`]: 'root: ./text/\n',
    [`docs/${code}/text/SUMMARY.md`]: `# Table of contents\n\n* [Home ${code}](README.md)\n* [A ${code}](a.md)\n`,
    [`docs/${code}/text/README.md`]: '# Home\n\n![](.gitbook/assets/p.png)\n',
    [`docs/${code}/text/.gitbook/assets/p.png`]: code,
    [`docs/${code}/text/a.md`]: '# A\n',
  });
  const { repository, site } = create(t, { 'README.md': '# Kettle\n', ...book('en'), ...book('fr') });
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  for (const code of ['en', 'fr']) {
    t.deepEqual(readSidebar(site.read(`${code}/main/a.html`)), [`Home ${code} -> ./`, `A ${code} -> ./a.html`]);
  }
});

test('a book of mdBook, and a summary that somebody else wrote, are none of GitBook', async (t) => {
  const { repository, site } = create(t, {
    'book.toml': '[book]\n',
    'src/SUMMARY.md': '# Table of contents\n\n- [A](a.md)\n',
    'src/README.md': '# Readme\n',
    'src/a.md': '# A\n',
  });
  t.is((await site.build(repository.folder)).sources[0]?.generator, 'mdbook');
  const plain = create(t, {
    'docs/SUMMARY.md': '# Summary\n\n- [A](a.md)\n',
    'docs/README.md': '# Readme\n',
    'docs/a.md': '# A\n',
  });
  t.is((await plain.site.build(plain.repository.folder)).sources[0]?.generator, undefined);
});
