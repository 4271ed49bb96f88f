import test from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runInTerminal } from '../helpers/run-in-terminal.ts';
import { commitFiles } from '../helpers/write-pages.ts';

test.serial('docbuild project remove asks on a terminal, and wants --yes elsewhere', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const cwd = createFolder(t);
  const run = (...args: string[]) => runCommand(['project', ...args], { cwd });
  const exists = async (): Promise<boolean> => (await run('get', 'guide')).code === 0;
  t.is((await run('create', '-u', repository.folder, 'guide')).code, 0);

  const refused = await run('remove', 'guide');
  t.deepEqual([refused.code, refused.stdout], [2, '']);
  t.regex(refused.stderr, /^error: removing "guide" removes its builds and its site, too; confirm that with --yes\n/);
  const json = await run('remove', 'guide', '--json');
  t.deepEqual([json.code, json.stderr, JSON.parse(json.stdout).error.code], [2, '', 'usage']);
  t.true(await exists());

  /** Answers the question. */
  const answer = async (typed: string) => {
    const { code, stdout } = await runInTerminal(['project', 'remove', 'guide'], {
      cwd,
      env: { NO_COLOR: '1' },
      input: '',
      isInputOpen: true,
      onStart(child) {
        let said = '';
        child.stdout!.on('data', (text: string) => {
          const isNew = !said.includes('[y/N]');
          said += text;
          if (isNew && said.includes('[y/N]')) child.stdin!.end(typed);
        });
      },
    });
    t.true(stdout.includes('Remove project "guide" with its builds and its site? [y/N]'), stdout);
    return { code, stdout };
  };
  for (const typed of ['\n', 'n\n', 'yess\n']) {
    const { code, stdout } = await answer(typed);
    t.is(code, 1);
    t.regex(stdout, /Project "guide" stays as it is\r?\n/);
  }
  const cancelled = await answer('\x03');
  t.is(cancelled.code, 1);
  t.regex(cancelled.stdout, /Error: Cancelled/);
  t.true(await exists());
  const removed = await answer('y\n');
  t.is(removed.code, 0);
  t.regex(removed.stdout, /Removed project "guide"\r?\n$/);
  t.false(await exists());
  t.is((await run('create', '-u', repository.folder, 'guide')).code, 0);
  t.is((await run('remove', 'guide', '-y')).stdout, 'Removed project "guide"\n');
});
