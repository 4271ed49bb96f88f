import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** A repository whose previews show an image, of the site and of a page. */
function createPictured(t: ExecutionContext): string {
  const repository = createRepository(t);
  commitFiles(repository, {
    '.docbuild.yml': 'theme: {image: docs/img/og.png}\n',
    'docs/img/og.png': 'PNG',
    'docs/index.md': '# Home\n',
    'docs/a.md': '# A\n\n<script src="https://docs.example.org/a.js"></script>\n',
    'docs/own.md': '---\nimage: img/og.png\n---\n\n# Own\n',
  });
  repository.git('tag', 'v1.0');
  return repository.folder;
}

const read = (server: TestServer, path: string): string =>
  readFileSync(join(server.folder, 'base/sites/guide/site', path), 'utf8');
const imageOf = (html: string): string | undefined => /property="og:image" content="([^"]*)"/.exec(html)?.[1];
const canonicalOf = (html: string): string | undefined => /rel="canonical" href="([^"]*)"/.exec(html)?.[1];

async function build(t: ExecutionContext, server: TestServer, id: string): Promise<number | undefined> {
  const { status, result, reason } = await server.operations.waitForBuild({ id });
  t.is(status, 'passing', reason);
  return result?.rendered;
}

test('a server that knows its address names images, canonical pages and a sitemap by it', async (t) => {
  const server = await createServer(t, 'api: {port: 0, docs_api_url: "https://docs.example.org"}\n');
  await server.operations.createProject({ name: 'guide', settings: { url: createPictured(t) } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  await build(t, server, id);
  const site = 'https://docs.example.org/docs/guide/';
  const page = read(server, 'en/v1.0/a.html');
  const image = imageOf(page)!;
  t.regex(image, /^https:\/\/docs\.example\.org\/docs\/guide\/_docbuild\/image\.[0-9a-f]{8}\.png$/);
  t.is(imageOf(read(server, 'en/v1.0/own.html')), `${site}en/v1.0/img/og.png`);
  t.is(canonicalOf(page), `${site}en/latest/a.html`);
  t.true(read(server, 'sitemap.xml').includes(`<loc>${site}en/latest/a.html</loc>`));
  t.is(read(server, 'robots.txt'), `User-agent: *\nAllow: /\nSitemap: ${site}sitemap.xml\n`);
  // Pages may not load scripts of the service, whose host they may share.
  t.notRegex(page, /<script src="https:\/\/docs\.example\.org\/a\.js"/);
  // A host of the site's own has it at its root.
  t.regex(read(server, '404.html'), /href="\/en\/latest\/"/);
  t.regex(read(server, '_docbuild/below/404.html'), /href="\/docs\/guide\/en\/latest\/"/);
  const inode = (path: string): number => statSync(join(server.folder, 'base/sites/guide/site', path)).ino;
  t.is(inode('en/v1.0/a.html'), inode('en/main/a.html'), 'versions share pages');

  const { rebuild } = await server.operations.updateProject({
    name: 'guide',
    settings: { domain: 'guide.example.net' },
  });
  t.is(await build(t, server, rebuild!), 0, 'no page is rendered again');
  const moved = read(server, 'en/v1.0/a.html');
  t.is(imageOf(moved), image.replace('docs.example.org/docs/guide', 'guide.example.net'));
  t.is(canonicalOf(moved), 'https://guide.example.net/en/latest/a.html');
  t.true(read(server, 'sitemap.xml').includes('<loc>https://guide.example.net/en/latest/</loc>'));
});

test('a server that does not know its address names none in pages', async (t) => {
  const server = await createServer(t);
  await server.operations.createProject({ name: 'guide', settings: { url: createPictured(t) } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  await build(t, server, id);
  const page = read(server, 'en/v1.0/a.html');
  t.is(imageOf(page), undefined);
  t.is(canonicalOf(page), '../../en/latest/a.html');
  t.is(read(server, 'robots.txt'), 'User-agent: *\nAllow: /\n');
});
