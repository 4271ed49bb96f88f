import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { createFolder } from './helpers/create-repository.ts';

const SCRIPT = fileURLToPath(new URL('../../build.js', import.meta.url));
const SOURCES = /^const SOURCES = \[(.*)\];$/m.exec(readFileSync(SCRIPT, 'utf8'))![1]!.match(/\w+/g)!;

/** A compiler that keeps the text of `lib/a.txt`, and fails for "wrong" when it has begun to write. */
const COMPILER = `
const { cpSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
mkdirSync('dist/builder/compose', { recursive: true });
cpSync('lib/a.txt', 'dist/a.txt');
if (readFileSync('lib/a.txt', 'utf8') === 'wrong') process.exit(1);
for (const name of ['docbuild.js', 'builder/stamp-engine.js', 'builder/compose/compile-templates.js'])
  writeFileSync('dist/' + name, '');
`;

/** Creates a project whose compiler and bundlers do next to nothing. */
function createProject(t: ExecutionContext) {
  const folder = createFolder(t);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const name of SOURCES) mkdirSync(join(folder, name));
  cpSync(SCRIPT, join(folder, 'build.js'));
  write('package.json', '{ "type": "module" }');
  write('node_modules/typescript/package.json', '{}');
  write('node_modules/typescript/bin/tsc', COMPILER);
  write('node_modules/esbuild/index.js', 'exports.build = () => {};');
  write('node_modules/rolldown/index.js', 'exports.rolldown = () => ({ write() {}, close() {} });');
  return {
    write,
    build: (...options: string[]) => spawnSync(process.execPath, ['build.js', ...options], { cwd: folder }).status,
    start: () => spawn(process.execPath, ['build.js'], { cwd: folder, stdio: 'ignore' }),
    read: () => readFileSync(join(folder, 'dist/a.txt'), 'utf8'),
    identify: () => statSync(join(folder, 'dist')).ino,
    listCopies: () => readdirSync(folder).filter((name) => name.startsWith('.build-')),
  };
}

test('dist/ is replaced by a build that succeeds, and with --if-changed only where the sources are others', (t) => {
  const project = createProject(t);
  project.write('lib/a.txt', 'one');
  t.is(project.build('--if-changed'), 0);
  const first = project.identify();
  t.is(project.build('--if-changed'), 0);
  t.is(project.identify(), first);
  t.is(project.build(), 0);
  t.not(project.identify(), first);
  project.write('lib/a.txt', 'wrong');
  t.is(project.build('--if-changed'), 1);
  t.is(project.read(), 'one');
  project.write('lib/a.txt', 'two');
  t.is(project.build('--if-changed'), 0);
  t.is(project.read(), 'two');
  t.deepEqual(project.listCopies(), []);
});

test('builds at once all succeed, and what killed ones left is removed', async (t) => {
  const project = createProject(t);
  project.write('lib/a.txt', 'one');
  project.write('.build-4194305/lib/a.txt', 'old');
  const builds = Array.from({ length: 4 }, project.start);
  for (const build of builds) {
    if (build.exitCode === null) await once(build, 'exit');
    t.is(build.exitCode, 0);
  }
  t.is(project.read(), 'one');
  t.deepEqual(project.listCopies(), []);
});
