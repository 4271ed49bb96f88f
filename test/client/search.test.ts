import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { createSite } from '../helpers/create-site.ts';
import { failTest } from '../helpers/fail-test.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findThemeViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { shareSetup } from '../helpers/share-setup.ts';
import { waitInPage } from '../helpers/wait-in-page.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();
const phone = { width: 390, height: 844 };

const FILES = {
  '.docbuild.yml':
    'theme: {links: [{title: Start, url: en/latest/}, {title: Elsewhere, url: "https://example.com/"}]}\n',
  'docs/en/index.md': '# Kettle\n\nBoils water.\n',
  'docs/en/guide/use.md':
    '# Use\n\nPour water.\n\n## Descale & rinse\n\nWith <b>vinegar</b>, `foo.bar` and "quotes".\n',
  'docs/en/guide/parts.md': '---\nredirect_from: /spout.html\n---\n# Parts\n\nA lid and a spout; no vinegar.\n',
  'docs/en/moved.md': '---\nredirect_to: guide/use.md?from=moved#descale--rinse\n---\n',
  'docs/ar/index.md': '# غلاية\n\nتغلي الماء بسرعة.\n',
  'docs/ar/guide/use.md': '# الاستعمال\n\nصبّ الماء.\n\n## تنظيف\n\nبالخل.\n',
};

/** Builds a site of three versions in two languages and serves it; returns its URL. */
const serve = shareSetup(async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { ...FILES, 'docs/en/old.md': '# Old\n\nA whistle.\n' });
  repository.git('tag', 'v1');
  repository.git('rm', '--quiet', 'docs/en/old.md');
  repository.git('commit', '--quiet', '-m', 'Remove');
  repository.git('tag', 'v2');
  const site = createSite(t);
  await site.build(repository.folder, { latest: 'main', title: 'Kettle' });
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  return url;
});

interface OpenOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly javaScriptEnabled?: boolean;
  readonly script?: string;
}

/** Opens a page; anything that it complains about fails the test. */
async function open(t: ExecutionContext, path: string, options: OpenOptions = {}): Promise<Page> {
  // The server closes after the page, which may still be asking it.
  const address = path.startsWith('http') ? path : (await serve()) + path;
  const page = await openPage(t, getBrowser(), {
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !/404/.test(message.text())) failTest(t, message.text());
  });
  page.on('pageerror', (error) => failTest(t, String(error)));
  await page.goto(address);
  return page;
}

const option = '#_search-list [role="option"]';
const input = '.search-dialog input[role="combobox"]';

/** Limits what a page receives from now on, in kbit/s, with a delay in ms. */
async function throttle(page: Page, kbits: number, latency: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const bytes = (kbits * 1000) / 8;
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: bytes,
    uploadThroughput: bytes,
  });
}

/** Types a query and waits for its results. */
async function search(page: Page, query: string): Promise<void> {
  await page.fill(input, query);
  await page.waitForSelector(`${option} mark`);
}

browserTest('search: nothing of it is loaded before it is used', async (t) => {
  const asked: string[] = [];
  const page = await open(t, '/en/latest/');
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.reload({ waitUntil: 'networkidle' });
  t.deepEqual(
    asked.filter((path) => /search/.test(path)),
    [],
  );
  await page.keyboard.press('/');
  await page.waitForSelector(input);
  await search(page, 'vinegar');
  t.true(asked.some((path) => /\/search\.[0-9a-f]+\.js$/.test(path)));
  t.true(
    asked.every((path) => path.startsWith('/_docbuild/') || ['/en/latest/', '/versions.json'].includes(path)),
    asked.join(' '),
  );
});

browserTest(
  'search: the keyboard opens it, chooses, follows to the heading, and Back shows the results again',
  async (t) => {
    const page = await open(t, '/en/latest/');
    await page.keyboard.press('Control+k');
    await page.waitForSelector(input);
    t.true(await page.locator(input).evaluate((field) => field === field.ownerDocument.activeElement));
    await page.keyboard.type('vinegar');
    await page.waitForSelector(`${option} mark`);
    t.is(await page.getAttribute(input, 'aria-expanded'), 'true');
    const active = async () => page.textContent(`#${await page.getAttribute(input, 'aria-activedescendant')}`);
    t.regex((await active())!, /^(?:Use|Parts)/);
    while (!(await active())!.startsWith('Descale')) await page.keyboard.press('ArrowDown');
    t.is(await page.locator('[aria-selected="true"]').count(), 1);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/guide/use.html#descale--rinse');
    await page.goBack();
    await page.waitForSelector(`${option} mark`);
    await page.waitForURL((url) => url.searchParams.get('q') === 'vinegar');
    t.is(await page.inputValue(input), 'vinegar');
  },
);

