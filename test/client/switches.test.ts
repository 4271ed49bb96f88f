import test, { type ExecutionContext } from 'ava';
import type { Page, ViewportSize } from 'playwright-core';
import type { VersionIndexInput } from '../../builder/site/version-index.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { createSite } from '../helpers/create-site.ts';
import { RECORD_SHIFTS } from '../helpers/record-shifts.ts';
import { type ButtonServer, type ButtonServerOptions, serveButton } from '../helpers/serve-button.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import {
  browserTest,
  findThemeViolations,
  findViolations,
  hideHeader,
  openPage,
  shareBrowser,
} from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
const install = '/en/v1.1/guide/install.html';
const version = '.switch-menu:first-child';
const language = '.switch-menu:last-child';

const getBrowser = shareBrowser();

/** Messages of browser and page on the console, and exceptions; each test must end with none. */
const complaints: string[] = [];
test.afterEach((t) => t.deepEqual(complaints.splice(0), []));

async function visit(
  t: ExecutionContext,
  path: string,
  options: ButtonServerOptions & PageOptions = {},
): Promise<{ readonly page: Page; readonly server: ButtonServer }> {
  const server = await serveButton(t, options);
  return { page: await openUrl(t, server.origin + path, { viewport: options.viewport ?? desktop }), server };
}

async function publish(t: ExecutionContext, folder: string): Promise<string> {
  const { url, close } = await serveFolder(folder);
  t.teardown(close);
  return url;
}

interface PageOptions {
  readonly viewport?: ViewportSize;
  readonly javaScriptEnabled?: boolean;
}

