import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createPagePolicy } from '../../../platform/sites/shared-host.ts';
import { type ConsoleClient, createConsole } from '../../helpers/create-console.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { browserTest, hideHeader, PATIENCE_MS, shareBrowser } from '../../helpers/share-browser.ts';
import { shareSetup } from '../../helpers/share-setup.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const getBrowser = shareBrowser();

const TABS = '::: code-group\n\n```sh [npm]\nnpm i\n```\n\n```sh [pnpm]\npnpm i\n```\n\n:::\n';

/** A script that notes that it runs: its name in the storage of its origin, and in its window what it can reach from there. */
const note = (name: string): string => `
  const seen = { ran: true, origin };
  try { seen.cookie = document.cookie; } catch (error) { seen.cookie = error.name; }
  try { localStorage[${quote(name)}] = 1; seen.storage = 'written'; } catch (error) { seen.storage = error.name; }
  window.seen = seen;`;
const quote = (text: string): string => `'owned by ${text}'`;

/** A PDF of one empty page. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R>>
`;

interface SharedHost {
  readonly origin: string;
  /** The console as seen by an operator, whose session the window has, too. */
  readonly client: ConsoleClient;
  /** A window of somebody who is logged in as an operator. */
  readonly page: Page;
  /** Returns methods and paths of the requests that reached the server since it was last asked. */
  readAsked(): readonly string[];
  /** Puts a page of docbuild's own making into the site of the project `evil`, with HTML in its article and its head. */
  plant(html: string, head?: string): string;
}

