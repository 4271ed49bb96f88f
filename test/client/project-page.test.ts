import type { ExecutionContext } from 'ava';
import { createSigningSecret } from '../../lib/standard-webhooks.ts';
import { createConsole, PASSWORD } from '../helpers/create-console.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { failTest } from '../helpers/fail-test.ts';
import { browserTest, findViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

/** A server with a project whose site is published. */
async function createGuide(t: ExecutionContext) {
  const server = await createServer(t);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const { id } = await server.operations.build({ name: 'guide', ref: 'main' });
  await server.operations.waitForBuild({ id });
  return server;
}

browserTest(
  'project page: button, badge and webhook can be copied, on a phone, in both colour schemes and languages',
  async (t) => {
    const server = await createGuide(t);
    for (const [locale, colorScheme, width] of [
      ['en', 'light', 1280],
      ['zh-CN', 'dark', 360],
    ] as const) {
      const page = await openPage(t, getBrowser(), { locale, colorScheme, viewport: { width, height: 740 } });
      page.on('pageerror', (error) => failTest(t, String(error)));
      await page.goto(`${server.origin}/docbuild/projects/guide`);
      for (const details of await page.locator('details').all()) {
        if ((await details.getAttribute('open')) === null) await details.locator('summary').click();
      }
      t.deepEqual(await findViolations(page), [], colorScheme);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      t.true(overflow <= 0, `${overflow} px wider than the window`);
      const name = locale === 'en' ? 'Copy HTML' : '复制 HTML';
      const copy = page.locator('#button-html ~ button');
      t.is((await copy.textContent())?.trim(), name);
      await copy.click();
      t.is(await page.evaluate('getSelection().toString()'), await page.locator('#button-html').textContent());
      await page
        .getByText(locale === 'en' ? 'Copied' : '已复制', { exact: true })
        .first()
        .waitFor();
      const folder = process.env['SCREENSHOTS'];
      if (folder) await page.screenshot({ path: `${folder}/project-${locale}.png`, fullPage: true });
    }
  },
);

browserTest(
  'console: notifications of a project are readable on a phone, in both colour schemes and languages',
  async (t) => {
    const { server } = await createConsole(t);
    const { operations } = server;
    const notify = `https://hooks.invalid/${'a'.repeat(300)}?token=<b>`;
    const settings = { url: '/nonexistent/repository', notify, notifySecret: createSigningSecret() };
    await operations.createProject({ name: 'guide', settings });
    for (const ref of ['', 'main', `feature/${'x'.repeat(80)}`]) {
      const { id } = await operations.build({ name: 'guide', ...(ref === '' ? { all: true } : { ref }) });
      t.is((await operations.waitForBuild({ id })).status, 'failing');
    }
    const isTried = async () => (await operations.listNotifications({ name: 'guide' })).some((one) => one.attempts > 0);
    while (!(await isTried())) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const [locale, colorScheme, width] of [
      ['en', 'light', 1280],
      ['zh-CN', 'dark', 360],
    ] as const) {
      const page = await openPage(t, getBrowser(), { locale, colorScheme, viewport: { width, height: 740 } });
      page.on('pageerror', (error) => failTest(t, String(error)));
      await page.goto(`${server.origin}/control/login`);
      await page.locator('[name=account]').fill('boss');
      await page.locator('[name=password]').fill(PASSWORD);
      await page.locator('form[action="/control/login"] button').click();
      await page.goto(`${server.origin}/control/projects/guide`);
      await page.getByText('Cannot reach "hooks.invalid"').first().waitFor();
      t.deepEqual(await findViolations(page), [], colorScheme);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      t.true(overflow <= 0, `${overflow} px wider than the window`);
      const folder = process.env['SCREENSHOTS'];
      if (folder) await page.screenshot({ path: `${folder}/console-${locale}.png`, fullPage: true });
    }
  },
);
