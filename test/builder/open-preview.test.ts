import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { buildSite } from '../../builder/index.ts';
import { openPreview, type Preview, type PreviewOptions } from '../../builder/open-preview.ts';
import { changeFiles, createRandomFiles, type Files } from '../helpers/change-files.ts';
import { createConfig } from '../helpers/create-config.ts';
import { createRandom } from '../helpers/create-random.ts';
import { createFolder, createRepository, type TestRepository } from '../helpers/create-repository.ts';
import { EFFORT } from '../helpers/effort.ts';
import { compareTrees, hashTree } from '../helpers/hash-tree.ts';

interface Setup {
  /** The folder that an author works in. */
  readonly folder: string;
  /** The folder that the preview shows after each build. */
  readonly out: string;
  readonly preview: Preview;
  /** Absolute path of a file. */
  place(path: string): string;
  write(path: string, content: string | Buffer): string;
}

async function setUp(
  t: ExecutionContext,
  files: Iterable<readonly [string, string | Buffer]>,
  folder = createFolder(t),
  options: Pick<PreviewOptions, 'elements' | 'config'> = {},
): Promise<Setup> {
  const place = (path: string): string => join(folder, path);
  const write = (path: string, content: string | Buffer): string => {
    mkdirSync(dirname(place(path)), { recursive: true });
    writeFileSync(place(path), content);
    return place(path);
  };
  for (const [path, content] of files) write(path, content);
  const work = createFolder(t);
  const out = join(work, 'out');
  const opened = await openPreview({
    repository: folder,
    cacheFolder: join(work, 'cache'),
    title: 'Preview',
    ...options,
  });
  t.teardown(() => opened.close());
  const build: Preview['build'] = async (...values) => {
    const summary = await opened.build(...values).catch(async (error: unknown) => {
      // What the site was made from may be gone.
      await writeSite(opened, out).catch(() => {});
      throw error;
    });
    await writeSite(opened, out);
    return summary;
  };
  return { folder, out, preview: { ...opened, build }, place, write };
}

/** Writes all that a preview shows to a folder. */
async function writeSite({ site }: Preview, out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  for (const path of site.list()) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), (await site.read(path))!);
  }
}

/** Builds the folder as if for the first time. */
async function buildAnew(t: ExecutionContext, folder: string, cacheFolder: string): Promise<string> {
  const out = join(createFolder(t), 'out');
  await buildSite({
    repository: folder,
    out,
    cacheFolder,
    title: 'Preview',
  });
  rmSync(join(out, '.docbuild.json'));
  return out;
}

async function describe(build: Promise<{ readonly pages: number }>): Promise<string> {
  return build.then(
    ({ pages }) => `${pages > 0}`,
    (error: Error) => error.message,
  );
}

/** What an author adds to a page. */
const PARAGRAPHS = [
  'Some *text*.',
  '## A heading\n\nWith [a link](#a-heading).',
  '[Nowhere](none.md) and [above](../index.md)',
  '```js\nlet a;\n```',
  '- one\n- two {#two}',
  '![](picture.png)',
  '$x$',
];

for (let seed = 1; seed <= 2 * EFFORT; seed++) {
  test(`openPreview() shows after each random change what a build of the folder would: seed ${seed}`, async (t) => {
    const random = createRandom(seed);
    const files = createRandomFiles(random);
    const { folder, out, preview, place, write } = await setUp(t, files);
    const cache = createFolder(t);
    await preview.build();
    let pagesFirst = 0;
    for (let step = 0; step < 25; step++) {
      const before: Files = new Map(files);
      const what = changeFiles(files, random, 0.05);
      const changed: string[] = [];
      for (const path of before.keys()) {
        if (files.has(path)) continue;
        rmSync(place(path));
        changed.push(place(path));
      }
      for (const [path, content] of files) if (before.get(path) !== content) changed.push(write(path, content));
      await buildAndCompare(changed, what);
      // As authors mostly do.
      const pages = [...files.keys()].filter((path) => path.endsWith('.md'));
      if (pages.length === 0) continue;
      const page = random.pick(pages);
      files.set(page, `${files.get(page)}\n${random.pick(PARAGRAPHS)}\n`);
      await buildAndCompare([write(page, files.get(page)!)], `${what}, then a paragraph of ${page}`);
    }
    t.log(`${pagesFirst} pages were there before the rest`);
    t.true(pagesFirst > 5, `${pagesFirst}`);

    async function buildAndCompare(changed: readonly string[], what: string): Promise<void> {
      const { site } = preview;
      const keys = new Map(site.list().map((path) => [path, site.find(path)]));
      const early = new Map<string, string>();
      const readEarly = async (): Promise<readonly string[]> => {
        for (const path of site.list()) {
          if (site.find(path) !== keys.get(path)) early.set(path, String(await site.read(path)));
        }
        return [];
      };
      const shown = await describe(preview.build(changed, readEarly));
      const anew = await buildAnew(t, folder, cache).catch((error: Error) => error);
      t.is(shown, anew instanceof Error ? anew.message : 'true', what);
      if (anew instanceof Error) return;
      t.deepEqual(compareTrees(hashTree(out), hashTree(anew)), [], what);
      for (const [path, text] of early) t.is(text, readFileSync(join(anew, path), 'utf8'), `${what}: ${path}`);
      pagesFirst += early.size;
    }
  });
}

