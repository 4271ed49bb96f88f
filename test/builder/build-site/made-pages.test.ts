import test from 'ava';
import { createConfig } from '../../helpers/create-config.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles, createDocs } from '../../helpers/write-pages.ts';

const OPENAPI = `openapi: 3.1.0
info: {title: Shop, version: '2.4', description: "Buy.\\n\\n# Limits\\n\\nSixty a minute."}
servers: [{url: 'https://api.example.com/{stage}', variables: {stage: {default: v2}}}]
security: [{token: []}]
tags: [{name: Orders, description: 'What was *bought*'}, {name: Unused}]
paths:
  /orders/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
    get:
      operationId: get-order
      tags: [Orders]
      summary: Get <an> order
      parameters:
        - {name: 'with|bar', in: query, required: true, description: "At | most", schema: {type: integer, maximum: 9, default: 3}}
      responses:
        '200': {description: The order, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
        '404': {$ref: '#/components/responses/Gone'}
    put:
      tags: [Orders]
      deprecated: true
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
      responses: {'204': {description: "Isn't there"}}
  /status: {get: {responses: {'200': {description: OK}}}}
components:
  securitySchemes: {token: {type: http, scheme: bearer}}
  schemas:
    Order:
      type: object
      required: [id]
      properties:
        id: {type: string, format: uuid, description: Never changes}
        state: {type: string, enum: [open, paid]}
        parent: {$ref: '#/components/schemas/Order'}
        address: {type: object, properties: {street: {type: string}}}
`;
const API_PROJECT = 'extensions:\n  openapi: {file: api/openapi.yaml, path: reference}\n';

test('a document of OpenAPI becomes pages: operations by tag, schemas, examples, links between them', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml': API_PROJECT,
    'api/openapi.yaml': OPENAPI.replace("        '404': {$ref: '#/components/responses/Gone'}\n", ''),
    'docs/index.md': '# Home\n\n[Get](reference/orders.md#get-order), [all](../api/openapi.yaml)\n',
  });
  const site = createSite(t);
  const { errors, warnings } = await site.build(repository.folder);
  t.deepEqual([errors, warnings], [[], []]);
  t.regex(site.read('en/main/index.html'), /href="\.\/reference\/orders\.html#get-order"/);
  const overview = site.read('en/main/reference/index.html');
  t.regex(overview, /<h1[^>]*>Shop/);
  t.regex(overview, /<h2 id="limits"/);
  t.regex(overview, /<a href="[./]*(?:reference\/)?orders\.html#get-order">Get &lt;an&gt; order<\/a>/);
  t.regex(overview, /<a href="[./]*(?:reference\/)?operations\.html#get-status"><code>GET \/status<\/code><\/a>/);
  t.notRegex(overview, /Unused/);
  const orders = site.read('en/main/reference/orders.html');
  t.regex(orders, /<p>What was <em>bought<\/em><\/p>/);
  t.regex(orders, /<h2 id="get-order"[^>]*>Get &lt;an&gt; order/);
  t.regex(orders, /<span class="badge info">GET<\/span> <code>\/orders\/\{id\}<\/code>/);
  t.regex(orders, /<code>id<\/code> <em>required<\/em>/);
  t.regex(orders, /<code>with\|bar<\/code>[\s\S]*At \| most<br>Default: <code>3<\/code>; ≤ 9/);
  t.regex(orders, /<a href="[./]*(?:reference\/)?schemas\.html#order">Order<\/a>/);
  t.regex(orders, /badge warning">deprecated/);
  const text = site.read('en/main/reference/orders.md');
  t.regex(
    text,
    /curl 'https:\/\/api\.example\.com\/v2\/orders\/\{id\}\?with%7Cbar=3' \\\n {2}-H 'Authorization: Bearer TOKEN'/,
  );
  t.regex(
    text,
    /curl -X PUT [\s\S]*-d '\{"id":"00000000-0000-4000-8000-000000000000","state":"open","address":\{"street":"string"\}\}'/,
  );
  const schemas = site.read('en/main/reference/schemas.html');
  t.regex(schemas, /<code>id<\/code> <em>required<\/em><\/td>\s*<td>string \(uuid\)<\/td>\s*<td>Never changes/);
  t.regex(schemas, /<code>address\.street<\/code>/);
  t.regex(schemas, /One of <code>open<\/code>, <code>paid<\/code>/);
  // The pages are in the sidebar, and "edit" leads to the document.
  t.regex(site.read('en/main/index.html'), /href="\.\/reference\/orders\.html"[^>]*>\s*Orders/);
});

