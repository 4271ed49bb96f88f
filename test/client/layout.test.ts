import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createComposer } from '../../builder/compose/create-composer.ts';
import type { HeaderEntry, PageModel } from '../../builder/compose/page-model.ts';
import { renderPage } from '../builder/markdown/render-page.ts';
import { createPageModel } from '../helpers/create-page-model.ts';
import { failTest } from '../helpers/fail-test.ts';
import { servePages } from '../helpers/serve-pages.ts';
import {
  browserTest,
  findThemeViolations,
  openPage,
  type PageOptions,
  shareBrowser,
} from '../helpers/share-browser.ts';

const composer = createComposer();
const phone = { width: 390, height: 844 };
const desktop = { width: 1440, height: 900 };
const touch = { viewport: phone, hasTouch: true, isMobile: true };

const sentence = 'The quick brown fox jumps over the lazy dog while five wizards quietly pack boxes. ';
const longLine = 'const value = call(first, second); '.repeat(12);
const block = (attributes: string, code: string, title = ''): string =>
  `<div class="code-block${attributes}>${title && `<div class="code-title">${title}</div>`}<pre tabindex="0">${code}</pre></div>`;
const tab = (index: number, name: string, panel: string): string =>
  `<input type="radio" class="tab-input" name="tabs-1" id="tabs-1-${index}"${index === 1 ? ' checked' : ''}>` +
  `<label class="tab-label" for="tabs-1-${index}">${name}</label><div class="tab-panel">${panel}</div>`;
const rows = Array.from({ length: 60 }, (_, at) => `<tr><td>key ${at}</td><td>${sentence}</td></tr>`).join('');
const content = `<h1 id="install">Install</h1>
<p>${sentence.repeat(8)}</p>
<ul><li>${sentence.repeat(3)}</li></ul>
${block('" data-language="js"', `<code>${longLine}\n</code>`)}
${block(' numbered" data-language="ts"', `<span class="line-numbers" aria-hidden="true">1\n2\n3</span><code>a();\n${longLine}\nb();\n</code>`, 'a-name.ts')}
${block('"', '<code>plain text\n</code>')}
<div class="tabs code-group" role="group" aria-label="Code">${['npm', 'pnpm', 'yarn', 'bun'].map((name, at) => tab(at + 1, name, block('" data-language="sh"', `<code>$ ${name} install\n</code>`))).join('')}</div>
<div class="table-scroll" tabindex="0"><table><thead><tr><th>Key</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>
<p>${sentence}</p>
<div class="table-scroll" id="wide" tabindex="0"><table><thead><tr><th>${'Column'.repeat(60)}</th><th>B</th></tr></thead><tbody>${rows}</tbody></table></div>
<p>${sentence.repeat(20)}</p>`;
const chinese = `<h1>安装</h1><p>${'敏捷的棕色狐狸跳过了懒狗，而五个巫师正在悄悄地收拾箱子。'.repeat(9)}</p>`;

const entry: HeaderEntry = { title: '', url: 'x.html', icon: undefined, isOutside: false, isCurrent: false, links: [] };
const many: readonly HeaderEntry[] = [
  ...['Getting started', 'Guides and recipes', 'Reference', 'Configuration', 'Integrations'].map((title) => ({
    ...entry,
    title,
  })),
  { ...entry, title: 'Community', url: undefined, links: [{ ...entry, title: 'Forum' }] },
  { ...entry, title: 'About the project' },
];

async function open(
  t: ExecutionContext,
  model: Partial<PageModel>,
  options: Partial<PageOptions> = {},
  more: readonly (readonly [string, string])[] = [],
): Promise<Page> {
  const files = composer.themeFiles().map((file) => [`/assets/${file.name}`, file.bytes] as const);
  const page = await openPage(t, shareBrowserOnce(), { viewport: desktop, reducedMotion: 'reduce', ...options });
  page.on('pageerror', (error) => failTest(t, String(error)));
  const html = composer.composePage(createPageModel({ content, ...model }));
  const versions = ['/versions.json', '{"versions":{}}'] as const;
  await page.goto(
    `${await servePages(t, new Map<string, string | Uint8Array>([['/guide/install.html', html], versions, ...files, ...more]), '; frame-src https://www.youtube.com')}/guide/install.html`,
  );
  return page;
}
const shareBrowserOnce = shareBrowser();

