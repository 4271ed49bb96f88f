import { createConsole, PASSWORD } from '../helpers/create-console.ts';
import { browserTest, findThemeViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';

const getBrowser = shareBrowser();

browserTest(
  'languages: a browser gets the language it asks for, and keeps the one that is chosen, without scripts',
  async (t) => {
    const { server } = await createConsole(t);
    await server.operations.createProject({ name: 'guide', settings: { url: 'https://git.example/a/guide' } });
    const page = await openPage(t, getBrowser(), {
      locale: 'zh-CN',
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
    });
    const findLanguage = () => page.locator('html').getAttribute('lang');

    await page.goto(`${server.origin}/control/keys`);
    t.is(await findLanguage(), 'zh-CN');
    await page.getByLabel('账号').fill('reader');
    await page.getByLabel('密码').fill('not the password');
    await page.getByRole('button', { name: '登录' }).click();
    await page.getByRole('alert').filter({ hasText: '账号或密码错误' }).waitFor();
    await page.getByLabel('密码').fill(PASSWORD);
    await page.getByRole('button', { name: '登录' }).click();
    await page.getByRole('heading', { name: '我的 API 密钥' }).waitFor();

    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'My API keys' }).waitFor();
    t.is(page.url(), `${server.origin}/control/keys`);
    await page.goto(`${server.origin}/docbuild/projects/guide`);
    t.is(await findLanguage(), 'en');
    await page.getByRole('button', { name: '简体中文' }).click();
    await page.getByRole('heading', { name: '版本' }).waitFor();
    await page.goto(`${server.origin}/t/nothing`);
    await page.getByRole('heading', { name: '短网址不存在' }).waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Short URL not found' }).waitFor();
  },
);

browserTest('languages: Chinese pages are accessible and fit a phone', async (t) => {
  const { server } = await createConsole(t);
  await server.operations.createProject({ name: 'guide', settings: { url: 'https://git.example/a/guide' } });
  await server.operations.addBlock({ kind: 'source', target: '203.0.113.9' });
  const page = await openPage(t, getBrowser(), { locale: 'zh-CN', viewport: { width: 320, height: 740 } });
  await page.goto(`${server.origin}/control/login`);
  await page.getByLabel('账号').fill('boss');
  await page.getByLabel('密码').fill(PASSWORD);
  await page.getByRole('button', { name: '登录' }).click();
  await page.getByRole('heading', { name: '我的信息' }).waitFor();
  const paths = ['/', '/docbuild/projects/guide', '/t/nothing', '/control/nothing'];
  const own = ['', 'keys', 'short-urls', 'users', 'grants', 'blocks', 'projects', 'projects/guide', 'builds'];
  for (const path of [...paths, ...own.map((name) => `/control/${name}`)]) {
    await page.goto(server.origin + path);
    t.is(await page.locator('html').getAttribute('lang'), 'zh-CN', path);
    t.true(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), path);
    t.deepEqual(await findThemeViolations(page), [], path);
  }
});
