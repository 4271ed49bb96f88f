import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createComposer } from '../../builder/compose/create-composer.ts';
import type { PageModel } from '../../builder/compose/page-model.ts';
import { readTokenStyles } from '../../builder/compose/theme-files.ts';
import { TOKEN_CLASSES } from '../../builder/markdown/code/highlight.ts';
import { writeColours } from '../../builder/plan/theme/colours.ts';
import { createPageModel } from '../helpers/create-page-model.ts';
import { failTest } from '../helpers/fail-test.ts';
import { servePages } from '../helpers/serve-pages.ts';
import { browserTest, findThemeViolations, findViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { waitInPage } from '../helpers/wait-in-page.ts';

const composer = createComposer();
const yellow = composer.createStyle(writeColours({ accent: '#ffd400' }, readTokenStyles()).rules);
const persian = { tag: 'fa', dir: 'rtl' } as const;
const phone = { width: 390, height: 844 };
const desktop = { width: 1440, height: 900 };

const tab = (group: number, index: number, name: string, panel: string): string =>
  `<input type="radio" class="tab-input" name="tabs-${group}" id="tabs-${group}-${index}"${index === 1 ? ' checked' : ''}>` +
  `<label class="tab-label" for="tabs-${group}-${index}">${name}</label><div class="tab-panel">${panel}</div>`;
const tabs = (group: number): string =>
  `<div class="tabs" role="group">${tab(group, 1, 'npm', '<p>one</p>')}${tab(group, 2, 'pnpm', '<p>two</p>')}</div>\n`;
const callout = (kind: string): string =>
  `<div class="callout ${kind}"><p class="callout-title">${kind}</p><p>Text, <code>code</code>, <a href="#code">link</a></p></div>\n`;

const tokens = Object.values(TOKEN_CLASSES).map((name) => `<span class="${name}">token</span>`);
const lines = ['', 'highlighted', 'diff add', 'diff remove', 'focused', 'dimmed', 'error', 'warning'];
const markedCode = [
  ...lines.map((kind) => (kind ? `<span class="line ${kind}">${tokens.join(' ')}</span>` : tokens.join(' '))),
  ...['ins', 'del', 'mark'].map((name) => `<${name}>${tokens.join(' ')}</${name}>`),
];

/** The markup that `builder/markdown/create-renderer.ts` documents, each kind once. */
const content = `<h1 id="install" tabindex="-1">Install <a class="anchor" href="#install" aria-label="Permalink: Install">#</a></h1>
<p>Text with <code>code</code>, <a href="use.html">link</a>, <kbd>K</kbd>, <mark>mark</mark> and a note<sup class="footnote-ref"><a href="#fn1" id="fnref1">1</a></sup>
<span class="badge info">a</span> <span class="badge tip">b</span> <span class="badge warning">c</span> <span class="badge danger">d</span></p>
<h2 id="code" tabindex="-1">Code <a class="anchor" href="#code" aria-label="Permalink: Code">#</a></h2>
<div class="code-block numbered" data-language="ts"><div class="code-title">name.ts</div><pre tabindex="0"><span class="line-numbers" aria-hidden="true">1\n2\n3</span><code>const a = 1;
<span class="line diff remove">const b = 2;</span>
<span class="line diff add">const b = 3;</span><del>;</del>
</code></pre></div>
<div class="code-block"><pre tabindex="0"><code>${markedCode.join('\n')}\n</code></pre></div>
${tabs(1)}${tabs(2)}
${['info', 'note', 'tip', 'important', 'warning', 'caution', 'danger'].map(callout).join('')}
<details class="callout details"><summary>More</summary><p>Hidden</p></details>
<h3 id="größe" tabindex="-1">Größe <a class="anchor" href="#größe" aria-label="Permalink: Größe">#</a></h3>
<ul><li class="task"><label><input type="checkbox" disabled checked> done</label></li></ul>
<dl><dt>Term</dt><dd>Definition</dd></dl>
<div class="table-scroll" tabindex="0"><table><thead><tr><th>A</th><th class="align-right">B</th></tr></thead><tbody><tr><td>1</td><td class="align-right">2</td></tr></tbody></table></div>
<blockquote><p>Quotation</p></blockquote>
<p><iframe width="560" height="31" title="frame"></iframe></p>
<div class="callout tip"><p class="callout-title">Run <code>init</code> ${'long'.repeat(30)} and <em>then</em> wait</p></div>
<section class="footnotes" aria-label="Footnotes"><ol><li id="fn1">Note <a class="footnote-back" href="#fnref1" aria-label="Back to text">↩</a></li></ol></section>
`;

const home: PageModel['home'] = {
  name: 'Example',
  text: 'A site',
  tagline: 'With a tagline',
  image: { url: '../assets/none.svg', alt: 'Logo' },
  actions: [
    { title: 'Start', url: 'use.html', primary: true },
    { title: 'Other', url: 'x.html', primary: false },
  ],
  features: [
    { icon: { text: '⚡' }, title: 'Fast', details: 'Very', link: { title: 'Why', url: 'use.html' } },
    { icon: undefined, title: 'Small', details: 'Very', link: { title: '', url: 'use.html' } },
    {
      icon: { svg: '<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"></path></svg>' },
      title: 'Drawn',
      details: 'Very',
      link: undefined,
    },
    {
      icon: { image: { url: '../assets/none.svg', dark: '../assets/none.svg', alt: '' } },
      title: 'Seen',
      details: 'Very',
      link: undefined,
    },
  ],
};

/** Code as it is shown and as it is copied. */
const TERMINALS: readonly (readonly [language: string, shown: string, copied: string])[] = [
  ['sh', '$ npm ci\n$ npm start', 'npm ci\nnpm start'],
  ['console', '$ git log \\\n> --oneline\na1b2c3 First\n$ ls\na.md', 'git log \\\n--oneline\nls'],
  ['bash', 'echo "$ x"\n$ y', 'echo "$ x"\n$ y'],
  ['', '$ make', 'make'],
  ['js', '$ (x)', '$ (x)'],
];
const presentCode = ([language, shown]: readonly string[]): string =>
  `<div class="code-block"${language ? ` data-language="${language}"` : ''}><pre tabindex="0"><code>${shown}\n</code></pre></div>`;

const theme = createPageModel().theme;
const bare = { toc: [], breadcrumbs: [], previous: undefined, next: undefined };
const documents: ReadonlyMap<string, string> = new Map([
  ['/guide/install.html', composer.composePage(createPageModel({ content }))],
  ['/guide/persian.html', composer.composePage(createPageModel({ content, language: persian }))],
  [
    '/guide/fallback.html',
    composer.composePage(createPageModel({ content, language: persian, fallbackLanguage: { tag: 'en', dir: 'ltr' } })),
  ],
  ['/guide/terminal.html', composer.composePage(createPageModel({ content: TERMINALS.map(presentCode).join('\n') }))],
  ['/guide/accent.html', composer.composePage(createPageModel({ content, theme: { ...theme, style: yellow.name } }))],
  ['/guide/home.html', composer.composePage(createPageModel({ ...bare, layout: 'home', content: '', home }))],
  [
    '/404.html',
    composer.composeNotFound({
      theme,
      header: [],
      list: 'versions.html',
      language: { tag: 'en', dir: 'ltr' },
      base: '/',
      home: 'guide/home.html',
      assets: 'assets/',
    }),
  ],
]);

interface OpenOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly javaScriptEnabled?: boolean;
  readonly colorScheme?: 'light' | 'dark';
  readonly permissions?: string[];
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly hasTouch?: boolean;
  readonly isMobile?: boolean;
}

