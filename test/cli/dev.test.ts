import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { sendToHost } from '../helpers/send-to-host.ts';
import { type SpawnedServer, spawnListening } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

interface State {
  readonly build: number;
  readonly failure?: string;
  readonly count: number;
  readonly problems: readonly string[];
}

/** Starts the preview of a folder; its own files are in another one. */
function startPreview(t: ExecutionContext, folder: string, ...args: string[]): Promise<SpawnedServer> {
  return spawnListening(t, {
    cwd: createFolder(t),
    args: ['dev', folder, '--port', '0', ...args],
    ready: /Preview of .* at (http:\/\/[^/]+)\//,
  });
}

/** Opens the stream of events; returns what waits for the first state that fits, also one that has come already. */
async function listen(t: ExecutionContext, { origin }: SpawnedServer) {
  const [answer] = (await once(get(`${origin}/_docbuild/live`), 'response')) as [IncomingMessage];
  t.teardown(() => answer.destroy());
  t.is(answer.headers['content-type'], 'text/event-stream');
  const states: State[] = [];
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, data] = /^data: (.*)$/m.exec(text.slice(0, end)) ?? [];
      if (data !== undefined) states.push(JSON.parse(data) as State);
      text = text.slice(end + 2);
      answer.emit('state');
    }
  });
  return async (fits: (state: State) => boolean): Promise<State> => {
    for (;;) {
      const found = states.find(fits);
      states.splice(0, found ? states.indexOf(found) + 1 : states.length);
      if (found) return found;
      await once(answer, 'state');
    }
  };
}

