import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { createFolder } from './helpers/create-repository.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What whoever installs docbuild is asked for. */
const MOST = { tarball: 4_000_000, installed: 45_000_000, packages: 40 };

interface Manifest {
  readonly name: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Runs a program without what npm says to the scripts that it runs. */
async function run(file: string, args: readonly string[], options: { readonly cwd: string; readonly home?: string }) {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_OPTIONS$)/i.test(name));
  return promisify(execFile)(file, args, {
    env: { ...Object.fromEntries(own), HOME: options.home ?? options.cwd, XDG_CACHE_HOME: '' },
    maxBuffer: 100_000_000,
    encoding: 'utf8',
    cwd: options.cwd,
  });
}

/** Returns the folders of what a package in a folder needs to run, as npm installs it, and of what that needs. */
function listDependencies(folder: string, seen = new Set<string>()): ReadonlySet<string> {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = readManifest(folder);
  for (const name of Object.keys({ ...peerDependencies, ...dependencies, ...optionalDependencies })) {
    if (peerDependenciesMeta[name]?.optional) continue;
    const found = findPackageJSON(name, join(folder, 'package.json'));
    if (found === undefined || seen.has(dirname(found))) continue;
    seen.add(dirname(found));
    listDependencies(dirname(found), seen);
  }
  return seen;
}

/** Returns the `package.json` of a package as Node.js finds it from a file, whatever the package exports. */
function findPackageJSON(name: string, from: string): string | undefined {
  return createRequire(from)
    .resolve.paths(name)
    ?.map((folder) => join(folder, name, 'package.json'))
    .find((path) => existsSync(path));
}