declare const getComputedStyle: (element: unknown) => Readonly<Record<string, string>>;

const getBrowser = shareBrowser();

/** Opens a page of the served documents; any message of the console (such as a breach of the policy) fails the test. */
async function open(t: ExecutionContext, path: string, options: OpenOptions = {}): Promise<Page> {
  const files = [...composer.themeFiles(), yellow].map((file) => [`/assets/${file.name}`, file.bytes] as const);
  const image = ['/assets/none.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'] as const;
  const versions = ['/versions.json', '{"versions":{}}'] as const;
  const origin = await servePages(t, new Map<string, string | Uint8Array>([...documents, ...files, image, versions]));
  const page = await openPage(t, getBrowser(), { viewport: desktop, reducedMotion: 'reduce', ...options });
  page.on('console', (message) => {
    // Of the pages that links lead to, which a page requests ahead, most are not there.
    const isPage = /\.html$/.test(message.location().url) && /404/.test(message.text());
    if (message.type() === 'error' && !isPage) failTest(t, message.text());
  });
  page.on('pageerror', (error) => failTest(t, String(error)));
  await page.goto(origin + path);
  return page;
}

/** Waits until what `selector` finds has the focus: some of it moves in a later task of the page. */
async function waitForFocus(page: Page, selector: string): Promise<void> {
  const expression = `document.activeElement.matches(${JSON.stringify(selector)})`;
  await waitInPage(page, expression);
}

