import { defineConfig } from 'rolldown';

/** Loaded from their packages: native code, data, and libraries that few installations use. */
const EXTERNAL = [
  'koffi',
  'open',
  'graphile-worker',
  'pg',
  'aws4fetch',
  'ip2region',
  '@zxcvbn-ts/language-common',
  /^shiki(?:\/|$)/,
];

/** `vm.Script` cannot import; `cli/code-cache.ts` hands its modules a function that does. */
const importByFunction = {
  name: 'import-by-function',
  renderChunk: (code) => code.replaceAll(/\bimport\((["'`][\w@/:.-]+["'`])\)/g, 'importModule($1)'),
};

/**
 * Bundles the compiled command and the process that builds for a server into files of `dist/command/`. They are CommonJS modules, whose
 * compiled code `cli/code-cache.ts` can keep.
 */
export default defineConfig({
  input: { docbuild: 'dist/cli/main.js', 'build-process': 'dist/platform/builds/build-process.js' },
  platform: 'node',
  external: EXTERNAL,
  resolve: { alias: { yaml: new URL('node_modules/yaml/browser/index.js', import.meta.url).pathname } },
  // `depd` uses `eval`; parts of the engine that are loaded later for the package's users are together here.
  plugins: [importByFunction],
  checks: { eval: false, ineffectiveDynamicImport: false },
  output: {
    dir: 'dist/command',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // Names stay as they are, so that stack traces can be read.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: {
      // Each group has what it imports, too. A build needs all of the engine, and fewer files are loaded sooner.
      groups: [
        { name: 'base', test: /\/dist\/(?:builder\/index|cli\/create-program)\.js$/, priority: 2 },
        { name: 'engine', test: /\/dist\/builder\/(?:build-site|markdown\/create-renderer)\.js$/, priority: 1 },
      ],
    },
  },
});
