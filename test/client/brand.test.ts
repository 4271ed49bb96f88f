import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import type { BuildOptions } from '../../builder/index.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { failTest } from '../helpers/fail-test.ts';
import { servePages } from '../helpers/serve-pages.ts';
import { browserTest, findThemeViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { waitUntil } from '../helpers/wait-until.ts';
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

/** Builds a site with this theme and opens its page under a strict policy, or another one; each message of the console fails the test. */
async function openBranded(
  t: ExecutionContext,
  {
    theme,
    files = {},
    policy,
    prepare,
    options = {},
  }: {
    readonly theme: string;
    readonly files?: Readonly<Record<string, string | Uint8Array>>;
    readonly policy?: string;
    readonly prepare?: (page: Page) => Promise<unknown>;
    readonly options?: Partial<BuildOptions>;
  },
): Promise<{ readonly page: Page; readonly origin: string; readonly messages: readonly string[] }> {
  const repository = createRepository(t);
  commitFiles(repository, { '.docbuild.yml': theme, 'docs/index.md': PAGE, 'docs/other.md': '# Other\n', ...files });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, options);
  const served = new Map(site.list().map((path) => [`/${path}`, new Uint8Array(readFileSync(`${site.out}/${path}`))]));
  const origin = await servePages(t, served, '', policy);
  const page = await openPage(t, getBrowser(), { viewport: desktop, reducedMotion: 'reduce' });
  page.on('console', (message) => {
    if (message.type() === 'error') failTest(t, message.text());
  });
  page.on('pageerror', (error) => failTest(t, String(error)));
  await prepare?.(page);
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

const require = createRequire(import.meta.url);
const font = (name: string, ending = 'woff2'): Uint8Array =>
  readFileSync(require.resolve(`@fontsource/noto-sans-math/files/${name}.${ending}`));
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'";

declare const document: {
  readonly fonts: Iterable<{ readonly family: string; readonly status: string }> & { readonly ready: Promise<unknown> };
};

const listFonts = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.fonts]
      .filter(({ status }) => status === 'loaded')
      .map(({ family }) => family.replaceAll('"', ''));
  });

browserTest('a brand: its fonts are asked for at once, and are those of text, headings and code', async (t) => {
  const asked: string[] = [];
  const { page, messages } = await openBranded(t, {
    theme: `theme:
  fonts:
    body: brand/text.woff2
    heading: {file: brand/head.woff, weight: 700}
    code: [brand/text.woff2]
`,
    files: {
      'brand/text.woff2': font('noto-sans-math-latin-400-normal'),
      'brand/head.woff': font('noto-sans-math-latin-400-normal', 'woff'),
    },
    policy: POLICY,
    prepare: async (page) => {
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    },
  });
  t.deepEqual(messages, []);
  const fonts = (await listFonts(page)).filter((name) => !name.endsWith('-fallback'));
  t.true(fonts.includes('docbuild-body') && fonts.includes('docbuild-code'), fonts.join());
  const preloads = await page
    .locator('link[rel=preload]')
    .evaluateAll((links) =>
      links.map((link) => (link as unknown as { getAttribute(name: string): string }).getAttribute('href')),
    );
  t.deepEqual(
    preloads.map((url) => url.replace(/\.[0-9a-f]{8}\./, '.')),
    ['../../_docbuild/text.woff2', '../../_docbuild/head.woff'],
  );
  t.is(new Set(asked).size, asked.length, 'nothing is loaded twice');
  t.regex((await colourOf(page, '.prose p', 'fontFamily'))!, /^docbuild-body, docbuild-body-fallback, system-ui/);
  t.regex(
    (await colourOf(page, '.prose h1', 'fontFamily'))!,
    /^docbuild-heading, (?:docbuild-heading-fallback, )?docbuild-body/,
  );
  t.regex((await colourOf(page, '.prose pre', 'fontFamily'))!, /^docbuild-code, docbuild-code-fallback, ui-monospace/);
});

browserTest('a brand: a language may have fonts of its own', async (t) => {
  const { page, origin, messages } = await openBranded(t, {
    theme: `theme:
  fonts:
    body:
      - brand/text.woff2
      - {file: brand/cjk.woff, lang: zh_CN}
`,
    files: {
      'docs/en/index.md': '# Home\n\nText\n',
      'docs/zh_CN/index.md': '# 首页\n\n正文 Text\n',
      'brand/text.woff2': font('noto-sans-math-latin-400-normal'),
      'brand/cjk.woff': font('noto-sans-math-latin-400-normal', 'woff'),
    },
    policy: POLICY,
  });
  t.deepEqual(
    messages.filter((message) => !message.startsWith('docs/index.md')),
    [],
  );
  t.regex((await colourOf(page, '.prose p', 'fontFamily'))!, /^docbuild-body, /);
  const preload = () => page.locator('link[rel=preload]').getAttribute('href');
  t.regex((await preload())!, /\/text\./);
  await page.goto(`${origin}/zh_CN/main/index.html`);
  t.regex((await colourOf(page, '.prose p', 'fontFamily'))!, /^docbuild-body-zh-CN, /);
  t.regex((await preload())!, /\/cjk\./);
});

