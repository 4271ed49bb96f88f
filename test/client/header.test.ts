import type { ExecutionContext } from 'ava';
import type { Page, ViewportSize } from 'playwright-core';
import type { VersionIndexInput } from '../../builder/site/version-index.ts';
import { createCodeHosts } from '../../platform/code-hosts/code-hosts.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { serveButton } from '../helpers/serve-button.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
const menu = '.switch-menu:first-child';

const getBrowser = shareBrowser();

const many: Partial<VersionIndexInput> = {
  latest: 'v1.39',
  languages: ['en'],
  versions: Array.from({ length: 40 }, (_, place) => {
    const name = `v1.${39 - place}`;
    return { name, kind: 'tag', slug: name, pages: new Map([['en', ['index.html']]]) };
  }),
};

const LINES = Array.from(
  { length: 40 },
  (_, n) => `<p id="p${n}"><a href="#p${n}">${n}</a> ${'Text. '.repeat(60)}</p>`,
).join('');
/** All kinds of places to which links lead. */
const TARGETS =
  '<p><a id="empty"></a>Old name.</p><h3 id="heading">Heading</h3><div class="table-scroll"><table><tr id="row"><td>1</td></tr></table></div>' +
  '<section class="footnotes"><ol><li id="note">Note</li></ol></section>';

/** Opens a page of a version with many others, long enough to be scrolled. */
async function visit(t: ExecutionContext, viewport: ViewportSize): Promise<Page> {
  const { origin } = await serveButton(t, { kind: 'static', index: many, body: LINES + TARGETS + LINES });
  const page = await openPage(t, getBrowser(), { viewport });
  await page.goto(`${origin}/en/v1.2/`);
  return page;
}

for (const [viewport, name] of [
  [desktop, 'desktop'],
  [phone, 'phone'],
] as const) {
  browserTest(`header: ${name}: keys in it leave the text where it is, its menus and their filter, too`, async (t) => {
    const page = await visit(t, viewport);
    const top = () => page.evaluate<number>('scrollY');
    await page.evaluate('scrollTo(0, 3000)');
    await page.focus('.site-title');
    for (let count = 0; count < 4; count++) {
      await page.keyboard.press('Tab');
      t.is(await top(), 3000, `Tab ${count}`);
    }
    await page.focus(`${menu} summary`);
    await page.keyboard.press('Enter');
    await page.locator(`${menu} input:focus`).waitFor();
    t.is(await top(), 3000, 'opened');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp']) {
      await page.keyboard.press(key);
      t.is(await top(), 3000, key);
    }
    for (const key of 'v1.2') {
      await page.keyboard.press(key);
      t.is(await top(), 3000, key);
    }
  });

  browserTest(`header: ${name}: covers neither what a jump leads to nor what takes the focus`, async (t) => {
    const page = await visit(t, viewport);
    const bar = viewport === phone ? '.local-bar' : '.site-header';
    const distance = (selector: string) =>
      page.evaluate<number>(
        `Math.round(document.querySelector('${selector}').getBoundingClientRect().top - document.querySelector('${bar}').getBoundingClientRect().bottom)`,
      );
    for (const id of ['empty', 'heading', 'row', 'note', 'p20']) {
      await page.evaluate(`location.hash = '#${id}'`);
      const space = await distance(`#${id}`);
      t.true(space >= 20 && space <= 30, `${id} ${space}`);
    }
    await page.focus('#p20 a');
    for (let at = 19; at >= 10; at--) {
      await page.keyboard.press('Shift+Tab');
      await page.locator(`#p${at} a:focus`).waitFor();
      t.true((await distance(`#p${at} a`)) >= 0, String(at));
    }
  });

  browserTest(`header: ${name}: nothing of a list is seen above or beside its filter`, async (t) => {
    const page = await visit(t, viewport);
    await page.click(`${menu} summary`);
    await page.waitForSelector(`${menu} li a`);
    t.true((await page.evaluate<number>(`document.querySelector('${menu} .switch-panel').scrollTop`)) > 0);
    const gaps = await page.evaluate<readonly number[]>(`(() => {
      const panel = document.querySelector('${menu} .switch-panel');
      const [outer, inner] = [panel, panel.querySelector('input')].map((element) => element.getBoundingClientRect());
      return [inner.top - outer.top - panel.clientTop, inner.left - outer.left - panel.clientLeft, inner.width - panel.clientWidth].map(Math.round);
    })()`);
    t.deepEqual(gaps, [0, 0, 0]);
  });
}