for (const path of documents.keys()) {
  browserTest(`site: axe finds nothing on ${path}, wide or narrow, light or dark`, async (t) => {
    const page = await open(t, path);
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      t.deepEqual(await findThemeViolations(page), [], `${viewport.width}`);
    }
  });
}

for (const path of documents.keys()) {
  browserTest(`site: ${path} needs no scrolling to the side at 320 pixels`, async (t) => {
    const page = await open(t, path, { viewport: { width: 320, height: 640 } });
    t.true(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 320);
  });
}

browserTest('site: a menu of the header works by keyboard and pointer, and closes behind the reader', async (t) => {
  const page = await open(t, '/guide/install.html');
  const menu = page.locator('.site-links details');
  const isOpen = () => menu.evaluate((found) => (found as unknown as { open: boolean }).open);
  await page.focus('.site-links a');
  await page.keyboard.press('Tab');
  await waitForFocus(page, '.site-links summary');
  await page.keyboard.press('Enter');
  t.true(await isOpen());
  t.deepEqual(await findThemeViolations(page), []);
  await page.keyboard.press('Tab');
  await waitForFocus(page, '.site-links details a');
  await page.keyboard.press('Escape');
  t.false(await isOpen());
  await waitForFocus(page, '.site-links summary');
  await page.keyboard.press('Space');
  for (let count = 0; count < 3; count++) await page.keyboard.press('Tab');
  await waitForFocus(page, '.site-links a:has(.icon)');
  t.false(await isOpen(), 'the focus left it');
  await page.click('.site-links summary');
  const box = (await menu.locator('ul').boundingBox())!;
  t.true(box.x >= 0 && box.x + box.width <= desktop.width);
  await page.mouse.click(700, 600);
  t.false(await isOpen());
  t.is(await page.getByRole('link', { name: 'Source', exact: true }).count(), 1);
});

browserTest('site: without JavaScript the menus of the header open, on a phone in the drawer', async (t) => {
  const page = await open(t, '/guide/install.html', { javaScriptEnabled: false });
  await page.click('.site-links summary');
  t.true(await page.isVisible('.site-links details a'));
  await page.setViewportSize(phone);
  t.false(await page.isVisible('.site-links'));
  await page.click('.menu-button');
  await page.click('.drawer-links summary');
  t.deepEqual(await page.locator('.drawer-links a:visible').allTextContents(), ['Guide', 'Options', 'Blog', 'Source']);
});

browserTest("site: a callout's title is one text, whatever stands in it, and stays in its box", async (t) => {
  const page = await open(t, '/guide/install.html', { viewport: { width: 320, height: 640 } });
  const title = page.locator('.callout-title', { hasText: 'init' });
  t.true(await title.evaluate((element) => element.scrollWidth <= element.clientWidth));
  const gap = await page.evaluate<number>(`{
    const title = [...document.querySelectorAll('.callout-title')].find((element) => element.textContent.includes('init'));
    const range = document.createRange();
    range.selectNode(title.firstChild);
    title.querySelector('code').getBoundingClientRect().left - range.getBoundingClientRect().right;
  }`);
  t.true(Math.abs(gap) < 1, 'code follows the word before it');
});

browserTest('site: the drawer opens by keyboard, takes the focus and gives it back on Escape', async (t) => {
  const page = await open(t, '/guide/install.html', { viewport: phone });
  t.false(await page.isVisible('.sidebar'));
  await page.focus('.menu-button');
  await page.keyboard.press('Enter');
  t.true(await page.isVisible('.sidebar'));
  await waitForFocus(page, '.sidebar [aria-current="page"]');
  await page.keyboard.press('Escape');
  t.false(await page.isVisible('.sidebar'));
  await waitForFocus(page, '.menu-button');
});

