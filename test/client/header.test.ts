import type { ExecutionContext } from 'ava';
import type { Page, ViewportSize } from 'playwright-core';
import type { VersionIndexInput } from '../../builder/site/version-index.ts';
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
    await page.waitForSelector(`${menu} li a`);
    t.is(await top(), 3000, 'opened');
    await page.keyboard.press('Tab');
    await page.locator(`${menu} input:focus`).waitFor();
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

browserTest('the nav button does not cover the table of contents below notices of any height', async (t) => {
  const repository = createRepository(t);
  const headings = Array.from({ length: 40 }, (_, n) => `## Heading ${n}\n\n${'Text. '.repeat(60)}\n`).join('\n');
  const files = { 'index.md': '# Home\n', 'a.md': `# A\n\n${headings}` };
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
});
