import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { isRoot } from '../helpers/run-as-nobody.ts';
import { testIf } from '../helpers/test-if.ts';

const moduleUrl = new URL('../../cli/code-cache.js', import.meta.url).href;

/** Returns what runs a module in a process of its own with a folder for compiled code, and looks into that folder. */
function createModules(t: ExecutionContext, files: Readonly<Record<string, string>>) {
  const folder = createFolder(t);
  const cacheFolder = join(folder, 'caches/kept');
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const runtime = () => join(cacheFolder, readdirSync(cacheFolder)[0]!);
  const keptFile = (name: string): string =>
    join(runtime(), readdirSync(runtime()).find((file) => file.startsWith(name) && !file.endsWith('.tmp'))!);
  return {
    folder,
    cacheFolder,
    write,
    keptFile,
    /** Another one means that the code was compiled and kept again. */
    inode: (name: string) => statSync(keptFile(name)).ino,
    run(file: string, input = '', into: string | null = cacheFolder) {
      const script = `
        import { loadWithCodeCache } from '${moduleUrl}';
        globalThis.input = ${JSON.stringify(input)};
        const found = loadWithCodeCache(${JSON.stringify(join(folder, file))}, ${JSON.stringify(into)} ?? undefined);
        console.log(JSON.stringify(await found));`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        encoding: 'utf8',
      });
      return stderr === '' ? (JSON.parse(stdout) as unknown) : stderr;
    },
  };
}

test('a module requires others beside it, packages and modules of Node.js, and imports', (t) => {
  const { run, folder } = createModules(t, {
    'a.cjs': `
      const { basename } = require('node:path'), b = require('./b.cjs');
      exports.name = basename(__filename); exports.folder = __dirname; exports.b = b.name; exports.same = require('./b.cjs') === b;
      exports.isModule = module.exports === exports;`,
    'b.cjs': `exports.early = require('./a.cjs').name; exports.name = 'b, after ' + exports.early;`,
    'later.cjs': `module.exports = importModule('node:os').then(({ EOL }) => 'später ' + EOL.length);`,
  });
  const all = { name: 'a.cjs', folder, b: 'b, after undefined', same: true, isModule: true };
  for (let at = 0; at < 3; at++) {
    t.deepEqual(run('a.cjs'), all);
    t.is(run('later.cjs'), 'später 1');
  }
});

test('an error names the file, the line and the column, compiled or read', (t) => {
  const { run } = createModules(t, { 'a.cjs': 'exports.ä = 1; missing();\nnever();\n' });
  for (let at = 0; at < 2; at++) t.regex(run('a.cjs') as string, /a\.cjs:1:16\)?\n/);
  const broken = createModules(t, { 'a.cjs': '\nlet let = 1;' });
  t.regex(broken.run('a.cjs') as string, /a\.cjs:2\n.*SyntaxError/s);
});