/** A server with the projects `guide` and `evil` on its default host; the authors of `evil` may publish anything. */
const serveProjects = shareSetup(async (t) => {
  const { server, operator, logIn } = await createConsole(t);
  for (const name of ['guide', 'evil']) {
    const repository = createRepository(t);
    commitFiles(repository, {
      'docs/en/index.md': `# Home of ${name}\n\n${TABS}\n[Next](next.md)\n`,
      'docs/en/diagram.md': '# Diagram\n\n```mermaid\nflowchart LR\n  A --> B\n  click A "javascript:alert(1)"\n```\n',
      'docs/en/next.md': `# Next\n\n${TABS}\nA word to be found: vinegar.\n`,
    });
    await server.operations.createProject({ name, settings: { url: repository.folder } });
    const { id } = await server.operations.build({ name, all: true });
    await server.operations.waitForBuild({ id });
  }
  const site = join(server.folder, 'base/sites/evil/site');
  const home = readFileSync(join(site, 'en/latest/index.html'), 'utf8');
  const write = (path: string, content: string): void => writeFileSync(join(site, 'en/latest', path), content);
  write('evil.js', note('file'));
  write('evil.mjs', `${note('module')}\nexport const openSearch = () => {};`);
  write('evil.svg', `<svg xmlns="http://www.w3.org/2000/svg"><script>${note('drawing')}</script></svg>`);
  write(
    'evil.xhtml',
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><script><![CDATA[${note('xhtml')}]]></script></body></html>`,
  );
  write('evil.xml', `<x:script xmlns:x="http://www.w3.org/1999/xhtml"><![CDATA[${note('xml')}]]></x:script>`);
  write('attachment.html', `<!doctype html><title>x</title><script src="evil.js"></script><p>Attachment</p>`);
  write('evil.pdf', PDF);
  let planted = 0;
  return {
    server,
    client: await logIn(operator),
    plant(html: string, head = ''): string {
      const text = home.replace('</head>', () => `${head}</head>`).replace('</article>', () => `${html}</article>`);
      const name = `planted-${++planted}.html`;
      write(name, text);
      return `${server.origin}/docs/evil/en/latest/${name}`;
    },
  };
});

/** Opens a window on it. */
async function openSharedHost(t: ExecutionContext): Promise<SharedHost> {
  const { server, client, plant } = await serveProjects();
  const { origin } = server;
  const context = await getBrowser().newContext({ viewport: { width: 1280, height: 800 } });
  t.teardown(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addCookies([...client.cookies].map(([name, value]) => ({ name, value, url: origin })));
  const page = await context.newPage();
  let seen = server.logged().length;
  return {
    origin,
    client,
    page,
    readAsked() {
      const lines = server.logged().map((line) => JSON.parse(line) as Record<string, string>);
      const fresh = lines.slice(seen).filter(({ method }) => method !== undefined);
      seen = lines.length;
      return fresh.map(({ method, path }) => `${method} ${path}`);
    },
    plant,
  };
}

browserTest('shared host: what a reader chooses lasts there, for each project apart', async (t) => {
  const { origin, page } = await openSharedHost(t);
  page.on('pageerror', (error) => t.fail(String(error)));
  page.on('console', (message) => message.type() === 'error' && t.fail(message.text()));
  await page.goto(`${origin}/docs/guide/en/latest/`);
  await page.selectOption('.theme-switch select', 'dark');
  await page.locator('.tab-label', { hasText: 'pnpm' }).click();
  await page.click('main a >> text=Next');
  await page.waitForURL('**/next.html');
  t.is(await page.getAttribute('html', 'data-theme'), 'dark');
  t.true(await page.locator('.tab-input').nth(1).isChecked());
  await page.keyboard.press('/');
  await page.fill('.search-dialog input', 'vinegar');
  await page.waitForSelector('[role="option"] mark');
  await page.waitForURL('**/next.html?q=vinegar');
  await page.goto(`${origin}/docs/evil/en/latest/`);
  t.is(await page.getAttribute('html', 'data-theme'), 'system', 'the choice of another project is not read');
  t.true(await page.locator('.tab-input').nth(0).isChecked());
});

browserTest('shared host: the nav button and search ask what they need', async (t) => {
  const { origin, page, readAsked } = await openSharedHost(t);
  // Another name of the host, and another spelling of the project's.
  for (const base of [`${origin.replace('127.0.0.1', 'localhost')}/docs/guide`, `${origin}/docs/Guide`]) {
    readAsked();
    await page.goto(`${base}/en/latest/`);
    await hideHeader(page);
    await page.locator('docbuild-button button').first().click();
    await page.waitForSelector('docbuild-button ul a');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.fill('.search-dialog input', 'vinegar');
    await page.waitForSelector('[role="option"] mark');
    t.true(readAsked().includes('GET /docbuild/desc/guide'));
  }
});

browserTest('shared host: diagrams are drawn', async (t) => {
  const { origin, page } = await openSharedHost(t);
  page.on('pageerror', (error) => t.fail(String(error)));
  page.on('console', (message) => message.type() === 'error' && t.fail(message.text()));
  await page.goto(`${origin}/docs/evil/en/latest/diagram.html`);
  await page.waitForSelector('.diagram-picture .node');
  t.false((await page.locator('.diagram-picture').innerHTML()).includes('javascript:'));
});

/** Ways to run a script: each of them notes that it did. */
const SCRIPTS = [
  `<script>${note('inline')}</script><script type="module">${note('inline module')}</script>`,
  ...['onerror', 'onload'].map((event) => `<img src="data:," alt="" ${event}="${note(event)}">`),
  `<svg onload="${note('svg')}"></svg><details open ontoggle="${note('toggle')}"></details>`,
  '<script src="evil.js"></script><script type="module" src="evil.mjs"></script>',
  '<script type="module">import "./evil.mjs"</script>',
  '<script src="/docs/evil/_docbuild/../en/latest/evil.js"></script>',
  '<script src="/docs/evil/_docbuild/..%2fen/latest/evil.js"></script>',
  '<script src="/docs/evil/_docbuild/%2e%2e/en/latest/evil.js"></script>',
  '<script src="/docbuild/desc/evil?path=/"></script><script src="/docbuild/badge/evil"></script>',
  '<script src="/control/console.js"></script><script src="https://evil.test/docs/evil/_docbuild/site.js"></script>',
  `<script src="data:text/javascript,localStorage[${quote('data')}]=1"></script>`,
  `<iframe srcdoc="<script>${note('srcdoc')}</script>"></iframe>`,
  `<iframe src="javascript:localStorage[${quote('frame')}]=1"></iframe>`,
  `<svg><script href="evil.js"></script><script>${note('script in a drawing')}</script></svg>`,
  '<object data="evil.svg"></object><embed src="evil.svg"><object data="evil.pdf"></object>',
  '<iframe src="evil.svg"></iframe><iframe src="attachment.html"></iframe><iframe src="evil.xhtml"></iframe>',
  '<script type="importmap">{"imports":{"./search.js":"./evil.mjs"}}</script>',
  '<link rel="modulepreload" href="evil.mjs"><link rel="preload" as="script" href="evil.js">',
  `<meta http-equiv="refresh" content="0; url=javascript:localStorage[${quote('refresh')}]=1">`,
  '<meta http-equiv="Content-Security-Policy" content="script-src * \'unsafe-inline\' \'unsafe-eval\'">',
  '<script type="speculationrules">{"prefetch":[{"urls":["/control/keys"]}]}</script>',
].join('\n');

/** Links that run a script; the one in the middle is written as browsers read it, too. */
const LINKS = `<p><a id="one" href="javascript:localStorage[${quote('link')}]=1">one</a>
  <a id="two" href="java&#10;script:localStorage[${quote('broken link')}]=1">two</a>
  <svg width="99" height="20"><a id="three" xlink:href="javascript:localStorage[${quote('drawn link')}]=1"><text y="15">three</text></a></svg></p>`;

browserTest('shared host: no script of an author runs in a page, but docbuild’s own do', async (t) => {
  const { origin, page, plant } = await openSharedHost(t);
  const findOwned = () => page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("owned"))');
  // The button stands before the header's, so it is the one that the keyboard presses.
  const button = '<button type="button" data-search="evil.mjs">Search</button>';
  for (const url of [plant(SCRIPTS), plant(LINKS, SCRIPTS), plant(LINKS, button)]) {
    await page.goto(url, { waitUntil: 'load' });
    await page.waitForSelector('.theme-switch:not([hidden])', { state: 'attached' });
    await page.keyboard.press('Control+k');
    for (const id of ['one', 'two', 'three'])
      if (await page.$(`#${id}`)) await page.locator(`#${id}`).dispatchEvent('click');
    await page.waitForTimeout(100);
    t.deepEqual(await findOwned(), []);
    t.is(await page.evaluate('window.seen'), undefined);
    t.is(page.url(), url);
  }
  t.is(new URL(page.url()).origin, origin);
});

