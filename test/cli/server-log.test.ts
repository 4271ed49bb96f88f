import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { formatLogLine } from '../../cli/server-log.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { docbuildPath, runDocbuild } from '../helpers/run-docbuild.ts';
import { spawnListening } from '../helpers/spawn-server.ts';
import { testIf } from '../helpers/test-if.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const TIME = new Date(2026, 10, 22, 12, 0, 1).getTime();
const format = (fields: object, hasColor = false): string =>
  formatLogLine(JSON.stringify({ level: 30, time: TIME, ...fields }), { hasColor });

test.serial('formatLogLine() writes time, level, message and fields', (t) => {
  t.is(format({ msg: 'stopping', signal: 'SIGINT' }), '2026-11-22 12:00:01 INFO  stopping  signal=SIGINT\n');
  t.is(
    format({ msg: 'build', build: '0mm', project: 'guide', ref: '', status: 'failing', reason: 'No "docs" here' }),
    '2026-11-22 12:00:01 INFO  build  build=0mm  project=guide  status=failing  reason="No \\"docs\\" here"\n' +
      '    Its log says more: /docbuild/builds/0mm/log\n',
  );
  t.is(format({ level: 40, msg: 'Careful' }, true), '2026-11-22 12:00:01 \u001b[33mWARN \u001b[0m Careful\n');
  t.is(
    format({ msg: 'request', status: 200, list: ['a'] }),
    '2026-11-22 12:00:01 INFO  request  status=200  list=["a"]\n',
  );
});

test.serial('formatLogLine() says what to do about failures', (t) => {
  t.regex(
    format({ level: 50, code: 'unwritable', requestId: 'r', msg: 'Disk full' }),
    /Disk full {2}code=unwritable {2}requestId=r\n {4}Free space/,
  );
  const stack = 'TypeError: x is not a function\n    at here (file.ts:1:2)';
  t.is(
    format({ level: 50, err: { type: 'TypeError', message: 'x is not a function', stack }, msg: 'failed' }),
    '2026-11-22 12:00:01 ERROR failed: x is not a function\n    at here (file.ts:1:2)\n' +
      '    This is a fault of docbuild: please report it with these lines\n',
  );
});

test.serial('formatLogLine() writes nothing that a terminal would obey', (t) => {
  const text = format({
    msg: 'a\u001b[2Jb\rc\u202ed',
    ref: 'x\u0007\ny',
    err: { message: '\u009bm', stack: 'E\n at \u001b' },
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  t.notRegex(text.replaceAll('\n', ''), /[\u0000-\u001f\u007f-\u009f\u202e]/);
  t.regex(text, /a\\u001b\[2Jb\\u000dc\\u202ed/);
  t.is(text.split('\n').length, 4);
});

/** Starts a server on a configuration of its own and lets it fail a build, then stops it; returns what it printed. */
async function runServer(t: ExecutionContext, ...flags: readonly string[]): Promise<string> {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\n');
  const args = ['api', '--port', '0', ...flags];
  const server = await spawnListening(t, { cwd: folder, args, ready: /docbuild serves (http:\S+)\n/ });
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const run = (...command: readonly string[]) => runDocbuild(command, { cwd: folder });
  await run('project', 'create', '-u', repository.folder, 'guide');
  await run('build', 'guide', '-b', 'none');
  await server.waitFor(/failing/);
  await server.stop('SIGTERM');
  return server.output();
}

test.serial('docbuild api logs JSON into a pipe, and lines with --log text', async (t) => {
  const json = (await runServer(t)).split('\n').filter((line) => line.startsWith('{'));
  t.true(json.map((line) => JSON.parse(line)).some(({ msg, status }) => msg === 'build' && status === 'failing'));
  const text = await runServer(t, '--log', 'text');
  t.notRegex(text, /^\{/m);
  t.regex(
    text,
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d INFO {2}build {2}build=\S+ {2}project=guide {2}ref=none {2}status=failing/m,
  );
  t.regex(text, /Its log says more: \/docbuild\/builds\//);
  t.regex(text, /INFO {2}stopping {2}signal=SIGTERM/);
});

const SCRIPT = '/usr/bin/script';
const terminalTest = testIf(process.platform === 'linux' && existsSync(SCRIPT), `needs "${SCRIPT}"`);

terminalTest('docbuild api writes lines to a terminal, and JSON with --log json', async (t) => {
  for (const [flags, expected] of [
    ['', /\d\d:\d\d:\d\d ESC\[32mINFO ESC\[0m stopping/],
    ['--log json', /\{"level":30,.*"msg":"stopping"\}/],
  ] as const) {
    const folder = createFolder(t);
    writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\n');
    const line = `exec ${process.execPath} ${docbuildPath} api --port 0 ${flags}`;
    const env = { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm' };
    const child = spawn(SCRIPT, ['-qec', line, '/dev/null'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
    t.teardown(() => child.kill('SIGKILL'));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      // Ctrl+C on that terminal.
      if (!/serves/.test(output) && /serves/.test(output + text)) child.stdin.write('\u0003');
      output += text;
    });
    await once(child, 'close');
    t.regex(output.replaceAll('\u001b', 'ESC'), expected);
  }
});

/** Throws where nobody catches it, when the process is told to. */
const THROWING = `--import=data:text/javascript,${encodeURIComponent(
  'process.on("SIGUSR2", () => { throw new Error("nobody catches this"); });',
)}`;

test.serial(
  'docbuild api says in each JSON line which process has written it, also in the one that ends it',
  async (t) => {
    const folder = createFolder(t);
    writeFileSync(join(folder, 'docbuild.yml'), 'api: {port: 0}\n');
    const server = await spawnListening(t, {
      cwd: folder,
      args: ['api', '--log', 'json'],
      ready: /docbuild serves (http:\S+)\n/,
      env: { NODE_OPTIONS: THROWING, DOCBUILD_LOG: 'debug' },
    });
    await fetch(`${server.origin}/livez`);
    await server.waitFor(/"msg":"request"/);
    const ended = once(server.child, 'exit');
    server.child.kill('SIGUSR2');
    t.is((await ended)[0], 1);
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const records = lines.map((line) => JSON.parse(line) as { node: string; err?: { message: string; stack: string } });
    t.true(records.length >= 2);
    for (const { node } of records) t.regex(node, new RegExp(`^[^:]+:${server.child.pid}$`));
    t.is(records.at(-1)!.err?.message, 'nobody catches this');
    t.regex(records.at(-1)!.err!.stack, /\n +at /);
    t.notRegex(server.output(), /^ +at /m, 'no stack besides');
  },
);
