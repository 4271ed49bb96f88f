import type { ExecutionContext } from 'ava';
import type { BrowserContextOptions, Page, ViewportSize } from 'playwright-core';
import { createClient, createConsole, PASSWORD } from '../helpers/create-console.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { failTest } from '../helpers/fail-test.ts';
import { browserTest, findThemeViolations, findViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();
const phone = { width: 360, height: 740 };
const EVIL = '"><img src=x onerror=alert(1)>';

/** A page that fails the test for scripts that go wrong, dialogs, and requests to anybody else. */
async function openConsole(
  t: ExecutionContext,
  origin: string,
  { viewport = phone, ...options }: BrowserContextOptions & { readonly viewport?: ViewportSize } = {},
): Promise<Page> {
  const page = await openPage(t, getBrowser(), { viewport, ...options });
  page.on('pageerror', (error) => failTest(t, String(error)));
  page.on('dialog', (dialog) => failTest(t, dialog.message()));
  page.on('console', (message) => {
    // The browser's own word for an answer that is an error page.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) failTest(t, message.text());
  });
  page.on('request', (request) => t.true(/^data:/.test(request.url()) || request.url().startsWith(origin)));
  return page;
}

async function logIn(page: Page, origin: string, account: string): Promise<void> {
  await page.goto(`${origin}/control/`);
  await page.getByLabel('Account').fill(account);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'My information' }).waitFor();
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without';
  browserTest(
    `console ${how} scripts: login, a key that is created, disabled and deleted, a short URL, logout`,
    async (t) => {
      const { server } = await createConsole(t);
      const { origin } = server;
      const permissions = javaScriptEnabled ? { permissions: ['clipboard-read', 'clipboard-write'] } : {};
      const page = await openConsole(t, origin, { javaScriptEnabled, ...permissions });
      await page.goto(`${origin}/control/keys`);
      await page.getByLabel('Account').fill('reader');
      await page.getByLabel('Password').fill('not the password');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('alert').waitFor();
      t.is(await page.getByLabel('Account').inputValue(), 'reader');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByLabel('Password').press('Enter');
      await page.waitForURL(`${origin}/control/keys`);

      await page.getByLabel('Permission').selectOption('write');
      await page.getByRole('button', { name: 'Create' }).click();
      const field = page.getByLabel('Copy it now');
      const key = await field.inputValue();
      t.regex(key, /^dbk_[\w-]{43}$/);
      t.is(await field.getAttribute('readonly'), '');
      const copy = page.getByRole('button', { name: /^Cop/ });
      t.is(await copy.isVisible(), javaScriptEnabled);
      if (javaScriptEnabled) {
        await copy.click();
        await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
        t.is(await page.evaluate<string>('navigator.clipboard.readText()'), key);
      }
      await page.reload();
      t.is(await field.count(), 0);
      await page.getByRole('button', { name: `Disable ${key.slice(0, 12)}` }).click();
      await page.getByText('Key disabled.').waitFor();
      await page.getByRole('button', { name: 'Enable' }).waitFor();
      await page.getByRole('link', { name: 'Delete' }).click();
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.getByRole('link', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete key' }).click();
      await page.getByText('You have no keys yet.').waitFor();

      await page.getByRole('link', { name: 'My short URLs' }).click();
      await page.getByLabel('Long URL').fill('https://example.org/a-page');
      await page.getByLabel('Custom code').fill('a-page');
      await page.getByRole('button', { name: 'Shorten' }).click();
      t.is(await page.getByLabel('Your short URL').inputValue(), `${origin}/t/a-page`);
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByText('Logged out.').waitFor();
      await page.goBack();
      await page.goto(`${origin}/control/`);
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
    },
  );

  browserTest(`console ${how} scripts: an operator books a payment, blocks a host and builds`, async (t) => {
    const { server, user } = await createConsole(t);
    const { origin } = server;
    await server.operations.createProject({ name: 'guide', settings: { url: createRepository(t).folder } });
    const page = await openConsole(t, origin, { javaScriptEnabled, viewport: { width: 1200, height: 800 } });
    await logIn(page, origin, 'boss');
    await page.getByRole('link', { name: 'Grants' }).click();
    await page.getByLabel('Paying user').fill(user.uid);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('link', { name: 'Book a payment' }).click();
    await page.getByLabel('Tier').selectOption('50');
    await page.getByLabel('Months of 30 days').fill('2');
    await page.locator('form', { hasText: 'Months of a tier' }).getByRole('button', { name: 'Continue' }).click();
    await page.getByText('2 months at 50 a month, 10000 a day').waitFor();
    t.is((await server.operations.getPlan({ uid: user.uid })).ledger.length, 0);
    await page.getByLabel('Note').fill(EVIL);
    await page.getByRole('button', { name: 'Book the payment' }).dblclick();
    await page.getByText('Payment booked.').waitFor();
    await page.getByText('Tier 3 (50 a month, 10000 a day)').waitFor();
    t.is((await server.operations.getPlan({ uid: user.uid })).ledger.length, 1);
    await page.getByRole('link', { name: 'Reverse payment 1' }).click();
    await page.getByText(/^(?:60|59\.\d+) days$/).waitFor();
    await page.getByRole('button', { name: 'Reverse the payment' }).click();
    await page.getByText('Payment reversed.').waitFor();
    t.is((await server.operations.getPlan({ uid: user.uid })).tier, null);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'reverse a payment' }).first().waitFor();
    await page.getByRole('link', { name: 'Blocks' }).click();
    await page.getByLabel('Host: short URLs to it show a warning').check();
    await page.getByLabel('Address, network or host').fill('evil.example');
    await page.getByLabel('Reason').fill(EVIL);
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByRole('button', { name: 'Unblock evil.example' }).waitFor();
    t.true((await page.textContent('main'))!.includes(EVIL));
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('link', { name: 'guide', exact: true }).click();
    await page.getByRole('button', { name: 'Build all branches and tags' }).click();
    await page.getByText('Build requested.').waitFor();
  });
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without';
  browserTest(`console ${how} scripts: an operator creates, changes and removes a project`, async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/en/index.md': '# A\n', 'docs/zh_CN/index.md': '# A\n', 'manual/a.md': '# B\n' });
    repository.git('branch', `${'long'.repeat(18)}-1.2`);
    repository.git('branch', 'release/"><img/src=x/onerror=alert(1)>-2.0');
    const { server } = await createConsole(t);
    const { origin } = server;
    const page = await openConsole(t, origin, { javaScriptEnabled, bypassCSP: javaScriptEnabled });
    const check = async (): Promise<void> => {
      t.is(await page.locator('[onerror]').count(), 0);
      if (!javaScriptEnabled) return;
      t.deepEqual(await findThemeViolations(page), [], page.url());
      t.true(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), page.url());
    };
    await logIn(page, origin, 'boss');
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('link', { name: 'New project' }).click();
    await check();
    await page.getByLabel('Repository').fill('github.com/you/guide');
    await page.getByRole('button', { name: 'Look at the repository' }).click();
    await page.getByRole('alert').filter({ hasText: 'did you mean "https://github.com/you/guide"?' }).waitFor();
    t.is(await page.getByLabel('Repository').inputValue(), 'github.com/you/guide');
    await page.getByLabel('Repository').fill(repository.folder);
    await page.getByLabel('Folder of the documentation').fill('documentation');
    await page.getByRole('button', { name: 'Look at the repository' }).click();
    await page.getByText('The default branch has no folder “documentation”.').waitFor();
    await check();
    await page.getByRole('button', { name: 'Use this folder docs' }).click();
    await page.getByText('en, zh_CN', { exact: true }).first().waitFor();
    await page.getByLabel('Name', { exact: true }).fill('guide');
    await page.getByRole('checkbox', { name: /^long/ }).check();
    await page.getByText('Domain, button, notifications').click();
    await check();
    await page.getByLabel('Limit of one build').fill('60');
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create project' }).dblclick();
    await page.getByText('Project created; its first build has been requested.').waitFor();
    t.regex(await page.getByLabel('Secret of guide').inputValue(), /^\w{20}$/);
    t.is(await page.getByLabel('URL that the code host calls').inputValue(), `${origin}/docbuild/webhook/guide`);
    t.is(await page.getByRole('button', { name: 'Copy' }).count(), javaScriptEnabled ? 2 : 0);
    await page.getByText('GitLab: Settings').waitFor();
    await check();
    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'Look at the repository' }).click();
    await page.getByText('3, of which 2 are built').waitFor();
    t.true(await page.getByRole('checkbox', { name: /^long/ }).isChecked());
    await page.getByText('Domain, button, notifications').click();
    t.is(await page.getByLabel('Limit of one build').inputValue(), '60');
    await check();
    await page.getByLabel('Folder of the documentation').fill('nowhere');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'has no folder "nowhere"' }).waitFor();
    await check();
    await page.getByLabel('Folder of the documentation').fill('manual');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Project changed').waitFor();
    t.like(await server.operations.getProject({ name: 'guide' }), {
      sourceDir: 'manual',
      timeout: 60,
      hasSecret: true,
    });
    await page.getByRole('link', { name: 'Remove' }).click();
    await page.getByLabel('Enter the name').fill('guide');
    await check();
    await page.getByRole('button', { name: 'Remove guide' }).click();
    await page.getByText('Project removed.').waitFor();
    t.deepEqual(await server.operations.listProjects({}), []);
  });
}