browserTest('shared host: <base> moves nothing', async (t) => {
  const { page, origin, plant } = await openSharedHost(t);
  await page.goto(
    plant('<base href="https://evil.test/"><a id="here" href="next.html">x</a>', '<base href="/control/">'),
  );
  t.is(await page.evaluate('document.getElementById("here").href'), `${origin}/docs/evil/en/latest/next.html`);
});

browserTest('shared host: a page sends neither forms nor pings', async (t) => {
  const { page, readAsked, plant } = await openSharedHost(t);
  const targets = ['/docbuild/build/guide', '/control/projects/guide', '/control/login', 'https://evil.test/'];
  const html = targets.map(
    (
      target,
    ) => `<form method="post" action="${target}"><input name="password" type="password" autocomplete="current-password">
      <button type="submit">Send</button></form>
      <form action="/"><button type="submit" formmethod="post" formaction="${target}" formtarget="_blank">Send</button></form>
      <p><a href="#_content" ping="${target}">Ping</a></p>`,
  );
  const url = plant(html.join('\n'));
  await page.goto(url);
  readAsked();
  await page.evaluate(
    'for (const element of document.querySelectorAll("main :is([type=submit], [ping])")) element.click()',
  );
  await page.waitForTimeout(200);
  t.is(page.url(), `${url}#_content`);
  t.deepEqual(
    readAsked().filter((line) => !line.startsWith('GET')),
    [],
  );
});