test('the modules of the command call importModule() instead of import()', (t) => {
  const folder = new URL('../../command/', import.meta.url);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.cjs'));
  const texts = names.map((name) => readFileSync(new URL(name, folder), 'utf8'));
  t.true(texts.some((text) => /importModule\([`"']badge-maker[`"']\)/.test(text)));
  // Expressions that look for imports, messages about them and methods of this name remain.
  t.deepEqual(
    texts.flatMap((text) => text.match(/(?<![\w.$]|async )import\((?![?)]).*/g) ?? []).map((text) => text.slice(0, 80)),
    [],
  );
  t.true(texts.every((text) => /^["'`]use strict/.test(text)));
});

test('code is read, not compiled again', (t) => {
  const { run, keptFile, inode } = createModules(t, { 'a.cjs': 'exports.done = input;' });
  t.deepEqual(run('a.cjs', 'x'), { done: 'x' });
  const first = inode('a.cjs');
  t.deepEqual(run('a.cjs', 'y'), { done: 'y' });
  t.is(inode('a.cjs'), first);
  t.is(statSync(keptFile('a.cjs')).mode & 0o777, 0o600);
});

test('what others have left is removed when it is too much', (t) => {
  const { run, cacheFolder, keptFile } = createModules(t, { 'a.cjs': 'exports.a = 1;', 'b.cjs': 'exports.b = 1;' });
  t.deepEqual(run('a.cjs'), { a: 1 });
  mkdirSync(join(cacheFolder, 'v18'));
  for (let at = 0; at < 500; at++) writeFileSync(join(cacheFolder, 'v18', `${at}`), '');
  t.deepEqual(run('b.cjs'), { b: 1 });
  t.is(readdirSync(cacheFolder).length, 1);
  t.true(existsSync(keptFile('b.cjs')));
});

test('code of another source, and code that is damaged, cut off or that others may write to is compiled again', (t) => {
  const { run, write, keptFile, inode } = createModules(t, {
    'a.cjs': 'exports.a = () => 1; exports.b = exports.a();',
  });
  t.deepEqual(run('a.cjs'), { b: 1 });
  rmSync(keptFile('a.cjs'));
  // As long as the first one, which is all that V8 looks at.
  write('a.cjs', 'exports.a = () => 2; exports.b = exports.a();');
  t.deepEqual(run('a.cjs'), { b: 2 });
  const whole = readFileSync(keptFile('a.cjs'));
  const damaged = Buffer.from(whole);
  damaged[whole.length - 20]! ^= 1;
  for (const content of [damaged, whole.subarray(0, 100), whole.subarray(0, 10), Buffer.alloc(0), Buffer.alloc(99)]) {
    writeFileSync(keptFile('a.cjs'), content);
    const before = inode('a.cjs');
    t.deepEqual(run('a.cjs'), { b: 2 });
    t.not(inode('a.cjs'), before);
    t.true(statSync(keptFile('a.cjs')).size > 300);
  }
  for (const change of isRoot ? [openToAll, giveAway] : [openToAll]) {
    change(keptFile('a.cjs'));
    const before = inode('a.cjs');
    t.deepEqual(run('a.cjs'), { b: 2 });
    t.not(inode('a.cjs'), before);
  }
});

test('a link, a pipe and a folder in place of kept code are no code, and nothing waits for them', (t) => {
  const { run, folder, keptFile } = createModules(t, { 'a.cjs': 'exports.a = 1;' });
  t.deepEqual(run('a.cjs'), { a: 1 });
  const file = keptFile('a.cjs');
  renameSync(file, join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), file);
  t.deepEqual(run('a.cjs'), { a: 1 });
  t.true(lstatSync(file).isFile());
  rmSync(file);
  t.is(spawnSync('mkfifo', [file]).status, 0);
  t.deepEqual(run('a.cjs'), { a: 1 });
  t.true(lstatSync(file).isFile());
  rmSync(file);
  mkdirSync(file);
  t.deepEqual(run('a.cjs'), { a: 1 });
});

test('code in folders that others may write to, or that are links, is not used', (t) => {
  const { run, folder, cacheFolder, keptFile, inode } = createModules(t, { 'a.cjs': 'exports.a = 1;' });
  t.deepEqual(run('a.cjs'), { a: 1 });
  const [file, runtime] = [keptFile('a.cjs'), dirname(keptFile('a.cjs'))];
  const first = inode('a.cjs');
  for (const path of [runtime, cacheFolder, dirname(cacheFolder)]) {
    chmodSync(path, 0o777);
    renameSync(file, `${file}.aside`);
    t.deepEqual(run('a.cjs'), { a: 1 });
    // Nothing was kept.
    t.false(existsSync(file));
    chmodSync(path, 0o700);
    renameSync(`${file}.aside`, file);
  }
  t.deepEqual(run('a.cjs'), { a: 1 });
  t.is(inode('a.cjs'), first);
  renameSync(cacheFolder, join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), cacheFolder);
  rmSync(file);
  t.deepEqual(run('a.cjs'), { a: 1 });
  t.false(existsSync(file));
});

test('a module that could not be loaded is tried again', (t) => {
  const { run } = createModules(t, {
    'a.cjs': `
      const { writeFileSync } = require('node:fs');
      const attempt = () => { try { return require('./b.cjs').b; } catch (error) { return error.code ?? error.message; } };
      exports.missing = attempt();
      writeFileSync(__dirname + '/b.cjs', 'throw new Error("broken")');
      exports.broken = attempt();
      writeFileSync(__dirname + '/b.cjs', 'exports.b = 1');
      exports.there = attempt();`,
  });
  t.deepEqual(run('a.cjs'), { missing: 'ENOENT', broken: 'broken', there: 1 });
});

test('an error in kept code names the place that it was loaded from', (t) => {
  const text = 'exports.stack = new Error("here").stack;';
  const { run, folder } = createModules(t, { 'a.cjs': text });
  t.regex((run('a.cjs') as { stack: string }).stack, /\/a\.cjs:1:/);
  mkdirSync(join(folder, 'ä b'));
  writeFileSync(join(folder, 'ä b/a.cjs'), text);
  t.true((run('ä b/a.cjs') as { stack: string }).stack.includes(join(folder, 'ä b/a.cjs')));
});

test('without a folder, and where it cannot be written, modules run', (t) => {
  const { run, folder } = createModules(t, { 'a.cjs': 'exports.a = 1;' });
  writeFileSync(join(folder, 'file'), '');
  for (const into of [null, join(folder, 'file'), '/dev/null/x']) t.deepEqual(run('a.cjs', '', into), { a: 1 });
});

testIf(isRoot, 'only root can make a folder of another user')('nothing is kept in a folder of another user', (t) => {
  const { run, cacheFolder } = createModules(t, { 'a.cjs': 'exports.a = 1;' });
  mkdirSync(cacheFolder, { recursive: true });
  giveAway(cacheFolder);
  t.deepEqual(run('a.cjs'), { a: 1 });
  t.deepEqual(readdirSync(cacheFolder), []);
});

function openToAll(path: string): void {
  chmodSync(path, 0o666);
}

function giveAway(path: string): void {
  chownSync(path, 65_534, 65_534);
}