browserTest('console: axe finds nothing on any page, light and dark, and none is wider than a phone', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Hi\n' });
  const { server, user, operator } = await createConsole(t, 'auth: {registration: true}\n');
  const { operations, origin } = server;
  for (const payment of [{ monthly: 30, months: 1 }, { monthly: 15, months: 1 }, { fen: 100 }]) {
    await operations.grantPlan({ uid: operator.uid, payment });
  }
  const { info } = await operations.createKey({ uid: operator.uid, permission: 'read' });
  await operations.addBlock({ kind: 'host', target: `${'long-'.repeat(10)}.example`, reason: EVIL.repeat(10) });
  await operations.addBlock({ kind: 'source', target: '2001:db8::/32', until: '2099-01-01T00:00:00Z' });
  await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const { id } = await operations.build({ name: 'guide', all: true });
  await operations.waitForBuild({ id });
  const failed = await operations.build({ name: 'guide', ref: EVIL.replaceAll(' ', '/') + 'x'.repeat(100) });
  await operations.waitForBuild({ id: failed.id });
  const push = { ref: `refs/heads/${'y'.repeat(100)}`, after: 'a'.repeat(40), deleted: false, repository: {} };
  await server.post('/docbuild/webhook/guide', JSON.stringify(push), {
    'Content-Type': 'application/json',
    'X-GitHub-Event': 'push',
    'X-GitHub-Delivery': 'one',
  });
  const reader = createClient(server);
  await reader.logIn('reader');
  await reader.get('/control/short-urls');
  const longUrl = `https://xn--bcher-kva.example/${'long-path/'.repeat(30)}`;
  for (const jid of ['one', 'x'.repeat(64)]) await reader.post('/control/short-urls', { long_url: longUrl, jid });
  await reader.post('/control/short-urls/one/disable');
  await server.get('/t/one');
  const page = await openConsole(t, origin, { bypassCSP: true });
  const check = async (path: string): Promise<void> => {
    if (page.url() !== origin + path) await page.goto(origin + path);
    t.deepEqual(await findThemeViolations(page), [], path);
    t.is(await page.locator('[onerror]').count(), 0, path);
    const isNarrow = await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
    t.true(isNarrow, `${path} is wider than a phone`);
  };
  await check('/control/login');
  await check('/control/register');
  await logIn(page, origin, 'boss');
  for (const path of ['', 'keys', `keys/${info.id}/delete`, 'short-urls', 'nothing']) await check(`/control/${path}`);
  for (const path of ['all-short-urls', 'all-short-urls?by=user&q=reader', 'all-short-urls?q=none', 'users?q=re']) {
    await check(`/control/${path}`);
  }
  for (const path of ['users', `users/${user.uid}`, 'grants', 'grants?user=reader', 'grants?user=nobody']) {
    await check(`/control/${path}`);
  }
  const grants = `grants/${operator.uid}`;
  for (const path of [
    grants,
    `${grants}/book/15x2`,
    `${grants}/book/500`,
    `${grants}/reverse/1`,
    'audit',
    'audit?who=x',
  ]) {
    await check(`/control/${path}`);
  }
  for (const path of [
    ...['blocks', 'limits', 'projects', 'projects?q=none', 'projects?status=failing', 'projects/guide', 'builds'],
    ...['projects/guide/edit', 'builds?project=guide&status=failing'],
  ]) {
    await check(`/control/${path}`);
  }
  // What only a form leads to.
  await page.goto(`${origin}/control/keys`);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByLabel('Copy it now').waitFor();
  t.deepEqual(await findViolations(page), []);
  await page.goto(`${origin}/control/short-urls`);
  await page.getByLabel('Long URL').fill(`https://example.org/${'long-path/'.repeat(30)}`);
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByLabel('Your short URL').waitFor();
  t.deepEqual(await findViolations(page), []);
  await page.getByRole('link', { name: 'Details' }).click();
  await page.getByRole('img', { name: /^QR code of/ }).waitFor();
  await check(new URL(page.url()).pathname);
  await page.goto(`${origin}/control/short-urls`);
  await page.getByLabel('Long URL').fill(origin);
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByRole('alert').waitFor();
  t.deepEqual(await findViolations(page), []);
});

