import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { createFolder } from './helpers/create-repository.ts';
import test from './helpers/serial-test.ts';

const SCRIPT = fileURLToPath(new URL('../../build.js', import.meta.url));
const SOURCES = ['api', 'bench', 'builder', 'cli', 'client', 'data', 'lib', 'platform', 'templates', 'test'];

/** Creates a project that is built by a command of the test's. */
function createProject(t: ExecutionContext, command: string) {
  const folder = createFolder(t);
  const path = (name: string): string => join(folder, name);
  for (const name of [...SOURCES, 'node_modules']) mkdirSync(path(name));
  copyFileSync(SCRIPT, path('build.js'));
  const write = (name: string, text: string): void => writeFileSync(path(name), text);
  write('package.json', JSON.stringify({ type: 'module', scripts: { 'build:dist': command } }));
  write('lib/a.txt', 'one');
  return {
    write,
    build: (...options: string[]) => spawnSync(process.execPath, ['build.js', ...options], { cwd: folder }).status,
    start: () => spawn(process.execPath, ['build.js'], { cwd: folder, stdio: 'ignore' }),
    read: () => readFileSync(path('dist/a.txt'), 'utf8'),
    identify: () => statSync(path('dist')).ino,
    list: () => readdirSync(folder).filter((name) => name.startsWith('.build-')),
    makeFolder: (name: string) => mkdirSync(path(name)),
    exists: (name: string) => existsSync(path(name)),
  };
}

test('a build that was asked for where nothing has changed leaves dist/ alone', (t) => {
  const project = createProject(t, 'mkdir dist && cp lib/a.txt dist/');
  t.is(project.build('--if-changed'), 0);
  const first = project.identify();
  t.is(project.build('--if-changed'), 0);
  t.is(project.identify(), first);
  project.write('lib/a.txt', 'two');
  t.is(project.build('--if-changed'), 0);
  t.is(project.read(), 'two');
  const second = project.identify();
  t.is(project.build(), 0);
  t.not(project.identify(), second, 'without the option it is built always');
});

test('dist/ stays whole while it is built, and when that fails', (t) => {
  const project = createProject(
    t,
    'mkdir dist && cp lib/a.txt dist/ && cat ../dist/a.txt > dist/before.txt; cat lib/status | xargs test 0 =',
  );
  project.makeFolder('dist');
  project.write('dist/a.txt', 'old');
  project.write('lib/status', '1');
  t.not(project.build(), 0);
  t.is(project.read(), 'old');
  t.deepEqual(project.list(), []);
  project.write('lib/status', '0');
  t.is(project.build(), 0);
  t.is(project.read(), 'one');
  t.true(project.exists('dist/before.txt'));
});

test('builds at once all succeed, and what killed ones left is removed', async (t) => {
  const project = createProject(t, 'mkdir dist && cp lib/a.txt dist/');
  project.makeFolder('.build-4194305');
  const builds = Array.from({ length: 4 }, project.start);
  for (const build of builds) {
    if (build.exitCode === null) await once(build, 'exit');
    t.is(build.exitCode, 0);
  }
  t.is(project.read(), 'one');
  t.deepEqual(project.list(), []);
});
