import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { Page, Route } from 'playwright-core';
import { createFolder } from '../helpers/create-repository.ts';
import { failTest } from '../helpers/fail-test.ts';
import {
  browserTest,
  findThemeViolations,
  findViolations,
  hideHeader,
  openPage,
  shareBrowser,
} from '../helpers/share-browser.ts';
import { type SpawnedServer, spawnListening } from '../helpers/spawn-server.ts';
import { waitInPage } from '../helpers/wait-in-page.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const browser = shareBrowser();

const long = (title: string, added = ''): string =>
  `# ${title}\n\n${added}\n\n\`\`\`js\nconst a = 1;\n\`\`\`\n\n${Array.from({ length: 30 }, (_, n) => `## Part ${n}\n\n${'Words. '.repeat(80)}\n`).join('\n')}`;

interface Preview {
  readonly folder: string;
  readonly page: Page;
  readonly server: SpawnedServer;
  write(path: string, text: string): void;
  /** Times that a page was loaded. */
  loads(): number;
}

function startPreview(t: ExecutionContext, folder: string, port: string): Promise<SpawnedServer> {
  return spawnListening(t, {
    cwd: createFolder(t),
    args: ['dev', folder, '--port', port],
    ready: /Preview of .* at (http:\/\/[^/]+)\/[\s\S]*pages? in/,
  });
}

/** Opens a page of the preview of a folder with these files. */
async function openPreview(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
  path: string,
): Promise<Preview> {
  const folder = createFolder(t);
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const server = await startPreview(t, folder, '0');
  const page = await openPage(t, browser(), { viewport: { width: 1200, height: 800 } });
  let loads = 0;
  // Not the event `load`, which comes after the page is on the screen.
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) loads++;
  });
  page.on('pageerror', (error) => failTest(t, `${error}`));
  await page.goto(server.origin + path);
  return { folder, page, server, write, loads: () => loads };
}

/** Scrolls to a heading in the middle of what `long` writes; returns its place in the window, in pixels from the top. */
async function scrollToPart(page: Page): Promise<number> {
  await page.evaluate("document.getElementById('part-12').scrollIntoView({ behavior: 'instant' })");
  return page.evaluate<number>("document.getElementById('part-12').getBoundingClientRect().top");
}

/** Waits until that heading is at a place in the window: a busy browser may scroll a moment after it shows a page. */
async function waitForTop(page: Page, top: number): Promise<void> {
  await waitInPage(page, `Math.abs(document.getElementById('part-12')?.getBoundingClientRect().top - ${top}) < 3`);
}

/** Waits until the page that is shown has been received once more, so that the first save is compared with it. */
async function waitUntilReceivedAgain(page: Page): Promise<void> {
  await waitInPage(
    page,
    'performance.getEntriesByType("resource").some(({ name, responseEnd }) => name === location.href && responseEnd > 0)',
  );
}

browserTest(
  'a save shows on the open page without loading it, where its reader is, and with all that scripts add',
  async (t) => {
    const { page, write, loads } = await openPreview(
      t,
      { 'docs/a.md': long('A'), 'docs/b.md': '# B\n' },
      '/en/latest/a.html',
    );
    const before = await scrollToPart(page);
    write('docs/a.md', long('A new title', 'Some more.\n\n'.repeat(40)));
    await page.getByText('Some more.').first().waitFor({ state: 'attached' });
    await waitForTop(page, before);
    t.is(
      await page.title(),
      'A new title | Docbuild test'.replace('Docbuild test', (await page.title()).split(' | ')[1]!),
    );
    t.is(loads(), 1);
    t.is(await page.locator('.code-block .copy').count(), await page.locator('.code-block').count());
    await page.locator('.page-toc [aria-current]').waitFor({ state: 'attached' });
    t.deepEqual(await findViolations(page), []);
    // Another page's name is in the sidebar at once, too.
    write('docs/b.md', '# Second\n');
    await page.locator('.sidebar').getByText('Second').waitFor();
    t.is(loads(), 1);
  },
);

for (const pauseMs of [20, 600]) {
  browserTest(
    `a file that is filled ${pauseMs} ms after it was emptied leaves its reader at the same place`,
    async (t) => {
      const { page, write, loads } = await openPreview(t, { 'docs/a.md': long('A') }, '/en/latest/a.html');
      const before = await scrollToPart(page);
      write('docs/a.md', '');
      if (pauseMs > 100) await page.locator('#part-12').waitFor({ state: 'detached' });
      else await setTimeout(pauseMs);
      write('docs/a.md', long('A', 'Some more.\n\n'.repeat(40)));
      await page.getByText('Some more.').first().waitFor({ state: 'attached' });
      await waitForTop(page, before);
      t.is(loads(), 1);
    },
  );
}