/** Returns how many characters stand in each full line of a paragraph. */
const countCharacters = (page: Page): Promise<readonly number[]> =>
  page.evaluate<number[]>(`{
    const [text, range] = [document.querySelector('.prose p').firstChild, document.createRange()];
    const [lines, tops] = [[], new Set()];
    for (let at = 0; at < text.length; at++) {
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { top } = range.getBoundingClientRect();
      if (!tops.has(top)) lines.push(0);
      tops.add(top);
      lines[lines.length - 1]++;
    }
    lines.slice(0, -1);
  }`);

for (const width of [1280, 1920]) {
  browserTest(
    `layout: at ${width} pixels lines have some 70 to 75 characters, and code and tables are wider`,
    async (t) => {
      const page = await open(t, {}, { viewport: { width, height: 900 } });
      const lines = await countCharacters(page);
      t.true(Math.max(...lines) <= 80 && Math.max(...lines) >= 68, `${lines}`);
      const widthOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!.width;
      const text = await widthOf('.prose > p');
      t.true((await widthOf('.prose > ul')) <= text);
      t.true((await widthOf('.prose > .code-block')) >= text + 60);
      t.true((await widthOf('.prose > .table-scroll')) >= text + 60);
    },
  );
}

browserTest('layout: lines of Chinese have room for some 40 characters, each as wide as it is high', async (t) => {
  const page = await open(t, { content: chinese, language: { tag: 'zh-CN', dir: 'ltr' } });
  const room = await page.evaluate<number>(`{
    const text = document.querySelector('.prose > p');
    text.getBoundingClientRect().width / parseFloat(getComputedStyle(text).fontSize);
  }`);
  t.true(room >= 36 && room <= 43, `${room}`);
});

for (const width of [960, 1024, 1279, 1300]) {
  browserTest(`layout: at ${width} pixels the header is one row, and all of its links can be reached`, async (t) => {
    const page = await open(t, { header: many }, { viewport: { width, height: 800 } });
    await page.waitForSelector('.more-links');
    t.true((await page.locator('.site-header').boundingBox())!.height < 64);
    const boxes = await page.evaluate<number[][]>(
      '[...document.querySelectorAll(".bar > *:not([hidden]), .site-links > ul > li")].map((one) => one.getBoundingClientRect()).filter((box) => box.width > 0).map((box) => [box.left, box.right, box.top, box.bottom])',
    );
    for (const [left, right, top, bottom] of boxes) t.true(left! >= 0 && right! <= width && top! >= 0 && bottom! <= 62);
    const [links, next] = await page.evaluate<[number, number]>(
      '[document.querySelector(".site-links > ul").lastElementChild.getBoundingClientRect().right, document.querySelector(".search-button").getBoundingClientRect().left]',
    );
    t.true(links <= next);
    const more = page.locator('.more-links > details > summary');
    t.is(await more.count(), 1);
    await more.click();
    const last = page.locator('.more-links a', { hasText: 'About the project' });
    t.true(await last.isVisible());
    const menu = page.locator('summary', { hasText: 'Community' });
    if (!(await page.locator('.more-links', { has: menu }).count())) await page.keyboard.press('Escape');
    await page.locator('.site-links summary', { hasText: 'Community' }).click();
    t.true(await page.locator('.site-links a', { hasText: 'Forum' }).isVisible());
    t.deepEqual(await findThemeViolations(page), []);
    t.is(await page.locator('.site-links a').count(), many.length);
  });
}

browserTest(
  'layout: arrow keys go through the links that left the header, and through the menus among them',
  async (t) => {
    const page = await open(t, { header: many }, { viewport: { width: 960, height: 800 } });
    await page.waitForSelector('.more-links summary:has-text("Community")', { state: 'attached' });
    const press = async (key: string): Promise<string> => {
      await page.keyboard.press(key);
      return page.evaluate<string>('document.activeElement.textContent');
    };
    const isOpen = (): Promise<boolean> =>
      page.locator('.more-links details details').evaluate((menu) => menu.hasAttribute('open'));
    const more = page.locator('.more-links > details');
    const titles = await more.locator('> ul > li > a, > ul > li > details > summary').allTextContents();
    await more.locator('> summary').focus();
    t.is(await press('ArrowDown'), '…', 'it is open');
    for (const title of [...titles, titles[0]!]) t.is(await press('ArrowDown'), title);
    while ((await press('ArrowDown')) !== 'Community');
    await page.keyboard.press('Enter');
    t.is(await press('ArrowDown'), 'Forum');
    t.is(await press('Escape'), 'Community');
    t.false(await isOpen());
    t.is(await press('ArrowDown'), 'About the project');
    t.is(await press('Escape'), '…');
    t.is(await more.getAttribute('open'), null);
  },
);

