import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { LIVE_SCRIPT, startPreviewServer } from '../../api/sites/preview-server.ts';
import { openPreview } from '../../builder/index.ts';

/** Size of one half of a picture, in CSS pixels: light on the left, dark on the right. */
const HALF = { width: 210, height: 84 };
const GAP = 6;
/** The whole page of all elements is seen without scrolling. */
const VIEW = { width: 1280, height: 7000 };
/** What tokens are set to in their picture, in the order in which the documentation names them: pink, blue, green, orange, violet … */
const SIGNALS = ['#e6007e', '#2563eb', '#16a34a', '#ea7a00', '#7c3aed', '#0891b2', '#a16207', '#dc2626'];

interface Scene {
  /** Tokens and their values; a list of names stands for those in the colours of `SIGNALS`. */
  readonly set: readonly string[] | Readonly<Record<string, string>>;
  /** The element that the picture begins at, on the page of all elements. */
  readonly at: string;
  /** Where it begins, from there, in pixels. */
  readonly offset?: readonly [x: number, y: number];
  readonly click?: string;
  readonly hover?: string;
}

const TEXT = '#_content article > p:nth-of-type(2)';
const CODE = '#_content .code-block';
const MENU = '.switches summary';

/** Pictures by the first token of their row in `docs/en/theme.md`. */
const SCENES: Readonly<Record<string, Scene>> = {
  'accent-light': { set: ['--accent-light', '--accent-dark'], at: '.button.primary', offset: [-12, -24] },
  accent: { set: ['--accent', '--accent-hover', '--accent-wash'], at: '.sidebar [aria-current]', offset: [-8, -28] },
  'on-accent': { set: ['--on-accent'], at: '.button.primary', offset: [-12, -24] },
  link: { set: ['--link'], at: TEXT, offset: [0, -4] },
  bg: { set: ['--bg', '--bg-soft', '--bg-raised'], at: '#_content table', offset: [-6, -16] },
  text: { set: ['--text', '--text-strong', '--text-soft'], at: '#text', offset: [0, 24] },
  line: { set: ['--line', '--line-strong'], at: '#_content table', offset: [-6, -16] },
  mark: { set: ['--mark'], at: '#_content table tbody code', offset: [-24, -16] },
  'code-bg': {
    set: { '--code-bg': '#e6007e', '--code-text': '#fff' },
    at: '.code-block[data-language="console"]',
    offset: [-8, -8],
  },
  tk: { set: ['--tk', '--ts', '--tc', '--tf', '--tp', '--tm', '--tu', '--td'], at: CODE, offset: [10, 36] },
  gray: {
    set: ['--gray', '--blue', '--green', '--purple', '--yellow', '--red'],
    at: '.callout.info',
    offset: [-4, 44],
  },
  shadow: {
    set: { '--shadow': `0 8px 28px ${SIGNALS[0]}` },
    at: '.switches details[open] > *:last-child',
    offset: [-30, 30],
    click: MENU,
  },
  radius: { set: { '--radius': '20px' }, at: CODE, offset: [-8, -8] },
  header: { set: { '--header': '76px' }, at: '.site-title', offset: [-16, -30] },
  leading: { set: { '--leading': '2.4' }, at: TEXT, offset: [0, 0] },
  sans: { set: { '--sans': 'serif', '--mono': 'serif' }, at: TEXT, offset: [0, 20] },
  'font-body': { set: { '--font-body': 'serif', '--font-heading': 'monospace' }, at: '#text', offset: [0, 24] },
};

/** Takes pictures of what each token changes, into a folder. Needs `cwebp`. */
export async function takeTokenPictures(
  browser: Browser,
  { work, images, report }: { readonly work: string; readonly images: string; readonly report: (name: string) => void },
): Promise<void> {
  const project = join(work, 'tokens');
  mkdirSync(join(project, 'docs'), { recursive: true });
  mkdirSync(images, { recursive: true });
  writeFileSync(join(project, 'docs/index.md'), '# Weaver\n');
  const preview = await openPreview({
    repository: project,
    cacheFolder: join(work, 'cache'),
    title: 'Weaver',
    liveScript: LIVE_SCRIPT,
    elements: true,
  });
  await preview.build();
  const server = await startPreviewServer({ site: preview.site, host: '127.0.0.1', port: 0 });
  const url = server.url + preview.elementsPath()!;
  try {
    for (const [name, scene] of Object.entries(SCENES)) {
      const halves = [await takeHalf(browser, url, scene, 'light'), await takeHalf(browser, url, scene, 'dark')];
      const file = join(work, `${name}.png`);
      await joinHalves(browser, halves, file);
      execFileSync('cwebp', ['-quiet', '-q', '80', file, '-o', join(images, `${name}.webp`)]);
      rmSync(file);
      report(`tokens/${name}.webp`);
    }
  } finally {
    await server.close();
    await preview.close();
  }
}

async function takeHalf(browser: Browser, url: string, scene: Scene, colorScheme: 'light' | 'dark'): Promise<Buffer> {
  const page = await browser.newPage({ viewport: VIEW, colorScheme, deviceScaleFactor: 2 });
  try {
    await page.goto(url);
    const entries = Array.isArray(scene.set)
      ? (scene.set as readonly string[]).map((token, at) => [token, SIGNALS[at]!] as const)
      : Object.entries(scene.set as Readonly<Record<string, string>>);
    const rules = entries.map(([token, value]) => `${token}: ${value} !important;`).join(' ');
    await page.addStyleTag({ content: `:root { ${rules} }` });
    if (scene.click) await page.locator(scene.click).first().click();
    return await clip(page, scene);
  } finally {
    await page.close();
  }
}

async function clip(page: Page, { at, offset: [x, y] = [0, 0] }: Scene): Promise<Buffer> {
  const element = page.locator(at).first();
  await page.waitForTimeout(300);
  const box = await element.boundingBox();
  if (!box) throw new Error(`There is no ${at}`);
  return page.screenshot({
    clip: { x: Math.max(0, box.x + x), y: Math.max(0, box.y + y), ...HALF },
    animations: 'disabled',
  });
}

async function joinHalves(browser: Browser, halves: readonly Buffer[], path: string): Promise<void> {
  const { width, height } = HALF;
  const page = await browser.newPage({ viewport: { width: 2 * width + GAP, height }, deviceScaleFactor: 2 });
  const pictures = halves.map(
    (half) => `<img width="${width}" height="${height}" src="data:image/png;base64,${half.toString('base64')}">`,
  );
  await page.setContent(`<body style="margin: 0; display: flex; gap: ${GAP}px">${pictures.join('')}`);
  await page.screenshot({ path, omitBackground: true });
  await page.close();
}
