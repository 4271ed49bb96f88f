import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const GUIDE = `---
description: How to "start"
---
# Start

See [the options](../options.md#all), [elsewhere](https://example.test/) and [nowhere](none.md).

![Picture](./a.png)

::: tip
<!--@include: ../parts/note.md-->
:::

\`\`\`ts
const a = 1;
\`\`\`
`;

test('each page has its Markdown beside it, with includes and relative links that lead where those of the page lead', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/guide/start.md': GUIDE,
    'docs/guide/a.png': 'png',
    'docs/options.md': '## All\n\n## Other\n',
    'docs/parts/_note.md': '',
    'docs/parts/note.md': 'Included *text*\n',
    'docs/.vitepress/config.mts': 'export default {}\n',
  });
  const site = createSite(t);
  await site.build(repository.folder, { baseUrl: 'https://docs.example.test/' });
  t.is(
    site.read('en/main/guide/start.md'),
    `---
title: "Start"
description: "How to \\"start\\""
canonical: "https://docs.example.test/en/latest/guide/start.html"
language: "en"
---

# Start

See [the options](../options.html#all), [elsewhere](https://example.test/) and [nowhere](none.md).

![Picture](../guide/a.png)

> [!TIP]
> Included *text*

\`\`\`ts
const a = 1;
\`\`\`
`,
  );
  t.regex(site.read('en/main/options.md'), /\n# Options\n\n## All\n\n## Other\n$/, 'the heading that the page shows');
  t.regex(site.read('en/main/guide/start.html'), /<link rel="alternate" type="text\/markdown" href="\.\/start\.md">/);
  t.regex(site.read('en/main/index.html'), /<link rel="alternate" type="text\/markdown" href="\.\/index\.md">/);
});

test('versions share Markdown that is equal, and one that another file or folder has the path of is left out', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/a.md': '# A\n\n[B](b.md)\n',
    'docs/b.md': '# B\n',
    'docs/c.md': '# C\n',
    'docs/c.md.md': '# Named like a file\n',
  });
  repository.git('tag', 'v1');
  commitFiles(repository, { 'docs/d.md': '# New in the navigation\n', 'docs/b.md': '# B 2\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  t.is(site.inode('en/v1/a.md'), site.inode('en/main/a.md'));
  t.not(site.inode('en/v1/a.html'), site.inode('en/main/a.html'), 'its navigation differs');
  t.not(site.inode('en/v1/b.md'), site.inode('en/main/b.md'));
  t.true(site.has('en/main/c.md'));
});

test('landing pages say what they show above their text; pages that only lead elsewhere have no Markdown', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': `---
layout: home
hero:
  name: Tool
  text: Does it
  tagline: Fast & small
  actions:
    - {text: Start, link: /guide}
features:
  - {title: One, details: First thing, link: /guide}
---

More *text*.
`,
    'docs/guide.md': '# Guide\n',
    'docs/old.md': '---\nredirect_to: guide.md\n---\n',
    'docs/.vitepress/config.mts': 'export default {}\n',
    '.docbuild.yml': 'redirects:\n  /gone: /guide\n',
  });
  const site = createSite(t);
  await site.build(repository.folder);
  t.is(
    site.read('en/main/index.md').replace(/^---[\s\S]*?---\n\n/, ''),
    '# Tool: Does it\n\nFast & small\n\n- [Start](./guide.html)\n\n## One\n\nFirst thing\n\n[One](./guide.html)\n\nMore *text*.\n',
  );
  t.true(site.has('en/main/gone.html'));
  t.false(site.has('en/main/gone.md'));
});

test('`machines: false` in the project file leaves all of it out', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', '.docbuild.yml': 'machines: false\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  t.false(site.has('en/main/index.md'));
  t.notRegex(site.read('en/main/index.html'), /text\/markdown/);
});

test('each release lists its pages for programs, in the order of the navigation; the site lists those of latest, and the other lists', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '---\ndescription: What it is\n---\n# Home\n',
    'docs/en/guide/b.md': '# B\n',
    'docs/en/guide/a.md': '---\ndescription: About *A*\n---\n# A\n\n[B](b.md) ![](p.png)\n',
    'docs/en/guide/p.png': 'png',
    'docs/en/hidden.md': '---\nunlisted: true\n---\n# Hidden\n',
    'docs/de/index.md': '# Start\n',
    '.docbuild.yml': 'title: Tool\nnav:\n  - Guide:\n      - guide/b.md\n      - guide/a.md\n',
  });
  repository.git('tag', 'v1');
  const site = createSite(t);
  await site.build(repository.folder);
  t.is(
    site.read('en/v1/llms.txt'),
    `# Tool

> What it is

## Pages

- [Home](./index.md): What it is

## Guide

- [B](./guide/b.md)
- [A](./guide/a.md): About \\*A\\*
`,
  );
  const root = site.read('llms.txt');
  t.regex(root, /^# Tool\n\n## Pages\n\n- \[/);
  t.regex(root, /\n- \[A\]\(\.\/en\/latest\/guide\/a\.md\)\n/);
  t.notRegex(root, /Hidden/);
  t.regex(
    root,
    /\n## Languages\n\n- \[Deutsch\]\(\.\/de\/latest\/llms\.txt\)\n\n## Versions\n\n- \[v1\]\(\.\/en\/v1\/llms\.txt\)\n$/,
  );
  t.false(site.has('en/v1/llms-full.txt'));
  t.regex(
    site.read('en/latest/llms-full.txt'),
    /# B\n\n---\ntitle: "A"[\s\S]*\[B\]\(\.\/guide\/b\.html\) !\[\]\(\.\/guide\/p\.png\)\n/,
  );
  await site.build(repository.folder, { llmsFull: 'all', baseUrl: 'https://docs.example.test/' });
  t.regex(site.read('en/v1/llms-full.txt'), /url: "https:\/\/docs\.example\.test\/en\/v1\/guide\/a\.html"/);
  t.regex(site.read('en/latest/llms-full.txt'), /\[B\]\(https:\/\/docs\.example\.test\/en\/latest\/guide\/b\.html\)/);
  await site.build(repository.folder, { llmsFull: 'none' });
  t.false(site.has('en/latest/llms-full.txt'));
});

test('llms-full.txt follows the pages of later builds', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/a.md': '# A\n', 'docs/b.md': '# B\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  commitFiles(repository, { 'docs/a.md': '# A\n\nChanged\n' });
  await site.build(repository.folder);
  t.regex(site.read('en/latest/llms-full.txt'), /# A\n\nChanged\n[\s\S]*# B\n/);
});
