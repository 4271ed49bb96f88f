import test from 'ava';
import { prefersMarkdown } from '../../../api/sites/page-markdown.ts';
import { serveSite } from '../../helpers/serve-site.ts';

const page =
  '<!doctype html>\n<html><head>\n<link rel="alternate" type="text/markdown" href="./a.md">\n</head>a</html>\n';
const markdown = '---\ntitle: "A"\nlanguage: "en"\n---\n\n# A\n\n[B](../b.html) `[c](d)`\n';

test('prefersMarkdown() goes by the weights of an Accept field; browsers get HTML', (t) => {
  for (const accept of [
    'text/markdown',
    'text/markdown, text/html, */*',
    'text/html;q=0.8, text/markdown',
    'text/markdown;q=0.5',
  ])
    t.true(prefersMarkdown(accept), accept);
  for (const accept of [
    undefined,
    '*/*',
    'text/*',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/html, text/markdown;q=0.9',
    'text/markdown;q=0, */*',
    'text/markdown;q=0',
    `text/markdown${', a/b'.repeat(200)}`,
  ])
    t.false(prefersMarkdown(accept), accept);
});

test('createSiteServer() answers with the Markdown of a page who prefers it, with absolute links', async (t) => {
  const site = await serveSite(t, {
    'en/v1/a.html': page,
    'en/v1/a.md': markdown,
    'en/v1/index.html': page.replace('/a.md', '/index.md'),
  });
  const headers = { accept: 'text/markdown, text/html;q=0.5', host: 'docs.example.test' };
  const expected = `---\nurl: "http://docs.example.test/en/v1/a.html"\n${markdown.slice(4).replace('../b', 'http://docs.example.test/en/b')}`;
  for (const path of ['/en/v1/a.html', '/en/v1/a', '/en/v1/a.md']) {
    const answer = await site.ask(path, { headers });
    t.is(answer.text, expected, path);
    t.like(answer.headers, {
      'content-type': 'text/markdown; charset=utf-8',
      vary: 'Accept-Encoding, Accept',
      'content-location': './a.md',
      link: '<./a.html>; rel="canonical"',
    });
    const again = await site.ask(path, { headers: { ...headers, 'if-none-match': answer.headers.etag! } });
    t.is(again.status, 304);
  }
  const html = await site.ask('/en/v1/a.html');
  t.is(html.text, page);
  t.is(html.headers.vary, 'Accept-Encoding, Accept');
  const other = await site.ask('/docs/guide/en/v1/a.html', { headers: { ...headers, host: 'other.example' } });
  t.regex(other.text, /\(http:\/\/other\.example\/docs\/guide\/en\/b\.html\)/);
  const without = await site.ask('/en/v1/', { headers });
  t.is(without.headers['content-type'], 'text/html; charset=utf-8', 'its Markdown is not there');
});

test('createSiteServer() leaves other files of Markdown as they are', async (t) => {
  const site = await serveSite(t, { 'a.md': '---\ntitle: Mine\n---\n[b](c)\n', 'b.html': '<p>b' });
  const answer = await site.ask('/a.md');
  t.is(answer.text, '---\ntitle: Mine\n---\n[b](c)\n');
  t.is(answer.headers.vary, 'Accept-Encoding');
  t.is((await site.ask('/b.html', { headers: { accept: 'text/markdown' } })).text, '<p>b');
});

test('createSiteServer() puts llms-full.txt together from the pages that llms.txt lists', async (t) => {
  const list =
    '# T\n\n## Pages\n\n- [A](./a.md): x\n- [A again](./a.md)\n- [Gone](./gone.md)\n- [Out](../../../../etc/x.md)\n- [Other](https://other.example/a.md)\n';
  const site = await serveSite(t, { 'en/v1/llms.txt': list, 'en/v1/a.md': markdown });
  const headers = { host: 'docs.example.test' };
  const answer = await site.ask('/en/v1/llms-full.txt', { headers });
  t.is(answer.status, 200);
  t.is(answer.headers['content-type'], 'text/plain; charset=utf-8');
  t.is(answer.text, `${(await site.ask('/en/v1/a.md', { headers })).text}\n`);
  t.is((await site.ask('/en/v1/llms-full.txt', { method: 'HEAD' })).status, 200);
  t.is((await site.ask('/en/llms-full.txt')).status, 404);
  t.deepEqual(site.errors, []);
});
