import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { BuildError } from '../../../../builder/build-error.ts';
import { openRepository } from '../../../../builder/open-repository.ts';
import { HttpError } from '../../../../lib/http-client.ts';
import { isPublicAddress } from '../../../../lib/ip-address.ts';
import { createPublicFetch } from '../../../../lib/public-fetch.ts';
import { createFolder, createRepository } from '../../../helpers/create-repository.ts';
import { serveGit } from '../../../helpers/serve-git.ts';
import { setTrap } from '../../../helpers/set-trap.ts';

/** A server that answers every request with a redirect, by its path. */
async function serveRedirects(t: ExecutionContext, locationOf: (path: string) => string): Promise<number> {
  const server = createServer((request, response) => {
    response.writeHead(302, { location: locationOf(request.url ?? '/') }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const open = (t: ExecutionContext, url: string) =>
  openRepository(url, { cacheFolder: createFolder(t), environment: {}, timeoutMs: 10_000 });

test.serial('isPublicAddress() knows the addresses of the public internet', (t) => {
  const notPublic = [
    ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
    ...['192.0.2.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.0.1'],
    ...[
      '::',
      '::1',
      'fe80::1',
      'fc00::1',
      'fd12:3456::1',
      'ff02::1',
      '2001:db8::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
    ],
    ...['::7f00:1', '4000::1', '64:ff9b::7f00:1', '2002:7f00:1::1', '2001:0:7f00:1::', 'localhost', '', '1.2.3', 'x'],
  ];
  for (const address of notPublic) t.false(isPublicAddress(address), address);
  for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '::ffff:1.1.1.1'])
    t.true(isPublicAddress(address), address);
});

test.serial('openRepository() follows no redirect from a named host into the network behind it', async (t) => {
  const trap = await setTrap(t);
  const hosts = [
    ...[
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '2130706433',
      '0177.0.0.1',
      '0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
    ],
    ...['169.254.169.254', '10.0.0.1', '[fd00::1]', '127.0.0.1.'],
  ];
  for (const host of hosts) {
    const port = await serveRedirects(t, (path) => `http://${host}:${trap.port}${path}`);
    const error = await t.throwsAsync(open(t, `http://localhost:${port}/r.git`), { instanceOf: BuildError }, host);
    t.is(error?.code, 'network');
    t.regex(error!.message, /redirects to ".*", which is not on the public internet/, host);
  }
  t.deepEqual(trap.caught, []);
});

test.serial(
  'openRepository() follows no redirect to a name that means an address of the network behind it',
  async (t) => {
    const trap = await setTrap(t);
    const port = await serveRedirects(t, (path) => `http://LOCALHOST:${trap.port}${path}`);
    const error = await t.throwsAsync(open(t, `http://127.0.0.1:${port}/r.git`), { instanceOf: BuildError });
    t.regex(error!.message, /redirects to "localhost", which is not on the public internet/);
    t.deepEqual(trap.caught, []);
  },
);

test.serial('openRepository() looks at every redirect, not at the first alone', async (t) => {
  const trap = await setTrap(t);
  const port = await serveRedirects(t, (path) => {
    const step = Number(/^\/(\d)/.exec(path)?.[1] ?? 0) + 1;
    return step < 3 ? `/${step}${path.replace(/^\/\d/, '')}` : `http://127.0.0.1:${trap.port}/`;
  });
  const error = await t.throwsAsync(open(t, `http://localhost:${port}/r.git`), { instanceOf: BuildError });
  t.regex(error!.message, /not on the public internet/);
  t.deepEqual(trap.caught, []);
});

test.serial('openRepository() follows redirects on the host that was named, whatever its address', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'moved');
  source.commit('First');
  const server = await serveGit(t, dirname(source.folder));
  const port = await serveRedirects(t, (path) => `${server.url}/${basename(source.folder)}${path.replace('/old', '')}`);
  const repository = await open(t, `http://127.0.0.1:${port}/old`);
  await repository.fetch(repository.refs);
  t.truthy(await repository.readCommit(repository.refs[0]!.oid));
});

test.serial('createPublicFetch() fetches what is allowed, by name and by address, and nothing else', async (t) => {
  const trap = await setTrap(t);
  const seen: string[] = [];
  const fetchAll = createPublicFetch((address) => seen.push(address) > 0);
  for (const host of ['localhost', '127.0.0.1']) {
    const answer = await fetchAll(`http://${host}:${trap.port}/x`, {
      method: 'POST',
      body: Buffer.from('body'),
      redirect: 'manual',
    });
    t.deepEqual([answer.status, await answer.text()], [200, '{}']);
  }
  t.is(trap.caught.length, 2);
  t.true(seen.includes('127.0.0.1'));
  const fetchNone = createPublicFetch(() => false);
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    await t.throwsAsync(fetchNone(`http://${host}:${trap.port}/x`), { instanceOf: HttpError });
  t.is(trap.caught.length, 2);
});