browserTest('the nav button goes over to the new body, and gives way to its header', async (t) => {
  const { page, write } = await openPreview(
    t,
    { 'docs/en/a.md': '# A\n', 'docs/fr/a.md': '# A\n' },
    '/en/latest/a.html',
  );
  const button = page.locator('docbuild-button button');
  await button.waitFor({ state: 'hidden' });
  write('docs/en/a.md', '# Another title\n\n## Part\n');
  await page.locator('main').getByText('Part').waitFor();
  t.is(await button.count(), 1);
  // What watches the old header is told of its end in one of the next frames.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  t.false(await button.isVisible());
  await hideHeader(page);
});

browserTest('a save of a paragraph leaves all else on the open page as its reader has it', async (t) => {
  const textWith = (first: string, code: string): string =>
    `# A\n\n${first}\n\n<details><summary>More</summary>\n\nHidden words.\n\n</details>\n\n\`\`\`js\n${code}\n\`\`\`\n\n::: tabs\n@tab One\nTab of one.\n@tab Two\nTab of two.\n:::\n\nLast.\n`;
  const { page, write, loads } = await openPreview(
    t,
    { 'docs/a.md': textWith('Zero.', 'const a = 1;') },
    '/en/latest/a.html',
  );
  const save = async (first: string, code: string, shown: string): Promise<void> => {
    write('docs/a.md', textWith(first, code));
    await page.locator('main').getByText(shown).waitFor();
  };
  await waitUntilReceivedAgain(page);
  await page.getByText('More').click();
  await page.evaluate('window.kept = document.querySelector(".code-block")');
  const isKept = () => page.evaluate<boolean>('window.kept === document.querySelector(".code-block")');
  await save('First.', 'const a = 1;', 'First.');
  t.true(await isKept(), 'by the first save, too');
  await save('Second.\n\nAnd a third.', 'const a = 1;', 'And a third.');
  t.true(await isKept());
  t.true(await page.getByText('Hidden words.').isVisible());
  t.is(await page.getByText('First.').count(), 0);
  await save('', 'const a = 1;', 'Last.');
  await page.getByText('And a third.').waitFor({ state: 'detached' });
  t.true(await isKept());
  // What scripts set up, and what stands elsewhere, too, is set up again.
  await save('Fourth.', 'const b = 2;', 'Fourth.');
  t.false(await isKept());
  t.is(await page.locator('.code-block .copy').count(), 1);
  await save('## New part\n\nFifth.', 'const b = 2;', 'Fifth.');
  await page.locator('.page-toc').getByText('New part').waitFor({ state: 'attached' });
  const text = (await page.locator('article').innerText()).replace(/\s+/g, ' ');
  await page.reload();
  t.is((await page.locator('article').innerText()).replace(/\s+/g, ' '), text.replace('Hidden words. ', ''));
  t.is(loads(), 2);
});

browserTest('problems and failures show on the page, and go when they are mended', async (t) => {
  const { page, write, loads } = await openPreview(t, { 'docs/a.md': '# A\n' }, '/en/latest/a.html');
  const panel = page.getByRole('status');
  write('docs/a.md', '# A\n\n[x](none.md)\n');
  await panel.getByText('1 problem').click();
  await panel.getByText('docs/a.md:3: Link "none.md" leads to no page or file').waitFor();
  write('.docbuild.yml', 'title: [open\n');
  await panel.getByText('.docbuild.yml:1: Not valid YAML').waitFor();
  t.true(await page.getByText('The site could not be built').isVisible());
  t.deepEqual(await findThemeViolations(page), []);
  write('.docbuild.yml', 'title: Mended\n');
  write('docs/a.md', '# A\n');
  await page.getByText('Mended').first().waitFor();
  await panel.getByText('problem').waitFor({ state: 'detached' });
  t.is(loads(), 1);
});

browserTest(
  'a save while the list of problems is being opened, or has the focus, leaves it to its reader',
  async (t) => {
    const { page, write } = await openPreview(t, { 'docs/a.md': '# A\n\n[x](none.md)\n' }, '/en/latest/a.html');
    const panel = page.getByRole('status');
    const summary = panel.getByText('1 problem');
    await summary.hover();
    await page.mouse.down();
    write('docs/a.md', '# A\n\n[x](none.md)\n\nWords.\n');
    await page.locator('main').getByText('Words.').waitFor();
    await page.mouse.up();
    await panel.getByText('docs/a.md:3: Link "none.md"').waitFor();
    await summary.focus();
    write('docs/a.md', '# A\n\n[x](none.md)\n\n## Part\n\n[y](no.md)\n');
    await panel.getByText('2 problems').waitFor();
    await page.keyboard.press('Enter');
    await panel.getByText('docs/a.md:3: Link "none.md"').waitFor({ state: 'hidden' });
    t.is(await page.locator('main h2').count(), 1);
  },
);

browserTest(
  'a page that does not exist yet shows once it does, and a page is loaded anew when its scripts are others',
  async (t) => {
    const { page, write, loads } = await openPreview(t, { 'docs/a.md': '# A\n' }, '/en/latest/new.html');
    t.is(await page.locator('.status').textContent(), '404');
    write('docs/new.md', '# Fresh\n');
    await page.getByRole('heading', { name: 'Fresh' }).waitFor();
    const known = loads();
    write('docs/new.md', '# Fresh\n\n<script>document.title = "ran"</script>\n');
    await waitInPage(page, "document.title === 'ran'");
    t.is(loads(), known + 1);
  },
);