/** Opens a page; a message on its console fails the test, save that a page is missing. */
async function openUrl(t: ExecutionContext, url: string, options: PageOptions = {}): Promise<Page> {
  const page = await openPage(t, getBrowser(), {
    viewport: desktop,
    reducedMotion: 'reduce',
    ...options,
  });
  page.on('console', (message) => {
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return page;
}

const listLinks = (page: Page, menu: string): Promise<readonly string[]> =>
  page.locator(`${menu} li a`).evaluateAll((links) =>
    links.map((found) => {
      const { textContent, href } = found as unknown as { textContent: string; href: string };
      const { pathname, search, hash } = new URL(href);
      return `${textContent} | ${decodeURI(pathname)}${search}${hash}`;
    }),
  );

const isOpen = (page: Page, menu: string): Promise<boolean> =>
  page.locator(menu).evaluate((found) => (found as unknown as { open: boolean }).open);
const waitForFocus = (page: Page, selector: string): Promise<unknown> => page.locator(`${selector}:focus`).waitFor();

for (const kind of ['api', 'static'] as const) {
  browserTest(`switches: ${kind}: name version and language, and share one answer with the button`, async (t) => {
    const { page, server } = await visit(t, '/en/latest/guide/install.html?x=1#code', { kind, asksForButton: true });
    t.regex((await page.textContent(`${version} summary`))!, /^(?:latest|v2\.0)$/);
    t.is(await page.textContent(`${language} .language-name`), 'English');
    await page.click(`${version} summary`);
    await page.waitForSelector(`${version} li a`);
    t.deepEqual(await listLinks(page, version), [
      'main unreleased | /en/main/guide/install.html?x=1#code',
      'feature/x not available unreleased | /en/feature-x/guide/?x=1#code',
      'latest → v2.0 | /en/latest/guide/install.html?x=1#code',
      'v2.0 newest | /en/v2.0/guide/install.html?x=1#code',
      'v1.1 | /en/v1.1/guide/install.html?x=1#code',
      'v1.0 not available | /en/v1.0/guide/?x=1#code',
    ]);
    await page.click(`${language} summary`);
    await page.waitForSelector(`${language} li a`);
    t.false(await isOpen(page, version), 'one menu at a time');
    t.deepEqual(await listLinks(page, language), [
      'English | /en/latest/guide/install.html?x=1#code',
      '中文（中国） | /zh_CN/latest/guide/install.html?x=1#code',
      'العربية not available | /ar/latest/guide/?x=1#code',
    ]);
    t.deepEqual(await page.locator('.switches [aria-current]').allTextContents(), ['latest → v2.0', 'English']);
    await page.click('docbuild-button button');
    await page.waitForSelector('docbuild-button li a');
    t.is(server.asked.length, 1, server.asked.join(' '));
  });

  browserTest(`switches: ${kind}: what the button has asked for is not asked again`, async (t) => {
    const { page, server } = await visit(t, install, { kind });
    await page.waitForSelector('.version-notice a');
    await page.click(`${version} summary`);
    await page.waitForSelector(`${version} li a`);
    t.is(server.asked.length, 1, server.asked.join(' '));
    t.is(await page.textContent(`${version} [aria-current]`), 'v1.1');
  });

  browserTest(`switches: ${kind}: on a page that does not exist, nothing is current`, async (t) => {
    const { page } = await visit(t, '/en/v1.1/guide/nope/deeper.html', { kind });
    t.is(await page.textContent(`${version} summary`), 'v1.1');
    await page.click(`${version} summary`);
    await page.waitForSelector(`${version} li a`);
    await hideHeader(page);
    await page.click('docbuild-button button');
    await page.waitForSelector('docbuild-button li a');
    t.is(await page.locator('[aria-current="true"]').count(), 0);
  });
}

browserTest('switches: lead from a translation to the same page where it has another path', async (t) => {
  const paths = (...names: readonly string[]) => names.map((name) => `${name}.html`).sort();
  const versions: VersionIndexInput['versions'] = [
    {
      name: 'v2.0',
      kind: 'tag',
      slug: 'v2.0',
      pages: new Map([
        ['en', paths('index', 'start')],
        ['de', paths('index', 'anfang', 'start')],
        ['fr', paths('index', 'debut', 'start')],
      ]),
      moved: new Map([
        ['de', { 'anfang.html': 'start.html' }],
        ['fr', { 'debut.html': 'start.html' }],
      ]),
    },
    // The same pages, of which none has moved.
    { name: 'v1.0', kind: 'tag', slug: 'v1.0', pages: new Map([['de', paths('index', 'anfang', 'start')]]) },
  ];
  const index = { languages: ['en', 'de', 'fr'], versions };
  for (const path of ['/de/latest/anfang.html', '/de/v2.0/start.html']) {
    const { page } = await visit(t, path, { kind: 'static', lang: 'de', index });
    await page.click(`${language} summary`);
    await page.waitForSelector(`${language} li a`);
    const slug = path.split('/')[2];
    t.deepEqual(await listLinks(page, language), [
      `English | /en/${slug}/start.html`,
      `Deutsch | /de/${slug}/anfang.html`,
      `français | /fr/${slug}/debut.html`,
    ]);
    await page.click(`${version} summary`);
    await page.waitForSelector(`${version} li a`);
    t.true((await listLinks(page, version)).includes('v1.0 | /de/v1.0/start.html'));
  }
});

browserTest('switches: work by keyboard, Escape gives the focus back, and the menu closes behind it', async (t) => {
  const { page } = await visit(t, install);
  await page.focus(`${version} summary`);
  await page.keyboard.press('Enter');
  await page.waitForSelector(`${version} li a`);
  await page.keyboard.press('Tab');
  await waitForFocus(page, `${version} li a`);
  await page.keyboard.press('Escape');
  t.false(await isOpen(page, version));
  await waitForFocus(page, `${version} summary`);
  await page.keyboard.press('Space');
  for (let count = 0; count < 9; count++) await page.keyboard.press('Tab');
  await waitForFocus(page, `${language} summary`);
  t.false(await isOpen(page, version), 'the focus left it');
  await page.keyboard.press('Enter');
  await page.locator(`${language} li a`, { hasText: '中文' }).press('Enter');
  await page.waitForURL('**/zh_CN/v1.1/guide/install.html');
});

const many: VersionIndexInput['versions'] = [
  { name: 'main', kind: 'branch', slug: 'main', pages: new Map([['en', ['index.html']]]) },
  ...Array.from({ length: 40 }, (_, place) => {
    const name = `v1.${39 - place}`;
    return { name, kind: 'tag' as const, slug: name, pages: new Map([['en', ['index.html']]]) };
  }),
];

for (const [viewport, name] of [
  [phone, 'phone'],
  [{ width: 1280, height: 800 }, 'desktop'],
] as const) {
  browserTest(
    `switches: ${name}: of many versions the current one is in sight, and a filter leaves groups that match and says how many`,
    async (t) => {
      const index = { versions: many, latest: 'v1.39', languages: ['en'] };
      const { page } = await visit(t, '/en/v1.2/', { kind: 'static', index, viewport, asksForButton: true });
      await page.click(`${version} summary`);
      const current = page.locator(`${version} [aria-current]`);
      await current.waitFor();
      const [box, panel] = [
        (await current.boundingBox())!,
        (await page.locator(`${version} .switch-panel`).boundingBox())!,
      ];
      t.true(box.y >= panel.y && box.y + box.height <= panel.y + panel.height + 1, 'the current one is in sight');
      t.true(panel.x >= 0 && panel.x + panel.width <= viewport.width && panel.y + panel.height <= viewport.height);
      t.true(Number(await page.evaluate('document.documentElement.scrollWidth')) <= viewport.width);
      await waitForFocus(page, `${version} input`);
      await page.keyboard.type('V1.1');
      t.deepEqual(await page.locator(`${version} li a:visible`).allTextContents(), [
        ...Array.from({ length: 10 }, (_, place) => `v1.${19 - place}`),
        'v1.1',
      ]);
      t.deepEqual(
        await page
          .locator(`${version} ul:visible`)
          .evaluateAll((lists) => lists.map((list) => (list as unknown as { ariaLabel: string }).ariaLabel)),
        ['Tags'],
      );
      t.is(await page.textContent(`${version} output`), '11 / 42');
      t.is(await page.getByRole('status').first().textContent(), '11 / 42');
      t.deepEqual(await findThemeViolations(page), []);
      const filter = page.locator('docbuild-button input');
      await page.keyboard.press('Escape');
      await page.click('docbuild-button button');
      await filter.fill('v1.1');
      t.is(await page.textContent('docbuild-button output'), '11 / 42');
      t.false(await page.isVisible('docbuild-button ul[aria-label="Branches"]'), 'an empty group is hidden');
      t.true(
        await page.locator('docbuild-button nav > div > :first-child').evaluate((found) => found.matches('input')),
      );
      t.deepEqual(await findViolations(page), []);
    },
  );
}

/** Releases of several minor versions with a pre-release, a branch of work and one of a line, newest first. */
function listReleases(count: number): VersionIndexInput['versions'] {
  const pages = new Map([['en', ['index.html']]]);
  const tags = Array.from({ length: count }, (_, place) => {
    const number = count - place - 1;
    return `v1.${Math.floor(number / 5)}.${number % 5}`;
  });
  return [
    { name: 'main', kind: 'branch', slug: 'main', pages },
    { name: '1.1.x', kind: 'branch', slug: '1.1.x', pages },
    ...['v2.0.0-beta.1', ...tags, 'nightly'].map((name) => ({ name, kind: 'tag' as const, slug: name, pages })),
  ];
}

const listGroups = (page: Page, menu: string): Promise<readonly string[]> =>
  page
    .locator(`${menu} ul:visible`)
    .evaluateAll((lists) =>
      lists.map((list) => `${(list as unknown as { ariaLabel: string }).ariaLabel}: ${list.textContent}`),
    );

browserTest(
  'switches: many releases are listed by minor version, and the newest and the unreleased are marked',
  async (t) => {
    const index = { versions: listReleases(12), latest: 'v1.2.1', languages: ['en'] };
    const { page } = await visit(t, '/en/v1.1.4/', { kind: 'static', index });
    await page.click(`${version} summary`);
    await waitForFocus(page, `${version} input`);
    t.deepEqual(await listGroups(page, version), [
      'Branches: main unreleased1.1.x',
      'Tags: latest → v1.2.1nightly',
      'v2.0: v2.0.0-beta.1',
      'v1.2: v1.2.1 newestv1.2.0',
      'v1.1: v1.1.4v1.1.3v1.1.2v1.1.1v1.1.0',
      'v1.0: v1.0.4v1.0.3v1.0.2v1.0.1v1.0.0',
    ]);
    await page.keyboard.type('unrel');
    t.deepEqual(await listGroups(page, version), ['Branches: main unreleased1.1.x'], 'words of marks are found, too');
    t.deepEqual(await page.locator(`${version} li a:visible`).allTextContents(), ['main unreleased']);
  },
);

browserTest('switches: lines of versions of which each has one, and few releases, are one list', async (t) => {
  for (const [versions, groups] of [
    [many.slice(1), ['Tags']],
    [listReleases(7).slice(3, 10), ['Tags']],
    // None of two numbers has company, but those of one have.
    [[3, 2, 1].flatMap((major) => [3, 2, 1, 0].map((minor) => `v${major}.${minor}`)), ['Tags', 'v3', 'v2', 'v1']],
    [
      ['12', '11', '10'].flatMap((month) => [4, 3, 2, 1].map((day) => `lamp2-v2024.${month}.${day}`)),
      ['Tags', 'lamp2-v2024.12', 'lamp2-v2024.11', 'lamp2-v2024.10'],
    ],
  ] as const) {
    const pages = new Map([['en', ['index.html']]]);
    const listed = versions.map((one) =>
      typeof one === 'string' ? { name: one, kind: 'tag' as const, slug: one, pages } : one,
    );
    const index = { versions: listed, latest: listed[0]!.name, languages: ['en'] };
    const { page } = await visit(t, '/en/latest/', { kind: 'static', index });
    await page.click(`${version} summary`);
    await page.waitForSelector(`${version} li a`);
    t.deepEqual(
      (await listGroups(page, version)).map((group) => group.split(':')[0]),
      [...groups],
      listed[0]!.name,
    );
  }
});

browserTest('switches: where nothing but branches is published, lines of versions count as released', async (t) => {
  const pages = new Map([['en', ['index.html']]]);
  const versions = ['main', '2.0', '1.9'].map((name) => ({ name, kind: 'branch' as const, slug: name, pages }));
  for (const [shown, expected] of [
    [versions, ['latest → main', 'main unreleased', '2.0 newest', '1.9']],
    [
      [...versions.slice(0, 1), { ...versions[0]!, name: 'next', slug: 'next' }],
      ['latest → main', 'main', 'next'],
    ],
  ] as const) {
    const index = { versions: shown, latest: 'main', languages: ['en'] };
    const { page } = await visit(t, '/en/main/', { kind: 'static', index });
    await page.click(`${version} summary`);
    await page.waitForSelector(`${version} li a`);
    t.deepEqual(await page.locator(`${version} li a`).allTextContents(), expected);
  }
});

browserTest(
  'switches: arrow keys go through a menu and around its ends, Enter in the filter follows the first',
  async (t) => {
    const index = { versions: listReleases(12), latest: 'v1.2.1', languages: ['en'] };
    const { page } = await visit(t, '/en/v1.1.4/', { kind: 'static', index });
    const focused = () =>
      page.evaluate<string>('document.activeElement.textContent || document.activeElement.localName');
    await page.focus(`${version} summary`);
    await page.keyboard.press('ArrowDown');
    await waitForFocus(page, `${version} input`);
    const visited: string[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'End', 'Home', 'ArrowUp', 'ArrowDown', 'ArrowUp', 'ArrowUp']) {
      await page.keyboard.press(key);
      visited.push(await focused());
    }
    const last = 'History of this page';
    t.deepEqual(visited, ['main unreleased', '1.1.x', last, 'input', last, 'input', last, 'Compare with v1.2.1']);
    await page.focus(`${version} input`);
    // Nothing has been typed: Enter leads nowhere.
    await page.keyboard.press('Enter');
    t.is(new URL(page.url()).pathname, '/en/v1.1.4/');
    await page.keyboard.type('1.0.');
    await page.keyboard.press('ArrowDown');
    t.is(await focused(), 'v1.0.4', 'only what the filter leaves');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/en/v1.0.4/');
  },
);

browserTest(
  'switches: on a touch screen the filter does not take the focus, which would open a keyboard',
  async (t) => {
    const server = await serveButton(t, {
      kind: 'static',
      index: { versions: many, latest: 'v1.39', languages: ['en'] },
    });
    const page = await openPage(t, getBrowser(), { viewport: phone, hasTouch: true, isMobile: true });
    await page.goto(`${server.origin}/en/v1.2/`);
    await page.tap(`${version} summary`);
    await page.waitForSelector(`${version} li a`);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    t.is(await page.locator(`${version} input`).count(), 1);
    t.is(await page.locator(`${version} input:focus`).count(), 0);
  },
);

for (const [viewport, lang] of [
  [desktop, 'en'],
  [desktop, 'ar'],
  [phone, 'ar'],
  // 200 % of a small screen, and 400 % of a large one.
  [{ width: 640, height: 400 }, 'en'],
  [{ width: 320, height: 256 }, 'en'],
] as const) {
  browserTest(
    `switches: 124 versions fit into a window of ${viewport.width} by ${viewport.height}, ${lang}`,
    async (t) => {
      const pages = new Map([[lang, ['index.html']]]);
      const versions = listReleases(120).map((one) => ({ ...one, pages }));
      const index = { versions, latest: 'v1.23.4', languages: [lang] };
      const { page } = await visit(t, `/${lang}/v1.2.0/`, { kind: 'static', index, viewport, lang });
      await page.click(`${version} summary`);
      await waitForFocus(page, `${version} input`);
      t.is(await page.locator(`${version} li`).count(), 125);
      const panel = (await page.locator(`${version} .switch-panel`).boundingBox())!;
      t.true(panel.x >= 0 && panel.x + panel.width <= viewport.width, JSON.stringify(panel));
      t.true(panel.y >= 0 && panel.y + panel.height <= viewport.height, JSON.stringify(panel));
      t.true(Number(await page.evaluate('document.documentElement.scrollWidth')) <= viewport.width);
      const current = (await page.locator(`${version} [aria-current]`).boundingBox())!;
      t.true(
        current.y >= panel.y && current.y + current.height <= panel.y + panel.height + 1,
        'the current one is in sight',
      );
      t.deepEqual(await findThemeViolations(page), []);
    },
  );
}

browserTest(
  'switches: in forced colours the current version and the marks are told apart without colours',
  async (t) => {
    const { page } = await visit(t, '/en/v1.1/guide/');
    await page.emulateMedia({ forcedColors: 'active' });
    await page.click(`${version} summary`);
    await page.waitForSelector(`${version} li a`);
    const styleOf = (selector: string, name: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    t.is(await styleOf(`${version} [aria-current]`, 'outlineStyle'), 'solid');
    t.is(await styleOf('.version-mark', 'borderStyle'), 'solid');
    t.not(await styleOf('.repository svg', 'color'), await styleOf('.site-header', 'backgroundColor'));
  },
);

for (const lang of ['en', 'ar']) {
  browserTest(`switches: axe finds nothing in either menu, ${lang}, wide and narrow, light and dark`, async (t) => {
    const { page } = await visit(t, `/${lang}/v1.1/guide/`, { lang });
    for (const viewport of [{ width: 1280, height: 800 }, { width: 1000, height: 700 }, phone]) {
      await page.setViewportSize(viewport);
      for (const menu of [version, language]) {
        await page.click(`${menu} summary`);
        await page.waitForSelector(`${menu} li a`);
        t.deepEqual(await findThemeViolations(page), [], `${viewport.width} ${menu}`);
        const box = (await page.locator(`${menu} .switch-panel`).boundingBox())!;
        t.true(box.x >= 0 && box.x + box.width <= viewport.width, `${viewport.width} ${menu}`);
        await page.keyboard.press('Escape');
      }
    }
    if (lang === 'ar') return;
    for (const target of await page.locator('.switches summary').all()) {
      const { width, height } = (await target.boundingBox())!;
      t.true(width >= 44 && height >= 44);
    }
  });
}

browserTest('switches: languages are named in themselves, whatever their codes', async (t) => {
  const pages = new Map([
    ['jp', ['index.html']],
    ['cn', ['index.html']],
  ]);
  const index = { languages: ['jp', 'cn'], versions: [{ name: 'v2.0', kind: 'tag' as const, slug: 'v2.0', pages }] };
  const { page } = await visit(t, '/jp/latest/', { kind: 'static', lang: 'ja', index, asksForButton: true });
  await page.click(`${language} summary`);
  await page.waitForSelector(`${language} li a`);
  t.deepEqual(await page.locator(`${language} li a`).allTextContents(), ['日本語', '中文（中国）']);
  await page.click('docbuild-button button');
  await page.waitForSelector('docbuild-button li a');
  t.deepEqual(await page.locator('docbuild-button ul:first-child a').allTextContents(), ['日本語', '中文（中国）']);
});

browserTest('switches: an answer that does not come is said, with a link, and asked for again', async (t) => {
  let isDown = true;
  const data = { versions: { en: ['main'] }, refs: { main: { kind: 'branch', slug: 'main' } }, latest: 'main' };
  const { page } = await visit(t, '/en/latest/', {
    kind: 'static',
    answer: (response) =>
      void (isDown ? response.writeHead(503).end() : response.writeHead(200).end(JSON.stringify(data))),
  });
  await page.click(`${version} summary`);
  await page.getByText('The list could not be loaded').waitFor();
  t.is(await page.locator(`${version} p a`).count(), 1);
  await page.keyboard.press('Escape');
  isDown = false;
  await page.click(`${version} summary`);
  await page.waitForSelector(`${version} li a`);
  t.deepEqual(await listLinks(page, version), ['main | /en/main/']);
  t.is(await page.locator(`${version} p:not(.switch-more)`).count(), 0);
});

for (const [falterAfter, name] of [
  [undefined, ''],
  ['</nav>', ', also when its header arrives in two parts'],
] as const) {
  browserTest(`switches: move nothing on the page${name}`, async (t) => {
    const server = await serveButton(t, { body: '<p>Text.</p>'.repeat(20_000), ...(falterAfter && { falterAfter }) });
    const page = await openPage(t, getBrowser(), { viewport: desktop, script: RECORD_SHIFTS });
    await page.goto(`${server.origin}/en/v1.1/guide/install.html`);
    t.is(await page.textContent(`${version} summary`), 'v1.1');
    t.true(Number(await page.evaluate('shift')) < 0.001, String(await page.evaluate('moved.join()')));
  });
}

const files = {
  'docs/en/index.md': '# Home\n',
  'docs/en/a.md': '# A\n',
  'docs/jp/index.md': '# ホーム\n',
};

browserTest('switches: without JavaScript they lead to a list of versions and languages', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, files);
  for (const tag of ['v1.9', 'v1.10', 'v2.0']) repository.git('tag', tag);
  repository.git('branch', 'next');
  const site = createSite(t);
  await site.build(repository.folder, { lang: ['en', 'jp'] });
  const origin = await publish(t, site.out);
  const page = await openUrl(t, `${origin}/en/v2.0/a.html`, { javaScriptEnabled: false });
  t.deepEqual(await page.locator('.switch').allTextContents(), ['Version', 'Englishen']);
  await page.click('.switch >> nth=0');
  await page.waitForURL(`${origin}/_docbuild/versions/en.html`);
  t.deepEqual(await page.locator('main li').allTextContents(), [
    ...['English', '日本語'],
    ...['latest → main', 'main', 'next', 'v2.0', 'v1.10', 'v1.9'],
    // The board of a translation.
    '日本語 50%',
  ]);
  await page.click('main a:has-text("v1.10")');
  await page.waitForURL(`${origin}/en/v1.10/`);
  await page.click('.switch >> nth=1');
  await page.click('main a:has-text("日本語")');
  await page.waitForURL(`${origin}/jp/latest/`);
  t.regex((await page.textContent('h1'))!, /^ホーム/);
});