const low = { width: 844, height: 390 };

/** Publishes a repository at a code host with two versions. */
async function publishLong(t: ExecutionContext, changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const repository = createRepository(t);
  const text = Array.from({ length: 60 }, (_, n) => `## Heading ${n}\n\n${'Text. '.repeat(60)}\n`).join('\n');
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/a.md': `# A\n\n${text}`, ...changes });
  repository.git('remote', 'add', 'origin', 'https://github.com/you/lamp.git');
  for (const tag of ['v1.0', 'v2.0']) repository.git('tag', tag);
  const site = createSite(t);
  await site.build(repository.folder, { latest: 'v2.0', codeHosts: createCodeHosts().patterns });
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  return url;
}

const button = 'docbuild-button button';
const settle = (page: Page) =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');

browserTest(
  'header: does what the nav button does, which is there only where the header is scrolled away',
  async (t) => {
    const url = await publishLong(t);
    for (const [viewport, scrollsAway] of [
      [desktop, false],
      [phone, false],
      [low, true],
    ] as const) {
      const page = await openPage(t, getBrowser(), { viewport });
      await page.goto(`${url}/en/latest/a.html`);
      await page.locator(button).waitFor({ state: 'attached' });
      for (const top of [0, 2000, 0]) {
        await page.evaluate(`scrollTo(0, ${top})`);
        const isThere = scrollsAway && top > 0;
        await page.locator(button).waitFor({ state: isThere ? 'visible' : 'hidden' });
        await settle(page);
        const name = `${viewport.width} ${top}`;
        t.is(await page.isVisible(button), isThere, name);
        const header = (await page.locator('.site-header').boundingBox())!;
        t.is(header.y + header.height > 0, !isThere, name);
      }
    }
  },
);

browserTest('header: the nav button that takes its place says which version is read, as it does', async (t) => {
  const url = await publishLong(t);
  const page = await openPage(t, getBrowser(), { viewport: low });
  await page.goto(`${url}/en/latest/a.html`);
  await page.click(`${menu} summary`);
  await page.locator(`${menu} li a`, { hasText: 'v2.0 newest' }).waitFor();
  await page.keyboard.press('Escape');
  await page.evaluate('scrollTo(0, 2000)');
  await page.locator(button).waitFor();
  await page.locator(button, { hasText: 'v2.0 · English' }).waitFor();
  await page.click(button);
  await page.locator('docbuild-button li a', { hasText: 'v1.0' }).waitFor();
  // Whoever has it open keeps it.
  await page.evaluate('scrollTo(0, 0)');
  await settle(page);
  t.true(await page.isVisible('docbuild-button li a >> nth=0'));
  await page.locator('docbuild-button li a', { hasText: 'v1.0' }).click();
  await page.waitForURL(`${url}/en/v1.0/a.html`);
});

browserTest('header: the table of contents has the window to itself', async (t) => {
  const url = await publishLong(t);
  for (const version of ['latest', 'v1.0']) {
    const page = await openPage(t, getBrowser(), { viewport: desktop });
    await page.goto(`${url}/en/${version}/a.html`);
    await page.locator(button).waitFor({ state: 'attached' });
    for (const top of [0, 20, 1000]) {
      await page.evaluate(`scrollTo(0, ${top})`);
      await settle(page);
      const { y, height } = (await page.locator('.page-toc').boundingBox())!;
      t.true(Math.abs(y + height - desktop.height) <= 1, `${version} ${top}: ${y + height}`);
    }
  }
});

