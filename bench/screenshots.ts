import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { LIVE_SCRIPT, startPreviewServer } from '../api/sites/preview-server.ts';
import { buildSite, openPreview } from '../builder/index.ts';
import { once } from '../lib/once.ts';
import { serveFolder } from '../test/helpers/serve-folder.ts';

/*
 * Takes the screenshots of README and documentation: `npm run screenshots [-- name …]`. They show docbuild's own documentation
 * as it is in the working tree, with some versions and languages, in the browser at CHROMIUM_PATH.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const IMAGES = join(ROOT, 'docs/images');
/** Limit of all images together. */
const MAX_BYTES = 900_000;

const SCREENSHOTS: Readonly<Record<string, (context: Context) => Promise<Page>>> = {
  /** A page with its surroundings. */
  async site({ open, url }) {
    const page = await open(`${url}en/latest/markdown.html#callouts`, { width: 1320, height: 800 });
    await settle(page);
    return page;
  },
  /** The header's list of versions. */
  async versions({ open, url }) {
    const page = await open(`${url}en/latest/tutorial.html`, { width: 1000, height: 420, colorScheme: 'dark' });
    await page.locator('.switches summary').first().click();
    await page.getByRole('link', { name: /v1\.2/ }).first().waitFor();
    await settle(page);
    return page;
  },
  async search({ open, url }) {
    const page = await open(`${url}en/latest/site.html`, { height: 620 });
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search' }).fill('front mat');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await settle(page);
    return page;
  },
  async preview({ open, folder }) {
    const work = join(folder, 'preview');
    const docs = join(work, 'docs/en');
    mkdirSync(docs, { recursive: true });
    const text =
      'Weaver runs on Linux, macOS and Windows.\n\n```sh\nnpm install weaver\n```\n\nThen [weave](weave.md) ![](loom.png)\n';
    writeFileSync(join(docs, 'install.md'), `# Install\n\n${text}`);
    writeFileSync(join(docs, 'index.md'), '# Weaver\n');
    writeFileSync(join(work, '.docbuild.yml'), 'title: Weaver\n');
    const preview = await openPreview({ ...options(folder), repository: work, liveScript: LIVE_SCRIPT });
    const summary = await preview.build();
    const server = await startPreviewServer({ site: preview.site, host: '127.0.0.1', port: 0 });
    closing.push(() => void server.close().then(preview.close));
    const problems = summary.warnings.slice(0, 3).map(({ file, line, message }) => `${file}:${line}: ${message}`);
    server.announce({ build: 1, failure: undefined, count: problems.length, problems });
    const page = await open(`${server.url}en/latest/install.html`, { height: 480 });
    await page.getByText(`${problems.length} problems`).last().click();
    await settle(page);
    return page;
  },
  /** Two versions of a page as a reader sees them. */
  async compare({ open, weaver }) {
    const page = await open(`${await weaver()}en/latest/patterns.html?compare=v1.0`, { width: 1200, height: 860 });
    await page.locator('ins').first().waitFor();
    await settle(page);
    return page;
  },
  /** What a release changed. */
  async changes({ open, weaver }) {
    const page = await open(`${await weaver()}_docbuild/changes/en/v2.0.html`, { width: 1000, height: 760 });
    await settle(page);
    return page;
  },
  /** What translations lack. */
  async translations({ open, weaver }) {
    const page = await open(`${await weaver()}_docbuild/translations/de.html`, { width: 1000, height: 620 });
    await settle(page);
    return page;
  },
  async home({ open, folder }) {
    const work = join(folder, 'start');
    execFileSync(process.execPath, [
      join(ROOT, 'dist/docbuild.js'),
      'new',
      work,
      '--title',
      'Weaver',
      '--lang',
      'en,de',
    ]);
    const out = join(folder, 'start-out');
    await buildSite({ ...options(folder), repository: work, out });
    const { url, close } = await serveFolder(out);
    closing.push(close);
    const page = await open(`${url}/en/latest/`, { width: 1320, height: 760 });
    await settle(page);
    return page;
  },
};

interface Context {
  /** The documentation, with a final `/`. */
  readonly url: string;
  /** Temporary folder. */
  readonly folder: string;
  /** Returns the URL of a small documentation with a history, with a final `/`. */
  weaver(): Promise<string>;
  open(
    url: string,
    look?: { readonly width?: number; readonly height?: number; readonly colorScheme?: 'dark' },
  ): Promise<Page>;
}

/** Called in the end. */
const closing: (() => void)[] = [];

const names = process.argv.slice(2);
const unknown = names.find((name) => !Object.hasOwn(SCREENSHOTS, name));
if (unknown !== undefined)
  throw new Error(`No screenshot "${unknown}": there are ${Object.keys(SCREENSHOTS).join(', ')}`);