browserTest('a page that was requested before a build, and listens after it, shows what was built', async (t) => {
  const { page, write, loads, server } = await openPreview(
    t,
    { 'docs/a.md': '# A\n', 'docs/b.md': '# B\n' },
    '/en/latest/a.html',
  );
  const held: Route[] = [];
  await page.route('**/_docbuild/live', (route) => void held.push(route));
  await page.goto(`${server.origin}/en/latest/b.html`);
  await waitUntil(() => held.length > 0);
  write('docs/b.md', '# Second\n');
  await server.waitFor(/b\.md: 1 page rendered/);
  await held[0]!.continue();
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  t.is(loads(), 2);
});

browserTest('a page that is being loaded anew is not loaded again by the next save', async (t) => {
  const { page, write, loads, server } = await openPreview(t, { 'docs/a.md': '# A\n' }, '/en/latest/a.html');
  await page.waitForLoadState('networkidle');
  const held: Route[] = [];
  await page.route('**/a.html', (route) =>
    route.request().isNavigationRequest() ? void held.push(route) : route.continue(),
  );
  write('docs/a.md', '# A\n\n<script>document.title = "ran"</script>\n');
  await waitUntil(() => held.length > 0);
  // Chromium ignores what is the same as what began within the last seconds.
  await page.waitForTimeout(5_000);
  write('docs/b.md', '# B\n');
  await server.waitFor(/b\.md: 1 page rendered/);
  await page.waitForTimeout(1_000);
  await held.at(-1)!.continue();
  await waitInPage(page, "document.title === 'ran'");
  t.is(loads(), 2);
});

browserTest('a page that stays open while the preview is started again shows what was changed meanwhile', async (t) => {
  const { folder, page, server, write, loads } = await openPreview(t, { 'docs/a.md': '# A\n' }, '/en/latest/a.html');
  await page.waitForLoadState('networkidle');
  await server.stop('SIGTERM');
  write('docs/a.md', '# Second\n');
  await startPreview(t, folder, new URL(server.origin).port);
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  t.is(loads(), 1);
});

browserTest('a save waits for whoever is searching, and search opens again after it', async (t) => {
  const { page, write, loads } = await openPreview(t, { 'docs/a.md': '# A\n\nOne.\n' }, '/en/latest/a.html');
  const dialog = page.getByRole('dialog');
  for (const [asked, text] of [
    ['one', 'Two.'],
    ['two', 'Three.'],
  ] as const) {
    await page.keyboard.press('/');
    await dialog.waitFor();
    await page.keyboard.type(asked);
    await dialog.getByRole('option').first().waitFor();
    write('docs/a.md', `# A\n\n${text}\n`);
    await page.waitForTimeout(500);
    t.true(await dialog.isVisible());
    await page.keyboard.press('Escape');
    await page.locator('main').getByText(text).waitFor();
  }
  t.is(loads(), 1);
});

browserTest('search finds what was saved, on the page that is open and on others, while it is open too', async (t) => {
  const pages = { 'docs/a.md': '# A\n\nOne.\n', 'docs/b.md': '# B\n\nOther.\n' };
  const { page, write, loads } = await openPreview(t, pages, '/en/latest/a.html');
  const dialog = page.getByRole('dialog');
  const ask = async (word: string) => {
    await page.keyboard.press('/');
    await dialog.waitFor();
    await page.keyboard.type(word);
  };
  const found = (text: RegExp) => dialog.getByRole('option').filter({ hasText: text }).first().waitFor();
  await waitUntilReceivedAgain(page);
  for (const word of ['zebra', 'giraffe']) {
    write('docs/a.md', `# A\n\nA ${word}.\n`);
    await page.locator('main').getByText(word).waitFor();
    await ask(word);
    await found(/^A/);
    await page.keyboard.press('Escape');
  }
  await ask('walrus');
  await dialog.getByRole('status').getByText('Nothing found').waitFor();
  write('docs/b.md', '# B\n\nA walrus.\n');
  await found(/^B/);
  t.is(loads(), 1);
});

browserTest('a picture that is saved again shows on the open page, with its new size', async (t) => {
  const draw = (width: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="10"/>`;
  const { page, write, loads } = await openPreview(
    t,
    { 'docs/a.md': '# A\n\n![A picture](pic.svg)\n', 'docs/pic.svg': draw(10) },
    '/en/latest/a.html',
  );
  const hasWidth = (width: number) => waitInPage(page, `document.querySelector('main img').naturalWidth === ${width}`);
  await hasWidth(10);
  await page.waitForLoadState('networkidle');
  for (const width of [77, 78]) {
    write('docs/pic.svg', draw(width));
    await hasWidth(width);
    await waitInPage(page, `document.querySelector('main img').getAttribute('width') === '${width}'`);
  }
  t.is(loads(), 1);
});
