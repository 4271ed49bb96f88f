import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { type Ownership, takeOwnership } from '../../data/take-ownership.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { throwsData } from './contract/adapter.ts';

const QUICK = { signMs: 20, silentMs: 300 };
const SCRIPT = fileURLToPath(new URL('./hold-folder.js', import.meta.url));

async function take(t: ExecutionContext, folder: string): Promise<Ownership> {
  const own = await takeOwnership(folder, QUICK);
  t.teardown(() => own.release());
  return own;
}

/** Starts a process that owns a folder; gives its id once it does, or what it said instead. */
async function startOwner(t: ExecutionContext, folder: string) {
  const child = spawn(process.execPath, [SCRIPT, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const said = await new Promise<string>((resolve) =>
    child.stdout.once('data', (bytes: Buffer) => resolve(`${bytes}`)),
  );
  return { child, closed, said: said.trim() };
}

/** Rewrites a lock in place, so that it stays the same file. */
function edit(folder: string, values: Readonly<Record<string, unknown>>): void {
  const path = join(folder, 'lock');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...values }));
}

test('takeOwnership() lets one have a folder, and the next one when it is released', async (t) => {
  const folder = createFolder(t);
  const own = await take(t, folder);
  t.true(own.isHeld());
  await throwsData(t, take(t, folder), 'busy', new RegExp(`process ${process.pid} is using it$`));
  own.release();
  own.release();
  t.false(own.isHeld());
  t.deepEqual(readdirSync(folder), []);
  t.true((await take(t, folder)).isHeld());
  t.deepEqual(readdirSync(folder), ['lock']);
});

test('takeOwnership() lets one of many that come at once have the folder', async (t) => {
  const folder = createFolder(t);
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => take(t, folder)));
  t.is(tries.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('takeOwnership() names the process that has the folder, and takes over when it was killed', async (t) => {
  const folder = createFolder(t);
  const { child, closed, said } = await startOwner(t, folder);
  t.is(said, 'owner');
  await throwsData(t, take(t, folder), 'busy', new RegExp(`process ${child.pid} is using it$`));
  child.kill('SIGSTOP');
  await throwsData(t, take(t, folder), 'busy', new RegExp(`process ${child.pid} is using it$`));
  child.kill('SIGKILL');
  await closed;
  t.true(existsSync(join(folder, 'lock')));
  const start = performance.now();
  const patient = await takeOwnership(folder, { ...QUICK, silentMs: 60_000 });
  t.teardown(() => patient.release());
  t.true(patient.isHeld());
  t.true(performance.now() - start < 30_000, 'it does not wait for a sign of life');
});

test('takeOwnership() lets one of several processes take over a lock that was left behind', async (t) => {
  for (let round = 0; round < 3; round++) {
    const folder = createFolder(t);
    const dead = await startOwner(t, folder);
    dead.child.kill('SIGKILL');
    await dead.closed;
    const owners = await Promise.all(Array.from({ length: 4 }, () => startOwner(t, folder)));
    t.deepEqual(owners.map(({ said }) => said.replace(/^busy.*/, 'busy')).sort(), ['busy', 'busy', 'busy', 'owner']);
    for (const { child, closed } of owners) {
      child.kill('SIGKILL');
      await closed;
    }
  }
});

const stale: Readonly<Record<string, (folder: string) => void>> = {
  'whose process id is another process by now': (folder) => edit(folder, { start: '1' }),
  'whose process is gone': (folder) => edit(folder, { pid: spawnSync(process.execPath, ['-e', '']).pid }),
  'that came in a copy': (folder) => {
    copyFileSync(join(folder, 'lock'), join(folder, 'copy'));
    rmSync(join(folder, 'lock'));
    copyFileSync(join(folder, 'copy'), join(folder, 'lock'));
  },
  'of another machine that nobody has touched for long': (folder) => {
    edit(folder, { place: 'elsewhere 1 2' });
    utimesSync(join(folder, 'lock'), new Date(0), new Date(0));
  },
};
for (const [title, spoil] of Object.entries(stale)) {
  test(`takeOwnership() takes over a lock ${title}, at once`, async (t) => {
    const folder = createFolder(t);
    const own = await takeOwnership(folder, { signMs: 1e6, silentMs: 1e6 });
    t.teardown(() => own.release());
    spoil(folder);
    const next = await takeOwnership(folder, { signMs: 1e6, silentMs: 1e6 });
    t.false(own.isHeld());
    own.release();
    t.true(next.isHeld());
    next.release();
  });
}

test('takeOwnership() leaves the lock of another machine that gives signs, and takes one that gives none', async (t) => {
  const folder = createFolder(t);
  const own = await take(t, folder);
  edit(folder, { place: 'elsewhere 1 2', pid: 77 });
  await throwsData(t, take(t, folder), 'busy', /process 77 on "elsewhere" is using it$/);
  own.release();
  const silent = await takeOwnership(folder, { ...QUICK, signMs: 1e6 });
  t.teardown(() => silent.release());
  edit(folder, { place: 'elsewhere 1 2', pid: 77 });
  t.true((await take(t, folder)).isHeld());
  t.false(silent.isHeld());
});

test('takeOwnership() takes over a file that is no lock when nobody touches it', async (t) => {
  for (const text of ['', '{', '[]', 'null', '{"pid":-1}']) {
    const folder = createFolder(t);
    writeFileSync(join(folder, 'lock'), text);
    t.true((await take(t, folder)).isHeld(), text);
  }
});

test('takeOwnership() is not held up by a guard that was left behind', async (t) => {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'lock'), '{}');
  writeFileSync(join(folder, 'lock.guard'), '');
  for (const name of ['lock', 'lock.guard']) utimesSync(join(folder, name), new Date(0), new Date(0));
  t.true((await take(t, folder)).isHeld());
  t.deepEqual(readdirSync(folder), ['lock']);
});

test('takeOwnership() tells an owner that the folder was taken from it', async (t) => {
  const folder = createFolder(t);
  const own = await take(t, folder);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  t.false(own.isHeld());
  const next = await take(t, folder);
  own.release();
  t.true(next.isHeld());
});

(process.platform === 'linux' ? test : test.skip)(
  'takeOwnership() takes over from a process that ended and that nobody has reaped',
  async (t) => {
    const folder = createFolder(t);
    // The shell becomes a program that never asks after its child.
    const script = `"$0" "$1" "$2" < /dev/zero > /dev/null & echo $!; exec sleep 60`;
    const parent = spawn('sh', ['-c', script, process.execPath, SCRIPT, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => parent.kill('SIGKILL'));
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
    while (!existsSync(join(folder, 'lock'))) await new Promise((resolve) => setTimeout(resolve, 10));
    process.kill(pid, 'SIGKILL');
    while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) await new Promise(setImmediate);
    const own = await takeOwnership(folder, { signMs: 20, silentMs: 60_000 });
    t.true(own.isHeld());
    own.release();
  },
);