test('openPreview() renders only pages that changed, and looks only where it is told that something did', async (t) => {
  const { out, preview, write } = await setUp(t, [
    ['docs/a.md', '# A\n\n[b](b.md)\n'],
    ['docs/b.md', '# B\n'],
    ['docs/deep/c.md', '# C\n'],
  ]);
  t.is((await preview.build()).rendered, 3);
  const changed = write('docs/b.md', '# Other\n');
  write('docs/deep/c.md', '# Unseen\n');
  t.is((await preview.build([changed])).rendered, 1);
  const page = hashTree(out).get('en/latest/deep/c.html');
  t.is((await preview.build([])).rendered, 0);
  t.is(hashTree(out).get('en/latest/deep/c.html'), page);
  t.is((await preview.build()).rendered, 1);
  t.not(hashTree(out).get('en/latest/deep/c.html'), page);
});

test('openPreview() has a page whose text alone has changed before it looks at anything else', async (t) => {
  const { preview, write, place } = await setUp(t, [
    ['docs/en/index.md', '# Home\n\n[A](a.md)\n'],
    ['docs/en/a.md', '---\ntitle: A\n---\n\nOne\n\n[Home](index.md)\n'],
    ['docs/en/part.txt', 'Part\n'],
    ['docs/en/pixel.png', Buffer.from('89504e470d0a1a0a', 'hex')],
    ['docs/zh_CN/index.md', '# 首页\n'],
  ]);
  await preview.build();
  const { site } = preview;
  const read = async (path: string): Promise<string> => String(await site.read(path));
  /** Saves a page; returns what is there of it at first, or undefined. */
  const save = async (text: string): Promise<string | undefined> => {
    let early: string | undefined;
    await preview.build([write('docs/en/a.md', text)], async () => {
      early = await read('en/latest/a.html');
      t.is(await read('en/current/a.html'), early);
      return [];
    });
    if (early !== undefined) t.is(await read('en/latest/a.html'), early);
    return early;
  };
  const head = '---\ntitle: A\n---\n\n';
  t.regex((await save(`${head}Two\n\n## More\n\n[Home](index.md)\n`))!, /Two.*<h2 id="more"/s);
  t.regex(
    (await save(`${head}<!--@include: ./part.md-->\n\n[None](none.md)\n`))!,
    /None/,
    'what is wrong is told later',
  );
  t.regex((await save(`${head}Three\n`))!, /Three/);
  for (const [why, text] of [
    ['title', '---\ntitle: B\n---\n\nThree\n'],
    ['front matter', '---\ntitle: B\norder: 3\n---\n\nThree\n'],
    ['front matter that cannot be read', '---\ntitle: [\n---\n\nThree\n'],
    ['title in the text', '# C\n\nThree\n'],
    ['a picture that nothing had', '# C\n\n![](pixel.png)\n'],
    ['a style that nothing had', '# C\n\n$x^2$\n'],
  ] as const) {
    t.is(await save(text), undefined, why);
  }
  t.regex((await save('# C\n\n$x^3$\n'))!, /<math>.*3<\/mn>/);
  let calls = 0;
  const count = async (): Promise<readonly string[]> => {
    calls++;
    return [];
  };
  await preview.build([write('docs/en/part.txt', 'Other\n')], count);
  await preview.build([write('docs/en/new.md', '# New\n')], count);
  await preview.build([write('docs/en/new.md', '# New\n\nA\n'), write('docs/en/a.md', '# C\n\nA\n')], count);
  t.is(calls, 0);
  // As Vim saves: names that are gone again.
  await preview.build([place('docs/en/4913'), place('docs/en/a.md~'), write('docs/en/a.md', '# C\n\nB\n')], count);
  t.is(calls, 1);
  rmSync(place('docs/en/new.md'));
  await preview.build([place('docs/en/new.md'), write('docs/en/a.md', '# C\n\nC\n')], count);
  t.is(calls, 1, 'one of them was there');
  await preview.build([write('docs/en/a.md', '# C\n\nD\n')], async () => [
    write('docs/en/index.md', '# Later\n'),
    write('docs/en/a.md', '# C\n\nE\n'),
  ]);
  t.regex(await read('en/latest/index.html'), /Later/);
  t.regex(await read('en/latest/a.html'), /<p>E/);
});