function writePages(folder: string, pages: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(pages)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const ask = ({ origin }: SpawnedServer, path: string) => fetch(origin + path);
const read = async (server: SpawnedServer, path: string): Promise<string> => (await ask(server, path)).text();

test.serial('docbuild dev serves files as they are saved, and tells pages and the terminal', async (t) => {
  const folder = createFolder(t);
  writePages(folder, { 'docs/a.md': '# A\n\nFirst words\n' });
  const server = await startPreview(t, folder);
  const next = await listen(t, server);
  const { build } = await next(({ failure }) => failure === undefined);
  const page = await read(server, '/en/latest/a.html');
  t.regex(page, /First words/);
  t.regex(page, /<script defer src="\/_docbuild\/live\.js">/);
  writePages(folder, { 'docs/a.md': '# A\n\nSecond words, [gone](none.md)\n\n[gone](none.md)\n' });
  // The file may be read while it is empty, and again.
  const state = await next(({ count }) => count > 0);
  t.true(state.build > build);
  t.deepEqual(state.problems, ['docs/a.md:3, :5: Link "none.md" leads to no page or file']);
  t.is(state.count, 2);
  t.regex(await read(server, '/en/latest/a.html'), /Second words/);
  const told =
    /docs\/a\.md: 1 page rendered in \d+ ms, 2 problems\n\S+ {3}docs\/a\.md:3, :5: Link "none\.md" leads to no page or file\n/;
  await server.waitFor(told);
  writePages(folder, { 'docs/new/b.md': '# B\n' });
  // The folder may be seen before its file.
  while ((await ask(server, '/en/latest/new/b.html')).status !== 200) await next((found) => found.build > state.build);
  t.regex(await read(server, '/en/latest/new/b.html'), /<h1/);
});

test.serial('docbuild dev builds a save that follows the one before at once', async (t) => {
  const folder = createFolder(t);
  writePages(folder, { 'docs/a.md': '# A\n' });
  const server = await startPreview(t, folder);
  const next = await listen(t, server);
  await next(({ failure }) => failure === undefined);
  for (let i = 1; i <= 20; i++) {
    writePages(folder, { 'docs/a.md': `# A\n\nSave ${i}.\n` });
    const shown = `Save ${i}.`;
    while (!(await read(server, '/en/latest/a.html')).includes(shown)) await next(() => true);
  }
  t.regex(await read(server, '/en/latest/a.html'), /Save 20\./);
});

test.serial('docbuild dev builds a save while another file is written without a pause', async (t) => {
  const folder = createFolder(t);
  writePages(folder, { 'docs/a.md': '# A\n', 'docs/log.txt': '' });
  const server = await startPreview(t, folder);
  const next = await listen(t, server);
  await next(({ failure }) => failure === undefined);
  let count = 0;
  const writing = setInterval(() => writeFileSync(join(folder, 'docs/log.txt'), `${count++}\n`), 1);
  t.teardown(() => clearInterval(writing));
  writePages(folder, { 'docs/a.md': '# A\n\nSaved.\n' });
  while (!(await read(server, '/en/latest/a.html')).includes('Saved.')) await next(() => true);
  t.true(count > 0);
});

test.serial('docbuild dev goes on after broken files, a folder that is gone, and a start without a site', async (t) => {
  const folder = createFolder(t);
  const server = await startPreview(t, folder);
  const next = await listen(t, server);
  const { failure } = await next((found) => found.failure !== undefined);
  t.regex(failure!, /No documentation found/);
  t.regex(await read(server, '/'), /_docbuild\/live\.js/);
  writePages(folder, { 'docs/a.md': '# A\n' });
  await next((found) => found.failure === undefined);
  writePages(folder, { '.docbuild.yml': 'title: [open\n' });
  t.regex((await next((found) => found.failure !== undefined)).failure!, /^\.docbuild\.yml:1: Not valid YAML/);
  t.regex(await read(server, '/en/latest/a.html'), /<h1/);
  writePages(folder, { '.docbuild.yml': 'title: Mended\n' });
  // A file that is being saved is empty for a moment, and may be built like that first.
  while (!(await read(server, '/en/latest/a.html')).includes('Mended')) await next(() => true);
  rmSync(join(folder, 'docs'), { recursive: true });
  await next((found) => found.failure !== undefined);
  t.is((await ask(server, '/en/latest/a.html')).status, 200);
  writePages(folder, { 'docs/a.md': '# Back\n' });
  while (!(await read(server, '/en/latest/a.html')).includes('Back')) await next(() => true);
});

test.serial('docbuild dev follows a thousand renamed files and a change of branches', async (t) => {
  const repository = createRepository(t);
  for (let n = 0; n < 1000; n++) repository.write(`docs/old/p${n}.md`, `# Page ${n}\n`);
  repository.write('docs/index.md', '# Main\n');
  repository.commit('Many');
  repository.git('branch', 'other');
  const server = await startPreview(t, repository.folder);
  const next = await listen(t, server);
  await next(({ failure }) => failure === undefined);
  const docs = join(repository.folder, 'docs');
  mkdirSync(join(docs, 'new'));
  for (const name of readdirSync(join(docs, 'old'))) renameSync(join(docs, 'old', name), join(docs, 'new', name));
  const statusOf = async (path: string): Promise<number> => (await ask(server, path)).status;
  const untilServed = async (path: string, status: number): Promise<void> => {
    while ((await statusOf(path)) !== status) await next(() => true);
  };
  for (const n of [0, 500, 999]) {
    await untilServed(`/en/latest/new/p${n}.html`, 200);
    await untilServed(`/en/latest/old/p${n}.html`, 404);
  }
  repository.git('add', '-A');
  repository.commit('Renamed');
  repository.git('checkout', '-q', 'other');
  for (const n of [0, 500, 999]) {
    await untilServed(`/en/latest/old/p${n}.html`, 200);
    await untilServed(`/en/latest/new/p${n}.html`, 404);
  }
});

test.serial(
  'docbuild dev follows what .gitignore no longer names, and asks for changes itself with --poll',
  async (t) => {
    for (const args of [[], ['--poll', '50']]) {
      const repository = createRepository(t);
      repository.write('.gitignore', 'drafts/\n');
      repository.write('docs/drafts/a.md', '# Draft\n');
      repository.write('docs/index.md', '# Start\n');
      const server = await startPreview(t, repository.folder, ...args);
      const next = await listen(t, server);
      await next(({ failure }) => failure === undefined);
      const path = '/en/latest/drafts/a.html';
      t.is((await ask(server, path)).status, 404);
      repository.write('.gitignore', 'other/\n');
      while ((await ask(server, path)).status !== 200) await next(() => true);
      repository.write('docs/drafts/a.md', '# Draft\n\nMore words\n');
      while (!(await read(server, path)).includes('More words')) await next(() => true);
      t.is(await server.stop('SIGINT'), 0);
    }
  },
);

test.serial('docbuild dev answers to this machine only, and leaves nothing behind', async (t) => {
  const folder = createFolder(t);
  writePages(folder, { 'docs/a.md': '# A\n' });
  const work = createFolder(t);
  const temporary = process.env['TMPDIR'];
  process.env['TMPDIR'] = work;
  const server = await startPreview(t, folder, '--title', 'Own');
  process.env['TMPDIR'] = temporary ?? '';
  if (temporary === undefined) delete process.env['TMPDIR'];
  const next = await listen(t, server);
  await next(({ failure }) => failure === undefined);
  t.is((await sendToHost(server.origin, { host: 'evil.example', path: '/' })).status, 403);
  t.is((await sendToHost(server.origin, { host: 'docs.localhost:80', path: '/' })).status, 302);
  t.is(await server.stop('SIGINT'), 0);
  const left = readdirSync(work).filter((name) => !name.startsWith('docbuild-test-'));
  t.deepEqual(left, []);
  t.false(existsSync(join(folder, '.docbuild')));
});

test.serial('docbuild dev opens the site in the browser, at the host that is asked for', async (t) => {
  const folder = createFolder(t);
  writePages(folder, { 'docs/a.md': '# A\n' });
  const commands = createFolder(t);
  const opened = join(commands, 'opened');
  const script = `#!/bin/sh\nfor last; do :; done\necho "$last" > '${opened}.new'\nmv '${opened}.new' '${opened}'\n`;
  // What opens an address where there is no desktop, and on macOS.
  for (const name of ['www-browser', 'open']) writeFileSync(join(commands, name), script, { mode: 0o755 });
  const path = process.env['PATH'];
  t.teardown(() => {
    process.env['PATH'] = path;
  });
  process.env['PATH'] = `${commands}:${path}`;
  const server = await startPreview(t, folder, '--open', '--host', 'localhost');
  t.is(new URL(server.origin).hostname, 'localhost');
  await waitUntil(() => existsSync(opened));
  t.is(readFileSync(opened, 'utf8'), `${server.origin}/\n`);
  t.is((await ask(server, '/en/latest/a.html')).status, 200, 'it is opened when there is something to see');
});

test.serial('docbuild dev --elements says where all elements are shown, in the look that was saved last', async (t) => {
  const folder = createFolder(t);
  writePages(folder, { 'docs/a.md': '# A\n' });
  const server = await startPreview(t, folder, '--elements');
  await server.waitFor(/All elements: http:\/\/127\.0\.0\.1:\d+\/en\/latest\/docbuild-elements\/\n/);
  const next = await listen(t, server);
  writePages(folder, { '.docbuild.yml': 'theme: {styles: brand/own.css}\n', 'brand/own.css': 'h1 { color: teal }\n' });
  const find = async (): Promise<string | undefined> =>
    /href="[^"]*(\/_docbuild\/styles\.\w+\.css)"/.exec(await read(server, '/en/latest/docbuild-elements/'))?.[1];
  let style = await find();
  for (; style === undefined; style = await find()) await next(() => true);
  t.regex(await read(server, style), /teal/);
});