browserTest('search: the dialog is open and has the focus before the key that opens it is done with', async (t) => {
  const page = await open(t, '/en/latest/');
  await page.route('**/search*', () => {});
  const isReady = await page.evaluate(`
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }));
    document.activeElement.matches('dialog[open] input[role="combobox"]') && !document.querySelector('${option}');
  `);
  t.true(isReady);
  // What it offers comes after the first frame.
  await page.waitForSelector(option);
  t.deepEqual(await findThemeViolations(page), []);
});

for (const [name, kbits, latency] of [
  ['a fast link', 100_000, 0],
  ['1.6 Mbit/s', 1_600, 150],
  ['a link of 50 kbit/s that answers after two seconds', 50, 2_000],
] as const) {
  browserTest(`search: no letter is lost on ${name}, and Enter waits for what it follows`, async (t) => {
    const page = await open(t, '/en/latest/');
    await throttle(page, kbits, latency);
    await page.keyboard.type('/descale', { delay: 60 });
    t.is(await page.inputValue(input), 'descale');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/guide/use.html#descale--rinse');
  });
}

browserTest('search: a link that fails is said, and the next letter tries again', async (t) => {
  const page = await open(t, '/en/latest/');
  page.removeAllListeners('console');
  await page.route('**/search*', (route) => route.abort());
  await page.keyboard.type('/vine', { delay: 20 });
  await waitInPage(page, 'document.querySelector(".search-status").textContent === "Search could not be loaded"');
  await page.unroute('**/search*');
  await page.keyboard.type('gar');
  await page.waitForSelector(`${option} mark`);
  t.is(await page.textContent('.search-status'), 'Results: 2');
});

browserTest('search: it opens from the moment on at which the header is there', async (t) => {
  const page = await open(t, '/en/latest/');
  // What finds is elsewhere, and may not be asked.
  page.removeAllListeners('console');
  const html = await (await fetch(`${await serve()}/en/latest/`)).text();
  const [head, rest] = html.split('<div class="shell">') as [string, string];
  let finish = (): void => {};
  const server = createHttpServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.write(
      `${head.replaceAll('../../_docbuild/', `${new URL(page.url()).origin}/_docbuild/`)}<i id="_sidebar">`,
    );
    finish = () => response.end(rest);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  await page.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'commit' });
  await page.waitForSelector('#_sidebar', { state: 'attached' });
  await page.keyboard.type('/use');
  t.is(await page.inputValue(input), 'use');
  finish();
});

browserTest('search: without threads it works in the page', async (t) => {
  const page = await open(t, '/en/latest/', { script: 'delete window.Worker' });
  await page.keyboard.type('/vinegar');
  await page.waitForSelector(`${option} mark`);
  await waitInPage(page, 'document.querySelectorAll(".search-excerpt mark").length === 2');
  t.is(page.workers().length, 0);
});

browserTest('search: before the first letter it shows keys and the top pages', async (t) => {
  const page = await open(t, '/en/latest/');
  await page.keyboard.press('/');
  t.deepEqual(await page.locator(option).allTextContents(), ['Parts', 'Use']);
  t.deepEqual(await page.locator('.search-keys kbd').allTextContents(), ['↑↓', '↵', 'Esc']);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/guide/use.html');
});

browserTest(
  'search: where nothing is found it offers the nearest spellings, and what other versions have',
  async (t) => {
    const page = await open(t, '/en/latest/');
    await page.keyboard.press('/');
    await page.fill(input, 'whistle');
    await page.waitForSelector(`${option} mark`);
    t.regex((await page.textContent('.search-status'))!, /^Nothing found/);
    t.is(await page.textContent('.search-page small'), 'in v1');
    await page.fill(input, 'vinezzzar');
    await page.waitForSelector('#_search-list [aria-label="Did you mean:"]');
    t.deepEqual(await findThemeViolations(page), []);
    await page.keyboard.press('Enter');
    await page.waitForSelector(`${option} mark`);
    t.is(await page.inputValue(input), 'vinegar');
  },
);