browserTest('site: the drawer closes when the focus leaves it', async (t) => {
  const page = await open(t, '/guide/install.html', { viewport: phone });
  await page.click('.menu-button');
  const inside = () => page.evaluate('document.activeElement.closest(".sidebar") !== null');
  await waitForFocus(page, '.sidebar a');
  for (let count = 0; count < 20 && (await inside()); count++) await page.keyboard.press('Tab');
  t.false(await inside());
  t.false(await page.isVisible('.sidebar'));
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without';
  browserTest(`site: the drawer has a button that closes it, ${how} JavaScript`, async (t) => {
    for (const path of ['/guide/install.html', '/guide/persian.html']) {
      const page = await open(t, path, { viewport: phone, javaScriptEnabled });
      t.false(await page.isVisible('.drawer-close'));
      await page.click('.menu-button');
      const button = page.locator('.drawer-close');
      const [box, drawer] = [(await button.boundingBox())!, (await page.locator('.sidebar').boundingBox())!];
      t.true(box.width >= 44 && box.height >= 44);
      t.true(box.x >= drawer.x && box.x + box.width <= drawer.x + drawer.width);
      t.not(await button.getAttribute('aria-label'), '');
      if (javaScriptEnabled) t.deepEqual(await findThemeViolations(page), [], path);
      await button.click();
      t.false(await page.isVisible('.sidebar'));
      await page.setViewportSize(desktop);
      t.false(await button.isVisible(), 'beside the text there is nothing to close');
    }
  });
}

browserTest('site: the drawer and the table of contents open without JavaScript', async (t) => {
  const page = await open(t, '/guide/install.html', { viewport: phone, javaScriptEnabled: false });
  await page.click('.menu-button');
  t.true(await page.isVisible('.sidebar a[aria-current]'));
  await page.keyboard.press('Escape');
  await page.click('.toc-button');
  t.true(await page.isVisible('.page-toc a'));
  t.false(await page.isVisible('.theme-switch'));
});

browserTest('site: a link in the table of contents closes it and leads to its heading', async (t) => {
  const page = await open(t, '/guide/install.html', { viewport: phone });
  await page.click('.toc-button');
  t.deepEqual(await findThemeViolations(page), []);
  await page.click('.page-toc li:last-child a');
  t.false(await page.isVisible('.page-toc'));
  await page.waitForURL((url) => decodeURIComponent(url.hash) === '#größe');
  const bar = (await page.locator('.local-bar').boundingBox())!;
  const heading = (await page.locator('h3').boundingBox())!;
  t.true(heading.y >= bar.y + bar.height);
});

browserTest('site: the table of contents follows the reading', async (t) => {
  const page = await open(t, '/guide/install.html', { viewport: { width: 1440, height: 400 } });
  t.is(await page.textContent('.page-toc [aria-current]'), 'Code');
  await page.evaluate('document.getElementById("größe").scrollIntoView()');
  await page.waitForSelector('.page-toc .level-3 [aria-current]');
  t.is(await page.locator('.page-toc [aria-current]').count(), 1);
});

browserTest('site: the theme switch works by keyboard and is remembered before the first paint', async (t) => {
  const page = await open(t, '/guide/install.html', { colorScheme: 'light' });
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await page.focus('.theme-switch select');
  await page.keyboard.press('End');
  t.is(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  const dark = await background();
  t.not(dark, light);
  const early = await page.addInitScript(
    'new MutationObserver((_, o) => { if (document.body) { window.early = document.documentElement.dataset.theme; o.disconnect(); } }).observe(document, { childList: true, subtree: true });',
  );
  t.teardown(() => early.dispose());
  await page.reload();
  t.is(await page.evaluate('window.early'), 'dark');
  t.is(await background(), dark);
  t.is(await page.inputValue('.theme-switch select'), 'dark');
  t.deepEqual(await findViolations(page), []);
});

browserTest('site: the copy button works by keyboard, leaves out removed lines and numbers, and says so', async (t) => {
  const page = await open(t, '/guide/persian.html', { permissions: ['clipboard-read', 'clipboard-write'] });
  const button = page.getByRole('button', { name: 'کپی', exact: true }).first();
  await button.focus();
  t.is(await page.evaluate('getComputedStyle(document.activeElement).opacity'), '1');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.copy.done');
  t.is(await page.evaluate('navigator.clipboard.readText()'), 'const a = 1;\nconst b = 3;');
  t.is(await page.textContent('[role="status"]'), 'کپی شد');
});

browserTest(
  'site: what is copied of a terminal is what is typed there, with or without a clipboard of its own',
  async (t) => {
    const page = await open(t, '/guide/terminal.html', { permissions: ['clipboard-read', 'clipboard-write'] });
    for (const isPlain of [false, true]) {
      // Pages without https have none.
      if (isPlain) {
        await page.evaluate(`{
        const { clipboard } = navigator;
        Object.defineProperty(navigator, 'clipboard', { value: undefined });
        window.readClipboard = () => clipboard.readText();
      }`);
      } else await page.evaluate('window.readClipboard = () => navigator.clipboard.readText()');
      for (const [at, [language, , copied]] of TERMINALS.entries()) {
        const button = page.locator('.copy').nth(at);
        await button.click();
        await page.locator('.code-block').nth(at).locator('.copy.done').waitFor();
        t.is(await page.evaluate('window.readClipboard()'), copied, `${language} ${isPlain}`);
        t.true(await button.evaluate((found) => found.matches(':focus')), 'the focus stays');
      }
      for (const block of await page.locator('.code-block').all()) await block.locator('.copy:not(.done)').waitFor();
    }
  },
);

browserTest('site: a tab chosen in one group is chosen in the others and on later pages', async (t) => {
  const page = await open(t, '/guide/install.html');
  await page.click('label[for="tabs-1-2"]');
  t.true(await page.isChecked('#tabs-2-2'));
  await page.reload();
  t.true(await page.isChecked('#tabs-1-2'));
});

browserTest('site: a picture for dark pages takes the place of the other, by the system or by choice', async (t) => {
  const page = await open(t, '/guide/home.html', { colorScheme: 'light' });
  const shown = async () =>
    Promise.all(
      ['.on-light', '.on-dark'].map((name) => page.locator(name).evaluate((found) => getComputedStyle(found).display)),
    );
  t.deepEqual(await shown(), ['block', 'none']);
  await page.selectOption('.theme-switch select', 'dark');
  t.deepEqual(await shown(), ['none', 'block']);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.selectOption('.theme-switch select', 'light');
  t.deepEqual(await shown(), ['block', 'none']);
  await page.selectOption('.theme-switch select', 'system');
  t.deepEqual(await shown(), ['none', 'block']);
});

browserTest('site: the first Tab leads to the skip link, which leads to the text', async (t) => {
  const page = await open(t, '/guide/install.html');
  await page.keyboard.press('Tab');
  await waitForFocus(page, '.skip');
  await page.keyboard.press('Enter');
  await waitForFocus(page, 'main');
  t.is(await page.evaluate('document.activeElement.localName'), 'main');
});

browserTest('site: print shows the text alone', async (t) => {
  const page = await open(t, '/guide/install.html');
  await page.emulateMedia({ media: 'print' });
  for (const part of ['.site-header', '.sidebar', '.page-toc', '.page-end']) t.false(await page.isVisible(part), part);
  t.true(await page.isVisible('h1'));
});

browserTest('site: print shows all tabs and what is folded, and then folds it again', async (t) => {
  const page = await open(t, '/guide/install.html');
  const folded = page.locator('details.callout').filter({ hasText: 'Hidden' });
  await page.emulateMedia({ media: 'print' });
  for (const panel of await page.locator('.tab-panel').all()) t.true(await panel.isVisible());
  const tops = await page.evaluate<number[]>(
    '[...document.querySelectorAll(".tabs")[0].children].filter((one) => !one.matches("input")).map((one) => one.getBoundingClientRect().top)',
  );
  t.deepEqual(
    tops,
    [...tops].sort((a, b) => a - b),
    'each label stands above its panel',
  );
  t.is(new Set(tops).size, 4);
  t.true(await folded.locator('p', { hasText: 'Hidden' }).isVisible());
  await page.emulateMedia({ media: null });
  await page.evaluate(
    'addEventListener("beforeprint", () => { window.printed = document.querySelectorAll("main details[open]").length; })',
  );
  await page.pdf();
  t.is(await page.evaluate('printed'), 1, 'a browser without styles for it opens what is folded');
  t.is(await page.locator('main details[open]').count(), 0);
});

browserTest(
  'site: the sign beside a heading is seen under the pointer and with the focus, not on a phone',
  async (t) => {
    const opacityOf = (page: Page) =>
      page.evaluate<string>('getComputedStyle(document.querySelector("h2 .anchor")).opacity');
    const wide = await open(t, '/guide/install.html');
    t.is(await opacityOf(wide), '0');
    await wide.hover('h2');
    t.is(await opacityOf(wide), '1');
    const narrow = await open(t, '/guide/install.html', { viewport: phone, hasTouch: true, isMobile: true });
    t.is(await opacityOf(narrow), '0');
    await narrow.tap('h2');
    t.is(await opacityOf(narrow), '0');
    await narrow.focus('h2 .anchor');
    await narrow.keyboard.press('Shift+Tab');
    await narrow.keyboard.press('Tab');
    t.is(await opacityOf(narrow), '1');
  },
);

browserTest('site: the lower right corner is free', async (t) => {
  const page = await open(t, '/guide/install.html', { viewport: phone });
  const fixed = await page.evaluate(
    '[...document.elementsFromPoint(innerWidth - 24, innerHeight - 24)].some((element) => ["fixed", "sticky"].includes(getComputedStyle(element).position))',
  );
  t.false(fixed);
});
