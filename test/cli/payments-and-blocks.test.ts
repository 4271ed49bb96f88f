import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { spawnServer } from '../helpers/spawn-server.ts';

function createPlace(t: ExecutionContext) {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\n');
  const run = async (...args: string[]) => {
    const { code, stdout } = await runCommand([...args, '--json'], { cwd: folder });
    return { code, result: stdout === '' ? undefined : JSON.parse(stdout) };
  };
  return { folder, run };
}

test.serial('docbuild block adds, lists and removes without a server and through the one that runs', async (t) => {
  const { folder, run } = createPlace(t);
  const added = await run('block', 'add', '127.0.0.0/8', '--reason', 'Load', '--minutes', '5');
  t.like(added, { code: 0, result: { kind: 'source', target: '127.0.0.0/8', by: 'operator', reason: 'Load' } });
  t.like(await run('block', 'host', 'Example.com'), {
    code: 0,
    result: { kind: 'host', target: 'example.com', until: '' },
  });
  const server = await spawnServer(t, folder);
  const answer = await fetch(`${server.origin}/openservice/none`);
  t.is(answer.status, 429);
  t.true(Number(answer.headers.get('Retry-After')) > 240);
  const { result } = await run('block', 'list');
  t.deepEqual(
    result.map(({ target }: { target: string }) => target),
    ['example.com', '127.0.0.0/8'],
  );
  t.is((await run('block', 'remove', '127.0.0.0/8')).code, 0);
  t.is((await fetch(`${server.origin}/openservice/none`)).status, 404);
  t.like(await run('block', 'remove', '127.0.0.0/8'), { code: 1, result: { error: { code: 'not-found' } } });
  t.is((await run('block', 'remove', '--host', 'example.com')).code, 0);
  t.deepEqual((await run('block', 'list')).result, []);
});

test.serial(
  'docbuild block shows hosts in punycode in their own letters, too; JSON has them as they are',
  async (t) => {
    const { folder, run } = createPlace(t);
    const block = async (...args: string[]) => (await runCommand(['block', ...args], { cwd: folder })).stdout;
    t.regex(
      await block('host', 'bücher.example'),
      /^Blocked host\txn--bcher-kva\.example \(bücher\.example\)\tfor ever\t/,
    );
    t.regex(await block('list'), /^host\txn--bcher-kva\.example \(bücher\.example\)\tfor ever\t/);
    t.is((await run('block', 'list')).result[0].target, 'xn--bcher-kva.example');
    t.is(await block('remove', '--host', 'bücher.example'), 'Unblocked xn--bcher-kva.example (bücher.example)\n');
  },
);

test.serial('docbuild user and block say what is wrong: 1 for what cannot be done, 2 for wrong use', async (t) => {
  const { run } = createPlace(t);
  t.like(await run('user', 'grant', '1000000001', '--fen', '100'), {
    code: 1,
    result: { error: { code: 'not-found' } },
  });
  t.like(await run('user', 'plan', '1000000001'), { code: 1, result: { error: { code: 'not-found' } } });
  t.like(await run('block', 'add', 'example.com'), { code: 2, result: { error: { code: 'invalid' } } });
  t.like(await run('user', 'ledger'), { code: 0, result: { entries: 0, problems: [] } });
  for (const flags of [[], ['--fen', 'x'], ['--fen', '1', '--monthly', '15'], ['--fen', '1', '--months', '2']]) {
    t.is((await run('user', 'grant', '1000000001', ...flags)).code, 2, flags.join(' '));
  }
  for (const flags of [
    ['--minutes', 'x'],
    ['--minutes', '1', '--until', '2030-01-01'],
  ]) {
    t.is((await run('block', 'add', '203.0.113.7', ...flags)).code, 2, flags.join(' '));
  }
});

test.serial('docbuild user ledger ends with 1 and says where a ledger that was edited does not add up', async (t) => {
  const { folder, run } = createPlace(t);
  const account = { uid: '1000000001', module: 'inclusion', at: '2026-05-04T12:00:00.000Z' };
  const bought = { ...account, seq: 1, kind: 'credits', fen: 100, count: 100, expiresAt: '2027-05-04T12:00:00.000Z' };
  const used = {
    ...account,
    seq: 2,
    kind: 'use',
    grant: 1,
    from: account.at,
    taken: 5,
    returned: 0,
    left: 99,
    merged: 1,
  };
  mkdirSync(join(folder, 'base/store'), { recursive: true });
  const document = { format: 1, collection: 'ledger', write: 1, removed: [], records: [bought, used] };
  writeFileSync(join(folder, 'base/store/ledger.json'), JSON.stringify(document));
  const { code, result } = await run('user', 'ledger');
  t.is(code, 1);
  t.is(result.problems[0], 'Entry 2: 100 - 5 + 0 requests are not the 99 it says are left');
});
