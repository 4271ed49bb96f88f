import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { LIVE_SCRIPT, startPreviewServer } from '../../api/sites/preview-server.ts';
import { buildSite, openPreview } from '../../builder/index.ts';
import { once } from '../../lib/once.ts';
import { serveFolder } from '../../test/helpers/serve-folder.ts';
import { recordAnimation } from './record-animation.ts';
import { createRepository, createWeaver, type PictureLanguage } from './repositories.ts';
import { type ScreenshotServer, startServer } from './start-server.ts';
import { takeTokenPictures } from './token-pictures.ts';

/*
 * Takes the screenshots of README and documentation: `npm run screenshots [-- name …]`. They show docbuild's own documentation
 * as it is in the working tree, with some versions and languages, in the browser at CHROMIUM_PATH.
 */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const IMAGES = join(ROOT, 'docs/images');
/** Limit of all images together. */
const MAX_BYTES = 2_500_000;

/** The section of `markdown.md` that is shown. */
const SECTION = { en: 'callouts', zh_CN: '提示框' } as const;
/** What is searched for. */
const SEARCH = { en: { label: 'Search', text: 'front mat' }, zh_CN: { label: '搜索', text: '项目文件' } } as const;
/** A page with two problems. */
const INSTALL = {
  en: {
    title: 'Install',
    text: 'Weaver runs on Linux, macOS and Windows.',
    next: 'Then [weave](weave.md) ![](loom.png)',
  },
  zh_CN: {
    title: '安装',
    text: 'Weaver 可在 Linux、macOS 和 Windows 上运行。',
    next: '然后[开始织布](weave.md) ![](loom.png)',
  },
} as const;

const SCREENSHOTS: Readonly<Record<string, (context: Context) => Promise<Page>>> = {
  /** The nav button's panel: languages and versions of a page. */
  async button({ open, weaver, language }) {
    const page = await open(`${await weaver()}${language}/latest/patterns.html`, { width: 1100, height: 760 });
    await page.locator('docbuild-button button').click();
    await settle(page);
    return page;
  },
  /** What a server says of a project to everybody. */
  async project({ open, server }) {
    const page = await open(`${(await server()).url}docbuild/projects/weaver`, { width: 1100, height: 760 });
    await settle(page);
    return page;
  },
  /** What operators see of builds. */
  async console({ open, server }) {
    const { url, logIn } = await server();
    const page = await open(url, { width: 1200, height: 800 });
    await logIn(page);
    await page.goto(`${url}control/builds`);
    await settle(page);
    return page;
  },
  /** A page with its surroundings. */
  async site({ open, url, language }) {
    const page = await open(`${url}${language}/latest/markdown.html#${SECTION[language]}`, {
      width: 1320,
      height: 800,
    });
    await settle(page);
    return page;
  },
  /** The header's list of versions. */
  async versions({ open, url, language }) {
    const page = await open(`${url}${language}/latest/tutorial.html`, {
      width: 1000,
      height: 420,
      colorScheme: 'dark',
    });
    await page.locator('.switches summary').first().click();
    await page.getByRole('link', { name: /v1\.2/ }).first().waitFor();
    await settle(page);
    return page;
  },
  async search({ open, url, language }) {
    const page = await open(`${url}${language}/latest/site.html`, { height: 620 });
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: SEARCH[language].label }).fill(SEARCH[language].text);
    await page.locator('.search-excerpt').first().waitFor({ state: 'attached' });
    await page.locator('.search-excerpt:empty').first().waitFor({ state: 'detached' });
    await settle(page);
    return page;
  },
  async preview({ open, folder, language }) {
    const work = join(folder, 'preview');
    const docs = join(work, 'docs', language);
    mkdirSync(docs, { recursive: true });
    const { title, text, next } = INSTALL[language];
    writeFileSync(
      join(docs, 'install.md'),
      `# ${title}\n\n${text}\n\n\`\`\`sh\nnpm install weaver\n\`\`\`\n\n${next}\n`,
    );
    writeFileSync(join(docs, 'index.md'), '# Weaver\n');
    writeFileSync(join(work, '.docbuild.yml'), 'title: Weaver\n');
    const preview = await openPreview({ ...options(folder), repository: work, liveScript: LIVE_SCRIPT });
    const summary = await preview.build();
    const server = await startPreviewServer({ site: preview.site, host: '127.0.0.1', port: 0 });
    closing.push(() => server.close().then(preview.close));
    const problems = summary.warnings.slice(0, 3).map(({ file, line, message }) => `${file}:${line}: ${message}`);
    server.announce({ build: 1, failure: undefined, count: problems.length, problems });
    const page = await open(`${server.url}${language}/latest/install.html`, { height: 480 });
    await page.getByText(`${problems.length} problems`).last().click();
    await settle(page);
    return page;
  },
  /** Two versions of a page as a reader sees them. */
  async compare({ open, weaver, language }) {
    const page = await open(`${await weaver()}${language}/latest/patterns.html?compare=v1.0`, {
      width: 1200,
      height: 860,
    });
    await page.locator('ins').first().waitFor();
    await settle(page);
    return page;
  },
  /** In which versions a page changed, at its foot. */
  async history({ open, weaver, language }) {
    const page = await open(`${await weaver()}${language}/latest/patterns.html#_history`, { width: 1000, height: 560 });
    await page.locator('#_history[open] li').first().waitFor();
    await settle(page);
    return page;
  },
  /** The tools of a page: its Markdown, to be copied. */
  async copy({ open, weaver, language }) {
    const page = await open(`${await weaver()}${language}/latest/patterns.html`, { width: 1000, height: 360 });
    await page.locator('.page-tools button').hover();
    await settle(page);
    return page;
  },
  /** What a release changed. */
  async changes({ open, weaver, language }) {
    const page = await open(`${await weaver()}_docbuild/changes/${language}/v2.0.html`, { width: 1000, height: 760 });
    await settle(page);
    return page;
  },
  /** What translations lack. */
  async translations({ open, weaver }) {
    const page = await open(`${await weaver()}_docbuild/translations/de.html`, { width: 1000, height: 620 });
    await settle(page);
    return page;
  },
  async home({ open, folder, language }) {
    const work = join(folder, 'start');
    execFileSync(process.execPath, [
      join(ROOT, 'dist/docbuild.js'),
      'new',
      work,
      '--title',
      'Weaver',
      '--lang',
      `${language},de`,
    ]);
    const out = join(folder, 'start-out');
    await buildSite({ ...options(folder), repository: work, out });
    const { url, close } = await serveFolder(out);
    closing.push(close);
    const page = await open(`${url}/${language}/latest/`, { width: 1320, height: 760 });
    await settle(page);
    return page;
  },
};