const folder = mkdtempSync(join(tmpdir(), 'docbuild-screenshots-'));
let browser: Browser | undefined;
try {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'] });
  const out = join(folder, 'out');
  await buildSite({ ...options(folder), repository: createRepository(join(folder, 'docs')), out });
  const { url, close } = await serveFolder(out);
  closing.push(close);
  mkdirSync(IMAGES, { recursive: true });
  const weaver = once(async () => {
    const built = join(folder, 'weaver-out');
    await buildSite({ ...options(folder), repository: createWeaver(join(folder, 'weaver')), out: built });
    const server = await serveFolder(built);
    closing.push(server.close);
    return `${server.url}/`;
  });
  for (const [name, show] of Object.entries(SCREENSHOTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const page = await show({ url: `${url}/`, folder, open, weaver });
    await page.screenshot({ path: imagePath(name), animations: 'disabled', caret: 'hide' });
    await page.close();
    process.stdout.write(`docs/images/${name}.png\t${Math.round(statSync(imagePath(name)).size / 1000)} kB\n`);
  }
} finally {
  await browser?.close();
  for (const close of closing) close();
  rmSync(folder, { recursive: true, force: true });
}
const bytes = Object.keys(SCREENSHOTS).reduce((sum, name) => sum + sizeOf(imagePath(name)), 0);
if (bytes > MAX_BYTES) throw new Error(`The images have ${bytes} bytes together, more than ${MAX_BYTES}`);

function imagePath(name: string): string {
  return join(IMAGES, `${name}.png`);
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function options(work: string) {
  return { cacheFolder: join(work, 'cache'), force: true };
}

/** Makes a repository of the documentation with tags, and with languages whose scripts every machine has fonts for. */
function createRepository(work: string): string {
  const { write, tag } = openRepository(work);
  write('.docbuild.yml', 'title: docbuild\n');
  cpSync(join(ROOT, 'docs/en'), join(work, 'docs/en'), { recursive: true });
  if (existsSync(IMAGES)) cpSync(IMAGES, join(work, 'docs/images'), { recursive: true });
  write('docs/de/index.md', '# docbuild\n');
  write('docs/fr/index.md', '# docbuild\n');
  for (const version of ['v1.0', 'v1.1', 'v1.2', 'v2.0']) tag(version);
  return work;
}

/** Makes a repository in which pages change, move, come and go, and whose translation falls behind. */
function createWeaver(work: string): string {
  const { write, remove, tag } = openRepository(work);
  const patterns = (tension: string, sizes: string, command: string): string =>
    `# Patterns\n\nA pattern says which threads go over which. ${tension}\n\n## Sizes\n\n| Size | Threads |\n| --- | ---: |\n${sizes}\n\n## Weave one\n\n\`\`\`sh\n${command}\n\`\`\`\n`;
  const setup =
    'Weaver needs a loom and thread. Put the loom on a level floor, and keep it away from cats.\n\n## On Linux\n\nInstall the package of your distribution, then connect the loom.\n';
  write('.docbuild.yml', 'title: Weaver\nlang: [en, de]\n');
  write('docs/en/index.md', '# Weaver\n\nWeaves cloth from text.\n');
  write('docs/en/guide/setup.md', `# Set up\n\n${setup}`);
  write('docs/en/looms.md', '# Looms\n\nAny loom with four shafts will do. Others are driven by hand.\n');
  write(
    'docs/en/patterns.md',
    patterns(
      'Keep the tension low, or threads tear.',
      '| small | 120 |\n| large | 480 |',
      'weaver weave twill.pattern\nweaver check twill.pattern',
    ),
  );
  write('docs/de/index.md', '# Weaver\n\nWebt Stoff aus Text.\n');
  write('docs/de/patterns.md', '# Muster\n\nEin Muster sagt, welche Fäden über welchen liegen.\n');
  tag('v1.0');
  write(
    'docs/en/looms.md',
    '# Looms\n\nAny loom with four shafts will do. Others are driven by hand, or by a motor.\n',
  );
  write('docs/de/looms.md', '# Webstühle\n\nJeder Webstuhl mit vier Schäften eignet sich.\n');
  tag('v1.1');
  remove('docs/en/guide/setup.md');
  write('docs/en/start/install.md', `# Install\n\n${setup}`);
  write('docs/en/colours.md', '# Colours\n\nThreads may have any colour that a page may have.\n');
  write(
    'docs/en/patterns.md',
    patterns(
      'Keep the tension even, or the edges pull in.',
      '| small | 120 |\n| medium | 240 |\n| large | 520 |',
      'weaver weave --size large twill.pattern\nweaver check twill.pattern',
    ),
  );
  tag('v2.0');
  return work;
}

function openRepository(work: string) {
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=docbuild', '-c', 'user.email=docbuild@example.org', ...args], { cwd: work });
  mkdirSync(work, { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  return {
    write(path: string, text: string): void {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), text);
    },
    remove: (path: string): void => rmSync(join(work, path)),
    tag(version: string): void {
      git('add', '--all', '.');
      git('commit', '--quiet', '--allow-empty', '-m', version);
      git('tag', version);
    },
  };
}

async function open(
  url: string,
  { width = 1200, height = 750, colorScheme }: Parameters<Context['open']>[1] = {},
): Promise<Page> {
  const page = await browser!.newPage({ viewport: { width, height }, colorScheme: colorScheme ?? 'light' });
  await page.goto(url);
  return page;
}

/** Waits until everything is loaded and nothing moves any more. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))');
  await page.waitForTimeout(300);
}
