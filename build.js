import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { collectTypes, writeNotices } from './build-shipped.js';

/**
 * Builds `dist/`: in a copy of the sources beside it, which then takes its place, so that a server that runs from it never finds
 * half of it, and a build that fails changes nothing. With `--if-changed`, which npm runs for `npm ci` and for each
 * `npx docbuild` in a clone, nothing is done where `dist/` is of these sources.
 */
const SOURCES = ['api', 'bench', 'builder', 'cli', 'client', 'data', 'lib', 'platform', 'service', 'templates', 'test'];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'build.js', 'build-shipped.js'];
/** In `dist/`: a hash of the sources. */
const MARK = 'sources.txt';

/** Browsers that readers have. Styles may only need those that have `:has()` and `color-mix()`. */
const STYLE_TARGET = ['chrome111', 'firefox113', 'safari16.4'];
const SCRIPT_TARGET = ['es2020', ...STYLE_TARGET];

const STYLE = { bundle: true, minify: true, target: STYLE_TARGET, legalComments: 'none' };
// Without the settings of tsconfig.json, which are for checking and make the scripts longer.
const SCRIPT = { bundle: true, minify: true, target: SCRIPT_TARGET, legalComments: 'none', tsconfigRaw: '{}' };
const NODE = { bundle: true, platform: 'node', format: 'esm', target: 'node20', outdir: 'dist' };

/** Scripts and styles of browsers, as esbuild's options. A bundle that contains another one stands below it. */
const BROWSER_BUNDLES = [
  // The site's own script and stylesheet, and the scripts of the service's pages.
  {
    ...SCRIPT,
    entryPoints: [
      'client/site.ts',
      'client/build-page.ts',
      'client/translations.ts',
      'client/project-page.ts',
      'client/console.ts',
      'client/live.ts',
      'templates/site/site.css',
      'templates/site/translations.css',
    ],
    format: 'iife',
    entryNames: '[name]',
    outdir: 'dist/client',
  },
  // The button on pages of other sites, one file with its styles as a text.
  { ...STYLE, bundle: false, entryPoints: ['client/button/button.css'], outfile: 'dist/client/button/button.css' },
  {
    ...SCRIPT,
    entryPoints: ['client/docbuild.ts'],
    format: 'iife',
    loader: { '.css': 'text' },
    charset: 'utf8',
    // A byte order mark: the pages that load it may have another encoding, which would be that of the script, too.
    banner: { js: '\uFEFF' },
    outfile: 'dist/client/docbuild.js',
  },
  // Search, loaded when a reader opens it, with its styles as a text.
  { ...STYLE, bundle: false, entryPoints: ['client/search/search.css'], outfile: 'dist/client/search/search.css' },
  {
    ...SCRIPT,
    entryPoints: ['client/search.ts'],
    format: 'esm',
    loader: { '.css': 'text' },
    charset: 'utf8',
    outfile: 'dist/client/search.js',
  },
  // Comparison of versions, loaded when a reader compares, with its styles as a text.
  { ...STYLE, bundle: false, entryPoints: ['client/compare/compare.css'], outfile: 'dist/client/compare/compare.css' },
  {
    ...SCRIPT,
    entryPoints: ['client/compare.ts'],
    format: 'esm',
    loader: { '.css': 'text' },
    charset: 'utf8',
    banner: { js: '/* jsdiff (BSD-3-Clause, Kevin Decker) */' },
    outfile: 'dist/client/compare.js',
  },
  // The history of a page, and what changed between versions, loaded when a reader asks for it.
  { ...SCRIPT, entryPoints: ['client/history.ts'], format: 'esm', outfile: 'dist/client/history.js' },
  // For pages with formulas.
  {
    ...STYLE,
    entryPoints: ['templates/site/formulas.css'],
    loader: { '.woff2': 'file' },
    assetNames: '[name]',
    banner: { css: '/* Temml (MIT, Ron Kok) */' },
    outdir: 'dist/client/formulas',
  },
  // For pages with diagrams: each kind of diagram is a file.
  {
    ...SCRIPT,
    entryPoints: ['client/diagrams.ts'],
    splitting: true,
    format: 'esm',
    entryNames: '[name]',
    chunkNames: 'diagrams/[name].[hash]',
    banner: { js: '/* Mermaid (MIT, Knut Sveidqvist) and the libraries it uses */' },
    legalComments: 'eof',
    outdir: 'dist/client/diagrams',
  },
];

