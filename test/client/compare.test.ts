import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Page, ViewportSize } from 'playwright-core';
import { CORPUS_BUNDLE, openCorpus } from '../../bench/corpus/open-corpus.ts';
import { buildSite } from '../../builder/index.ts';
import { corpusTest } from '../helpers/corpus-test.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { createSite } from '../helpers/create-site.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findThemeViolations, hideHeader, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
const getBrowser = shareBrowser();

/** What browser and page say on the console, and exceptions; each test must end with none. */
const complaints: string[] = [];
test.afterEach((t) => t.deepEqual(complaints.splice(0), []));

interface PageOptions {
  readonly viewport?: ViewportSize;
  readonly colorScheme?: 'light' | 'dark';
  readonly forcedColors?: 'active';
}

async function visit(
  t: ExecutionContext,
  url: string,
  { viewport = desktop, ...more }: PageOptions = {},
): Promise<Page> {
  const page = await openPage(t, getBrowser(), { viewport, reducedMotion: 'reduce', ...more });
  page.on('console', (message) => {
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return page;
}

/** Opens a comparison and waits until it is there. */
async function compare(t: ExecutionContext, url: string, options?: PageOptions): Promise<Page> {
  const page = await visit(t, url, options);
  await page.waitForSelector('.compare-bar');
  return page;
}

const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ');
const moved = `## Moving

${words(20, 'moves')}

- ${words(8, 'item')}
- ${words(8, 'other')}
`;
const same = `## Same

${Array.from({ length: 8 }, (_, at) => `Nothing new in ${at}`).join('\n\n')}
`;
const oldPage = `# Guide

The port is 80, see [the list](list.md) and [the host](https://example.com/old).

${moved}
## Options

${words(50, 'about')}

| Name | Default |
| --- | --- |
| port | 80 |
| host | localhost |

\`\`\`js
const port = 80;
listen(port);
\`\`\`

1. First
2. Second
3. Third

## Gone

${words(12, 'gone')}

:::tip
${words(9, 'boxed')}
:::

${same}
## Pictures

![A cat](cat.svg) and H~2~O
`;
const newPage = `# Guide

The port is 8080,   see [the list](list.md)
and [the host](https://example.com/new).

## Options {#renamed}

${words(50, 'about')}

| Name  | Default    |
|:------|-----------:|
| port  | 8080       |
| host  | localhost  |

\`\`\`ts
const port = 8080;
listen(port);
\`\`\`

1. First
2. Third

:::tip
${words(9, 'boxed')} indeed
:::

## New

${words(12, 'new')}

${moved}
${same}
## Pictures

![A dog](cat.svg) and H~2~O
`;
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><path d="M0 0h60v40z"/></svg>';
const common = { 'docs/en/list.md': '# List\n\nOf things\n', 'docs/en/cat.svg': svg, 'docs/fa/cat.svg': svg };

function createDocs(t: ExecutionContext): string {
  const repository = createRepository(t);
  const persian = (text: string): string => text.replaceAll('port is', 'درگاه').replaceAll('Guide', 'راهنما');
  commitFiles(repository, {
    ...common,
    'docs/en/guide.md': oldPage,
    'docs/fa/guide.md': persian(oldPage),
    'docs/en/early.md': '# Early\n',
  });
  repository.git('tag', 'v1.0.0');
  commitFiles(repository, {
    'docs/en/guide.md': newPage,
    'docs/fa/guide.md': persian(newPage),
    'docs/fa/list.md': '# فهرست\n',
  });
  repository.git('rm', '--quiet', 'docs/en/early.md');
  repository.commit('Less');
  repository.git('tag', 'v2.0.0');
  commitFiles(repository, { 'docs/en/other.md': '# Other\n\nThere is more\n' });
  repository.git('tag', 'v2.1.0');
  return repository.folder;
}

async function publish(t: ExecutionContext): Promise<string> {
  const site = createSite(t);
  await site.build(createDocs(t), { latest: 'v2.1.0' });
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  return url;
}

/** Returns what the comparison says, words that came as `{+…+}` and that are gone as `[-…-]`. */
const read = (page: Page, selector = '.comparison > *'): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => {
    const copy = element.cloneNode(true);
    for (const one of copy.querySelectorAll('.visually-hidden, .anchor')) one.remove();
    for (const one of copy.querySelectorAll('ins')) one.replaceWith('{+' + one.textContent + '+}');
    for (const one of copy.querySelectorAll('del')) one.replaceWith('[-' + one.textContent + '-]');
    return copy.textContent.replace(/\\s+/g, ' ').trim();
  })`);

const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.dataset.change ?? ""');

browserTest('compare: shows what a reader sees to have changed, and nothing else', async (t) => {
  const page = await compare(t, `${await publish(t)}/en/v2.0.0/guide.html?compare=v1.0.0`);
  t.is(await page.textContent('.compare-count'), 'Changes: 8');
  const shown = await read(page);
  const [list, item] = [words(20, 'moves'), words(8, 'item')];
  t.is(shown[1], 'The port is [-80-]{+8080+}, see the list and the host.');
  t.is(await page.getAttribute('.compare-link', 'title'), 'The link has changed; it led to https://example.com/old');
  t.is(shown[2], 'Moved: Moving');
  t.is(shown[3], 'Options', 'another id is no change');
  t.is(shown[5]!.replaceAll(' ', ''), 'NameDefaultport[-80-]{+8080+}hostlocalhost', 'nor is how a table is aligned');
  t.deepEqual(await read(page, '.compare-line'), ['const port = [-80-]{+8080+};', 'listen(port);']);
  t.deepEqual(await read(page, '.comparison ol > li'), ['First', '[-Second-]', 'Third']);
  t.true(shown.includes(`{+Tip+}{+${words(9, 'boxed')} indeed+}`));
  t.true(shown.includes(`[-${words(12, 'gone')}-]`));
  t.true(shown.includes(`{+${words(12, 'new')}+}`));
  const at = shown.indexOf('Moved Moving');
  t.is(shown[at + 1], list);
  t.true(shown[at + 2]!.startsWith(item));
  t.is(await page.locator('.comparison :is(ins, del) img').count(), 2, 'another text for a picture');
});

browserTest('compare: says that nothing has changed where only the source has', async (t) => {
  const page = await compare(t, `${await publish(t)}/en/v2.1.0/guide.html?compare=v2.0.0`);
  t.is(await page.textContent('.compare-count'), 'No visible changes');
  t.is(await page.locator('[data-change]').count(), 0);
  t.false(await page.isVisible('.compare-button.is-down'));
});

browserTest('compare: keys and buttons lead from change to change', async (t) => {
  const page = await compare(t, `${await publish(t)}/en/v2.0.0/guide.html?compare=v1.0.0`);
  const count = (): Promise<string | null> => page.textContent('.compare-count');
  await page.keyboard.press('n');
  t.is(await count(), '1 of 8');
  t.is(await focused(page), '1');
  await page.keyboard.press('j');
  t.is(await focused(page), '2');
  t.true(
    await page
      .locator('[data-change="2"]')
      .first()
      .evaluate((element) => element.matches(':focus-visible, :focus')),
  );
  await page.keyboard.press('p');
  await page.keyboard.press('k');
  t.is(await count(), '8 of 8', 'around');
  await page.click('.compare-button.is-down');
  t.is(await focused(page), '1');
  await page.click('.search-button');
  await page.keyboard.type('nn');
  t.is(await count(), '1 of 8', 'not while somebody types');
});

browserTest(
  'compare: both pages stand beside each other where there is room, and the choice is remembered',
  async (t) => {
    const url = `${await publish(t)}/en/v2.0.0/guide.html?compare=v1.0.0`;
    const page = await compare(t, url);
    await page.click('text="Side by side"');
    t.deepEqual(await read(page, '.compare-row:nth-child(3) > div'), [
      'The port is [-80-], see the list and the host.',
      'The port is {+8080+}, see the list and the host.',
    ]);
    t.is(await page.locator('.compare-side:first-child ins, .compare-side:last-child del').count(), 0);
    t.is(
      await page.evaluate('new Set([...document.querySelectorAll("[id]")].map(({ id }) => id)).size'),
      await page.locator('[id]').count(),
      'no id twice',
    );
    await page.reload();
    await page.waitForSelector('.compare-row');
    await page.setViewportSize(phone);
    await page.waitForSelector('.comparison > h1');
    t.is(await page.locator('.compare-row').count(), 0);
    t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  },
);

browserTest('compare: what is unchanged can be hidden, and shown again one by one', async (t) => {
  const page = await compare(t, `${await publish(t)}/en/v2.0.0/guide.html?compare=v1.0.0`);
  await page.click('text="Hide what is unchanged"');
  const hidden = await page.locator('.compare-same summary').allTextContents();
  t.deepEqual(hidden, ['Unchanged: 10']);
  t.false(await page.isVisible('text="Nothing new in 5"'));
  await page.click('.compare-same summary');
  t.true(await page.isVisible('text="Nothing new in 5"'));
  const small = await compare(t, `${await publish(t)}/en/v2.1.0/guide.html?compare=v2.0.0`);
  t.is(await small.locator('.compare-same').count(), 0, 'without changes there is nothing to hide it from');
});

browserTest('compare: versions are chosen in menus, swapped and closed by links', async (t) => {
  const origin = await publish(t);
  const page = await compare(t, `${origin}/en/v2.0.0/guide.html?compare=v1.0.0&x=1#renamed`);
  const links = (menu: number): Promise<readonly string[]> =>
    page
      .locator(`.compare-bar .switch-menu >> nth=${menu} >> li a`)
      .evaluateAll((all) =>
        all.map((one) => `${one.textContent} ${(one as unknown as { href: string }).href.slice(-44)}`),
      );
  t.true(
    (await links(0)).some(
      (text) => text.startsWith('v2.1.0 ') && text.endsWith('/en/v2.0.0/guide.html?compare=v2.1.0'),
    ),
    (await links(0)).join('\n'),
  );
  t.true(
    (await links(1)).some(
      (text) => text.startsWith('v2.1.0 ') && text.endsWith('/en/v2.1.0/guide.html?compare=v1.0.0'),
    ),
  );
  await page.click('.is-swap');
  await page.waitForURL(`${origin}/en/v1.0.0/guide.html?compare=v2.0.0`);
  await page.waitForSelector('.compare-bar');
  t.is((await read(page))[1], 'The port is [-8080-]{+80+}, see the list and the host.');
  await page.click('.is-close');
  await page.waitForURL(`${origin}/en/v1.0.0/guide.html`);
  t.is(await page.locator('.compare-bar').count(), 0);
});

