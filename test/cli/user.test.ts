import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { docbuildPath, runDocbuild } from '../helpers/run-docbuild.ts';
import { spawnServer } from '../helpers/spawn-server.ts';

const PASSWORD = 'correct horse battery';

/** A folder with a configuration, and the command in it. */
function createPlace(t: ExecutionContext) {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\n');
  const run = async (args: readonly string[], input?: string) => {
    const done = await runCommand(['user', ...args], { cwd: folder, ...(input !== undefined && { input }) });
    return { ...done, text: done.stdout.trim() };
  };
  const json = async (args: readonly string[], input?: string) => {
    const { code, stdout } = await run([...args, '--json'], input);
    return { code, result: JSON.parse(stdout) };
  };
  return { folder, run, json };
}

async function logIn(origin: string, account: string, password: string): Promise<number> {
  const body = new URLSearchParams({ account, password });
  return (await fetch(`${origin}/api/user/login`, { method: 'POST', body })).status;
}

test.serial('docbuild user create prints the uid, and takes the password from standard input', async (t) => {
  const { folder, run, json } = createPlace(t);
  const create = ['user', 'create', 'Admin', '--password-stdin', '--operator'];
  const { code, stdout, stderr } = await runDocbuild(create, { cwd: folder, input: `${PASSWORD}\n` });
  t.deepEqual([code, stderr], [0, '']);
  t.regex(stdout, /^[1-9]\d{9}\n$/);
  const { result } = await json(['list']);
  t.deepEqual(
    [result.length, result[0].uid, result[0].account, result[0].isOperator],
    [1, stdout.trim(), 'admin', true],
  );
  const files = readdirSync(join(folder, 'base/store')).map((name) =>
    readFileSync(join(folder, 'base/store', name), 'utf8'),
  );
  t.notRegex(files.join(), /correct horse/);
  t.regex(files.join(), /\$scrypt\$ln=15,r=8,p=3\$/);
  t.notRegex((await run(['list', '--json'])).stdout, /scrypt/);
});

test.serial('docbuild user create makes a password where there is no terminal, and shows it once', async (t) => {
  const { folder, json } = createPlace(t);
  const plain = await runDocbuild(['user', 'create', 'one'], { cwd: folder });
  t.regex(plain.stdout, /^[1-9]\d{9}\n$/);
  const password = /shown only once: (\S{20})\n$/.exec(plain.stderr)![1]!;
  const { result } = await json(['create', 'two']);
  const server = await spawnServer(t, folder);
  t.is(await logIn(server.origin, 'one', password), 200);
  t.is(await logIn(server.origin, 'two', result.password), 200);
  t.is(await logIn(server.origin, 'two', password), 401);
});

test.serial(
  'docbuild user works through the server that runs: disable ends sessions, a key counts at once',
  async (t) => {
    const { folder, run, json } = createPlace(t);
    const server = await spawnServer(t, folder);
    const uid = (await run(['create', 'reader', '--password-stdin'], PASSWORD)).text;
    t.is(await logIn(server.origin, 'reader', PASSWORD), 200);
    t.regex((await run(['key', uid, '--permission', 'read'])).stdout, /^dbk_[\w-]{43}\n$/);
    const { result: key } = await json(['key', uid, '--permission', 'write']);
    t.deepEqual([key.key.startsWith(key.info.prefix), key.info.permission, 'hash' in key.info], [true, 'write', false]);
    t.regex((await run(['verify', uid])).text, /\tverified\t/);
    t.regex((await run(['verify', uid, '--undo'])).text, /\t-\t/);
    t.regex((await run(['disable', uid])).text, /\tdisabled\t/);
    t.is(await logIn(server.origin, 'reader', PASSWORD), 403);
    t.false((await json(['disable', uid, '--enable'])).result.isDisabled);
    t.is(await logIn(server.origin, 'reader', PASSWORD), 200);
    t.regex((await run(['disable', uid, '--short-urls'])).text, /\tdisabled,short URLs disabled\t/);
    t.is((await run(['disable', uid, '--short-urls', '--enable'])).code, 2);
    t.like(await json(['disable', uid, '--enable']), { result: { areShortUrlsDisabled: undefined } });
    const [listed] = (await json(['list', '--search', 'READ'])).result;
    t.like(listed, { uid, plan: 'free', shortUrls: 0 });
    t.true(Date.parse(listed.lastLoginAt) > Date.parse(listed.createdAt));
    t.deepEqual((await json(['list', '--search', 'x'])).result, []);
    t.regex((await run(['list'])).text, /\tfree\t0\t\d{4}-/);
    t.is((await run(['password', uid, '--password-stdin'], 'another password\r\n')).code, 0);
    t.is(await logIn(server.origin, 'reader', PASSWORD), 401);
    t.is(await logIn(server.origin, 'reader', 'another password'), 200);
    const made = (await run(['password', uid])).text;
    t.is(await logIn(server.origin, 'reader', made), 200);
    t.notRegex(server.output(), /another password|dbk_|correct horse/);
  },
);