for (const [tag, dir] of [
  ['en', 'ltr'],
  ['fa', 'rtl'],
] as const) {
  browserTest(`layout: ${dir}: the button that copies is at the right end of a block of code`, async (t) => {
    const page = await open(t, { language: { tag, dir } });
    const block = page.locator('.prose > .code-block', { hasText: 'plain text' });
    const [outer, inner] = [await block.boundingBox(), await block.locator('.copy').boundingBox()];
    const gap = outer!.x + outer!.width - inner!.x - inner!.width;
    t.true(gap >= 0 && gap < 10, `${gap}`);
  });
}

browserTest('layout: links that left the header come back with the room for them', async (t) => {
  const some = many.slice(1, 6);
  const page = await open(t, { header: some }, { viewport: { width: 1000, height: 800 } });
  await page.waitForSelector('.more-links');
  await page.setViewportSize({ width: 1900, height: 800 });
  await page.waitForSelector('.more-links', { state: 'detached' });
  const titles = await page.locator('.site-links > ul > li').allTextContents();
  t.deepEqual(
    titles.map((title) => title.trim().replace(/\n.*/s, '')),
    some.map(({ title }) => title),
  );
  await page.setViewportSize({ width: 800, height: 800 });
  t.is(await page.locator('.more-links').count(), 0);
});

browserTest(
  'layout: without JavaScript the links of the header have a row of their own where they need it',
  async (t) => {
    const page = await open(t, {}, { viewport: { width: 1000, height: 800 }, javaScriptEnabled: false });
    const [links, title] = [page.locator('.site-links'), page.locator('.site-title')];
    t.true((await links.boundingBox())!.y >= (await title.boundingBox())!.y + (await title.boundingBox())!.height);
  },
);

browserTest('layout: the theme switch is an icon that shows what is chosen', async (t) => {
  const page = await open(t, {});
  const box = (await page.locator('.theme-switch').boundingBox())!;
  t.true(box.width <= 44);
  const shape = () =>
    page.evaluate<string>('getComputedStyle(document.querySelector(".theme-switch"), "::before").clipPath');
  const shapes = [await shape()];
  for (const name of ['light', 'dark']) {
    await page.selectOption('.theme-switch select', name);
    shapes.push(await shape());
  }
  t.is(new Set(shapes).size, 3);
  t.is(await page.getByRole('combobox', { name: 'Theme' }).count(), 1);
});

for (const options of [{}, touch] as readonly Partial<PageOptions>[]) {
  const where = 'hasTouch' in options ? 'on a touch device' : 'with a pointer';
  browserTest(`layout: ${where} the tools of code are seen, and cover neither code nor names nor labels`, async (t) => {
    const page = await open(t, {}, options);
    t.deepEqual(await findThemeViolations(page), []);
    const overlaps = await page.evaluate<string[]>(`{
      const rows = [...document.querySelectorAll('.code-block, .code-group')].filter((row) => row.querySelector(':scope > .code-tools'));
      rows.flatMap((row) => {
        const tools = [...row.querySelectorAll(':scope > .code-tools > button')].filter((one) => getComputedStyle(one).visibility === 'visible');
        const others = [...row.querySelectorAll('pre, .tab-label')].filter((one) => one.checkVisibility());
        const title = row.querySelector(':scope > .code-title');
        const range = document.createRange();
        if (title) range.selectNodeContents(title);
        const boxes = [...others.map((one) => one.getBoundingClientRect()), ...(title ? [range.getBoundingClientRect()] : [])];
        return tools.flatMap((tool) => {
          const own = tool.getBoundingClientRect();
          return boxes.filter((box) => own.left < box.right - 1 && box.left < own.right - 1 && own.top < box.bottom - 1 && box.top < own.bottom - 1).map(() => tool.className);
        });
      });
    }`);
    t.deepEqual(overlaps, []);
    t.is(await page.locator('.code-tools .copy:visible').count(), 4);
    for (const box of await page
      .locator('.code-tools .copy')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width)))
      t.true(box >= ('hasTouch' in options ? 44 : 24));
  });
}

