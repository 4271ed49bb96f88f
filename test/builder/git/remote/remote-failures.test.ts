import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { BuildErrorCode } from '../../../../builder/build-error.ts';
import { type OpenRepositoryOptions, openRepository } from '../../../../builder/open-repository.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { createFolder, createRepository } from '../../../helpers/create-repository.ts';
import { serveGit } from '../../../helpers/serve-git.ts';
import { throwsCode } from '../../../helpers/throws-code.ts';

async function listen(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function createOptions(t: ExecutionContext, more: Partial<OpenRepositoryOptions> = {}): OpenRepositoryOptions {
  return { cacheFolder: createFolder(t), environment: {}, ...more };
}

async function servePrivate(t: ExecutionContext) {
  const source = createRepository(t);
  source.write('docs/a.md', '# A\n');
  source.commit('First');
  const server = await serveGit(t, dirname(source.folder), { username: 'reader', password: 'se/cr@t' });
  return { source, server, url: `${server.url}/${basename(source.folder)}` };
}

function withCredentials(url: string, credentials: string): string {
  return url.replace('//', `//${credentials}@`);
}

test.serial('openRepository() says that the connection was refused, and by whom', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const error = await throwsCode(t, 'network', () => openRepository(`http://127.0.0.1:${port}/r`, createOptions(t)));
  t.is(error.message, `Cannot reach "127.0.0.1:${port}": the connection was refused`);
});

test.serial('openRepository() says that a host is not known', async (t) => {
  const error = await throwsCode(t, 'network', () => openRepository('http://nowhere.invalid/r', createOptions(t)));
  t.regex(error.message, /Cannot reach "nowhere\.invalid"/);
});

test.serial('openRepository() does not wait for a silent server for ever', async (t) => {
  const url = await listen(t, () => {});
  const started = performance.now();
  const error = await throwsCode(t, 'network', () => openRepository(url, createOptions(t, { timeoutMs: 300 })));
  t.regex(error.message, /No answer from "127\.0\.0\.1:\d+" in time \((?:silent for|it took longer than) /);
  t.true(performance.now() - started < 60_000);
});

test.serial('openRepository() does not wait for a server that stops in the middle of its answer', async (t) => {
  const url = await listen(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.write('001e# service=git-upload-pack\n');
  });
  await throwsCode(t, 'network', () => openRepository(url, createOptions(t, { timeoutMs: 300 })));
});

test.serial('openRepository() takes no list of refs that was cut off', async (t) => {
  const url = await listen(t, (_request, response) => {
    const lines = '001e# service=git-upload-pack\n00000058';
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.end(`${lines}${'a'.repeat(40)} refs/heads/main\0shallow ofs-delta agent=x\n`);
  });
  const error = await throwsCode(t, 'network', () => openRepository(url, createOptions(t)));
  t.regex(error.message, /cut off/);
});

test.serial('openRepository() says that an address is no git repository', async (t) => {
  const url = await listen(t, (_request, response) => response.end('<html>hello</html>'));
  const error = await throwsCode(t, 'not-a-repository', () => openRepository(url, createOptions(t)));
  t.regex(error.message, /is not a git repository/);
});

test.serial('openRepository() says that a server has nothing but plain files', async (t) => {
  const url = await listen(t, (_request, response) => response.end(`${'a'.repeat(40)}\trefs/heads/main\n`));
  const error = await throwsCode(t, 'not-a-repository', () => openRepository(url, createOptions(t)));
  t.regex(error.message, /plain files \("dumb" HTTP\)/);
});

test.serial(
  'openRepository() says that a list of refs is damaged, refused, or of a protocol that nobody knows',
  async (t) => {
    let lines: readonly string[] = [];
    const url = await listen(t, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      const encode = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line;
      response.end(`${encode('# service=git-upload-pack\n')}0000${lines.map(encode).join('')}0000`);
    });
    const expected: readonly (readonly [lines: readonly string[], message: RegExp])[] = [
      [[`${'a'.repeat(39)} refs/heads/main\0shallow\n`], /sent a damaged list of refs, with the line "a/],
      [[`${'a'.repeat(40)} refs/heads/main\0shallow\n`, 'x'.repeat(9_000)], /sent a damaged list of refs/],
      [['ERR Repository is archived\n'], /refuses: "Repository is archived"/],
      [['version 3\n'], /unknown protocol version 3/],
    ];
    for (const [sent, message] of expected) {
      lines = sent;
      const error = await throwsCode(t, 'network', () => openRepository(url, createOptions(t)));
      t.regex(error.message, message);
      t.true(error.message.includes(url) && error.message.length < 500);
    }
  },
);

