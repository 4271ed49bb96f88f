import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { failTest } from '../helpers/fail-test.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findThemeViolations, findViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { shareSetup } from '../helpers/share-setup.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

interface OpenOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly javaScriptEnabled?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** Builds a site of one page and serves it; returns its URL. */
const shareSite = (text: string): (() => Promise<string>) =>
  shareSetup(async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/en/index.md': text });
    const site = createSite(t);
    await site.build(repository.folder, { title: 'Kettle' });
    const { url, close } = await serveFolder(site.out);
    t.teardown(close);
    return url;
  });

/** Opens the page of a site; whatever it complains about, or asks of others, fails the test. */
async function open(t: ExecutionContext, serve: () => Promise<string>, options: OpenOptions = {}): Promise<Page> {
  const url = await serve();
  const page = await openPage(t, getBrowser(), { viewport: { width: 390, height: 844 }, ...options });
  page.on('console', (message) => {
    if (message.type() === 'error') failTest(t, message.text());
  });
  page.on('pageerror', (error) => failTest(t, String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url())) failTest(t, request.url());
  });
  await page.goto(`${url}/en/latest/`);
  return page;
}

const serveFormulas = shareSite(`# Area

A circle has $\\pi r^2$.

$$
${Array.from({ length: 40 }, (_, at) => `a_{${at}}`).join(' + ')}
$$

$$
\\frac{1}{2}
$$
`);

browserTest('formulas are drawn without scripts, and wide ones scroll on their own', async (t) => {
  const page = await open(t, serveFormulas, { javaScriptEnabled: false });
  const sizes = await page.locator('math').evaluateAll((all) => all.map((math) => math.getBoundingClientRect().height));
  t.is(sizes.length, 3);
  t.true(sizes.every((height) => height > 5));
  const fraction = await page.locator('mfrac').evaluate((one) => {
    const [top, bottom] = [...one.children].map((part) => part.getBoundingClientRect().top);
    return bottom! - top!;
  });
  t.true(fraction > 5, 'the denominator stands below');
  const isWide = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((one) => one.scrollWidth > 390);
  t.deepEqual([await isWide('html'), await isWide('.formula')], [false, true]);
});

browserTest('axe finds nothing wrong with formulas, light or dark', async (t) => {
  t.deepEqual(await findThemeViolations(await open(t, serveFormulas)), []);
});

const serveDiagrams = shareSite(`# Kettle

\`\`\`mermaid
flowchart LR
  accTitle: How water boils
  A[Cold <b onclick="x">water</b>] --> B{Hot?}
  click A "javascript:alert(1)"
\`\`\`

\`\`\`mermaid
sequenceDiagram
  Ann->>Bob: Tea?
\`\`\`

\`\`\`mermaid
flowchart LR
  A -->
\`\`\`
`);
const pictures = (page: Page) => page.locator('.diagram-picture svg');
/** Waits until all diagrams are drawn, and the one that is wrong says so. */
const isDrawn = (page: Page) => page.locator('.diagram-error').waitFor();

for (const colorScheme of ['light', 'dark'] as const) {
  browserTest(`diagrams are drawn with files of the site only, ${colorScheme}`, async (t) => {
    const page = await open(t, serveDiagrams, { colorScheme });
    await isDrawn(page);
    t.is(await pictures(page).count(), 2);
    const [first, second] = await pictures(page).all();
    t.regex((await first!.textContent())!, /Cold.*water/s);
    t.is(await first!.locator('[onclick], script').count(), 0);
    t.false((await first!.innerHTML()).includes('javascript:'));
    t.true((await first!.boundingBox())!.height > 40);
    const title = await first!.getAttribute('aria-labelledby');
    t.is(await page.locator(`#${title}`).textContent(), 'How water boils');
    t.is(await second!.getAttribute('aria-label'), 'Diagram');
    const fill = await page.evaluate<string>('getComputedStyle(document.querySelector(".node rect")).fill');
    const isDark = Number(/\d+/.exec(fill)![0]) < 128;
    t.is(isDark, colorScheme === 'dark');
    t.deepEqual(await findViolations(page), []);
  });
}

browserTest('the source of a diagram is folded below it, and open where it cannot be drawn', async (t) => {
  const page = await open(t, serveDiagrams);
  await isDrawn(page);
  const states = page.locator('.diagram details');
  t.deepEqual(await states.evaluateAll((all) => all.map((one) => one.hasAttribute('open'))), [false, false, true]);
  t.regex(await page.locator('.diagram-error').innerText(), /^Parse error on line 3/);
  await page.locator('.diagram summary').first().press('Enter');
  t.regex(await page.locator('.diagram code').first().innerText(), /^flowchart LR/);
});

browserTest('diagrams follow the choice of a theme, and leave their sources as they are', async (t) => {
  const page = await open(t, serveDiagrams, { colorScheme: 'light', viewport: { width: 1200, height: 800 } });
  await isDrawn(page);
  await page.locator('.diagram summary').first().press('Enter');
  await page.locator('.theme-switch select').selectOption('dark');
  await page.locator('.diagram-picture.dark').nth(1).waitFor();
  t.is(await pictures(page).count(), 2);
  t.is(await page.locator('.diagram details[open]').count(), 2);
});

browserTest('without scripts the source of a diagram is text', async (t) => {
  const page = await open(t, serveDiagrams, { javaScriptEnabled: false });
  t.true(await page.locator('.diagram code').first().isVisible());
});

const group = (attributes: string, ...labels: readonly string[]): string =>
  `<Tabs${attributes}>\n${labels.map((label) => `<TabItem label="${label}" value="${label}">\n\nThis is ${label}.\n\n</TabItem>`).join('\n')}\n</Tabs>\n\n`;

const serveComponents = shareSite(`# Parts

${group(' groupId="os"', 'Linux', 'macOS')}${group(' groupId="os"', 'Linux', 'macOS')}${group(' groupId="shop"', 'Linux', 'macOS')}${group('', 'Linux', 'macOS')}

<CardGrid>
  <Card title="One">

[Inside](#parts)

  </Card>
  <LinkCard title="Whole" href="#whole" description="Text" />
</CardGrid>

<Steps>

1. First
2. Second

</Steps>

<FileTree>

- src
  - a.ts
- b.md

</FileTree>

<Badge text="Careful" variant="caution" /> <LinkButton href="#parts">Go</LinkButton>

## Whole
`);

browserTest('tabs that their author has joined change together, and with no others', async (t) => {
  const page = await open(t, serveComponents);
  await page.locator('.tab-label', { hasText: 'macOS' }).first().click();
  const checked = await page.locator('.tab-input').evaluateAll((all) => all.map((one) => one.matches(':checked')));
  t.deepEqual(checked, [false, true, false, true, true, false, true, false]);
  await page.reload();
  t.true(await page.locator('.tab-input').nth(3).isChecked());
  t.false(await page.locator('.tab-input').nth(7).isChecked());
});

browserTest('cards, steps and file trees look as such, and axe finds nothing wrong, light or dark', async (t) => {
  const page = await open(t, serveComponents, { viewport: { width: 1200, height: 900 } });
  const [one, two] = await page.locator('.container.card').all();
  t.is((await one!.boundingBox())!.y, (await two!.boundingBox())!.y, 'side by side');
  // All of a card leads where its title leads.
  await two!.click({ position: { x: 200, y: 60 } });
  await page.waitForURL('**#whole');
  const number = "getComputedStyle(document.querySelector('.steps li'), '::before').content";
  t.regex(await page.evaluate<string>(number), /counter|1/);
  t.deepEqual(await findThemeViolations(page), []);
});