browserTest('switches: the list of versions is a page like others', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, files);
  repository.git('tag', 'v1.0');
  const site = createSite(t);
  await site.build(repository.folder, { lang: ['en', 'jp'] });
  const origin = await publish(t, site.out);
  const page = await openUrl(t, `${origin}/_docbuild/versions/en.html`);
  for (const viewport of [{ width: 1280, height: 800 }, phone]) {
    await page.setViewportSize(viewport);
    t.deepEqual(await findThemeViolations(page), []);
  }
  t.is(await page.textContent(`${version} summary`), 'Version');
  await hideHeader(page);
  t.is(await page.textContent('docbuild-button button'), 'Languages and versions');
  await page.click('docbuild-button button');
  await page.waitForSelector('docbuild-button li a');
  t.is(await page.locator('[aria-current="true"]').count(), 0, 'it is no page of a version');
  // With one version, only languages are listed.
  const single = createSite(t);
  await single.build(repository.folder, { lang: ['en', 'jp'], single: true });
  const alone = await openUrl(t, `${await publish(t, single.out)}/a.html`, { javaScriptEnabled: false });
  t.deepEqual(await alone.locator('.switch').allTextContents(), ['Englishen']);
  await alone.click('.switch');
  t.deepEqual(await alone.locator('main li').allTextContents(), ['English', '日本語', '日本語 50%']);
  await alone.click('main a:has-text("日本語")');
  t.is(new URL(alone.url()).pathname, '/jp/');
});