browserTest('compare: the menu of versions and the button lead to it', async (t) => {
  const origin = await publish(t);
  const page = await visit(t, `${origin}/en/v1.0.0/guide.html`);
  await page.click('.switches summary >> nth=0');
  t.deepEqual(await page.locator('.switch-more a').allTextContents(), ['Compare with v2.1.0', 'History of this page']);
  t.is(await page.getAttribute('.switch-more a', 'href'), `${origin}/en/latest/guide.html?compare=v1.0.0`);
  await page.goto(`${origin}/en/latest/guide.html`);
  await hideHeader(page);
  await page.click('docbuild-button button');
  await page.click('docbuild-button a:has-text("Compare with v2.0.0")');
  await page.waitForSelector('.compare-bar');
  t.is(await page.textContent('.compare-count'), 'No visible changes');
  // Of a page that is nowhere else there is nothing to compare.
  await page.goto(`${origin}/en/latest/other.html`);
  await page.click('.switches summary >> nth=0');
  await page.waitForSelector('.switches li a');
  t.deepEqual(await page.locator('.switch-more a').allTextContents(), ['History of this page']);
});

browserTest('compare: says what is wrong and what to do', async (t) => {
  const origin = await publish(t);
  const page = await visit(t, `${origin}/en/v2.1.0/guide.html?compare=v9`);
  const note = async (): Promise<string> => (await page.textContent('.compare-note[role="alert"]'))!;
  t.regex(await note(), /^There is no version “v9” in this language\. Choose another one:.*v1\.0\.0/);
  await page.goto(`${origin}/en/v2.1.0/other.html?compare=v1.0.0`);
  t.regex(await note(), /^This page does not exist in v1\.0\.0\. Versions that have it:/);
  await page.goto(`${origin}/fa/v2.0.0/list.html?compare=v1.0.0`);
  t.regex(await note(), /v1\.0\.0/, 'shown in the default language');
  await page.goto(`${origin}/en/v2.1.0/guide.html?compare=${'v9'.repeat(1000)}`);
  t.regex(await note(), /^There is no version “(?:v9)+…” in this language/);
  t.true((await note()).length < 300);
  await page.route('**/v1.0.0/guide.html', (route) => route.abort());
  await page.goto(`${origin}/en/v2.1.0/guide.html?compare=v1.0.0`);
  t.is(await note(), 'v1.0.0 could not be loaded. Check the connection and try again.Try again');
  t.is(await page.textContent('article h1'), 'Guide #', 'the page stays');
  await page.unroute('**/v1.0.0/guide.html');
  await page.click('.compare-note button');
  await page.waitForSelector('.compare-bar');
  await page.route('**/compare.*.js', (route) => route.abort());
  await page.goto(`${origin}/en/v2.1.0/list.html?compare=v1.0.0`);
  t.regex((await page.textContent('main > .notice'))!, /^The comparison could not be loaded/);
});

