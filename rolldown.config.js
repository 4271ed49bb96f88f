import { fileURLToPath } from 'node:url';
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

const moduleAt = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

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
  // Of isomorphic-git's ESM build only what is used is bundled: a third of it.
  resolve: {
    alias: {
      yaml: moduleAt('yaml/browser/index.js'),
      'isomorphic-git/managers': moduleAt('isomorphic-git/managers/index.js'),
      'isomorphic-git': moduleAt('isomorphic-git/index.js'),
    },
  },
  plugins: [importByFunction],
  // `depd` uses `eval`; parts of the engine that the package's users load later are together here.
  checks: { eval: false, ineffectiveDynamicImport: false },
  output: {
    dir: 'dist/command',
    format: 'cjs',
    strict: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // Names stay as they are, so that stack traces can be read.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: {
      // The group has what it imports, too. Fewer files are loaded sooner, and what one file takes from another is a property with
      // a getter: a cold build is 8 % slower where the engine is divided.
      groups: [
        {
          name: 'engine',
          test: /\/dist\/(?:cli\/create-program|builder\/(?:index|build-site|markdown\/create-renderer))\.js$/,
        },
      ],
    },
  },
});