test('openPreview() waits for the build where an extension changes pages', async (t) => {
  const folder = createFolder(t);
  const config = createConfig(t)(
    `{ name: 'years', applies: /%year%/g, transform: ({ text }) => text.replace('%year%', '2026') }`,
  );
  const { preview, write } = await setUp(t, [['docs/a.md', '# A\n\n%year%\n']], folder, { config });
  await preview.build();
  await preview.build([write('docs/a.md', '# A\n\nIn %year%\n')], () => t.fail() as never);
  t.regex(String(await preview.site.read('en/latest/a.html')), /In 2026/);
});

test('openPreview() reads a file whose equal is gone', async (t) => {
  const picture = Buffer.from('89504e470d0a1a0a', 'hex');
  const folders = ['docs/a', 'docs/b', 'docs/c'];
  for (const gone of folders) {
    const { preview, place } = await setUp(t, [
      ['docs/index.md', folders.map((folder) => `![](${folder.slice(5)}/pic.png)`).join('\n')],
      ...folders.map((folder) => [`${folder}/pic.png`, picture] as const),
    ]);
    await preview.build();
    rmSync(place(`${gone}/pic.png`));
    const { warnings } = await preview.build([place(`${gone}/pic.png`)]);
    t.is(warnings.length, 1, gone);
  }
});

test('openPreview() shows a page as it was when what was there first is taken back before all is built', async (t) => {
  const { preview, write } = await setUp(t, [
    ['docs/a.md', '# A\n\nOne\n'],
    ['docs/index.md', '# Home\n'],
  ]);
  await preview.build();
  const read = async (): Promise<string> => String(await preview.site.read('en/latest/a.html'));
  const building = preview.build([write('docs/a.md', '# A\n\nTwo\n')], async () => {
    t.regex(await read(), /Two/);
    throw new Error('something else goes wrong');
  });
  await t.throwsAsync(building, { message: 'something else goes wrong' });
  await preview.build([write('docs/a.md', '# A\n\nOne\n')]);
  t.regex(await read(), /One/);
});

test('openPreview() sees each of many saves of one size within a moment', async (t) => {
  const { out, preview, write } = await setUp(t, [['docs/a.md', '# A\n']]);
  await preview.build();
  const seen = new Set([hashTree(out).get('en/latest/a.html')]);
  for (let n = 0; n < 30; n++) {
    await preview.build([write('docs/a.md', `# ${String.fromCodePoint(0x41 + 1 + (n % 20))}${Math.floor(n / 20)}\n`)]);
    seen.add(hashTree(out).get('en/latest/a.html'));
  }
  t.is(seen.size, 31);
});

