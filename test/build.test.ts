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
mkdirSync('dist/builder/plan/theme', { recursive: true });
writeFileSync('dist/builder/plan/theme/social.js', 'export const NETWORKS = {};');
mkdirSync('dist/cli');
writeFileSync('dist/cli/library.d.ts', "import type { A } from '../lib/a.ts';\\nexport declare const a: A | import('typed').Typed;\\n");
mkdirSync('dist/lib');
writeFileSync('dist/lib/a.d.ts', "export interface A {}\\n");
writeFileSync('dist/lib/b.d.ts', "export interface B {}\\n");
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
  cpSync(join(dirname(SCRIPT), 'build-shipped.js'), join(folder, 'build-shipped.js'));
  const bundled = {
    'lib/a.js': { bytesInOutput: 1 },
    'node_modules/in/a.js': { bytesInOutput: 1 },
    'node_modules/out/a.js': { bytesInOutput: 0 },
  };
  const metafile = { outputs: { 'dist/a.js': { inputs: bundled } } };
  write('node_modules/esbuild/index.js', `exports.build = () => (${JSON.stringify({ metafile })});`);
  const written = { output: [{ moduleIds: [join(folder, 'node_modules/in/node_modules/@deep/er/a.js')] }] };
  write(
    'node_modules/rolldown/index.js',
    `exports.rolldown = () => ({ write: () => (${JSON.stringify(written)}), close() {} });`,
  );
  for (const [path, text] of [
    ['in', 'Copyright A'],
    ['in/node_modules/@deep/er', 'Copyright A'],
    ['shiki', 'Copyright B'],
    ['typed', 'Copyright C'],
  ] as const) {
    write(
      `node_modules/${path}/package.json`,
      JSON.stringify({ name: path.replace(/.*modules\//, ''), version: '1.0.0', license: 'MIT', types: 'a.d.ts' }),
    );
    write(`node_modules/${path}/LICENSE`, text);
  }
  write('node_modules/shiki/dist/onig.wasm', '');
  write('node_modules/typed/a.d.ts', "/**\n * import 'nothing' from 'nothing'\n */\nexport interface Typed {}\n");
  return {
    write,
    build: (...options: string[]) =>
      spawnSync(process.execPath, ['build.js', ...options], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
        .status,
    start: () => spawn(process.execPath, ['build.js'], { cwd: folder, stdio: 'ignore' }),
    read: (path = 'a.txt') => readFileSync(join(folder, 'dist', path), 'utf8'),
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

test('dist/ says which packages it contains, with their licences, and has the types that programs use', (t) => {
  const project = createProject(t);
  project.write('lib/a.txt', 'one');
  t.is(project.build(), 0);
  const bundled = JSON.parse(project.read('bundled.json'));
  t.deepEqual(bundled, [
    'node_modules/in',
    'node_modules/in/node_modules/@deep/er',
    'node_modules/shiki',
    'node_modules/typed',
  ]);
  const notices = project.read('NOTICES.txt');
  t.true(notices.includes('in 1.0.0 (MIT)\n@deep/er 1.0.0 (MIT)\n\nCopyright A\n'));
  t.is(notices.split('Copyright A').length, 2, 'equal texts are there once');
  t.true(notices.includes('shiki 1.0.0 (MIT)\n\nCopyright B'));
  t.is(
    project.read('types/cli/library.d.ts'),
    "import type { A } from '../lib/a.js';\nexport declare const a: A | import('../packages/typed/a.js').Typed;\n",
  );
  t.is(project.read('types/lib/a.d.ts'), 'export interface A {}\n');
  t.regex(project.read('types/packages/typed/a.d.ts'), /from 'nothing'/);
  t.throws(() => project.read('types/lib/b.d.ts'), { code: 'ENOENT' });
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
