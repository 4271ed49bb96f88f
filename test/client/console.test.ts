import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { failTest } from '../helpers/fail-test.ts';
import { browserTest, findThemeViolations, findViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();
const EVIL = '<img/src=x/onerror=alert(1)>';

/** A phone that fails the test for scripts that go wrong, dialogs, and requests to anybody else. */
async function openPhone(t: ExecutionContext, origin: string): Promise<Page> {
  const page = await openPage(t, getBrowser(), { viewport: { width: 360, height: 740 }, bypassCSP: true });
  page.on('pageerror', (error) => failTest(t, String(error)));
  page.on('console', (message) => message.type() === 'error' && failTest(t, message.text()));
  page.on('dialog', (dialog) => failTest(t, dialog.message()));
  page.on('request', (request) => t.true(/^data:/.test(request.url()) || request.url().startsWith(origin)));
  return page;
}

/** A server with a project all of whose texts are hostile; the build waits for a file `go`. */
async function createHostile(t: ExecutionContext) {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': `# ${EVIL}\n\n[x](${EVIL.replace(/[<>]/g, '')}.md)\n`,
    '.docbuild.yml': `title: '${EVIL}'\n`,
  });
  repository.git('commit', '--quiet', '--allow-empty', '-m', EVIL);
  repository.git('branch', EVIL);
  const server = await createServer(t);
  const before = `echo '${EVIL}'; while ! test -e go; do sleep 0.05; done; echo going on`;
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, before } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  const letGo = (): void => {
    mkdirSync(join(server.folder, 'base/sites/guide'), { recursive: true });
    writeFileSync(join(server.folder, 'base/sites/guide/go'), '');
  };
  return { server, id, letGo };
}

browserTest('pages for people: a build is followed to its end without being asked for again', async (t) => {
  const { server, id, letGo } = await createHostile(t);
  const page = await openPhone(t, server.origin);
  await page.goto(`${server.origin}/docbuild/builds/${id}`);
  await page.locator('pre', { hasText: EVIL }).waitFor();
  t.deepEqual(await findViolations(page), []);
  await page.evaluate(`document.querySelector('pre').setAttribute('data-same', '')`);
  letGo();
  await page.locator('.status.passing').waitFor();
  t.regex((await page.textContent('pre')) ?? '', /going on\n.*Passing\n/s);
  t.is(await page.locator('[data-same], [data-follow], script').count(), 0);
});

browserTest(
  'pages for people: names, titles and messages from repositories run nothing, and axe finds nothing',
  async (t) => {
    const { server, id, letGo } = await createHostile(t);
    letGo();
    t.is((await server.operations.waitForBuild({ id })).status, 'passing');
    const bad = await server.operations.build({ name: 'guide', ref: `${EVIL}"'&` });
    await server.operations.waitForBuild({ id: bad.id });
    const page = await openPhone(t, server.origin);
    t.true((await (await server.get('/docbuild/api')).text()).includes('<details>'));
    for (const path of ['projects/guide', `builds/${id}`, `builds/${bad.id}`, 'api', '../']) {
      await page.goto(`${server.origin}/docbuild/${path}`);
      await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
      t.deepEqual(await findThemeViolations(page), [], path);
      t.is(await page.locator('[onerror]').count(), 0, path);
      t.true(
        await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'),
        `${path} is wider than a phone`,
      );
    }
  },
);