test.serial('docbuild dev --templates follows templates, and names the line of a mistake in one', async (t) => {
  const folder = createFolder(t);
  const templates = createFolder(t);
  writePages(folder, { 'docs/a.md': '# A\n' });
  writePages(templates, { 'footer.njk': '<footer>First</footer>\n' });
  const server = await startPreview(t, folder, '--templates', templates);
  await server.waitFor(
    /Templates of \S+: footer\.njk; docbuild's own: page\.njk, head\.njk, header\.njk, home\.njk, not-found\.njk\n/,
  );
  const next = await listen(t, server);
  await next(({ failure }) => failure === undefined);
  t.regex(await read(server, '/en/latest/a.html'), /<footer>First/);
  writePages(templates, { 'footer.njk': '<footer>\n{{ theme.siteTitel }}</footer>\n' });
  const { failure } = await next((state) => state.failure !== undefined);
  t.regex(failure!, /footer\.njk:2: "theme\.siteTitel" has no value: .* did you mean "siteTitle"\?/);
  writePages(templates, { 'footer.njk': '<footer>Second</footer>\n' });
  while (!(await read(server, '/en/latest/a.html')).includes('<footer>Second')) await next(() => true);
  t.regex(await read(server, '/en/latest/a.html'), /<footer>Second/);
});