test('each version has the pages of its own document, and versions share those that are equal', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n' });
  repository.git('tag', 'v0');
  commitFiles(repository, {
    '.docbuild.yml': API_PROJECT,
    'api/openapi.yaml': OPENAPI.replace("        '404': {$ref: '#/components/responses/Gone'}\n", ''),
  });
  repository.git('tag', 'v1');
  const site = createSite(t);
  await site.build(repository.folder);
  t.false(site.has('en/v0/reference/orders.html'));
  t.is(site.inode('en/v1/reference/orders.html'), site.inode('en/main/reference/orders.html'));
  commitFiles(repository, {
    'api/openapi.yaml': OPENAPI.replace('Get <an> order', 'Fetch it').replace(
      "        '404': {$ref: '#/components/responses/Gone'}\n",
      '',
    ),
  });
  const { rendered } = await site.build(repository.folder);
  t.is(rendered, 2, 'the overview and the page of the operation');
  t.regex(site.read('en/main/reference/orders.html'), /Fetch it/);
  t.regex(site.read('en/v1/reference/orders.html'), /Get &lt;an&gt; order/);
  t.is(site.inode('en/v1/reference/schemas.html'), site.inode('en/main/reference/schemas.html'));
  t.is((await site.build(repository.folder)).rendered, 0);
});

test('mistakes in a document of OpenAPI are errors with their lines, and cost no more than they must', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml': API_PROJECT,
    'api/openapi.yaml': OPENAPI,
    'docs/index.md': '# Home\n',
  });
  const site = createSite(t);
  const line = 1 + OPENAPI.split('\n').findIndex((text) => text.includes('responses/Gone'));
  const { errors } = await site.build(repository.folder);
  t.deepEqual(
    errors.map((error) => [error.file, error.line, error.code, error.message]),
    [['api/openapi.yaml', line, 'extension', 'Reference "#/components/responses/Gone" leads nowhere']],
  );
  t.true(site.has('en/main/reference/orders.html'));
  for (const [text, at, message] of [
    ['swagger: "2.0"\n', 1, /OpenAPI 2 \(Swagger\) is not read; convert/],
    ['info: {title: a}\nopenapi: 4.0.0\n', 2, /must be a version from 3\.0 to 3\.2, not "4\.0\.0"/],
    ['openapi: 3.0.0\n\ninfo: {}\n', 3, /"info" must be a map with a "title"/],
    ['a: [1\n', 1, /Not valid YAML or JSON/],
    ['- a\n', 1, /must be a map/],
    ['openapi: 3.0.0\ninfo: {title: a}\npaths: {a/b: {}}\ncomponents: {}\n', 3, /Path "a\/b" must begin with "\/"/],
    [
      'openapi: 3.0.0\ninfo: {title: a}\npaths:\n  /a:\n    $ref: other.yaml#/a\n',
      5,
      /leads to another document, which is not read/,
    ],
  ] as const) {
    commitFiles(repository, { 'api/openapi.yaml': text });
    const { errors: found } = await site.build(repository.folder);
    t.regex(found[0]!.message, message, text);
    t.is(found[0]!.line, at, text);
    t.regex(site.read('en/main/index.html'), /Home/);
  }
});

test('a document that refers to itself, or to what JavaScript has of its own, is shown without end or harm', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml': API_PROJECT,
    'api/openapi.yaml': JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'Loop' },
      paths: {
        '/a': {
          get: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } } },
        },
        '/b': { $ref: '#/__proto__/constructor' },
      },
      components: {
        schemas: {
          A: { allOf: [{ $ref: '#/components/schemas/A' }], properties: { b: { $ref: '#/components/schemas/B' } } },
          B: { type: 'array', items: { $ref: '#/components/schemas/A' } },
          C: { $ref: '#/components/schemas/C' },
        },
      },
    }),
    'docs/index.md': '# Home\n',
  });
  const { errors } = await createSite(t).build(repository.folder);
  t.deepEqual(errors.map(({ message }) => message).sort(), [
    'Reference "#/__proto__/constructor" leads nowhere',
    'Reference "#/components/schemas/C" leads nowhere',
  ]);
});

const CHANGELOG = `# Changelog

## [Unreleased]

- Soon

## [1.2.0] - 2026-05-04

### Added

- A \`thing\`, see [docs](docs/index.md) and [site](https://example.com)

## 1.1.0 (2025-01-01)

- First & <best>
`;