test('openPreview() still has what an earlier build planned, and says what it cannot make', async (t) => {
  const { folder, out, preview, place, write } = await setUp(t, [
    ['docs/en/a.md', '# A\n\n![](pixel.png)\n'],
    ['docs/en/pixel.png', Buffer.from('picture')],
    ['docs/de/a.md', '# Ah\n\nUnverändert.\n'],
  ]);
  await preview.build();
  for (let n = 0; n < 5; n++) await preview.build([write('docs/en/a.md', `# A${n}\n\n![](pixel.png)\n`)]);
  const anew = await buildAnew(t, folder, createFolder(t));
  t.deepEqual(compareTrees(hashTree(out), hashTree(anew)), []);
  // A picture that is being saved belongs to the next build.
  const picture = write('docs/en/pixel.png', 'another');
  await t.throwsAsync(async () => preview.site.read('en/latest/pixel.png'), {
    message: /changed while it was being read/,
  });
  await preview.build([picture]);
  t.is(`${await preview.site.read('en/latest/pixel.png')}`, 'another');
  rmSync(place('docs/en/pixel.png'));
  await preview.build([picture]);
  t.is(preview.site.read('en/latest/pixel.png'), undefined);
});

test('openPreview() makes boards, Markdown and search as of the last save, of saves at which nobody looked', async (t) => {
  const text = '# Start\n\nSee [more](more.md#use).\n\n## Install\n\n`npm install kettle`\n';
  const { folder, out, preview, place, write } = await setUp(t, [
    ['docs/en/index.md', text],
    ['docs/en/more.md', '# More\n\n## Use\n\nText.\n'],
    ['docs/de/index.md', text],
  ]);
  await preview.build();
  const read = async (path: string): Promise<string> => String(await preview.site.read(path));
  t.like(JSON.parse(await read('versions.json')), { translated: { de: { current: 50 } } });
  // What is built here is not written: only the last state is read.
  const quiet = await openPreview({ repository: folder, cacheFolder: createFolder(t), title: 'Preview' });
  t.teardown(() => quiet.close());
  await quiet.build();
  const codes = async (changed: string): Promise<readonly string[]> =>
    (await quiet.build([changed])).warnings.map(({ code }) => code);
  t.deepEqual(await codes(write('docs/en/index.md', `${text}\n## Remove\n\n\`npm remove kettle\`\n`)), []);
  t.deepEqual(await codes(write('docs/en/more.md', '# More\n\n## Usage\n\nText.\n')), ['dead-anchor', 'dead-anchor']);
  t.deepEqual(await codes(write('docs/en/more.md', '# More\n\n## Use\n\nText, edited.\n')), []);
  rmSync(place('docs/en/more.md'));
  t.deepEqual(await codes(place('docs/en/more.md')), ['dead-link', 'dead-link']);
  t.deepEqual(await codes(write('docs/en/more.md', '# More\n\n## Use\n\nSearched for.\n')), []);
  const shown = async (path: string): Promise<string> => String(await quiet.site.read(path));
  const board = JSON.parse(await shown('_docbuild/translations/de.json')) as {
    readonly pages: readonly { readonly path: string; readonly states: readonly { readonly state: string }[] }[];
  };
  t.deepEqual(
    board.pages.map(({ path, states }) => [path, states.map(({ state }) => state)]),
    [
      ['index.html', ['behind']],
      ['more.html', ['missing']],
    ],
  );
  t.regex(await shown('en/latest/index.md'), /npm remove kettle/);
  const texts = await Promise.all(
    quiet.site
      .list()
      .filter((path) => path.includes('search-text'))
      .map(shown),
  );
  t.regex(texts.join(''), /Searched for/);
  await writeSite(quiet, out);
  t.deepEqual(compareTrees(hashTree(out), hashTree(await buildAnew(t, folder, createFolder(t)))), []);
});

test('openPreview() shows what is not committed, and nothing that git ignores', async (t) => {
  const repository = createRepository(t);
  repository.write('docs/a.md', '# A\n');
  repository.write('.gitignore', 'docs/draft*\n!docs/draft-2.md\n/built/\n');
  repository.commit('First');
  const { out, preview, write } = await setUp(t, [], repository.folder);
  write('docs/b.md', '# B\n');
  write('docs/draft-1.md', '# One\n');
  write('docs/draft-2.md', '# Two\n');
  write('built/docs/x.md', '# X\n');
  write('docs/.gitignore', 'inner.md\n');
  write('docs/inner.md', '# Inner\n');
  await preview.build();
  const pages = (): readonly string[] =>
    [...hashTree(join(out, 'en/latest')).keys()].filter((path) => path.endsWith('.html'));
  t.deepEqual(pages(), ['a.html', 'b.html', 'draft-2.html', 'index.html']);
  t.true(preview.isIgnored(join(preview.root, 'built'), true));
  t.false(preview.isIgnored(join(preview.root, 'docs'), true));
  // The rules hold for files that were there before, too.
  await preview.build([write('docs/.gitignore', '')]);
  t.deepEqual(pages(), ['a.html', 'b.html', 'draft-2.html', 'index.html', 'inner.html']);
});

