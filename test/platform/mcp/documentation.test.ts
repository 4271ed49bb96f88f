import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { absolutizeMarkdown } from '../../../lib/markdown-links.ts';
import type { Documentation } from '../../../platform/mcp/documentation.ts';
import { createDocumentedSites, type SiteSource } from '../../../platform/mcp/documented-sites.ts';
import { openSite } from '../../../platform/mcp/open-site.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { createMcpRepository } from '../../helpers/mcp-site.ts';

/** Builds the site of `createMcpRepository`, and opens it as it is in its folder. */
async function createDocumentation(
  t: ExecutionContext,
  options: Parameters<TestSite['build']>[1] = {},
): Promise<{ readonly documentation: Documentation; readonly out: string; readonly url: string }> {
  const site = createSite(t);
  await site.build(createMcpRepository(t).folder, { latest: 'v2.0', ...options });
  const source = await openSite(site.out);
  return { documentation: await createDocumentedSites(1_000_000)(source), out: site.out, url: source.url };
}

test('read() takes the name of a page in all its spellings, and its URL, which says the version', async (t) => {
  const { documentation, url } = await createDocumentation(t);
  for (const page of [
    'guide/brew',
    'guide/brew.html',
    'guide/brew.md',
    '/guide/brew',
    'en/v2.0/guide/brew',
    '/en/latest/guide/brew.html',
  ]) {
    const { version, text } = await documentation.read({ page });
    t.is(version, 'v2.0', page);
    t.regex(text, /Four minutes/, page);
  }
  const older = await documentation.read({ page: `${url}en/v1.0/guide/brew.html#time` });
  t.is(older.version, 'v1.0');
  t.is(older.section, 'time');
  t.is((await documentation.read({ page: 'index', language: 'zh' })).language, 'zh_CN');
  t.regex((await documentation.read({ page: '/', language: 'zh-CN' })).text, /关于茶壶的一切/);
  t.is((await documentation.read({ page: 'guide/brew', version: '1.0' })).version, 'v1.0');
});

test('read() returns absolute links', async (t) => {
  const { documentation, url } = await createDocumentation(t);
  const { text } = await documentation.read({ page: 'guide/brew', version: 'v1.0' });
  t.true(text.includes(`](${url}en/v1.0/guide/setup.html)`), text);
});

test('read() returns a section by its id, also one that its author chose, or by its heading', async (t) => {
  const { documentation } = await createDocumentation(t);
  for (const section of ['how-long', '#how-long', 'Time', 'time']) {
    t.regex(
      (await documentation.read({ page: 'guide/brew', section })).text,
      /^## Time[\s\S]*Four minutes\.$/,
      section,
    );
  }
});