browserTest('compare: where there is no page, nothing is said of versions that have it', async (t) => {
  const origin = await publish(t);
  for (const path of [
    'en/v2.1.0/nothing.html',
    'en/v9/guide.html',
    '_docbuild/changes/en.html',
    '_docbuild/versions/en.html',
  ]) {
    const page = await visit(t, `${origin}/${path}?compare=v1.0.0`);
    await page.waitForLoadState('networkidle');
    t.is(await page.locator('main .notice').count(), 0, path);
  }
});

for (const options of [{}, { viewport: phone }, { forcedColors: 'active' }] as readonly PageOptions[]) {
  browserTest(`compare: axe finds nothing, light or dark ${JSON.stringify(options)}`, async (t) => {
    const origin = await publish(t);
    for (const lang of ['en', 'fa']) {
      const page = await compare(t, `${origin}/${lang}/v2.0.0/guide.html?compare=v1.0.0`, options);
      t.deepEqual(await findThemeViolations(page), [], lang);
      if (options.viewport) continue;
      await page.locator('.compare-views label').last().click();
      t.deepEqual(await findThemeViolations(page), [], `${lang}, beside`);
    }
  });
}

browserTest('compare: works on a server, below its path and at a host of its own', async (t) => {
  const server = await createServer(t, 'docs: {domain: localhost}\n');
  await server.operations.createProject({ name: 'guide', settings: { url: createDocs(t) } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  t.is((await server.operations.waitForBuild({ id })).status, 'passing');
  const { port } = new URL(server.origin);
  for (const root of [`http://guide.localhost:${port}/`, `http://127.0.0.1:${port}/docs/guide/`]) {
    const page = await compare(t, `${root}en/v2.0.0/guide?compare=v1.0.0`);
    t.is(await page.textContent('.compare-count'), 'Changes: 8');
  }
});

const corpusFolder = mkdtempSync(join(tmpdir(), 'docbuild-compare-'));
test.after.always(() => rmSync(corpusFolder, { recursive: true, force: true }));

corpusTest(CORPUS_BUNDLE)(
  'compare: in the corpus, pages have changes where a reader sees another text, and nowhere else',
  async (t) => {
    const corpus = openCorpus(corpusFolder)!;
    const out = join(corpusFolder, 'out');
    await buildSite({
      repository: corpus.repository,
      out,
      cacheFolder: join(corpusFolder, 'cache'),
      refs: 'v1.[0-6].*',
    });
    const { url, close } = await serveFolder(out);
    t.teardown(close);
    const page = await openPage(t, getBrowser(), { viewport: desktop, reducedMotion: 'reduce' });
    let changed = 0;
    for (const lang of ['en', 'zh', 'fa']) {
      const [from, to] = ['v1.3.0', corpus.newestTag];
      const files = readdirSync(join(out, lang, to, 'guide')).filter((file) => file.endsWith('.html'));
      for (const file of files) {
        await page.goto(`${url}/${lang}/${to}/guide/${file}?compare=${from}`);
        await page.waitForSelector('.compare-bar, .compare-note[role="alert"]');
        if (!(await page.isVisible('.compare-bar'))) continue;
        const isChanged = await page.evaluate<boolean>(`Promise.all(['${from}', '${to}'].map(async (version) => {
        const answer = await fetch('${url}/${lang}/' + version + '/guide/${file}');
        const { body } = new DOMParser().parseFromString(await answer.text(), 'text/html');
        const article = body.querySelector('article');
        for (const one of article.querySelectorAll('.anchor, .toc, .line-numbers')) one.remove();
        return article.textContent.replace(/\\s+/g, '');
      })).then(([old, next]) => old !== next)`);
        const [total, links] = [
          await page.locator('[data-change]').count(),
          await page.locator('.compare-link').count(),
        ];
        t.is(total > 0, isChanged || links > 0, `${lang}/${file}`);
        if (isChanged) changed++;
      }
    }
    t.true(changed >= 15, `${changed}`);
  },
);