browserTest('search: Escape closes it, gives the focus back and clears the address', async (t) => {
  const page = await open(t, '/en/latest/');
  await page.click('.search-button');
  await page.waitForSelector(input);
  await search(page, 'vinegar');
  await page.waitForURL('**?q=vinegar');
  await page.keyboard.press('Escape');
  t.false(await page.isVisible('.search-dialog'));
  t.true(await page.locator('.search-button').evaluate((button) => button === button.ownerDocument.activeElement));
  await page.waitForURL((url) => url.search === '');
  await page.keyboard.press('Enter');
  await page.waitForSelector(input);
  t.is(await page.inputValue(input), 'vinegar', 'the query is still there');
});

browserTest('search: the Tab key stays in the dialog, and a click beside it closes it', async (t) => {
  const page = await open(t, '/en/latest/');
  await page.keyboard.press('/');
  const stands = (): Promise<boolean> => page.evaluate<boolean>("document.activeElement.closest('dialog') !== null");
  for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
    await page.keyboard.press(key);
    t.true(await stands(), key);
  }
  t.is(await page.getAttribute('dialog[open]', 'aria-modal'), 'true');
  await page.mouse.click(5, 300);
  await page.locator('.search-shade').waitFor({ state: 'hidden' });
  t.is(await page.locator('dialog[open]').count(), 0);
});

browserTest('search: arrow keys go round, and Enter in a field elsewhere opens nothing', async (t) => {
  const page = await open(t, '/en/latest/');
  await page.keyboard.press('/');
  await page.waitForSelector(input);
  await search(page, 'water');
  const count = await page.locator(option).count();
  await page.keyboard.press('ArrowUp');
  t.is(await page.getAttribute(input, 'aria-activedescendant'), `_search-${count - 1}`);
  await page.keyboard.press('ArrowDown');
  t.is(await page.getAttribute(input, 'aria-activedescendant'), '_search-0');
  t.is(await page.inputValue(input), 'water', 'the slash that opened it is not in the query');
});

browserTest('search: excerpts are marked text, whatever the author wrote', async (t) => {
  const page = await open(t, '/en/latest/?q=vinegar');
  await page.waitForSelector(`${option} mark`);
  await waitInPage(page, 'document.querySelectorAll(".search-excerpt mark").length === 2');
  t.is(await page.textContent('.search-section .search-excerpt'), 'With vinegar, foo.bar and "quotes".');
  t.is(await page.locator('.search-excerpt b').count(), 0);
  t.is(await page.textContent('.search-status'), 'Results: 2');
});

browserTest('search: a click on a result of the same page goes to its heading', async (t) => {
  const page = await open(t, '/en/latest/guide/use.html');
  await page.keyboard.press('/');
  await page.waitForSelector(input);
  await search(page, 'descale');
  await page.click('.search-section');
  t.false(await page.isVisible('.search-dialog'));
  await page.waitForURL('**#descale--rinse');
});