test('openPreview() follows folders that go, come back and are renamed', async (t) => {
  const { out, preview, place, write } = await setUp(t, [
    ['docs/a.md', '# A\n'],
    ['docs/more/b.md', '# B\n'],
  ]);
  await preview.build();
  renameSync(place('docs/more'), place('docs/other'));
  await preview.build([place('docs/more'), place('docs/other')]);
  t.true(existsSync(join(out, 'en/latest/other/b.html')));
  t.false(existsSync(join(out, 'en/latest/more')));
  rmSync(place('docs'), { recursive: true });
  await t.throwsAsync(preview.build([place('docs')]), { name: 'BuildError' });
  t.true(existsSync(join(out, 'en/latest/other/b.html')));
  write('docs/more/b.md', '# Back\n');
  await preview.build([place('docs'), place('docs/more'), place('docs/more/b.md')]);
  t.true(existsSync(join(out, 'en/latest/more/b.html')));
});

test('openPreview() takes the version that is worked on whatever .docbuild.yml says of versions', async (t) => {
  const { preview } = await setUp(t, [
    ['docs/a.md', '# A\n'],
    ['.docbuild.yml', 'latest: v1\nexcluded: current\n'],
  ]);
  t.is((await preview.build()).versions, 1);
});

test('openPreview() dates pages that are as they were committed, and follows commits', async (t) => {
  const repository = createRepository(t);
  repository.write('docs/a.md', '# A\n');
  repository.write('docs/b.md', '# B\n');
  repository.commit('First');
  await followDates(t, repository, await setUp(t, [], repository.folder));
});

test('openPreview() dates the pages of a folder inside a repository, too', async (t) => {
  const repository = createRepository(t);
  repository.write('guide/text/docs/a.md', '# A\n');
  repository.write('guide/text/docs/b.md', '# B\n');
  // The same blob elsewhere has another date.
  repository.write('docs/a.md', '# A, edited again\n');
  repository.commit('First');
  await followDates(t, repository, await setUp(t, [], join(repository.folder, 'guide/text')));
});

