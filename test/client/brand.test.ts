import { readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { failTest } from '../helpers/fail-test.ts';
import { servePages } from '../helpers/serve-pages.ts';
import { browserTest, findThemeViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();
const desktop = { width: 1280, height: 900 };

const PAGE = `# Elements

A [link](other.md), \`code\` and **strong** text.

> [!WARNING]
> Mind the gap.

\`\`\`js
const answer = 42; // the question is not known
\`\`\`

| A | B |
| - | - |
| 1 | 2 |
`;

/** Builds a site with this theme and opens its page under a strict policy, with `also` behind it; each message of the console fails the test. */
export async function openBranded(
  t: ExecutionContext,
  {
    theme,
    files = {},
    also = '',
  }: { readonly theme: string; readonly files?: Readonly<Record<string, string | Uint8Array>>; readonly also?: string },
): Promise<{ readonly page: Page; readonly origin: string; readonly messages: readonly string[] }> {
  const repository = createRepository(t);
  commitFiles(repository, { '.docbuild.yml': theme, 'docs/index.md': PAGE, 'docs/other.md': '# Other\n', ...files });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  const served = new Map(site.list().map((path) => [`/${path}`, new Uint8Array(readFileSync(`${site.out}/${path}`))]));
  const origin = await servePages(t, served, also);
  const page = await openPage(t, getBrowser(), { viewport: desktop, reducedMotion: 'reduce' });
  page.on('console', (message) => {
    if (message.type() === 'error') failTest(t, message.text());
  });
  page.on('pageerror', (error) => failTest(t, String(error)));
  await page.goto(`${origin}/en/main/index.html`);
  return { page, origin, messages: warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`) };
}

declare const getComputedStyle: (element: unknown) => Readonly<Record<string, string>>;

const colourOf = (page: Page, selector: string, property: string): Promise<string | undefined> =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element)[name], property);

browserTest(
  'a brand: colours of the project file are those of light and dark pages, and all of it can be read',
  async (t) => {
    const { page, messages } = await openBranded(t, {
      theme: `theme:
  accent: "#0a6640"
  colors:
    background: {light: "#fffaf0", dark: "#101418"}
    text: {light: "#2b2118"}
    header: "#123456"
    code: {light: "#f3ead8"}
`,
    });
    t.deepEqual(messages, []);
    t.is(await colourOf(page, 'body', 'backgroundColor'), 'rgb(255, 250, 240)');
    t.is(await colourOf(page, 'body', 'color'), 'rgb(43, 33, 24)');
    t.is(await colourOf(page, '.prose p a', 'color'), 'rgb(10, 102, 64)');
    t.is(await colourOf(page, '.site-header', 'backgroundColor'), 'rgb(18, 52, 86)');
    t.is(await colourOf(page, '.site-title', 'color'), 'rgb(255, 255, 255)');
    t.is(await colourOf(page, '.prose pre', 'backgroundColor'), 'rgb(243, 234, 216)');
    t.deepEqual(await findThemeViolations(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    t.is(await colourOf(page, 'body', 'backgroundColor'), 'rgb(16, 20, 24)');
    t.is(await colourOf(page, '.site-header', 'backgroundColor'), 'rgb(18, 52, 86)');
  },
);

browserTest(
  'a brand: a colour that cannot be read is told with its line, and another one is on the page',
  async (t) => {
    const { page, messages } = await openBranded(t, { theme: 'title: Guide\ntheme:\n  accent: "#ffd400"\n' });
    t.is(messages.length, 1);
    const [, used] =
      /^\.docbuild\.yml:3: "theme\.accent" #ffd400 on .* less than 4\.5:1: (#[0-9a-f]{6}) is used instead$/.exec(
        messages[0]!,
      )!;
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(used!.slice(at, at + 2), 16));
    t.is(await colourOf(page, '.prose p a', 'color'), `rgb(${red}, ${green}, ${blue})`);
  },
);

browserTest('a brand: style sheets of the project come with the files that they refer to', async (t) => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"/>';
  const { page, origin, messages } = await openBranded(t, {
    theme: 'theme:\n  logo: brand/logo.svg\n  styles:\n    - brand/a.css\n    - brand/b.css\n',
    files: {
      'brand/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"/>',
      'brand/a.css': '@import "deep/more.css";\n.prose { background-image: url("img/ground (1).svg?x#y") }\n',
      'brand/deep/more.css': ".prose h1 { background-image: url('../img/ground%20(1).svg'); letter-spacing: 3px }\n",
      'brand/img/ground (1).svg': svg,
      'brand/b.css': '.prose h1 { letter-spacing: 5px }\n',
    },
  });
  t.deepEqual(messages, []);
  const image = await colourOf(page, '.prose', 'backgroundImage');
  const url = /^url\("(.*)"\)$/.exec(image!)![1]!;
  t.regex(url, /\/_docbuild\/ground-1-\.[0-9a-f]{8}\.svg\?x#y$/);
  t.is(await (await fetch(url)).text(), svg);
  t.is(await colourOf(page, '.prose h1', 'backgroundImage'), `url("${url.replace('?x#y', '')}")`);
  t.is(await colourOf(page, '.prose h1', 'letterSpacing'), '5px', 'the later one counts');
  t.true(url.startsWith(origin));
  const logo = await page.locator('.site-title img').evaluate((image) => {
    const { width, height } = (
      image as unknown as { getBoundingClientRect(): { width: number; height: number } }
    ).getBoundingClientRect();
    return { width, height };
  });
  t.deepEqual(logo, { width: 84, height: 28 }, 'as wide as its proportions say');
});