browserTest('layout: nothing moves when the tools of code come', async (t) => {
  const place = (page: Page) =>
    page.evaluate<number[]>(
      '[...document.querySelectorAll(".prose > *")].map((one) => Math.round(one.getBoundingClientRect().top + scrollY))',
    );
  const page = await open(t, {});
  const withTools = await place(page);
  await page.evaluate('for (const tools of document.querySelectorAll(".code-tools")) tools.remove()');
  t.deepEqual(await place(page), withTools);
});

browserTest('layout: a group of tabs has one copy button, for the block that is shown', async (t) => {
  const page = await open(t, {}, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.click('label[for="tabs-1-3"]');
  await page.click('.code-group .copy');
  await page.waitForSelector('.code-group .copy.done');
  t.is(await page.evaluate('navigator.clipboard.readText()'), 'yarn install');
});

browserTest(
  'layout: long lines fade at the edge until their end is reached, and can be wrapped with their numbers',
  async (t) => {
    const page = await open(t, {});
    const numbered = page.locator('.code-block.numbered');
    await page.waitForSelector('.code-block.numbered.long.cut');
    t.is(await page.locator('.code-block:not(.long) .wrap:visible').count(), 0, 'short lines are not wrapped');
    await numbered.locator('pre').evaluate((pre) => pre.scrollTo({ left: 99_999 }));
    await page.waitForSelector('.code-block.numbered.long:not(.cut)');
    const wrap = numbered.getByRole('button', { name: 'Wrap lines' });
    t.is(await wrap.getAttribute('aria-pressed'), 'false');
    await wrap.focus();
    await page.keyboard.press('Enter');
    t.is(await wrap.getAttribute('aria-pressed'), 'true');
    t.true(await numbered.locator('pre').evaluate((pre) => pre.scrollWidth <= pre.clientWidth));
    const offset = await page.evaluate<number>(`{
    const range = document.createRange();
    const topOf = (node, text) => {
      const at = node.nodeValue.indexOf(text);
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      return range.getBoundingClientRect().top;
    };
    const find = (selector) => document.querySelector('.code-block.numbered ' + selector).firstChild;
    topOf(find('.line-numbers'), '3') - topOf(find('pre code'), 'b();');
  }`);
    t.true(Math.abs(offset) < 2, `the number stands beside its line: ${offset}`);
    await page.keyboard.press('Enter');
    t.is(await numbered.locator('.line-numbers').textContent(), '1\n2\n3');
  },
);

browserTest('layout: the names of the columns of a long table stay in sight', async (t) => {
  const page = await open(t, {});
  await page.waitForSelector('.table-scroll.fits');
  const head = page.locator('.table-scroll.fits th').first();
  await page.evaluate('scrollTo(0, document.querySelector(".table-scroll").offsetTop + 900)');
  const bar = (await page.locator('.site-header').boundingBox())!;
  t.true(Math.abs((await head.boundingBox())!.y - bar.y - bar.height) <= 1);
  await page.waitForSelector('#wide.tall:not(.fits)');
  await page.locator('#wide').evaluate((wide) => wide.scrollTo({ top: 900, left: 50 }));
  const [top, first] = [
    (await page.locator('#wide').boundingBox())!,
    (await page.locator('#wide th').first().boundingBox())!,
  ];
  t.true(Math.abs(first.y - top.y) <= 1);
  await page.emulateMedia({ media: 'print' });
  t.is(await page.locator('#wide').evaluate((wide) => getComputedStyle(wide).maxHeight), 'none');
});
declare const getComputedStyle: (element: unknown) => Readonly<Record<string, string>>;

browserTest('layout: with forced colours all icons are drawn in one of the forced colours', async (t) => {
  const page = await open(t, {}, { forcedColors: 'active', viewport: { width: 800, height: 800 } });
  const icons = [
    '.search-button',
    '.theme-switch',
    '.menu-button',
    '.drawer-close',
    '.code-tools .copy',
    '.code-tools .wrap',
  ];
  for (const icon of icons) {
    const [color, background, image] = await page.evaluate<string[]>(
      `{ const { color, backgroundColor, backgroundImage } = getComputedStyle(document.querySelector('${icon}'), '::before'); [color, backgroundColor, backgroundImage]; }`,
    );
    const drawn = image === 'none' ? background : color;
    t.is(drawn, 'rgb(0, 0, 0)', icon);
    t.true(image !== 'none' || background !== 'rgba(0, 0, 0, 0)', icon);
  }
});

browserTest(
  'layout: a frame of another site asks nobody there before its link is clicked, and is a film of 16 to 9',
  async (t) => {
    const { html } = renderPage(
      '<iframe width="560" height="315" frameborder="0" src="https://www.youtube.com/embed/abc?start=3" title="A film"></iframe>\n\nText.\n',
    );
    const asked: string[] = [];
    const page = await open(t, { content: html });
    await page.route('https://www.youtube.com/**', (route) => {
      asked.push(route.request().url());
      return route.fulfill({ contentType: 'text/html', body: '<p>film</p>' });
    });
    await page.reload();
    t.deepEqual(asked, []);
    t.deepEqual(await findThemeViolations(page), []);
    const frame = page.locator('.embed iframe');
    const box = (await frame.boundingBox())!;
    t.true(Math.abs(box.width / box.height - 16 / 9) < 0.02);
    t.is(await frame.evaluate((found) => getComputedStyle(found).borderTopWidth), '0px');
    const link = page.getByRole('link', { name: 'A film' });
    t.is(await link.getAttribute('href'), 'https://www.youtube.com/embed/abc?start=3');
    await link.click();
    await page.frameLocator('.embed iframe').locator('p', { hasText: 'film' }).waitFor();
    t.deepEqual(asked, ['https://www.youtube.com/embed/abc?start=3&autoplay=1']);
    t.deepEqual(await frame.boundingBox(), box, 'nothing moves');
    t.is(await link.count(), 0);
  },
);

browserTest('layout: a picture that is shown smaller than it is can be enlarged by pointer and keyboard', async (t) => {
  const svg = (width: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="200"><path d="M0 0h9v9z"/></svg>`;
  const page = await open(
    t,
    {
      content:
        '<h1>A</h1><p><img src="../big.svg" alt="A plan"></p><p><img src="../small.svg" alt="Small"></p><p><a href="x.html"><img src="../big.svg" alt="Linked"></a></p>',
    },
    {},
    [
      ['/big.svg', svg(3000)],
      ['/small.svg', svg(300)],
    ],
  );
  await page.waitForSelector('img.zoomable');
  t.is(await page.locator('img.zoomable').count(), 1);
  t.deepEqual(await findThemeViolations(page), []);
  const picture = page.getByRole('button', { name: 'A plan' });
  const before = (await picture.boundingBox())!.width;
  await picture.focus();
  await page.keyboard.press('Enter');
  const shown = page.locator('dialog.zoom img');
  await shown.waitFor();
  t.true((await shown.boundingBox())!.width > before * 1.5);
  t.deepEqual(await findThemeViolations(page), []);
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog.zoom', { state: 'detached' });
  t.true(await picture.evaluate((found) => found.matches(':focus')));
  await picture.click();
  await shown.click();
  await page.waitForSelector('dialog.zoom', { state: 'detached' });
});

browserTest(
  'layout: a landing page has logos and a closing call, no date, and needs no scrolling to the side',
  async (t) => {
    const action = { title: 'Get started', url: 'use.html', primary: true };
    const picture = { url: '../small.svg', alt: 'Anvil' };
    const home = {
      name: 'Name',
      text: 'Text',
      tagline: 'Line',
      image: undefined,
      actions: [action],
      features: [],
      logos: {
        title: 'Used by',
        items: [
          { image: picture, url: 'https://example.test/' },
          { image: { ...picture, alt: 'Loom' }, url: undefined },
        ],
      },
      closing: { title: 'Begin today', text: 'It takes a minute.', actions: [action] },
    };
    const model = { layout: 'home', home, content: '', breadcrumbs: [], toc: [] } as const;
    const page = await open(t, model, {}, [
      ['/small.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"/>'],
    ]);
    t.is(await page.locator('time').count(), 0);
    t.is(await page.getByRole('region', { name: 'Begin today' }).getByRole('link', { name: 'Get started' }).count(), 1);
    t.is(await page.getByRole('region', { name: 'Used by' }).getByRole('img').count(), 2);
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      t.deepEqual(await findThemeViolations(page), []);
      t.true(Number(await page.evaluate('document.documentElement.scrollWidth')) <= width);
    }
  },
);