browserTest('switches: lead through a site on a server, below its path and at a host of its own', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, files);
  repository.git('tag', 'v1.0');
  const server = await createServer(t, 'docs: {domain: localhost}\n');
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, lang: ['en', 'jp'] } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  t.is((await server.operations.waitForBuild({ id })).status, 'passing');
  const { port } = new URL(server.origin);
  for (const root of [`http://guide.localhost:${port}/`, `http://127.0.0.1:${port}/docs/guide/`]) {
    const page = await openUrl(t, `${root}en/latest/a.html`, { viewport: phone });
    await page.click(`${version} summary`);
    await page.click(`${version} a:has-text("v1.0")`);
    await page.waitForURL(`${root}en/v1.0/a.html`);
    await page.click(`${language} summary`);
    await page.click(`${language} a:has-text("日本語")`);
    await page.waitForURL(`${root}jp/v1.0/a.html`);
    await page.goto(`${root}_docbuild/versions/en.html`);
    t.deepEqual(await page.locator('main li a').allTextContents(), [
      ...['English', '日本語'],
      ...['latest → main', 'main', 'v1.0'],
      '日本語 50%',
    ]);
  }
});

browserTest(
  'the nav button that a page asks for covers neither text nor table of contents, at any width and place of the page',
  async (t) => {
    const text = Array.from(
      { length: 30 },
      (_, n) => `<h2 id="h${n}">Heading ${n}</h2><p>${'Text. '.repeat(60)}</p>`,
    ).join('');
    for (const lang of ['en', 'ar']) {
      const { page } = await visit(t, `/${lang}/latest/guide/`, { lang, body: text, asksForButton: true });
      for (const [width, height] of [
        [1600, 900],
        [1280, 700],
        [1279, 700],
        [1000, 600],
        [390, 844],
        [320, 480],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const part of [0, 0.5, 1]) {
          await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${part})`);
          const covered = await page.evaluate(`(() => {
          const button = document.querySelector('docbuild-button').shadowRoot.querySelector('button').getBoundingClientRect();
          return [...document.querySelectorAll('main :is(p, h1, h2, a), .page-toc, .site-footer p')].filter((element) => {
            const box = element.getBoundingClientRect();
            return box.width * box.height > 0 && box.left < button.right && button.left < box.right && box.top < button.bottom && button.top < box.bottom;
          }).map(({ outerHTML }) => outerHTML.slice(0, 60));
        })()`);
          t.deepEqual(covered, [], `${lang} ${width} ${part}`);
        }
      }
    }
  },
);

for (const kind of ['api', 'static'] as const) {
  browserTest(
    `switches: ${kind}: a language without the version leads to the page in its latest, says so, and is available`,
    async (t) => {
      const { page } = await visit(t, '/en/v1.0/guide/', { kind, asksForButton: true });
      const expected = [
        'English | /en/v1.0/guide/',
        '中文（中国） (latest) | /zh_CN/latest/guide/',
        'العربية (latest) | /ar/latest/guide/',
      ];
      await page.click(`${language} summary`);
      await page.waitForSelector(`${language} li a`);
      t.deepEqual(await listLinks(page, language), expected);
      await page.click('docbuild-button button');
      await page.waitForSelector('docbuild-button li a');
      t.deepEqual(await listLinks(page, 'docbuild-button ul:first-child'), expected);
    },
  );
}