browserTest(
  'shared host: the console is not shown in frames, and not asked for by pictures or ahead of time',
  async (t) => {
    const { origin, client, page, plant, readAsked } = await openSharedHost(t);
    await client.get('/control/keys');
    t.is((await client.post('/control/keys', { permission: 'write' })).status, 303, 'a key waits to be shown once');
    await page.goto(
      plant(
        `<iframe src="/control/keys"></iframe><img src="/control/keys" alt="x"><object data="/control/keys"></object>
      <video src="/control/keys"></video><div style="background:url(/control/keys)">x</div>`,
        '<link rel="prefetch" href="/control/keys"><link rel="stylesheet" href="/control/keys"><link rel="icon" href="/control/keys">',
      ),
    );
    const asked: string[] = [];
    await waitUntil(() => {
      asked.push(...readAsked());
      return asked.filter((line) => line === 'GET /control/keys').length > 3;
    });
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    t.true(frames.length > 0);
    for (const frame of frames) t.false((await frame.content()).includes('API keys'));
    await page.goto(`${origin}/control/keys`);
    t.regex(await page.getByLabel('Copy it now').inputValue(), /^dbk_/, 'it still waits for its owner');
  },
);

browserTest('shared host: documents that are not pages run in an origin of their own', async (t) => {
  const { origin, page } = await openSharedHost(t);
  for (const name of ['attachment.html', 'evil.svg', 'evil.xhtml', 'evil.xml']) {
    await page.goto(`${origin}/docs/evil/en/latest/${name}`);
    const expected = { ran: true, origin: 'null', cookie: 'SecurityError', storage: 'SecurityError' };
    t.deepEqual(await page.evaluate('window.seen'), expected, name);
  }
  const tries = `Promise.all([
    fetch('/control/').then((answer) => answer.text()).catch(({ name }) => name),
    fetch('/control/', { credentials: 'include' }).then((answer) => answer.text()).catch(({ name }) => name),
    // As little as any other site may read of a server in somebody's own network.
    fetch('next.html').then(({ status }) => status, ({ name }) => name),
    Promise.resolve().then(() => navigator.serviceWorker.register('evil.js')).then(() => 'registered', ({ name }) => name),
  ])`;
  await page.goto(`${origin}/docs/evil/en/latest/attachment.html`);
  const [anonymous, own, next, worker] = await page.evaluate<unknown[]>(tries);
  t.deepEqual([anonymous, own, next], ['TypeError', 'TypeError', 'TypeError']);
  t.not(worker, 'registered');
});

browserTest('shared host: a window that an attachment opens is out of its reach', async (t) => {
  const { origin, page } = await openSharedHost(t);
  const look = '(() => { try { return handle.document.title; } catch (error) { return error.name; } })()';
  for (const [path, isCut] of [
    ['/control/', true],
    ['/docs/guide/en/latest/', false],
  ] as const) {
    await page.goto(`${origin}/docs/evil/en/latest/attachment.html`);
    await page.evaluate(`document.body.onclick = () => { window.handle = open(${JSON.stringify(path)}); }`);
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('p')]);
    await popup.waitForURL(`${origin}${path}`);
    await popup.waitForLoadState();
    t.is(await page.evaluate(look), 'SecurityError', path);
    t.is(await page.evaluate('handle.closed'), isCut, path);
    await popup.close();
  }
});

browserTest('shared host: a PDF is downloaded, since its forms would be sent from this origin', async (t) => {
  const { origin, page } = await openSharedHost(t);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.goto(`${origin}/docs/evil/en/latest/evil.pdf`).catch(() => undefined),
  ]);
  t.is(download.suggestedFilename(), 'evil.pdf');
});

test.serial('createPagePolicy() allows the service’s own hosts, and only paths that no author writes to', (t) => {
  const policy = createPagePolicy({
    basePath: '/docs/guide',
    project: 'guide',
    apiUrl: 'https://docs.example.org',
    scriptUrl: 'https://cdn.example.org/a;b,c/docbuild.js?v=1',
  });
  t.deepEqual(policy.split(', ')[0]!.split('; ').slice(0, 2), [
    "script-src 'self' https://docs.example.org https://cdn.example.org/a%3Bb%2Cc/docbuild.js",
    "connect-src 'self' https://docs.example.org",
  ]);
  t.is(policy.split(', ').length, 2);
  t.notRegex(policy, /unsafe|\*[ ;,]|\*$/);
});