browserTest('a brand: a logo may stand without its title, and social links are icons with names', async (t) => {
  const { page, messages } = await openBranded(t, {
    theme: `title: Guide
theme:
  logo: brand/logo.svg
  hideTitle: true
  social:
    github: https://github.com/you/guide
    mastodon: https://fosstodon.org/@you
    mail: you@example.com
    rss: en/main/feed.xml
`,
    files: { 'brand/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"/>' },
  });
  t.deepEqual(messages, []);
  t.is(
    await page.getByRole('link', { name: 'Guide', exact: true }).first().count(),
    1,
    'the link to the home has a name',
  );
  t.is((await page.locator('.site-title span').boundingBox())!.width, 1);
  for (const place of ['.site-header', '.site-footer']) {
    const links = await page.locator(`${place} .social a`).evaluateAll((all) =>
      all.map((one) => {
        const { href, ariaLabel } = one as unknown as { readonly href: string; readonly ariaLabel: string };
        return [ariaLabel, href.replace(/^http:\/\/127[^/]*/, '')];
      }),
    );
    t.deepEqual(links, [
      ['GitHub', 'https://github.com/you/guide'],
      ['Mastodon', 'https://fosstodon.org/@you'],
      ['RSS', '/en/main/feed.xml'],
      ['E-mail', 'mailto:you@example.com'],
    ]);
  }
  t.true(await page.locator('.site-header .social').isVisible());
  t.deepEqual(await findThemeViolations(page), []);
  await page.setViewportSize({ width: 390, height: 800 });
  t.false(await page.locator('.site-header .social').isVisible());
  t.true(await page.locator('.site-footer .social').isVisible());
  t.deepEqual(await findThemeViolations(page), []);
});

/** Returns what the documentation says that a service needs in a Content-Security-Policy. */
function readNeeds(name: string): readonly (readonly [directive: string, hosts: string])[] {
  const text = readFileSync(new URL('../../../docs/en/theme.md', import.meta.url), 'utf8');
  const row = text.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))!;
  return [...row.matchAll(/`([a-z]+-src) ([^`]+)`/g)].map(([, directive, hosts]) => [directive!, hosts!]);
}

const SERVICES = [
  [
    'plausible',
    'plausible: {domain: docs.example}',
    ['https://plausible.io/js/script.js'],
    "fetch('https://plausible.io/api/event', { method: 'POST' })",
  ],
  [
    'plausible',
    'plausible: {script: "https://plausible.io/js/pa-x.js"}',
    ['https://plausible.io/js/pa-x.js'],
    "if (!plausible.init) throw 1; fetch('https://plausible.io/api/event', { method: 'POST' })",
  ],
  [
    'umami',
    'umami: {id: 94db1cb1}',
    ['https://cloud.umami.is/script.js'],
    "fetch('https://api-gateway.umami.dev/api/send', { method: 'POST' })",
  ],
  [
    'matomo',
    'matomo: {url: "https://matomo.example", site: 3}',
    ['https://matomo.example/matomo.js'],
    "if (_paq[1][1] !== '3') throw 1; navigator.sendBeacon('https://matomo.example/matomo.php'); new Image().src = 'https://matomo.example/matomo.php'",
  ],
  [
    'google',
    'google: G-ABC123',
    ['https://www.googletagmanager.com/gtag/js?id=G-ABC123'],
    "if (dataLayer.length !== 2) throw 1; fetch('https://region1.google-analytics.com/g/collect', { method: 'POST' })",
  ],
] as const;

for (const [name, setting, urls, script] of SERVICES) {
  browserTest(`a brand: ${setting} runs under the policy that the documentation says it needs`, async (t) => {
    const called: string[] = [];
    const needs = new Map([
      ['script-src', "'self'"],
      ['connect-src', "'self'"],
      ['img-src', "'self'"],
    ]);
    for (const [directive, hosts] of readNeeds(name)) {
      needs.set(directive, `${needs.get(directive) ?? ''} ${hosts.replace('HOST', 'https://matomo.example')}`);
    }
    t.true([...needs.values()].join().includes('https://'), 'the documentation has a row');
    const { messages } = await openBranded(t, {
      theme: `theme:\n  analytics:\n    ${setting}\n`,
      policy: `default-src 'none'; style-src 'self'; ${[...needs].map((pair) => pair.join(' ')).join('; ')}`,
      prepare: (page) =>
        page.route(/^https:/, (route) => {
          const url = route.request().url();
          called.push(url);
          const headers = { 'access-control-allow-origin': '*' };
          const isScript = (urls as readonly string[]).includes(url);
          return route.fulfill(
            isScript ? { contentType: 'text/javascript', body: script, headers } : { status: 200, body: '', headers },
          );
        }),
    });
    t.deepEqual(messages, []);
    // And it counts the visit.
    await waitUntil(() => called.length > 1);
    t.is(called[0], urls[0]);
  });
}

browserTest('a brand: scripts of the project run in their order, and are a module if their names say so', async (t) => {
  const { page, messages } = await openBranded(t, {
    theme: 'title: Docs\ntheme:\n  scripts: [brand/one.js, brand/two.mjs]\n',
    files: {
      'brand/one.js': 'window.seen = ["one " + document.title];',
      'brand/two.mjs':
        'const { length } = window.seen; window.seen.push("two " + length + import.meta.url.includes("_docbuild-scripts/"));',
    },
  });
  t.deepEqual(messages, []);
  t.deepEqual(await page.evaluate('window.seen'), ['one Elements | Docs', 'two 1true']);
});
