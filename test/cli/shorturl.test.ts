import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createShortUrl } from '../helpers/create-records.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { openStore } from '../helpers/open-store.ts';
import { runCommand } from '../helpers/run-command.ts';
import { spawnServer } from '../helpers/spawn-server.ts';

test('docbuild shorturl lists, disables and enables, without a server and through the one that runs', async (t) => {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\n');
  const store = await openStore(t, join(folder, 'base', 'store'));
  for (const [i, code] of ['first', 'Second', 'third'].entries()) {
    const createdAt = `2026-01-0${i + 1}T00:00:00.000Z`;
    await store.shortUrls.add(createShortUrl({ code, uid: `${1 + (i % 2)}`, isCustom: true, createdAt }));
  }
  await store.close();
  const run = async (...args: string[]) => {
    const { code, stdout } = await runCommand(['shorturl', ...args, '--json'], { cwd: folder });
    return { code, result: stdout === '' ? undefined : JSON.parse(stdout) };
  };
  const codes = async (...args: string[]) =>
    (await run('list', ...args)).result.map(({ code }: { code: string }) => code);
  const tryAll = async (): Promise<void> => {
    t.deepEqual(await codes(), ['third', 'Second', 'first']);
    t.deepEqual(await codes('--user', '1'), ['third', 'first']);
    t.deepEqual(await codes('-n', '1', '--before', 'third'), ['Second']);
    const disabled = await run('disable', 'second');
    t.like(disabled, { code: 0, result: { code: 'Second', isDisabled: true } });
    t.like(await run('enable', 'Second'), { code: 0, result: { code: 'Second', isDisabled: false } });
    for (const args of [
      ['disable', 'none'],
      ['enable', '__proto__'],
      ['list', '--before', 'none'],
    ]) {
      t.like(await run(...args), { code: 1, result: { error: { code: 'not-found' } } }, args.join(' '));
    }
    t.like(await run('show', 'https://s.example/t/SECOND?x'), { code: 0, result: { code: 'Second', redirects: 0 } });
    t.deepEqual(await codes('--host', 'EXAMPLE.org'), ['third', 'Second', 'first']);
    t.deepEqual(await codes('--host', 'example.com'), []);
    t.deepEqual((await run('disable', '--user', '1')).result, { count: 2 });
    t.deepEqual((await run('enable', '--host', 'example.org')).result, { count: 2 });
  };
  await tryAll();
  const server = await spawnServer(t, folder);
  await tryAll();
  await server.stop('SIGTERM');
  t.is((await run('list', '-n', '0')).code, 2);
  for (const args of [[], ['first', '--user', '1'], ['--user', '1', '--host', 'example.org']]) {
    t.is((await run('disable', ...args)).code, 2, args.join(' '));
  }
  const own = await openStore(t, join(folder, 'base', 'store'));
  const longUrl = 'https://xn--bcher-kva.example/a';
  await own.shortUrls.add(createShortUrl({ code: 'books', longUrl, createdAt: '2025-01-01T00:00:00.000Z' }));
  await own.close();
  t.is((await run('show', 'books')).result.longUrl, longUrl);
  const { stdout } = await runCommand(['shorturl', 'list'], { cwd: folder });
  t.regex(stdout, /\thttps:\/\/xn--bcher-kva\.example\/a \(bücher\.example\)\t0\n$/);
  t.regex(stdout, /^2026-01-03T00:00:00\.000Z\tthird\t1\tactive\thttps:\/\/example\.org\/a\?b=c#d\t0\n/);
});