/** Edits and commits two pages, committed already, in a preview of them, and looks at their dates. */
async function followDates(
  t: ExecutionContext,
  repository: TestRepository,
  { out, preview, write }: Setup,
): Promise<void> {
  const dates = () =>
    ['a', 'b'].map(
      (name) => /<time datetime="([^"]*)"/.exec(readFileSync(join(out, 'en/current', `${name}.html`), 'utf8'))?.[1],
    );
  await preview.build();
  t.deepEqual(dates(), ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z']);
  await preview.build([write('docs/a.md', '# A, edited\n')]);
  t.deepEqual(dates(), [undefined, '2024-01-02T03:04:05Z']);
  await preview.build([write('docs/a.md', '# A\n')]);
  t.deepEqual(dates(), ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'], 'undone');
  const edited = write('docs/a.md', '# A, edited again\n');
  await preview.build([edited]);
  repository.git('commit', '--quiet', '--all', '--message=Second', '--date=2025-06-07T00:00:00Z');
  repository.git('pack-refs', '--all');
  await preview.build([]);
  t.deepEqual(dates(), ['2025-06-07T00:00:00Z', '2024-01-02T03:04:05Z']);
  await preview.build([write('docs/b.md', '# B, edited\n')]);
  t.deepEqual(dates(), ['2025-06-07T00:00:00Z', undefined]);
}

test('openPreview() says what it cannot open', async (t) => {
  const folder = createFolder(t);
  const open = (repository: string) => openPreview({ repository, cacheFolder: folder });
  await t.throwsAsync(open(join(folder, 'none')), { message: /does not exist/ });
  writeFileSync(join(folder, 'file'), '');
  await t.throwsAsync(open(join(folder, 'file')), { message: /it is a file, not a folder/ });
  const { folder: work } = createRepository(t);
  await t.throwsAsync(open(join(work, '.git')), { message: /bare repository, without files to work on/ });
  symlinkSync(folder, join(folder, 'link'));
  await t.notThrowsAsync(async () => (await open(join(folder, 'link'))).close());
});

const OF_GENERATORS: Readonly<Record<string, Iterable<readonly [string, string]>>> = {
  'no generator': [['docs/a.md', '# A\n']],
  MkDocs: [
    ['mkdocs.yml', 'site_name: Site\nnav:\n  - Home: index.md\n'],
    ['docs/index.md', '# Home\n'],
  ],
  VitePress: [
    ['docs/.vitepress/config.mjs', 'export default { title: "Site" }\n'],
    ['docs/index.md', '# Home\n'],
  ],
  Docusaurus: [
    ['docusaurus.config.js', 'module.exports = { title: "Site", presets: ["classic"] };\n'],
    ['docs/intro.md', '# Home\n'],
  ],
};

for (const [generator, files] of Object.entries(OF_GENERATORS)) {
  test(`openPreview() shows all elements without a problem: ${generator}`, async (t) => {
    const { out, preview } = await setUp(t, files, createFolder(t), { elements: true });
    const { errors, warnings } = await preview.build();
    t.deepEqual([errors, warnings], [[], []]);
    const path = preview.elementsPath()!;
    t.regex(path, /^en\/latest\/.*docbuild-elements\/index\.html$/);
    const page = readFileSync(join(out, path), 'utf8');
    for (const element of [
      'class="tabs',
      'class="callout danger',
      'class="badge',
      'class="container cardgrid"',
      'class="container steps"',
      '<math',
    ]) {
      t.regex(page, new RegExp(element), element);
    }
    t.notRegex(page.replace(/<pre[\s\S]*?<\/pre>/g, ''), /:::|@tab|\[x\]|==marked|\[!code/);
    t.regex(readFileSync(join(out, path, '../landing.html'), 'utf8'), /class="hero has-image"[\s\S]*class="closing"/);
  });
}

test('openPreview() shows all elements in each language, with releases to choose from, and follows the theme', async (t) => {
  const files = [
    ['docs/en/a.md', '# A\n'],
    ['docs/zh_CN/a.md', '# 甲\n'],
    ['.docbuild.yml', 'theme: {accent: "#b91c1c"}\n'],
  ] as const;
  const { out, preview, write } = await setUp(t, files, createFolder(t), { elements: true });
  await preview.build();
  t.is(preview.elementsPath(), 'en/latest/docbuild-elements/index.html');
  const read = (path: string): string => readFileSync(join(out, path), 'utf8');
  t.regex(read('zh_CN/v1.1.0/docbuild-elements/index.html'), /<h1[^>]*>元素一览/);
  const { versions } = JSON.parse(read('versions.json')) as { readonly versions: { readonly en: readonly string[] } };
  t.deepEqual(versions.en, ['latest', 'current', 'v2.0.0', 'v1.1.0', 'v1.0.0']);
  const styleOf = (): string => /_docbuild\/(site\.\w+\.css)/.exec(read(preview.elementsPath()!))![1]!;
  t.regex(read(`_docbuild/${styleOf()}`), /#b91c1c/);
  await preview.build([write('.docbuild.yml', 'theme: {accent: "#1d4ed8"}\n')]);
  t.regex(read(`_docbuild/${styleOf()}`), /#1d4ed8/);
});

test('openPreview() reads Chinese pages as Chinese beside all elements, and adds none unasked', async (t) => {
  const chinese = [['docs/a.md', '# 甲\n\n这里是一段中文文字，用来说明语言。\n']] as const;
  const shown = await setUp(t, chinese, createFolder(t), { elements: true });
  await shown.preview.build();
  t.is(shown.preview.elementsPath(), 'zh/latest/docbuild-elements/index.html');
  const { preview, out } = await setUp(t, chinese);
  await preview.build();
  t.is(preview.elementsPath(), undefined);
  t.false(existsSync(join(out, 'zh/latest/docbuild-elements')));
});