interface Context {
  readonly language: PictureLanguage;
  /** The documentation, with a final `/`. */
  readonly url: string;
  /** Temporary folder. */
  readonly folder: string;
  /** Returns the URL of a small documentation with a history, with a final `/`. */
  weaver(): Promise<string>;
  /** Returns a server that has built it. */
  server(): Promise<ScreenshotServer>;
  open(
    url: string,
    look?: { readonly width?: number; readonly height?: number; readonly colorScheme?: 'dark' },
  ): Promise<Page>;
}

/** The animation of a reader who goes from version to version. */
const ANIMATION = 'motion';
/** The pictures of what each token of the theme changes. */
const TOKENS = 'tokens';

/** Called in the end. */
const closing: (() => unknown)[] = [];

const names = process.argv.slice(2);
const unknown = names.find((name) => name !== ANIMATION && name !== TOKENS && !Object.hasOwn(SCREENSHOTS, name));
if (unknown !== undefined)
  throw new Error(
    `No screenshot "${unknown}": there are ${[...Object.keys(SCREENSHOTS), ANIMATION, TOKENS].join(', ')}`,
  );
const folder = mkdtempSync(join(tmpdir(), 'docbuild-screenshots-'));
let browser: Browser | undefined;
try {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'] });
  mkdirSync(IMAGES, { recursive: true });
  if (names.length === 0 || names.includes(TOKENS)) {
    await takeTokenPictures(browser, { work: folder, images: join(IMAGES, 'tokens'), report });
  }
  if (names.length !== 1 || names[0] !== TOKENS) {
    for (const language of ['en', 'zh_CN'] as const) await takePictures(language, join(folder, language));
  }
} finally {
  await browser?.close();
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
}
const bytes = readdirSync(IMAGES, { recursive: true, encoding: 'utf8' }).reduce(
  (sum, name) => sum + statSync(join(IMAGES, name)).size,
  0,
);
if (bytes > MAX_BYTES) throw new Error(`The images have ${bytes} bytes together, more than ${MAX_BYTES}`);

/** Takes the pictures of one language; those in Chinese end in `-zh`. */
async function takePictures(language: PictureLanguage, folder: string): Promise<void> {
  const out = join(folder, 'out');
  await buildSite({ ...options(folder), repository: createRepository(join(folder, 'docs'), ROOT, language), out });
  const { url, close } = await serveFolder(out);
  closing.push(close);
  const weaver = once(async () => {
    const built = join(folder, 'weaver-out');
    await buildSite({ ...options(folder), repository: createWeaver(join(folder, 'weaver'), language), out: built });
    const server = await serveFolder(built);
    closing.push(server.close);
    return `${server.url}/`;
  });
  const server = once(async () => {
    const started = await startServer(join(folder, 'server'), createWeaver(join(folder, 'pushed'), language));
    closing.push(started.close);
    return started;
  });
  const open: Context['open'] = async (address, look = {}) => {
    const { width = 1200, height = 750, colorScheme = 'light' } = look;
    const locale = language === 'en' ? 'en-US' : 'zh-CN';
    const page = await browser!.newPage({ viewport: { width, height }, colorScheme, locale });
    // Scrollbars are hidden here, and so is their place.
    await page.addInitScript(`addEventListener('DOMContentLoaded', () => {
      document.documentElement.style.scrollbarGutter = 'auto';
    })`);
    await page.goto(address);
    return page;
  };
  for (const [name, show] of Object.entries(SCREENSHOTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const page = await show({ language, url: `${url}/`, folder, open, weaver, server });
    const file = `${name}${language === 'en' ? '' : '-zh'}.png`;
    await page.screenshot({ path: join(IMAGES, file), animations: 'disabled', caret: 'hide' });
    await page.close();
    report(file);
  }
  if (language === 'en' && (names.length === 0 || names.includes(ANIMATION))) {
    const page = await open(`${await weaver()}en/v1.0/patterns.html`, { width: 900, height: 560 });
    await recordAnimation(page, join(IMAGES, `${ANIMATION}.webp`));
    await page.close();
    report(`${ANIMATION}.webp`);
  }
}

function report(name: string): void {
  process.stdout.write(`docs/images/${name}\t${Math.round(statSync(join(IMAGES, name)).size / 1000)} kB\n`);
}

function options(work: string) {
  return { cacheFolder: join(work, 'cache'), force: true };
}

/** Waits until everything is loaded and nothing moves any more. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))');
  await page.waitForTimeout(300);
}