/** Installs the package into an empty folder with npm, which gets what it depends on from here and asks no registry. */
async function install(cwd: string) {
  const { stdout } = await run(process.execPath, [join(root, '.ci/pack.js'), cwd], { cwd: root, home: cwd });
  const tarball = stdout.trim();
  const app = join(cwd, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');
  const dependencies = listDependencies(root);
  const args = ['install', '--offline', '--engine-strict', '--install-links', '--no-audit', '--no-fund'];
  await run('npm', [...args, tarball, ...dependencies], { cwd: app });
  return { app, tarball, home: join(app, 'node_modules/docbuild') };
}

test.serial('package: it is small, and so is what it installs, without native modules and scripts', async (t) => {
  t.timeout(300_000);
  const { app, tarball, home } = await install(createFolder(t));
  const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly hasInstallScript?: boolean }>;
  };
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  const files = readdirSync(join(app, 'node_modules'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  t.log({ tarball: statSync(tarball).size, installed: bytes, packages: installed.length });
  t.true(statSync(tarball).size <= MOST.tarball, `${statSync(tarball).size} bytes`);
  t.true(bytes <= MOST.installed, `${bytes} bytes`);
  t.true(installed.length > 5 && installed.length <= MOST.packages, `${installed.length} packages`);
  t.deepEqual(
    installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path),
    [],
  );
  t.deepEqual(
    files
      .filter(({ name }) => /\.node$|^binding\.gyp$/.test(name))
      .map(({ parentPath, name }) => join(parentPath, name)),
    [],
  );
  t.is(readManifest(home).scripts, undefined);
  t.true(existsSync(join(home, 'LICENSE')) && existsSync(join(home, 'dist/sbom.cdx.json')));

  // What bundles load is there, or is looked for by who can do without it.
  const { dependencies, optionalDependencies, peerDependencies } = readManifest(home);
  const needed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const known = new Set([...builtinModules, ...needed]);
  const loaded = files
    .filter(({ parentPath, name }) => parentPath.startsWith(join(home, 'dist')) && /\.c?js$/.test(name))
    .filter(({ parentPath }) => !parentPath.startsWith(join(home, 'dist/client')))
    .flatMap(({ parentPath, name }) => {
      const text = readFileSync(join(parentPath, name), 'utf8');
      return [...text.matchAll(/\b(?:require|importModule|import)\((["'`])(@?\w[\w@/:.-]*)\1\)/g)].map(
        ([, , id]) => id!,
      );
    });
  t.true(loaded.length > 50);
  const isKnown = (id: string) =>
    id.startsWith('node:') || [...known].some((name) => id === name || id.startsWith(`${name}/`));
  t.deepEqual([...new Set(loaded.filter((id) => !isKnown(id)))].sort(), OPTIONAL);
});

/** What libraries look for and do without, and what their messages and the code that they make for others name. */
const OPTIONAL = [
  'ajv-formats/dist/formats',
  'ajv/dist/runtime/equal',
  'ajv/dist/runtime/ucs2length',
  'ajv/dist/runtime/uri',
  'ajv/dist/runtime/validation_error',
  'chokidar',
  'iconv-lite',
  'keygrip',
  'pg-cloudflare',
  'pg-native',
];

/** Uses what the package exports, and what it must not have. */
const PROGRAM = `
import { type BuildSummary, BuildError, buildSite, type Config, formatProblem, inspectRepository, type SiteOptions, type Warning } from 'docbuild';

const config: Config = {
  extensions: [{ name: 'marks', markdown: (md) => md.use((parser) => void parser.inline.ruler), components: { Price: ({ attributes }) => String(attributes['plan']) } }],
};
const options: SiteOptions = { repository: 'guide', out: 'public', lang: ['en'], limits: { maxPageBytes: 1000 } };
const { pages, errors, warnings }: BuildSummary = await buildSite({ ...options, onProgress: ({ stage, done }) => void (stage.length + done) });
const lines: string[] = [...errors, ...warnings].map(formatProblem);
const codes: readonly Warning['code'][] = warnings.map(({ code }) => code);
const { documentation } = await inspectRepository({ repository: 'guide' });
const failure: unknown = await buildSite({ repository: 'guide', out: 'public', jobs: 0 }).catch((error: unknown) => error);
console.log(JSON.stringify({ pages, lines, codes, found: documentation.kind === 'found' && documentation.folder, failure: failure instanceof BuildError && failure.message, extensions: config.extensions.length }));
// @ts-expect-error an option that does not exist
void (() => buildSite({ repository: '', out: '', colour: 'red' }));
// @ts-expect-error a part of the engine
void (() => import('docbuild/dist/command/docbuild.cjs'));
`;

test.serial(
  'package: programs build sites with it, with types for nodenext and bundlers, and get at nothing inside',
  async (t) => {
    t.timeout(300_000);
    const { app } = await install(createFolder(t));
    mkdirSync(join(app, 'guide/docs'), { recursive: true });
    writeFileSync(join(app, 'guide/docs/index.md'), '# Guide\n\n$x^2$\n\n```ts\nconst a = 1;\n```\n\n[dead](no.md)\n');
    writeFileSync(join(app, 'program.ts'), PROGRAM);
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const common = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--types', '', 'program.ts'];
    for (const args of [
      ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit'],
      ['--module', 'nodenext', '--moduleResolution', 'nodenext'],
    ]) {
      await t.notThrowsAsync(
        run(process.execPath, [compiler, ...args, ...common], { cwd: app }).catch(({ stdout }) => {
          throw new Error(`${args.join(' ')}: ${stdout}`);
        }),
      );
    }
    const { stdout, stderr } = await run(process.execPath, ['program.js'], { cwd: app });
    t.is(stderr, '');
    t.deepEqual(JSON.parse(stdout), {
      pages: 1,
      lines: ['current docs/index.md:9: Link "no.md" leads to no page or file'],
      codes: ['dead-link'],
      found: 'docs',
      failure: 'Option "jobs": It must be a whole number from 1 to 64',
      extensions: 1,
    });
    const page = readFileSync(join(app, 'public/en/latest/index.html'), 'utf8');
    t.regex(page, /<math/);
    t.regex(page, /<span class="[^"]+">const\b/);
    t.true(existsSync(join(app, '.cache/docbuild')), "the default cache folder is the user's");
    await t.throwsAsync(run(process.execPath, ['-e', 'import("docbuild/dist/command/docbuild.cjs")'], { cwd: app }), {
      message: /ERR_PACKAGE_PATH_NOT_EXPORTED/,
    });
  },
);

test.serial(
  'package: the command builds, and serves with the parts that are bundled, from the package alone',
  async (t) => {
    t.timeout(300_000);
    const { app, home } = await install(createFolder(t));
    const command = join(home, 'dist/docbuild.js');
    const docbuild = async (...args: readonly string[]) => run(process.execPath, [command, ...args], { cwd: app });
    mkdirSync(join(app, 'guide/docs'), { recursive: true });
    writeFileSync(
      join(app, 'guide/docs/index.md'),
      '# Guide\n\n<b onclick="x">$x^2$</b>\n\n```mermaid\ngraph TD\n  A-->B\n```\n',
    );
    writeFileSync(join(app, 'guide/.docbuild.yml'), 'markdown:\n  html: safe\n');
    const built = JSON.parse((await docbuild('site', 'guide', '--out', 'public', '--json')).stdout);
    t.deepEqual([built.pages, built.errors, built.warnings], [1, [], []]);
    const page = readFileSync(join(app, 'public/en/latest/index.html'), 'utf8');
    t.regex(page, /<math/);
    t.notRegex(page, /onclick/);

    const server = spawn(process.execPath, [command, 'api', '--port', '0'], {
      cwd: app,
      env: { PATH: process.env['PATH'], HOME: app },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(server, 'exit');
    t.teardown(async () => {
      server.kill('SIGTERM');
      await ended;
    });
    let origin: string | undefined;
    for await (const line of createInterface(server.stdout)) {
      origin = /docbuild serves (\S+)/.exec(line)?.[1];
      if (origin) break;
    }
    await docbuild('project', 'create', '-u', join(app, 'guide'), 'guide');
    await docbuild('build', 'guide');
    const read = async (path: string, init?: RequestInit) => (await fetch(origin + path, init)).text();
    t.regex(await read('/docs/guide/'), /<math/);
    t.regex(await read('/docbuild/badge/guide'), /<svg.*passing/s);
    t.regex(await read('/docbuild/api'), /openservice/);
    const question = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    t.regex(await read('/docbuild/mcp/guide', { method: 'POST', headers, body: JSON.stringify(question) }), /"tools"/);
  },
);