test.serial('docbuild user says what is wrong', async (t) => {
  const { run, json } = createPlace(t);
  await run(['create', 'reader', '--password-stdin'], PASSWORD);
  const cases: readonly (readonly [
    args: readonly string[],
    input: string | undefined,
    code: string,
    message: RegExp,
  ])[] = [
    [['create', 'Reader', '--password-stdin'], PASSWORD, 'taken', /^Account "reader" already exists$/],
    [['create', 'a b', '--password-stdin'], PASSWORD, 'invalid', /^An account must/],
    [['create', 'other', '--password-stdin'], 'short', 'invalid', /^A password must have 8 to 256/],
    [['create', 'other', '--password-stdin'], '', 'invalid', /contains no password/],
    [['create', 'other', '--password-stdin'], 'two lines\nof text', 'invalid', /must contain one line/],
    [['disable', '1234567890'], undefined, 'not-found', /^User "1234567890" does not exist$/],
    [['verify', '__proto__'], undefined, 'not-found', /does not exist$/],
    [['password', '1234567890', '--password-stdin'], PASSWORD, 'not-found', /does not exist$/],
    [['key', '1234567890', '--permission', 'read'], undefined, 'not-found', /does not exist$/],
  ];
  for (const [args, input, code, message] of cases) {
    const { code: exit, result } = await json(args, input);
    t.deepEqual([exit, result.error.code], [code === 'invalid' ? 2 : 1, code], args.join(' '));
    t.regex(result.error.message, message);
  }
  t.is((await run(['key', '1'])).code, 2);
  t.is((await run(['key', '1', '--permission', 'all'])).code, 2);
  t.is((await run(['create'])).code, 2);
});

test.serial('docbuild user key: the sixth key is a failure, not wrong use, and says what to do', async (t) => {
  const { run, json } = createPlace(t);
  const uid = (await run(['create', 'reader', '--password-stdin'], PASSWORD)).text;
  const key = ['key', uid, '--permission', 'read'];
  for (let i = 0; i < 5; i++) t.is((await run(key)).code, 0);
  t.like(await run(key), { code: 1, stdout: '', stderr: 'Error: A user can have 5 keys; delete one first\n' });
  t.like(await json(key), { code: 1, result: { error: { code: 'refused' } } });
});

/** Runs the command on a terminal and types what it asks for. */
function runOnTerminal(t: ExecutionContext, cwd: string, answers: readonly string[]) {
  const command = `'${process.execPath}' '${docbuildPath}' user create reader`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  let shown = '';
  let asked = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    while (shown.split(/Password: |Again: /).length - 1 > asked) child.stdin.write(answers[asked++] ?? '\u0003');
  });
  return new Promise<{ code: number | null; shown: string }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, shown }));
  });
}

test.serial('docbuild user create asks twice on a terminal, without echo', async (t) => {
  const { folder, run } = createPlace(t);
  const wrong = await runOnTerminal(t, folder, [`${PASSWORD}\r`, 'something else\r']);
  t.is(wrong.code, 1);
  t.regex(wrong.shown, /The passwords do not match/);
  const cancelled = await runOnTerminal(t, folder, ['corr\u0003']);
  t.deepEqual([cancelled.code, /Cancelled/.test(cancelled.shown)], [1, true]);
  t.is((await run(['list', '--json'])).text, '[]');
  const { code, shown } = await runOnTerminal(t, folder, [`${PASSWORD}x\u007f\r`, `wrong\u0015${PASSWORD}\r`]);
  t.is(code, 0);
  t.regex(shown, /^Password: \r\nAgain: \r\n[1-9]\d{9}\r\n$/);
  const server = await spawnServer(t, folder);
  t.is(await logIn(server.origin, 'reader', PASSWORD), 200);
});
