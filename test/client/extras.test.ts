import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findViolations, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

interface OpenOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly javaScriptEnabled?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** Builds a site of one page and opens it; whatever it complains about, or asks of others, fails the test. */
async function open(t: ExecutionContext, text: string, options: OpenOptions = {}): Promise<Page> {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/en/index.md': text });
  const site = createSite(t);
  await site.build(repository.folder, { title: 'Kettle' });
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  const context = await getBrowser().newContext({ viewport: { width: 390, height: 844 }, ...options });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') t.fail(message.text());
  });
  page.on('pageerror', (error) => t.fail(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url())) t.fail(request.url());
  });
  await page.goto(`${url}/en/latest/`);
  return page;
}

const FORMULAS = `# Area

A circle has $\\pi r^2$.

$$
${Array.from({ length: 40 }, (_, at) => `a_{${at}}`).join(' + ')}
$$

$$
\\frac{1}{2}
$$
`;

browserTest('formulas are drawn without scripts, and wide ones scroll on their own', async (t) => {
  const page = await open(t, FORMULAS, { javaScriptEnabled: false });
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

for (const colorScheme of ['light', 'dark'] as const) {
  browserTest(`axe finds nothing wrong with formulas, ${colorScheme}`, async (t) => {
    t.deepEqual(await findViolations(await open(t, FORMULAS, { colorScheme })), []);
  });
}
