import type { ExecutionContext } from 'ava';
import { createServer } from '../helpers/create-server.ts';
import { createSite } from '../helpers/create-site.ts';
import { changeInput, hasInputs, inputTest, makeInput } from '../helpers/reported-inputs.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, openPage, shareBrowser } from '../helpers/share-browser.ts';

const getBrowser = shareBrowser();
/** Tests that need the inputs and a browser. */
const pageTest = hasInputs ? browserTest : inputTest;

/** A site of an input, and how to build it again. */
interface InputSite {
  readonly root: string;
  build(): Promise<void>;
}

/** Serves an input by docbuild's server, or as a static site on any web server. */
const serveInput = {
  async server(t: ExecutionContext, repository: string): Promise<InputSite> {
    const server = await createServer(t);
    await server.operations.createProject({ name: 'guide', settings: { url: repository } });
    const build = async (): Promise<void> => {
      const { id } = await server.operations.build({ name: 'guide', all: true });
      t.is((await server.operations.waitForBuild({ id })).status, 'passing');
    };
    await build();
    return { root: `${server.origin}/docs/guide/`, build };
  },
  async static(t: ExecutionContext, repository: string): Promise<InputSite> {
    const site = createSite(t);
    const build = async (): Promise<void> => void (await site.build(repository));
    await build();
    const { url, close } = await serveFolder(site.out);
    t.teardown(close);
    return { root: `${url}/`, build };
  },
};

for (const kind of ['server', 'static'] as const) {
  /** Returns what the 404 page at a path offers: texts with paths, each of which is a page. */
  const createReader = async (t: ExecutionContext, root: string) => {
    const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 720 } });
    return async (path: string): Promise<readonly string[]> => {
      const answer = await page.goto(root + path, { waitUntil: 'networkidle' });
      t.is(answer!.status(), 404, path);
      const links = await page
        .locator('.elsewhere a')
        .evaluateAll((found) =>
          found.map((one) => [
            (one as unknown as { textContent: string }).textContent,
            (one as unknown as { href: string }).href,
          ]),
        );
      t.is(await page.isVisible('.elsewhere'), links.length > 0);
      for (const [, url] of links) t.is((await fetch(url!)).status, 200, url);
      return links.map(([text, url]) => `${text} ${url!.slice(root.length)}`);
    };
  };

  pageTest(`missing pages: ${kind}: of a version that does not exist, the page is offered where it is`, async (t) => {
    const { root } = await serveInput[kind](t, makeInput(t, 'b05-dead-version-deep-link'));
    const read = await createReader(t, root);
    t.deepEqual(await read('en/v0.9/guide/install.html'), [
      'latest → main en/latest/guide/install.html',
      'main en/main/guide/install.html',
      'v2.0.0 en/v2.0.0/guide/install.html',
      'v1.0.0 en/v1.0.0/guide/install.html',
    ]);
    t.deepEqual(await read('en/v0.9/guide/only.html'), [
      'latest → main en/latest/guide/only.html',
      'main en/main/guide/only.html',
      'v2.0.0 en/v2.0.0/guide/only.html',
    ]);
    t.deepEqual(await read('en/v0.9/guide/only'), await read('en/v0.9/guide/only.html'));
    for (const path of ['en/v0.9/nothing.html', 'en/nothing.html', 'nothing.html', 'xx/v0.9/guide/only.html'])
      t.deepEqual(await read(path), [], path);
  });

  pageTest(
    `missing pages: ${kind}: a version whose tag was deleted is offered nowhere, its replacement is`,
    async (t) => {
      const repository = makeInput(t, '08-mistyped-tag-deleted');
      const { root, build } = await serveInput[kind](t, repository);
      t.is((await fetch(`${root}en/v20.0/`)).status, 200);
      changeInput(repository, '08-mistyped-tag-deleted', 'after');
      await build();
      const read = await createReader(t, root);
      t.deepEqual(await read('en/v20.0/index.html'), [
        'latest → main en/latest/',
        'main en/main/',
        'v2.0.0 en/v2.0.0/',
        'v1.9.0 en/v1.9.0/',
      ]);
      t.false((await (await fetch(`${root}versions.json`)).text()).includes('v20.0'));
    },
  );

  pageTest(
    `missing pages: ${kind}: the address of a page that moved leads to where it is, there and back`,
    async (t) => {
      const { root } = await serveInput[kind](t, makeInput(t, '32-page-moved-between-versions'));
      const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 720 } });
      for (const [from, to] of [
        ['en/v2.0.0/guide/install', 'en/v2.0.0/setup/install'],
        ['en/v1.0.0/setup/install', 'en/v1.0.0/guide/install'],
        ['en/latest/guide/install', 'en/latest/setup/install'],
        ['en/latest/guide/upgrade', 'en/latest/setup/updating'],
        ['en/v1.0.0/setup/updating', 'en/v1.0.0/guide/upgrade'],
      ]) {
        await page.goto(`${root}${from}.html`);
        await page.waitForURL(`${root}${to}.html`);
        t.regex((await page.textContent('h1'))!, /^(?:Install|Up)/, from);
      }
    },
  );

  pageTest(`missing pages: ${kind}: a page that redirects is a page that readers arrive at`, async (t) => {
    const { root } = await serveInput[kind](t, makeInput(t, 'b06-folder-page-moves'));
    const read = await createReader(t, root);
    t.deepEqual(await read('en/v1.0.0/guide/part.html'), [
      'latest → main en/latest/guide/part.html',
      'main en/main/guide/part.html',
      'v2.0.0 en/v2.0.0/guide/part.html',
    ]);
    const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 720 } });
    await page.goto(`${root}en/latest/guide/part.html`);
    await page.waitForURL(`${root}en/latest/guide/chapter.html`);
  });
}