test('CHANGELOG.md becomes a page with an Atom feed of its releases; links to the file lead to the page', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml': 'extensions:\n  changelog: {}\n',
    'CHANGELOG.md': CHANGELOG,
    'docs/index.md': '# Home\n\n[Changes](../CHANGELOG.md)\n',
  });
  repository.git('tag', 'v1');
  const site = createSite(t);
  const { errors, warnings } = await site.build(repository.folder);
  t.deepEqual([errors, warnings], [[], []]);
  t.regex(site.read('en/main/index.html'), /<p><a href="\.\/changelog\.html">Changes<\/a><\/p>/);
  const page = site.read('en/main/changelog.html');
  t.regex(page, /<p><a href="\.\/changelog\.xml">Feed of releases<\/a><\/p>/);
  t.regex(page, /see <a href="\.\/(?:index\.html)?">docs<\/a>/);
  const feed = site.read('en/main/changelog.xml');
  t.deepEqual(
    [...feed.matchAll(/<entry><title>(.*?)<\/title>/g)].map(([, title]) => title),
    ['1.2.0', '1.1.0'],
  );
  t.regex(feed, /<updated>2026-05-04T00:00:00Z<\/updated>\n<author>/);
  t.regex(feed, /see &lt;span&gt;docs&lt;\/span&gt; and &lt;a href=&quot;https:\/\/example\.com&quot;/);
  t.notRegex(feed, /Soon/);
  t.is(site.inode('en/main/changelog.xml'), site.inode('en/v1/changelog.xml'));
  const ids = (text: string) =>
    [...text.matchAll(/urn:uuid:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g)].map(([id]) => id);
  t.is(new Set(ids(feed)).size, 3);
  commitFiles(repository, { 'CHANGELOG.md': CHANGELOG.replace('- Soon', '- Soon\n\n## 1.3.0 - 2026-06-01\n\n- New') });
  await site.build(repository.folder);
  const newer = ids(site.read('en/main/changelog.xml'));
  t.is(newer.length, 4);
  t.true(
    ids(feed).every((id) => newer.includes(id)),
    'what readers have seen stays what it is',
  );
});

test('a change log without dates is a page without a feed, which is said', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml': 'extensions:\n  changelog: {file: HISTORY.md, path: about/history}\n',
    'HISTORY.md': '# History\n\n## 1.0\n\n[gone](gone.md)\n',
    'docs/index.md': '# Home\n',
  });
  const site = createSite(t);
  const { errors, warnings } = await site.build(repository.folder);
  t.like(errors, [{ file: 'HISTORY.md', line: 0, code: 'extension' }]);
  t.like(warnings, [{ file: 'HISTORY.md', line: 0, code: 'dead-link' }]);
  t.regex(site.read('en/main/about/history.html'), /<h1[^>]*>History/);
  t.false(site.has('en/main/about/history.xml'));
});

test('releases of a feed differ, and have days that there are; its address may have signs', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml': 'extensions:\n  changelog: {path: "news #1"}\n',
    'CHANGELOG.md': '# News\n\n## 3 - 2026-02-30\n\n## Fixes 2026-02-28\n\n- B\n\n## Fixes 2026-01-31\n\n- A\n',
    'docs/index.md': '# Home\n',
  });
  const site = createSite(t);
  const { errors, warnings } = await site.build(repository.folder);
  t.deepEqual([errors, warnings], [[], []]);
  const feed = site.read('en/main/news #1.xml');
  t.deepEqual(
    [...feed.matchAll(/<updated>(.*?)T/g)].map(([, day]) => day),
    ['2026-02-28', '2026-02-28', '2026-01-31'],
  );
  const ids = [...feed.matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id);
  t.is(new Set(ids).size, 3);
  t.regex(feed, /href="news%20%231\.html"/);
});

