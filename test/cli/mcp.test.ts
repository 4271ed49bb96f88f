import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import test, { type ExecutionContext } from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { createMcpRepository, type McpTools, useTools } from '../helpers/mcp-site.ts';
import { docbuildPath, runDocbuild } from '../helpers/run-docbuild.ts';
import { serveFolder } from '../helpers/serve-folder.ts';

async function startMcp(t: ExecutionContext, place: string, mode: 'auto' | 'legacy' = 'auto'): Promise<McpTools> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [docbuildPath, 'mcp', place] }));
  return useTools(t, client);
}

interface Found {
  readonly pages: readonly { readonly page: string; readonly url: string }[];
}

test.serial('docbuild mcp answers from a folder, as it is at each question', async (t) => {
  const site = createSite(t);
  const repository = createMcpRepository(t);
  await site.build(repository.folder, { latest: 'v2.0' });
  const { call, refuse } = await startMcp(t, site.out, 'legacy');
  const { pages } = (await call('search', { query: 'boil water' })).data as Found;
  t.is(pages[0]?.page, 'guide/brew');
  t.regex(pages[0]!.url, /^file:.*\/out\/en\/v2\.0\/guide\/brew\.html$/);
  t.regex(await refuse('read', { page: 'guide/brew', version: 'v3.0' }), /no version "v3\.0" .*there are .*"v2\.0"/);
  repository.git('tag', 'v3.0');
  await site.build(repository.folder, { latest: 'v3.0' });
  t.regex((await call('search', { query: 'boil water' })).text, /version v3\.0/);
});

test.serial('docbuild mcp answers from an address of a site, or of a page in it', async (t) => {
  const site = createSite(t);
  await site.build(createMcpRepository(t).folder, { latest: 'v2.0' });
  writeFileSync(join(site.folder, '404.html'), 'Nothing here');
  const { url: origin, close } = await serveFolder(site.folder);
  t.teardown(close);
  const { call } = await startMcp(t, `${origin}/out/en/v1.0/guide/brew.html`);
  const { pages } = (await call('search', { query: 'boil water', version: 'v1.0' })).data as Found;
  t.is(pages[0]?.url, `${origin}/out/en/v1.0/guide/brew.html`);
});

test.serial('docbuild mcp says what to name where there is no site, and ends', async (t) => {
  const empty = createFolder(t);
  writeFileSync(join(empty, '404.html'), 'Nothing here');
  const { url: origin, close } = await serveFolder(empty);
  t.teardown(close);
  const run = async (place: string) => {
    const { code, stdout, stderr } = await runDocbuild(['mcp', place], { input: '' });
    t.is(stdout, '');
    return { code, stderr };
  };
  const folder = await run(empty);
  t.is(folder.code, 1);
  t.regex(folder.stderr, /has no "versions\.json"; name the root of a site/);
  t.regex((await run(`${empty}/nothing`)).stderr, /does not exist/);
  t.regex((await run(`${origin}/docs/`)).stderr, /There is no site of docbuild at ".*": neither there nor above it/);
  t.is((await run('http://127.0.0.1:1/')).code, 1);
  t.is((await runDocbuild(['mcp'])).code, 2);
});

test.serial('docbuild mcp ends when its input does', async (t) => {
  const site = createSite(t);
  await site.build(createMcpRepository(t).folder);
  const { code, stdout, stderr } = await runDocbuild(['mcp', site.out], { input: '' });
  t.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' });
});