test.serial(
  'openRepository() reads lists that only look odd, and long ones with names that come twice, in little time',
  async (t) => {
    let lines: readonly string[] = [];
    const url = await listen(t, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      const encode = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line;
      response.end(`${encode('# service=git-upload-pack\n')}0000${lines.map(encode).join('')}0000`);
    });
    const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
    const list = async () =>
      (await openRepository(url, createOptions(t))).refs.map(({ name, oid }) => `${name} ${oid[0]}`);
    for (const first of ['', '\0', '\0symref=HEAD', '\0agent=x/version 2', '\0session-id=version 2 shallow']) {
      lines = [`${a} HEAD${first}\n`, `${a} refs/heads/main\n`, `${b} refs/heads/main\n`];
      t.deepEqual(await list(), ['main a'], first);
    }
    const names = Array.from({ length: 40_000 }, (_, number) => `refs/tags/t${number}`);
    lines = [
      `${a} HEAD\0shallow\n`,
      ...names.map((name) => `${a} ${name}\n`),
      ...names.flatMap((name) => [`${b} ${name}\n`, `${b} ${name}^{}\n`]),
    ];
    const started = cpuTimeMs();
    t.is((await list()).length, 40_000);
    t.true(cpuTimeMs() - started < 4_000);
  },
);