test.serial('docbuild dev --templates without a folder lists templates and variables', async (t) => {
  const { code, stdout } = await runDocbuild(['dev', '--templates'], { env: { HOME: createFolder(t) } });
  t.is(code, 0);
  for (const name of ['page.njk', 'content_end', 'siteTitle', 'editUrl']) t.true(stdout.includes(name), name);
});

test.serial('docbuild dev says what it cannot do', async (t) => {
  const folder = createFolder(t);
  const busy = createServer().listen(0, '127.0.0.1');
  t.teardown(() => busy.close());
  await once(busy, 'listening');
  const { port } = busy.address() as { port: number };
  const env = { HOME: folder };
  const inUse = await runDocbuild(['dev', folder, '--port', String(port)], { env });
  t.is(inUse.code, 1);
  t.regex(inUse.stderr, /port \d+: it is in use; choose another one with --port/);
  const missing = await runDocbuild(['dev', join(folder, 'none')], { env });
  t.is(missing.code, 1);
  t.regex(missing.stderr, /the folder does not exist/);
  const wrong = await runDocbuild(['dev', folder, '--port', 'x'], { env });
  t.is(wrong.code, 2);
  const often = await runDocbuild(['dev', folder, '--poll', '1'], { env });
  t.is(often.code, 2);
  t.regex(often.stderr, /--poll.*whole number from 50 to 60000/);
});

test.serial('docbuild dev prints the problems that a save adds, once, with file and line', async (t) => {
  const folder = createFolder(t);
  const elsewhere = join(createFolder(t), 'saved.md');
  // In one step, so that no file is read while it is empty, and its problems are gone for a moment.
  const save = (path: string, text: string): void => {
    writeFileSync(elsewhere, text);
    renameSync(elsewhere, join(folder, path));
  };
  writePages(folder, { 'docs/a.md': '# A\n\n[old](old.md)\n', 'docs/b.md': '# B\n' });
  const server = await startPreview(t, folder);
  await server.waitFor(/2 pages in \d+ ms, 1 problem\n\S+ {3}docs\/a\.md:3: Link "old\.md"/);
  // The old one moves down a line.
  save('docs/a.md', '# A\n\nText\n[old](old.md)\n\n[new](new.md)\n');
  await server.waitFor(/, 2 problems\n\S+ {3}docs\/a\.md:6: Link "new\.md" leads to no page or file\n/);
  save('docs/b.md', '# B\n\nMore\n');
  await server.waitFor(/docs\/b\.md: 1 page rendered in \d+ ms, 2 problems\n/);
  save('docs/a.md', '# A\n\n[old](old.md)\n\n[new](new.md)\n\n[new](new.md)\n');
  await server.waitFor(/, 3 problems\n\S+ {3}docs\/a\.md:7: Link "new\.md"/);
  const count = (text: string): number => server.output().split(text).length - 1;
  t.deepEqual([count('Link "old.md"'), count('Link "new.md"')], [1, 2]);
});

test.serial('docbuild dev follows a grammar of its configuration, and says what is wrong with it', async (t) => {
  const folder = createFolder(t);
  const grammar = (match: string): string =>
    JSON.stringify({ name: 'toy', scopeName: 'source.toy', patterns: [{ match, name: 'keyword.control.toy' }] });
  writePages(folder, {
    'docs/a.md': '# A\n\n```toy\nlet give\n```\n',
    'docs/b.md': '# B\n',
    'toy.json': grammar('let'),
    'docbuild.config.mjs': `import { readFileSync } from 'node:fs';
const toy = JSON.parse(readFileSync(new URL('./toy.json', import.meta.url), 'utf8'));
export default { extensions: [{ name: 'toy', languages: [toy] }] };
`,
  });
  const server = await startPreview(t, folder, '--config', join(folder, 'docbuild.config.mjs'));
  await server.waitFor(/2 pages in/);
  t.regex(await read(server, '/en/latest/a.html'), /<span class="tk">let<\/span> give/);
  writePages(folder, { 'toy.json': grammar('(give') });
  await server.waitFor(
    /toy\.json: Error: .*extension "toy": language "toy": "patterns\.0\.match" is no regular expression: \(give/,
  );
  t.regex(await read(server, '/en/latest/a.html'), /<span class="tk">let<\/span> give/);
  writePages(folder, { 'toy.json': grammar('give') });
  await server.waitFor(/toy\.json: 1 page rendered/);
  t.regex(await read(server, '/en/latest/a.html'), /let <span class="tk">give<\/span>/);
});