browserTest(
  'header: leads to the repository, the foot of a page to its source, and neither where it is hidden',
  async (t) => {
    const url = await publishLong(t, {
      'docs/own.md': '---\neditLink: https://edit.example/own\n---\n\n# Own\n',
      'docs/none.md': '---\neditLink: false\n---\n\n# None\n',
    });
    const home = 'https://github.com/you/lamp';
    for (const javaScriptEnabled of [true, false]) {
      const page = await openPage(t, getBrowser(), { viewport: desktop, javaScriptEnabled });
      await page.goto(`${url}/en/v1.0/a.html`);
      const link = page.getByRole('banner').getByRole('link', { name: 'Repository' });
      t.is(await link.getAttribute('href'), home);
      const facts = () =>
        page.locator('.page-facts a').evaluateAll((links) => links.map((one) => `${one.textContent} | ${one}`));
      t.deepEqual(await facts(), [
        `Edit this page | ${home}/edit/main/docs/a.md`,
        `View source | ${home}/blob/main/docs/a.md`,
      ]);
      await page.goto(`${url}/en/v1.0/own.html`);
      t.deepEqual(await facts(), ['Edit this page | https://edit.example/own', `Repository | ${home}`]);
      await page.goto(`${url}/en/v1.0/none.html`);
      t.deepEqual(await facts(), [`Repository | ${home}`]);
    }
  },
);

browserTest('header: of one version and one language there is no menu', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  await site.build(repository.folder, {});
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  const page = await openPage(t, getBrowser(), { viewport: desktop });
  await page.goto(`${url}/en/latest/`);
  t.is(await page.locator('.site-header :is(details, .switch)').count(), 0);
  repository.git('tag', 'v1.0');
  await site.build(repository.folder, {});
  await page.reload();
  await page.waitForSelector('.switch-menu');
  t.is(await page.locator('.site-header .switch-menu').count(), 1);
});

browserTest(
  'the nav button that pages ask for does not cover the table of contents below notices of any height',
  async (t) => {
    const repository = createRepository(t);
    const headings = Array.from({ length: 40 }, (_, n) => `## Heading ${n}\n\n${'Text. '.repeat(60)}\n`).join('\n');
    const files = { 'index.md': '# Home\n', 'a.md': `---\nnavButton: true\n---\n\n# A\n\n${headings}` };
    commitFiles(
      repository,
      Object.fromEntries(
        ['en', 'fa'].flatMap((lang) => Object.entries(files).map(([path, text]) => [`docs/${lang}/${path}`, text])),
      ),
    );
    for (const tag of ['v1.0', 'v2.0']) repository.git('tag', tag);
    for (const text of [undefined, 'Something long. '.repeat(30)]) {
      const site = createSite(t);
      await site.build(repository.folder, {
        latest: 'v2.0',
        lang: ['en', 'fa'],
        ...(text && { announcement: { text } }),
      });
      const { url, close } = await serveFolder(site.out);
      t.teardown(close);
      for (const path of ['en/v1.0/a.html', 'fa/v1.0/a.html', 'en/latest/a.html']) {
        for (const viewport of [desktop, { width: 1440, height: 600 }]) {
          const page = await openPage(t, getBrowser(), { viewport });
          await page.goto(`${url}/${path}`);
          await page.locator('docbuild-button button').waitFor();
          for (const top of [0, 20, 1000, 0]) {
            await page.evaluate(
              `scrollTo(0, ${top}), new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`,
            );
            const [toc, button] = await Promise.all(
              ['.page-toc', 'docbuild-button button'].map(async (part) => (await page.locator(part).boundingBox())!),
            );
            const space = button!.y - toc!.y - toc!.height;
            t.true(space >= 0 && space < 40, `${path} ${viewport.height} ${top}: ${space}`);
          }
        }
      }
    }
  },
);