test('read() leads to a section by its id, however it was asked for', async (t) => {
  const { documentation, url } = await createDocumentation(t);
  const chosen = await documentation.read({ page: 'guide/brew', section: 'how-long' });
  t.is(chosen.url, `${url}en/v2.0/guide/brew.html#how-long`);
  for (const section of ['Time', 'TIME ', 'time\ud800']) {
    const { url: found, text } = await documentation.read({
      page: 'guide/brew',
      version: 'v1.0',
      section,
    });
    t.is(found, `${url}en/v1.0/guide/brew.html#time`, section);
    t.regex(text, /^## Time/);
  }
  const first = await documentation.read({ page: 'long' });
  t.is((await documentation.read({ page: 'long', section: first.next! })).url, `${url}en/v2.0/long.html#${first.next}`);
});

test('read() cuts a long page before a heading; whoever goes on as it says has read all of it', async (t) => {
  const { documentation } = await createDocumentation(t);
  const first = await documentation.read({ page: 'long' });
  t.true(first.isCut);
  t.true(first.text.length <= 30_000);
  t.is(first.sections?.length, 61);
  const texts = [first.text];
  for (let next = first.next; next !== undefined; ) {
    const part = await documentation.read({ page: 'long', section: next });
    texts.push(part.text);
    next = part.next;
  }
  const words = texts.join('\n').match(/Words of part \d+\./g) ?? [];
  t.is(words.length, 60 * 60);
});

test('read() finds a page that has moved under its names in other versions, and says so', async (t) => {
  const { documentation } = await createDocumentation(t);
  const newer = await documentation.read({ page: 'guide/setup' });
  t.is(newer.page, 'guide/install');
  t.is(newer.movedFrom, 'guide/setup');
  const older = await documentation.read({ page: 'guide/install', version: 'v1.0' });
  t.is(older.page, 'guide/setup');
});

test('read() says which pages, sections, versions and languages there are instead', async (t) => {
  const { documentation } = await createDocumentation(t);
  const { read } = documentation;
  await t.throwsAsync(read({ page: 'guide/bruw' }), {
    message: /no page "guide\/bruw" .*similar pages are "guide\/brew"/,
  });
  await t.throwsAsync(read({ page: 'old' }), {
    message: /no page "old" in version "v2\.0" in "en" \(it is in v1\.0\)/,
  });
  await t.throwsAsync(read({ page: 'guide/brew', section: 'tme' }), {
    message: /no section "tme"; similar sections are "time"/,
  });
  await t.throwsAsync(read({ page: 'guide/brew', version: 'v1.1' }), { message: /no version "v1\.1" .*"v1\.0"/ });
  await t.throwsAsync(read({ page: 'guide/brew', language: 'fr' }), {
    message: /no language "fr"; there are en, zh_CN/,
  });
  await t.throwsAsync(read({ page: '../../../etc/passwd' }), { message: /no page/ });
});

test('read() says what to do where a site was built without Markdown', async (t) => {
  const { documentation, out } = await createDocumentation(t);
  rmSync(join(out, 'en/v2.0/guide/brew.md'));
  await t.throwsAsync(documentation.read({ page: 'guide/brew' }), { message: /has no Markdown.*build the site again/ });
});

test('search() finds what readers find, in one version or in all', async (t) => {
  const { documentation } = await createDocumentation(t);
  const one = await documentation.search({ query: 'installer', version: 'v1.0' });
  t.deepEqual(
    one.pages.map(({ page, passages }) => [page, passages[0]?.section]),
    [['guide/setup', 'on-linux']],
  );
  const all = await documentation.search({ query: 'forgotten', version: 'all' });
  t.deepEqual(
    all.pages.map(({ page, versions, url }) => [page, versions, url.endsWith('/en/v1.0/old.html')]),
    [['old', ['v1.0'], true]],
  );
  t.is((await documentation.search({ query: 'forgotten' })).total, 0);
  t.is((await documentation.search({ query: '茶壶', language: 'zh' })).pages[0]?.page, 'index');
  t.is((await documentation.search({ query: ' . ' })).total, 0);
});

test('compare() shows what differs in a page, moved or not, and nothing where only its place does', async (t) => {
  const { documentation } = await createDocumentation(t);
  const moved = await documentation.compare({ page: 'guide/install', from: 'v1.0', to: 'v2.0' });
  t.true(moved.isMoved);
  t.is(moved.from.page, 'guide/setup');
  t.regex(moved.difference, /-Run the installer\.\n\+Run `tea install`\./);
  t.is(moved.added, 1);
  t.is(moved.removed, 1);
  t.deepEqual(await documentation.compare({ page: 'guide/setup', from: 'v1.0', to: 'v2.0' }), moved);
  const same = await documentation.compare({ page: 'index', from: 'v1.0', to: 'latest' });
  t.true(same.isSame);
  t.is(same.difference, '');
  await t.throwsAsync(documentation.compare({ page: 'old', from: 'v1.0', to: 'v2.0' }), {
    message: /no page "old" in version "v2\.0"/,
  });
});

test('compare() finds the same whether links are relative, as in a folder, or absolute, as a server sends them', async (t) => {
  const { documentation, out, url } = await createDocumentation(t);
  const folder = await openSite(out);
  const server: SiteSource = {
    ...folder,
    async read(path) {
      const bytes = await folder.read(path);
      const text = bytes && path.endsWith('.md') && absolutizeMarkdown(Buffer.from(bytes).toString(), url + path);
      return text ? Buffer.from(text) : bytes;
    },
  };
  const absolute = await createDocumentedSites(1_000_000)(server);
  const asked = { page: 'guide/brew', from: 'v1.0', to: 'v2.0' };
  const found = await documentation.compare(asked);
  t.regex(found.difference, /-Boil the water for \[setup\]\(\/guide\/setup\.html\)\.\n\+.*\(\/guide\/install\.html\)/);
  t.deepEqual(await absolute.compare(asked), found);
});

test('changes() lists pages that were added, removed, moved or changed', async (t) => {
  const { documentation } = await createDocumentation(t);
  const found = await documentation.changes({ from: 'v1.0', to: 'latest' });
  t.deepEqual(found.counts, { added: 0, removed: 1, moved: 1, changed: 1, unchanged: 2 });
  t.deepEqual(
    found.removed.map(({ page }) => page),
    ['old'],
  );
  t.deepEqual(
    found.moved.map(({ page, other }) => [page, other]),
    [['guide/install', 'guide/setup']],
  );
  t.is(found.changed[0]?.page, 'guide/brew');
  t.true(found.changed[0]!.amount! > 0);
});

test('all questions are answered of a site with one version, too, but for its history', async (t) => {
  const { documentation, url } = await createDocumentation(t, { single: true });
  t.is(documentation.listVersions().languages[0]?.versions[0]?.url, url);
  t.is((await documentation.read({ page: `${url}guide/brew.html` })).url, `${url}guide/brew.html`);
  t.is((await documentation.search({ query: 'water' })).pages[0]?.url, `${url}guide/brew.html`);
  t.regex((await documentation.read({ page: '/zh_CN/' })).text, /茶壶/);
  await t.throwsAsync(documentation.changes({ from: 'v2.0', to: 'v2.0' }), {
    message: /has no history: it has one version/,
  });
});