browserTest('search: what is not found is said, recent queries are offered and can be forgotten', async (t) => {
  const page = await open(t, '/en/latest/');
  await page.keyboard.press('/');
  await page.waitForSelector(input);
  await page.fill(input, 'zzzzqqqq');
  await waitInPage(page, 'document.querySelector(".search-status").textContent.includes("zzzzqqqq")');
  t.is(await page.getAttribute(input, 'aria-expanded'), 'false');
  t.deepEqual(await findThemeViolations(page), []);
  await search(page, 'vinegar');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/guide/**');
  await page.keyboard.press('/');
  await page.waitForSelector('.search-recent');
  t.deepEqual(await findThemeViolations(page), []);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForSelector(`${option} mark`);
  t.is(await page.inputValue(input), 'vinegar');
  await page.fill(input, '');
  await page.click('.search-clear');
  await waitInPage(page, 'document.querySelector(".search-recent") === null');
});

browserTest('search: it is for the version and language that are read, and for all versions when asked', async (t) => {
  const page = await open(t, '/en/latest/?q=whistle');
  await waitInPage(page, 'document.querySelector(".search-status")?.textContent.includes("whistle")');
  await page.check('.search-scope input');
  await page.waitForSelector(`${option} mark`);
  t.is(await page.textContent('.search-page small'), 'in v1');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/en/v1/old.html');
  await page.keyboard.press('/');
  await page.waitForSelector(input);
  await search(page, 'vinegar');
  t.true((await page.getAttribute(option, 'href'))!.startsWith(`${new URL(page.url()).origin}/en/v1/`));
  await page.check('.search-scope input');
  await page.waitForSelector('.search-page small');
  t.regex((await page.textContent('.search-page small'))!, /^in v1 – main$|^in .*v1/);
});

browserTest('search: a 404 page offers it, in the language and version of its address', async (t) => {
  const page = await open(t, '/en/v1/no/such/page.html');
  await page.click('main [data-search]');
  await page.waitForSelector(input);
  await search(page, 'whistle');
  t.is(await page.getAttribute(option, 'href'), `${new URL(page.url()).origin}/en/v1/old.html`);
});

for (const [from, to] of [
  ['/?q=vinegar', '/en/latest/?q=vinegar'],
  ['/en/?q=vinegar#top', '/en/latest/?q=vinegar#top'],
  ['/en/latest/spout.html?q=vinegar', '/en/latest/guide/parts.html?q=vinegar'],
  ['/en/latest/moved.html?q=vinegar', '/en/latest/guide/use.html?from=moved&q=vinegar#descale--rinse'],
] as const) {
  browserTest(
    `search: a query behind ${from.replace(/\?.*/, '')}, which leads elsewhere, is answered there`,
    async (t) => {
      const page = await open(t, from);
      await page.waitForSelector(`${option} mark`);
      t.is(await page.inputValue(input), 'vinegar');
      t.is(page.url(), (await serve()) + to);
    },
  );
}

browserTest('search: a redirect leads on without a query, and without JavaScript', async (t) => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await open(t, '/en/latest/spout.html', { javaScriptEnabled });
    await page.waitForURL('**/en/latest/guide/parts.html*');
    t.is(page.url(), `${await serve()}/en/latest/guide/parts.html`);
  }
});

browserTest('search: without JavaScript no field shows', async (t) => {
  const page = await open(t, '/en/latest/', { javaScriptEnabled: false });
  t.false(await page.isVisible('[data-search]'));
});

for (const [name, path, query, viewport] of [
  ['a wide page', '/en/latest/', 'vinegar', { width: 1280, height: 800 }],
  ['a phone', '/en/latest/', 'vinegar', phone],
  ['a phone, from right to left', '/ar/latest/', 'الماء', phone],
] as const) {
  browserTest(
    `search: axe finds nothing on ${name}, light or dark, and nothing needs scrolling to the side`,
    async (t) => {
      const page = await open(t, path, { viewport });
      await page.click('.search-button');
      await page.waitForSelector(input);
      t.deepEqual(await findThemeViolations(page), [], 'empty');
      await search(page, query);
      t.deepEqual(await findThemeViolations(page), [], 'results');
      t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
      t.true(await page.locator('#_search-list').evaluate((list) => list.scrollWidth <= list.clientWidth));
      if (viewport === phone) {
        const box = (await page.locator('.search-close').boundingBox())!;
        t.true(box.height >= 44 && box.x >= 0 && box.x + box.width <= phone.width);
        await page.click('.search-close');
        t.false(await page.isVisible('.search-dialog'));
      }
    },
  );
}

browserTest(
  'search: works below /docs/<project>/, where pages have no origin of their own, and on a host of its own',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, FILES);
    const server = await createServer(t, 'docs: {domain: localhost}\n');
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    const { id } = await server.operations.build({ name: 'guide', all: true });
    t.is((await server.operations.waitForBuild({ id })).status, 'passing');
    const { port } = new URL(server.origin);
    for (const root of [`http://127.0.0.1:${port}/docs/guide/`, `http://guide.localhost:${port}/`]) {
      const page = await open(t, `${root}en/latest/guide/parts.html`);
      await page.keyboard.press('/');
      await page.waitForSelector(input);
      await search(page, 'descale');
      t.is(page.workers().length, 1, 'the engine is on a thread');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${root}en/latest/guide/use.html#descale--rinse`);
      for (const from of ['', 'en/', 'en/latest/spout.html']) {
        await page.goto(`${root}${from}?q=vinegar`);
        await page.waitForSelector(`${option} mark`);
        t.regex(page.url(), /\/en\/latest\/(?:guide\/parts\.html)?\?q=vinegar$/);
      }
    }
  },
);
