import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as sendRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openRepository } from '../../../../builder/open-repository.ts';
import { findCached } from '../../../helpers/cached-repository.ts';
import { createFolder, createRepository, type TestRepository } from '../../../helpers/create-repository.ts';
import { execGit, runGit } from '../../../helpers/run-git.ts';
import { type GitServer, serveGit } from '../../../helpers/serve-git.ts';
import { throwsCode } from '../../../helpers/throws-code.ts';

interface Setup {
  readonly source: TestRepository;
  readonly server: GitServer;
  readonly url: string;
}

async function serveOne(t: ExecutionContext): Promise<Setup> {
  const source = createRepository(t);
  source.write('docs/a.md', '# A\n');
  source.commit('First');
  const server = await serveGit(t, dirname(source.folder));
  return { source, server, url: `${server.url}/${basename(source.folder)}` };
}

/** Adds refs as git packs them: a file for each would take seconds. */
function addRefs(source: TestRepository, names: readonly string[]): void {
  const oid = source.git('rev-parse', 'HEAD');
  writeFileSync(join(source.folder, '.git/packed-refs'), names.map((name) => `${oid} ${name}\n`).join(''));
}

for (const protocol of [undefined, 2] as const) {
  test.serial(
    `a repository with 12,000 pull requests is asked for what is built alone, protocol ${protocol ?? 0}`,
    async (t) => {
      const { source, server, url } = await serveOne(t);
      const pulls = Array.from({ length: 12_000 }, (_, number) => `refs/pull/${number}/head`);
      addRefs(source, [...pulls, 'refs/heads/other', 'refs/merge-requests/1/head']);
      source.write('docs/b.md', '# B\n');
      source.commit('Second');
      server.protocol = protocol;
      const cacheFolder = createFolder(t);
      const repository = await openRepository(url, { cacheFolder, environment: {} });
      t.deepEqual(
        repository.refs.map(({ name }) => name),
        ['main', 'other'],
      );
      server.requests.length = 0;
      await repository.fetch(repository.refs.filter(({ name }) => name === 'main'));
      t.is(server.requests.length, 1);
      t.true(server.requests[0]!.bodyBytes < 400, `${server.requests[0]!.bodyBytes} bytes`);
      const cached = findCached(cacheFolder);
      t.is(runGit(cached, 'rev-list', '--all', '--count'), '1');
      t.is(readdirSync(join(cached, 'refs'), { recursive: true }).length, 3);
    },
  );
}

test.serial('1,000 versions come by few requests, and a push is small', async (t) => {
  const { source, server, url } = await serveOne(t);
  const commits = Array.from({ length: 1_000 }, (_, number) => {
    const text = `# A\n\n${'Text that stays.\n'.repeat(200)}${number}\n`;
    const time = `${1_700_000_000 + number} +0000`;
    return `commit refs/heads/main\ncommitter T <t@example.test> ${time}\ndata 1\nx\nM 100644 inline docs/a.md\ndata ${text.length}\n${text}\nreset refs/tags/v${number}\nfrom refs/heads/main\n`;
  });
  execGit(['fast-import', '--quiet', '--force'], { cwd: source.folder, input: commits.join('') });
  const options = { cacheFolder: createFolder(t), environment: {} };
  const first = await openRepository(url, options);
  server.requests.length = 0;
  await first.fetch(first.refs);
  t.is(server.requests.length, 4);
  source.git('reset', '--quiet', '--hard', 'main');
  source.write('docs/new.md', '# New\n');
  source.commit('Pushed');
  const second = await openRepository(url, options);
  server.requests.length = 0;
  let bytes = 0;
  await second.fetch(second.refs, { onReceived: (count) => (bytes += count) });
  t.is(server.requests.length, 1);
  t.true(bytes < 5_000, `${bytes} bytes`);
});

test.serial('names that a lying server gives its refs become no names of files', async (t) => {
  const { server, url } = await serveOne(t);
  for (const name of [
    'refs/heads/../../../../evil',
    'refs/heads//etc/x',
    'refs/tags/../config',
    `refs/heads/${'x'.repeat(3_000)}`,
  ]) {
    server.tamper = (body, method) => {
      if (method !== 'GET') return body;
      const lines = body.toString('latin1');
      const [line, oid] = /[0-9a-f]{4}([0-9a-f]{40}) refs\/heads\/main\n/.exec(lines)!;
      const lied = `${oid} ${name}\n`;
      return Buffer.from(lines.replace(line, (lied.length + 4).toString(16).padStart(4, '0') + lied), 'latin1');
    };
    const cacheFolder = createFolder(t);
    const repository = await openRepository(url, { cacheFolder, environment: {} });
    await repository.fetch(repository.refs);
    t.truthy(await repository.readCommit(repository.refs[0]!.oid));
    await repository.close();
    const mirror = findCached(cacheFolder);
    const files = readdirSync(cacheFolder, { recursive: true, encoding: 'utf8' });
    t.false(
      files.some((file) => /evil|xxxx|etc/.test(file)),
      files.join(' '),
    );
    t.regex(readFileSync(join(mirror, 'config'), 'utf8'), /^\[core\]/);
  }
});

/** A proxy that tunnels, as those for https do, and forwards requests that name a whole URL. */
async function serveProxy(t: ExecutionContext): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const forwarded = sendRequest(request.url!, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  proxy.on('connect', (request, socket, head) => {
    seen.push(`CONNECT ${request.url}`);
    const [host, port] = request.url!.split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(socket);
      socket.pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, seen };
}

test.serial('a remote is reached through the proxy that the environment names, unless it is excepted', async (t) => {
  const { url } = await serveOne(t);
  const proxy = await serveProxy(t);
  const open = (environment: Record<string, string>) =>
    openRepository(url, { cacheFolder: createFolder(t), environment, timeoutMs: 20_000 });
  const repository = await open({ http_proxy: proxy.url });
  await repository.fetch(repository.refs);
  t.truthy(await repository.readCommit(repository.refs[0]!.oid));
  t.true(proxy.seen.length > 0);
  proxy.seen.length = 0;
  await open({ HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' });
  t.deepEqual(proxy.seen, []);
  await throwsCode(t, 'network', () => open({ HTTP_PROXY: 'http://127.0.0.1:9' }));
});