/** Bundles of compiled sources that Node.js runs, as esbuild's options. */
const NODE_BUNDLES = [
  // Worker threads.
  {
    ...NODE,
    entryPoints: [
      'dist/builder/markdown/code/highlight-worker.js',
      'dist/builder/markdown/code/diagram-worker.js',
      'dist/builder/search/index-worker.js',
    ],
    entryNames: '[name]',
    external: ['@shikijs/langs/*'],
  },
  // The starts of what is in `dist/command/`: the command, the process that builds for a server, a thread of it, what the package exports.
  {
    ...NODE,
    entryPoints: {
      docbuild: 'dist/cli/launch.js',
      'build-process': 'dist/cli/launch.js',
      'mcp-worker': 'dist/cli/launch.js',
      index: 'dist/cli/load-library.js',
    },
  },
];

/** What the command loads when it needs it: data, which would be most of the package, native code, and what libraries look for. */
const EXTERNAL = ['ip2region', '@zxcvbn-ts/language-common', 'badge-maker', 'koffi', 'pg-native', 'pg-cloudflare'];

/** `vm.Script` cannot import; `cli/code-cache.ts` hands its modules a function that does. `moduleUrl`, around which TypeScript puts a function, is known at run time only. */
const importByFunction = {
  name: 'import-by-function',
  renderChunk: (code) =>
    code.replaceAll(
      /(?<=\b(?:await|return) )import\(|\bimport\((?=["'`][\w@/:.-]+["'`]\)|\w+\(moduleUrl\)\))/g,
      'importModule(',
    ),
};

/** The regular expressions of grammars. */
const ONIGURUMA = 'node_modules/shiki/dist/onig.wasm';

/** Packages that the engine requires when a page needs them, and cannot wait for: files of their own in `dist/command/`. */
const LAZY = ['temml', 'parse5', 'hast-util-from-parse5', 'hast-util-sanitize', 'hast-util-to-html'];

/** Node.js has no `require()` in modules, so they make one; that of `cli/code-cache.ts` loads the files instead. */
const requireLazily = {
  name: 'require-lazily',
  resolveId: (id) => (/^\.\/lazy\/[\w-]+\.cjs$/.test(id) ? { id, external: true } : null),
  transform(code, id) {
    if (id.includes('node_modules') || !code.includes('createRequire(import.meta.url)')) return null;
    return code
      .replaceAll('const require = createRequire(import.meta.url);', '')
      .replaceAll(/\b(?:createRequire\(import\.meta\.url\)|require)\('([\w-]+)'\)/g, (whole, name) =>
        LAZY.includes(name) ? `require('./lazy/${name}.cjs')` : whole,
      );
  },
};

/**
 * Returns rolldown's options for the command and the process that builds for a server: files of `dist/command/`. They are
 * CommonJS modules, whose compiled code `cli/code-cache.ts` can keep.
 */
function describeCommand(folder) {
  const moduleAt = (path) => join(folder, 'node_modules', path);
  return {
    cwd: folder,
    logLevel: 'warn',
    input: {
      docbuild: 'dist/cli/main.js',
      'build-process': 'dist/platform/builds/build-process.js',
      'mcp-worker': 'dist/platform/mcp/mcp-worker.js',
      library: 'dist/cli/library.js',
      ...Object.fromEntries(LAZY.map((name) => [`lazy/${name}`, name])),
    },
    platform: 'node',
    external: EXTERNAL,
    // Of isomorphic-git's ESM build only what is used is bundled: a third of it.
    resolve: {
      alias: {
        yaml: moduleAt('yaml/browser/index.js'),
        'isomorphic-git/managers': moduleAt('isomorphic-git/managers/index.js'),
        'isomorphic-git': moduleAt('isomorphic-git/index.js'),
      },
    },
    plugins: [requireLazily, importByFunction],
    // `depd` uses `eval`; parts of the engine that the package's users load later are together here.
    checks: { eval: false, ineffectiveDynamicImport: false },
    output: {
      dir: 'dist/command',
      format: 'cjs',
      strict: true,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      // Functions and classes keep their names, so that stack traces can be read.
      minify: {
        mangle: { keepNames: true },
        compress: { target: 'es2023', keepNames: { function: true, class: true } },
        codegen: { removeWhitespace: true },
      },
      comments: { legal: false, annotation: false, jsdoc: false },
      codeSplitting: {
        // The group has what it imports, too. Fewer files are loaded sooner, and what one file takes from another is a property
        // with a getter: a cold build is 8 % slower where the engine is divided.
        groups: [
          {
            name: 'engine',
            test: /\/dist\/(?:cli\/create-program|builder\/(?:index|build-site|markdown\/create-renderer))\.js$/,
          },
        ],
      },
    },
  };
}

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const hash = hashSources();
const isCurrent = existsSync(join(dist, MARK)) && readFileSync(join(dist, MARK), 'utf8') === hash;
if (!process.argv.includes('--if-changed') || !isCurrent) await build();

async function build() {
  removeLeftovers();
  const copy = join(root, `.build-${process.pid}`);
  mkdirSync(copy);
  try {
    for (const name of [...SOURCES, ...FILES]) {
      if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    await compile(copy);
    writeFileSync(join(copy, 'dist', MARK), hash);
    replaceDist(copy);
  } catch (error) {
    // Compilers have said what is wrong with the sources.
    console.error(`dist/ stays as it was: ${error.message}`);
    process.exitCode = 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Makes `dist/` in a folder of sources. */
async function compile(folder) {
  // Imported here: a machine that only runs docbuild does not have them.
  const { build: bundle } = await import('esbuild');
  const { rolldown } = await import('rolldown');
  /** Paths of the modules that bundles contain. */
  const modules = new Set();
  const bundleAll = async (bundles) => {
    for (const options of bundles) {
      const { metafile } = await bundle({ ...options, absWorkingDir: folder, logLevel: 'warning', metafile: true });
      const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
      for (const [path, { bytesInOutput }] of inputs) if (bytesInOutput > 0) modules.add(path);
    }
  };
  runNode(folder, 'node_modules/typescript/bin/tsc');
  await bundleAll(BROWSER_BUNDLES);
  runNode(folder, 'dist/builder/compose/compile-templates.js');
  await writeIcons(folder);
  const { output, ...input } = describeCommand(folder);
  const command = await rolldown(input);
  const written = await command.write(output);
  for (const { moduleIds = [] } of written.output) for (const path of moduleIds) modules.add(path);
  await command.close();
  await bundleAll(NODE_BUNDLES);
  cpSync(join(folder, ONIGURUMA), join(folder, 'dist/onig.wasm'));
  modules.add(ONIGURUMA);
  for (const path of collectTypes(folder, 'dist/cli/library.d.ts')) modules.add(path);
  writeNotices(folder, modules);
  chmodSync(join(folder, 'dist/docbuild.js'), 0o755);
  runNode(folder, 'dist/builder/stamp-engine.js');
}

/** Writes the drawings of Simple Icons that pages may show, for `theme.social`; the package is not needed after that. */
async function writeIcons(folder) {
  const place = join(folder, 'dist/builder/plan/theme');
  writeFileSync(join(place, 'social-icons.js'), 'export default {};\n');
  const { NETWORKS } = await import(pathToFileURL(join(place, 'social.js')).href);
  const entries = Object.entries(NETWORKS).flatMap(([name, { icon }]) => {
    if (icon === undefined) return [];
    const svg = readFileSync(join(folder, `node_modules/simple-icons/icons/${icon}.svg`), 'utf8');
    return [[name, / d="([^"]+)"/.exec(svg)[1]]];
  });
  const text = `/* Simple Icons (CC0) */\nexport default ${JSON.stringify(Object.fromEntries(entries))};\n`;
  writeFileSync(join(place, 'social-icons.js'), text);
}

function runNode(folder, script) {
  const { status } = spawnSync(process.execPath, [script], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${script} failed`);
}

/** Puts the new folder where the old one is; another build may do the same. */
function replaceDist(copy) {
  for (let attempt = 1; ; attempt++) {
    try {
      if (existsSync(dist)) renameSync(dist, join(copy, `dist-${attempt}`));
      renameSync(join(copy, 'dist'), dist);
      return;
    } catch (error) {
      if (attempt === 5 || !['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    }
  }
}

/** Removes the copies of builds that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    const [, pid] = /^\.build-(\d+)$/.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function hashSources() {
  const sum = createHash('sha256');
  const add = (path) =>
    sum
      .update(`${path}\n`)
      .update(readFileSync(join(root, path)))
      .update('\n');
  for (const name of FILES) if (existsSync(join(root, name))) add(name);
  for (const folder of SOURCES) {
    const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.sort()) add(path.slice(root.length));
  }
  return sum.digest('hex');
}