/** Serves a list of refs as git would, and answers requests for packs otherwise. */
async function serveAnswer(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const line = `${'a'.repeat(40)} refs/heads/main\0shallow side-band-64k\n`;
  return listen(t, (request, response) => {
    if (request.method === 'POST') return answer(request, response);
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.end(`001e# service=git-upload-pack\n0000${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
  });
}

test.serial('fetch() says what a server answers instead of a pack', async (t) => {
  const type = { 'content-type': 'application/x-git-upload-pack-result' };
  const cases: readonly (readonly [answer: RequestListener, code: BuildErrorCode, message: RegExp])[] = [
    [(_request, response) => response.writeHead(500).end('<html>'), 'network', /answers with status 500/],
    [(_request, response) => response.writeHead(403).end(), 'authentication', /denies access \(403\)/],
    [(_request, response) => response.end('<html>'), 'network', /answered as "" instead of "application/],
    [(_request, response) => response.writeHead(200, type).end(), 'network', /ended its response too early/],
    [(_request, response) => response.writeHead(200, type).end('0008NAK\n'), 'network', /ended its response too early/],
    [(_request, response) => response.writeHead(200, type).end('<html></html>'), 'network', /sent "<htm" where/],
    [
      (_request, response) => response.writeHead(200, type).end('0008NAK\n000eERR broken'),
      'network',
      /gave up: "broken"/,
    ],
    [(_request, response) => response.writeHead(200, type).end('000b\x03oh no\n0000'), 'network', /gave up: "oh no"/],
    [
      (_request, response) => response.writeHead(200, type).end('000c\x03oh no\n\x000000'),
      'network',
      /gave up: "oh no"/,
    ],
    [(_request, response) => response.writeHead(200, type).end('0008NAK\n0009\x01oops0000'), 'network', /cut off/],
    [
      (_request, response) => response.writeHead(200, type).end(`0008NAK\n0015\x01${'not a pack at al'}0000`),
      'network',
      /sent a damaged pack/,
    ],
    [(request) => request.socket.destroy(), 'network', /the connection was closed/],
  ];
  for (const [answer, code, message] of cases) {
    const url = await serveAnswer(t, answer);
    const options = createOptions(t, { timeoutMs: 20_000 });
    const repository = await openRepository(url, options);
    const error = await throwsCode(t, code, () => repository.fetch(repository.refs));
    t.regex(error.message, message);
    const left = readdirSync(options.cacheFolder, { recursive: true, encoding: 'utf8' });
    t.deepEqual(
      left.filter((name) => /\.(?:tmp|pack|idx|lock)$/.test(name)),
      [],
    );
  }
});

test.serial('fetch() ends when its time is up, whatever the server sends', async (t) => {
  const url = await serveAnswer(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
    const timer = setInterval(() => response.write('0006\x02.'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const repository = await openRepository(url, createOptions(t, { timeoutMs: 3_000 }));
  const started = performance.now();
  const error = await throwsCode(t, 'network', () => repository.fetch(repository.refs));
  t.regex(error.message, /it took longer than/);
  t.true(performance.now() - started < 60_000);
});

test.serial('openRepository() says that a repository does not exist', async (t) => {
  const server = await serveGit(t, createFolder(t));
  const error = await throwsCode(t, 'not-found', () => openRepository(`${server.url}/none`, createOptions(t)));
  t.regex(error.message, /does not exist \(404\)/);
});

test.serial('openRepository() says that a server is out of order', async (t) => {
  const url = await listen(t, (_request, response) => response.writeHead(503).end());
  const error = await throwsCode(t, 'network', () => openRepository(url, createOptions(t)));
  t.regex(error.message, /503/);
});

test.serial('openRepository() uses the credentials of the address, unasked, and shows them nowhere', async (t) => {
  const { url, server } = await servePrivate(t);
  const options = createOptions(t);
  const repository = await openRepository(withCredentials(url, 'reader:se%2Fcr%40t'), options);
  t.is(server.requests.length, 1);
  t.is(repository.label, url);
  t.is(repository.webUrl, url);
  await repository.fetch(repository.refs);
  await repository.readCommit(repository.refs[0]!.oid);
  for (const file of readdirSync(options.cacheFolder, { recursive: true, encoding: 'utf8' })) {
    const path = join(options.cacheFolder, file);
    if (statSync(path).isFile()) t.false(readFileSync(path, 'latin1').includes('cr@t'), file);
  }
});

test.serial('openRepository() gives the credentials of the environment when the server asks', async (t) => {
  const { url, server } = await servePrivate(t);
  const environment = { DOCBUILD_GIT_USERNAME: 'reader', DOCBUILD_GIT_PASSWORD: 'se/cr@t' };
  const repository = await openRepository(url, createOptions(t, { environment }));
  t.is(server.requests[0]?.authorization, undefined);
  await repository.fetch(repository.refs);
  t.truthy(await repository.readCommit(repository.refs[0]!.oid));
});

test.serial('openRepository() gives a token of the environment with a user name', async (t) => {
  const { url } = await servePrivate(t);
  const environment = { DOCBUILD_GIT_USERNAME: 'reader', DOCBUILD_GIT_TOKEN: 'se/cr@t' };
  t.is((await openRepository(url, createOptions(t, { environment }))).refs.length, 1);
});

test.serial('openRepository() gives the environment’s credentials to the named host only', async (t) => {
  const { url, server } = await servePrivate(t);
  const environment = {
    DOCBUILD_GIT_TOKEN: 'se/cr@t',
    DOCBUILD_GIT_USERNAME: 'reader',
    DOCBUILD_GIT_HOST: 'host.test',
  };
  await throwsCode(t, 'authentication', () => openRepository(url, createOptions(t, { environment })));
  t.true(server.requests.every(({ authorization }) => authorization === undefined));
  const right = { ...environment, DOCBUILD_GIT_HOST: '127.0.0.1' };
  t.is((await openRepository(url, createOptions(t, { environment: right }))).refs.length, 1);
});

for (const credentials of [undefined, 'reader:wrong-one', 'wrong-token']) {
  test.serial(`openRepository() says how to give credentials when they are ${credentials ?? 'missing'}`, async (t) => {
    const { url, server } = await servePrivate(t);
    const location = credentials === undefined ? url : withCredentials(url, credentials);
    const environment = { DOCBUILD_GIT_USERNAME: 'reader', DOCBUILD_GIT_PASSWORD: 'also-wrong' };
    const error = await throwsCode(t, 'authentication', () =>
      openRepository(location, createOptions(t, { environment })),
    );
    t.regex(error.message, /DOCBUILD_GIT_TOKEN/);
    t.notRegex(inspect(error, { depth: 9 }), /wrong-one|wrong-token|also-wrong/);
    t.true(server.requests.length <= 2);
  });
}

test.serial('openRepository() follows a redirect and fetches from where it leads', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'moved');
  source.commit('First');
  const server = await serveGit(t, dirname(source.folder));
  const target = `${server.url}/${basename(source.folder)}`;
  const from = await listen(t, (request, response) => {
    response.writeHead(301, { location: `${target}${(request.url ?? '').replace('/old', '')}` }).end();
  });
  const repository = await openRepository(`${from}/old`, createOptions(t));
  await repository.fetch(repository.refs);
  t.truthy(await repository.readCommit(repository.refs[0]!.oid));
  t.is(repository.label, `${from}/old`);
});

test.serial('openRepository() sends credentials to no other origin', async (t) => {
  const seen: (string | undefined)[] = [];
  const target = await listen(t, (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  });
  const from = await listen(t, (request, response) => {
    response.writeHead(302, { location: `${target}${request.url}` }).end();
  });
  const environment = { DOCBUILD_GIT_TOKEN: 'secret' };
  await throwsCode(t, 'authentication', () =>
    openRepository(withCredentials(`${from}/r`, 'u:p'), createOptions(t, { environment })),
  );
  await throwsCode(t, 'authentication', () => openRepository(`${from}/r`, createOptions(t, { environment })));
  t.true(seen.length >= 2);
  t.true(seen.every((authorization) => authorization === undefined));
});

test.serial('openRepository() does not follow redirects in circles', async (t) => {
  const url = await listen(t, (request, response) => response.writeHead(302, { location: request.url }).end());
  const error = await throwsCode(t, 'network', () => openRepository(url, createOptions(t)));
  t.regex(error.message, /redirects more than/);
});

test.serial('openRepository() follows no redirect to another protocol', async (t) => {
  const url = await listen(t, (_request, response) =>
    response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  );
  const error = await throwsCode(t, 'network', () => openRepository(url, createOptions(t)));
  t.regex(error.message, /unsafe/);
});

test.serial('fetch() stops at the limit of bytes', async (t) => {
  const source = createRepository(t);
  source.write('big.bin', Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * index * 31) >> 7)));
  source.commit('First');
  const server = await serveGit(t, dirname(source.folder));
  const url = `${server.url}/${basename(source.folder)}`;
  const repository = await openRepository(url, createOptions(t, { maxFetchBytes: 10_000 }));
  const error = await throwsCode(t, 'fetch-limit', () => repository.fetch(repository.refs));
  t.regex(error.message, /sent more than 0\.01 MB, the limit for one fetch; raise it with \{option maxFetchBytes\}/);
});