browserTest('console: each of the two menus is one line, and shows where one is on a phone', async (t) => {
  const { server } = await createConsole(t);
  const page = await openConsole(t, server.origin);
  await logIn(page, server.origin, 'boss');
  for (const width of [360, 800, 1200]) {
    await page.setViewportSize({ width, height: 740 });
    await page.goto(`${server.origin}/control/audit`);
    const current = page.locator('.operators [aria-current]');
    const menus = await page.locator('.top ul').all();
    const item = (await current.boundingBox())!;
    t.is(menus.length, 2);
    for (const menu of menus) t.true((await menu.boundingBox())!.height < 2 * item.height, `${width}`);
    t.true(item.x >= 0 && item.x + item.width <= width, `${width}: ${item.x}`);
  }
});

browserTest('console: a QR code is seen, and short URLs that are chosen are disabled', async (t) => {
  const { server } = await createConsole(t);
  const { origin } = server;
  const page = await openConsole(t, origin, { viewport: { width: 1200, height: 800 } });
  await logIn(page, origin, 'boss');
  for (const jid of ['one', 'two', 'three']) {
    await page.goto(`${origin}/control/short-urls`);
    await page.getByLabel('Long URL').fill(`https://example.org/${jid}`);
    await page.getByLabel('Custom code').fill(jid);
    await page.getByLabel('Last day').fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
    await page.getByRole('button', { name: 'Shorten' }).click();
    t.is(await page.getByLabel('Your short URL').inputValue(), `${origin}/t/${jid}`);
  }
  await page.getByRole('link', { name: 'Details three' }).click();
  const code = page.getByRole('img', { name: `QR code of ${origin}/t/three` });
  await code.waitFor();
  t.true(await page.evaluate<boolean>("document.querySelector('.qr img').naturalWidth > 0"));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as SVG' }).click(),
  ]);
  t.is(download.suggestedFilename(), 'three.svg');
  await page.getByRole('link', { name: 'Short URLs', exact: true }).click();
  await page.getByLabel('Choose one').check();
  await page.getByLabel('Choose three').check();
  await page.getByRole('button', { name: 'Disable the chosen ones' }).click();
  await page.getByText('Short URLs disabled.').waitFor();
  const isDisabled = async (jid: string) => (await server.operations.findShortUrl({ code: jid })).isDisabled;
  t.deepEqual(await Promise.all(['one', 'two', 'three'].map(isDisabled)), [true, false, true]);
  await page.getByLabel('Choose one').check();
  await page.getByRole('button', { name: 'Enable the chosen ones' }).click();
  await page.getByText('Short URLs enabled.').waitFor();
  t.false(await isDisabled('one'));
  await page.getByLabel('Search by').selectOption('host');
  await page.getByLabel('Search for').fill('example.org');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByLabel(/on every page/).check();
  await page.getByRole('button', { name: 'Disable all' }).click();
  await page.getByText('Short URLs disabled.').waitFor();
  t.deepEqual(await Promise.all(['one', 'two', 'three'].map(isDisabled)), [true, true, true]);
});

browserTest('console: a page of another site sends nothing in the name of a reader', async (t) => {
  const { server } = await createConsole(t);
  const { origin } = server;
  const page = await openConsole(t, origin);
  await logIn(page, origin, 'reader');
  page.removeAllListeners('request');
  page.removeAllListeners('console');
  const foreign = origin.replace('127.0.0.1', 'localhost');
  await page.route(`${foreign}/trap`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${origin}/control/keys"><input name="permission" value="write"></form><script>document.forms[0].submit()</script>`,
    }),
  );
  const [answer] = await Promise.all([
    page.waitForResponse(`${origin}/control/keys`),
    // The refusal is a page, too: whoever goes on before it is there interrupts it.
    page.waitForURL(`${origin}/control/keys`),
    page.goto(`${foreign}/trap`, { waitUntil: 'commit' }),
  ]);
  t.is(answer.status(), 403);
  await page.goto(`${origin}/control/keys`);
  await page.getByText('You have no keys yet.').waitFor();
});