test('code makes pages of what it reads in each version, and is run again only when that has changed', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n\n[Data](data/list.md)\n', 'data.json': '["a", "b"]' });
  const config = createConfig(t)(
    `{
    name: 'list',
    async pages({ read, folder, report }) {
      const text = await read('data.json');
      if (text === undefined) return [];
      if (text.includes('bad')) report({ file: 'data.json', line: 1, message: 'Bad data' });
      return [{ path: 'data/list.md', text: '---\\ntitle: List\\n---\\n' + JSON.parse(text).map((one) => '- ' + one).join('\\n') + '\\n\\n' + folder }];
    },
  }`,
  );
  const site = createSite(t);
  const first = await site.build(repository.folder, { config });
  t.deepEqual([first.errors, first.warnings], [[], []]);
  t.like(first.extensions, [{ name: 'list', calls: 1 }]);
  t.regex(site.read('en/main/data/list.html'), /<h1[^>]*>List[\s\S]*<li>a<\/li>[\s\S]*docs\//);
  t.notRegex(site.read('en/main/data/list.html'), /list\.md"[^>]*>Edit/);
  commitFiles(repository, { 'docs/index.md': '# Home\n\nAgain, [data](data/list.md)\n' });
  t.deepEqual((await site.build(repository.folder, { config })).extensions, []);
  commitFiles(repository, { 'data.json': '["bad"]' });
  const { errors, extensions } = await site.build(repository.folder, { config });
  t.like(extensions, [{ calls: 1 }]);
  t.like(errors, [{ file: 'data.json', line: 1, code: 'extension', message: 'Bad data' }]);
  t.regex(site.read('en/main/data/list.html'), /<li>bad<\/li>/);
  commitFiles(repository, { 'data.json': '{' });
  const broken = await site.build(repository.folder, { config });
  t.regex(broken.errors[0]!.message, /^Extension "list" failed: .*JSON/);
  t.false(site.has('en/main/data/list.html'));
});

test('what code makes may not leave the folder, nor take the place of what the repository has', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  const build = async (files: string) => {
    const config = createConfig(t)(`{ name: 'x', pages: () => ${files} }`);
    return (await site.build(repository.folder, { config })).errors.map(({ message }) => message);
  };
  for (const path of ['../a.md', '/a.md', '', 'a//b.md', '.hidden/a.md', 'a\\b.md']) {
    const [message] = await build(`[{ path: ${JSON.stringify(path)}, text: 'a' }]`);
    t.regex(message!, /must be a path below the folder of the documentation/, path);
  }
  for (const [path, why] of [
    ['x'.repeat(250), /longer than 240 bytes/],
    ['字'.repeat(100), /longer than 240 bytes/],
    ['aux/a', /name of a device/],
    ['a:b', /character that some systems do not allow/],
  ] as const) {
    t.regex(
      (await build(`[{ path: ${JSON.stringify(`${path}.md`)}, text: 'a' }, { path: 'b.md', text: '# B' }]`))[0]!,
      why,
    );
    t.true(site.has('en/main/b.html'));
  }
  t.deepEqual(await build('[{ path: "index.md", text: "# Other" }]'), [
    'Not added: the repository has "index.md", too',
  ]);
  t.regex(site.read('en/main/index.html'), /Home/);
  t.regex((await build('[{ path: "a.md" }]'))[0]!, /must have "path" and "text"/);
  for (const nothing of ['null', 'undefined', '3'])
    t.regex((await build(`[${nothing}]`))[0]!, /must have "path" and "text"/, nothing);
  t.deepEqual(await build('3'), ['Extension "x" failed: "pages" must return a list of files']);
});

test('what code reports is told as far as it says something', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  const build = async (mistake: string) => {
    const config = createConfig(t)(`{ name: 'x', pages({ report }) { report(${mistake}); return []; } }`);
    return (await site.build(repository.folder, { config })).errors.map(({ file, line, message }) => [
      file,
      line,
      message,
    ]);
  };
  t.deepEqual(await build('{ file: "a.json", line: 3, message: "Odd" }'), [['a.json', 3, 'Odd']]);
  t.deepEqual(await build('{ file: 3, line: "x", message: "Odd" }'), [['', 0, 'Odd']]);
  for (const mistake of ['', 'null', '"Odd"', '{}', '{ message: 3 }']) {
    t.deepEqual(await build(mistake), [['', 0, 'Extension "x" failed: "report" must be called with a "message"']]);
  }
});

test('code changes the source of pages, front matter included; what fails costs that page', async (t) => {
  const repository = createDocs(t, {
    'docs/index.md': '---\ntitle: Home\n---\n\n%year% is the year\n',
    'docs/plain.md': '# Plain\n',
    'docs/secret.md': '# Secret\n\nFAIL\n',
    'docs/slow.md': '# Slow\n\nLOOP\n',
  });
  const config = createConfig(t)(
    `{
    name: 'years',
    applies: /%year%|FAIL|LOOP/g,
    transform({ path, text }) {
      if (text.includes('FAIL')) throw new Error('no');
      if (text.includes('LOOP')) for (;;);
      return text.replace('%year%', '2026').replace('title: Home', 'title: ' + path);
    },
  }`,
  );
  const site = createSite(t);
  await site.build(repository.folder);
  const { errors, rendered } = await site.build(repository.folder, { config });
  t.is(rendered, 1);
  t.regex(site.read('en/main/index.html'), /<h1[^>]*>(?:<span[^>]*><\/span>)?docs\/index\.md[\s\S]*2026 is the year/);
  t.notRegex(site.read('en/main/secret.html'), /FAIL/);
  t.deepEqual(
    errors.map(({ file, code, message }) => [file, code, message]),
    [
      ['docs/secret.md', 'extension', 'Extension "years" failed: no'],
      ['docs/slow.md', 'extension', 'Extension "years" takes too long at this page'],
    ],
  );
});
