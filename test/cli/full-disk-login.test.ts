import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { diskTest, mountDisk } from '../helpers/mount-disk.ts';
import { runCommand } from '../helpers/run-command.ts';
import { spawnServer } from '../helpers/spawn-server.ts';

const PASSWORD = 'correct horse battery';

/** Writes until nothing more can be written. */
function fill(file: string): void {
  const handle = openSync(file, 'w');
  try {
    for (const size of [65_536, 4_096, 1]) {
      const piece = Buffer.alloc(size);
      try {
        for (;;) writeSync(handle, piece);
      } catch {
        // smaller pieces may still have room
      }
    }
  } finally {
    closeSync(handle);
  }
}

diskTest(
  'nobody is locked out of the console when the disk is full: operators and users log in, see and log out',
  async (t) => {
    const cwd = mountDisk(t, 'size=4m');
    writeFileSync(join(cwd, 'docbuild.yml'), 'base_dir: ./base\n');
    for (const account of ['boss', 'reader']) {
      const operator = account === 'boss' ? ['--operator'] : [];
      await runCommand(['user', 'create', account, '--password-stdin', ...operator], { cwd, input: PASSWORD });
    }
    const server = await spawnServer(t, cwd);
    const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(server.origin + path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
    fill(join(cwd, 'filler'));
    for (const account of ['boss', 'reader', 'boss']) {
      const login = await post('/api/user/login', { account, password: PASSWORD, fields: 'token' });
      t.is(login.status, 200, account);
      const { token } = (await login.json()) as { token: string };
      const headers = { Cookie: `sessionId=${token}` };
      const page = await fetch(`${server.origin}/control/${account === 'boss' ? 'projects' : 'keys'}`, {
        headers,
        redirect: 'manual',
      });
      t.is(page.status, 200, account);
      t.is((await post('/api/user/login', { account, password: 'something else' })).status, 401);
      t.is((await post('/api/user/logout', {}, headers)).status, 200);
      const after = await fetch(`${server.origin}/api/user/quota`, { headers });
      t.is(after.status, 401, 'it has ended');
    }
    t.regex(server.output(), /Cannot enter into the audit log: logIn of .*boss/);
    rmSync(join(cwd, 'filler'));
    const login = await post('/api/user/login', { account: 'boss', password: PASSWORD });
    t.is(login.status, 200);
    const audit = await runCommand(['audit', '--action', 'logIn', '--json'], { cwd });
    t.is((JSON.parse(audit.stdout) as unknown[]).length >= 1, true);
  },
);
