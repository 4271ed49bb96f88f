import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The imports that each room may have from the project; the table of the architecture. */
const ROOMS: Readonly<Record<string, (path: string) => boolean>> = {
  lib: (path) => path.startsWith('lib/'),
  builder: (path) => /^(?:builder|lib)\//.test(path),
  data: (path) => /^(?:data|lib)\//.test(path),
  platform: (path) => path === 'builder/index.ts' || /^(?:platform|data|lib)\//.test(path),
  api: (path) => /^(?:api|platform|data|lib)\//.test(path),
  service: (path) => /^(?:service|api|platform|data|lib)\//.test(path),
  cli: (path) =>
    /^(?:builder\/(?:index|public)|service\/server|service\/open-operations|api\/sites\/(?:preview|folder|local)-server)\.ts$|^(?:cli|platform|data|lib)\//.test(
      path,
    ),
  // The index and what a reader types must be cut into words alike, and readers and programs find the same.
  client: (path) =>
    /^lib\/(?:(?:search-terms|segment-words|follow-page|markdown-links|similar-names)\.ts$|search\/)|^client\//.test(
      path,
    ),
  bench: () => true,
  test: () => true,
};

/** The rooms of the engine and what each may import besides itself and what is shared; `plan/` joins the stages. */
const STAGES: Readonly<Record<string, readonly string[]>> = {
  cache: [],
  compose: ['generators'],
  config: [],
  extensions: ['config'],
  folder: [],
  generators: ['config'],
  git: [],
  history: [],
  markdown: ['generators'],
  plan: [
    'cache',
    'compose',
    'config',
    'extensions',
    'generators',
    'history',
    'markdown',
    'publish',
    'refs',
    'search',
    'site',
    'source',
    'translations',
  ],
  publish: [],
  refs: [],
  search: [],
  site: [],
  source: ['config', 'generators'],
  translations: [],
};
/** The files of the engine that join stages, too. */
const JOINING = new Set(
  ['build-site', 'inspect-repository', 'open-preview', 'open-repository', 'plan-migration', 'index', 'public'].map(
    (name) => `builder/${name}.ts`,
  ),
);
/** Files that every stage may import: the shared types and limits, which names files may have, and how messages name options. */
const SHARED = new Set([
  'builder/model.ts',
  'builder/build-error.ts',
  'builder/build-limits.ts',
  'builder/entry-name.ts',
  'builder/extension.ts',
  'builder/language-tag.ts',
  'builder/option-marks.ts',
  'builder/page-path.ts',
  'builder/parse-location.ts',
]);

interface Import {
  readonly from: string;
  /** Path from the root, or the name of a package. */
  readonly to: string;
  readonly isTypeOnly: boolean;
}

/** Returns every import of every source file, also re-exports, dynamic imports and `typeof import()`. */
function collectImports(): readonly Import[] {
  const imports: Import[] = [];
  for (const room of Object.keys(ROOMS).filter((name) => existsSync(join(root, name)))) {
    const files = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))) {
      const from = posix.join(room, file);
      const text = readFileSync(join(root, from), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
      for (const [, isType, to] of text.matchAll(/^(?:import|export)\s+(type\s)?[\w\s{},*$]*?\bfrom\s*'([^']+)'/gm)) {
        imports.push(resolveImport(from, to!, isType !== undefined));
      }
      for (const [, to] of text.matchAll(/^import\s*'([^']+)'/gm)) imports.push(resolveImport(from, to!, false));
      for (const [, to] of text.matchAll(/\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g))
        imports.push(resolveImport(from, to!, false));
    }
  }
  return imports;
}

function resolveImport(from: string, to: string, isTypeOnly: boolean): Import {
  return { from, to: to.startsWith('.') ? posix.join(dirname(from), to) : to, isTypeOnly };
}

const isOurs = ({ to }: Import): boolean =>
  Object.keys(ROOMS).some((room) => to.startsWith(`${room}/`)) || to.startsWith('..');
const show = ({ from, to }: Import): string => `${from} imports ${to}`;
const imports = collectImports();
const own = imports.filter(isOurs);

test('import table: imports are found at all', (t) => {
  t.true(own.length > 300);
  t.true(own.some(({ from, to }) => from === 'cli/site.ts' && to === 'builder/index.ts'));
  t.true(own.some(({ from, to }) => from === 'builder/build-site.ts' && to === 'builder/open-repository.ts'));
});

test('import table: every room imports only what the architecture allows', (t) => {
  t.deepEqual(own.filter(({ from, to }) => !ROOMS[from.split('/')[0]!]!(to)).map(show), []);
});

test('import table: the service without HTTP is opened without HTTP; only the server joins them', (t) => {
  const users = own.filter(({ from, to }) => from.startsWith('service/') && to.startsWith('api/'));
  t.deepEqual([...new Set(users.map(({ from }) => from))], ['service/server.ts']);
  // What a command such as `docbuild user list` may load.
  const reached = new Set(['service/open-operations.ts']);
  for (const file of reached) {
    for (const { from, to, isTypeOnly } of imports) if (from === file && !isTypeOnly) reached.add(to);
  }
  t.true(reached.has('service/open-platform.ts') && reached.has('platform/operations/users.ts'));
  t.deepEqual(
    [...reached].filter((to) => /^(?:api\/|service\/server|koa|@koa\/)/.test(to)),
    [],
  );
});

test('import table: stages of the engine do not import each other; only plan/ and the entrances join them', (t) => {
  const folders = readdirSync(join(root, 'builder'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  t.deepEqual(folders.map(({ name }) => name).sort(), Object.keys(STAGES));
  const stageOf = (path: string): string => (path.split('/').length > 2 ? path.split('/')[1]! : '');
  const wrong = own.filter(({ from, to }) => {
    if (!from.startsWith('builder/') || JOINING.has(from) || SHARED.has(to) || to.startsWith('lib/')) return false;
    const stage = stageOf(from);
    // Files beside the stages are small and import no stage.
    if (stage === '') return stageOf(to) !== '';
    return JOINING.has(to) || (stageOf(to) !== stage && !STAGES[stage]!.includes(stageOf(to)));
  });
  t.deepEqual(wrong.map(show), []);
});

test('import table: what builder/git knows of git stays inside it', (t) => {
  const door = 'builder/open-repository.ts';
  const users = own.filter(
    ({ from, to }) => /^builder\/git\//.test(to) && !/^(?:builder\/git|test|bench)\//.test(from),
  );
  t.true(users.length > 0);
  t.deepEqual(users.filter(({ from }) => from !== door).map(show), []);
});

test('import table: product code imports only packages that are bundled, or installed with docbuild', (t) => {
  const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
  const manifest = read<Record<string, Record<string, string>>>('package.json');
  const bundled = read<readonly string[]>('dist/bundled.json').map((path) => path.replace('node_modules/', ''));
  const { devDependencies = {}, peerDependencies = {} } = manifest;
  const dependencies = { ...manifest.dependencies, ...manifest.optionalDependencies };
  const allowed = new Set([...bundled, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
  const wrong = imports.filter((found) => {
    // `#name` is a file of this package, see `imports` in package.json; what browsers load is bundled.
    if (isOurs(found) || /^(?:node:|#)/.test(found.to) || /^(?:test|bench|client)\//.test(found.from)) return false;
    return !allowed.has(nameOf(found)) && !(found.isTypeOnly && nameOf(found) in devDependencies);
  });
  t.deepEqual(wrong.map(show), []);
  const used = new Set(imports.filter(({ from }) => !/^(?:test|bench)\//.test(from)).map(nameOf));
  t.deepEqual(
    Object.keys(dependencies).filter((name) => !used.has(name) && !DATA.has(name)),
    [],
    'whoever installs docbuild gets nothing else; what is bundled is a dependency of the development',
  );
});

/** Of `shiki/langs`, whose modules import these where they are. */
const DATA = new Set(['@shikijs/langs']);

/** Returns the package that an import names. */
function nameOf({ to }: Import): string {
  return to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The uses of the packages that were given: the file that does this with each, and what it calls there. */
const GIVEN: Readonly<Record<string, readonly (readonly [file: string, call: string])[]>> = {
  koa: [['api/create-app.ts', 'new Koa(']],
  '@koa/router': [['api/http/router.ts', 'new Router(']],
  'koa-body': [['api/http/bodies.ts', 'koaBody(']],
  '@koa/cors': [['api/http/router.ts', 'cors(']],
  lowdb: [['data/lowdb/collection-file.ts', 'new Low<']],
  'isomorphic-git': [
    ['builder/git/remote/list-remote-refs.ts', 'git.listServerRefs('],
    ['builder/git/remote/fetch-commits.ts', 'git.fetch('],
    ['builder/git/local/open-local.ts', 'git.getConfig('],
    ['builder/git/local/collect-local-refs.ts', 'git.listRefs('],
    ['builder/git/local/collect-local-refs.ts', 'git.resolveRef('],
    ['builder/git/remote/fetch-past.ts', 'git.writeRef('],
  ],
  'markdown-it': [['builder/markdown/create-renderer.ts', 'new createMarkdownIt(']],
  shiki: [['lib/oniguruma.ts', 'createOnigurumaEngine(']],
  'badge-maker': [['lib/badge.ts', 'makeBadge(']],
  nunjucks: [
    ['builder/compose/create-environment.ts', 'nunjucks.Environment('],
    ['api/http/pages.ts', 'nunjucks.Environment('],
  ],
  'cron-parser': [['platform/cron/find-runs.ts', 'CronExpressionParser.parse(']],
  ava: [['test/helpers/test-if.ts', 'test.serial(']],
};

test('import table: each given package does what it was given for', (t) => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  for (const [name, uses] of Object.entries(GIVEN)) {
    t.true(name in { ...dependencies, ...devDependencies }, name);
    for (const [file, call] of uses) {
      t.true(
        imports.some(({ from, to }) => from === file && (to === name || to.startsWith(`${name}/`))),
        file,
      );
      t.true(readFileSync(join(root, file), 'utf8').includes(call), `${file}: ${call}`);
    }
  }
});

test('import table: only builder/git knows isomorphic-git, and it is loaded when there is a repository', (t) => {
  const users = imports.filter(
    ({ from, to, isTypeOnly }) => to.startsWith('isomorphic-git') && !isTypeOnly && !from.startsWith('builder/git/'),
  );
  t.deepEqual(users.map(show), []);
  const static_ = readFileSync(join(root, 'builder/open-repository.ts'), 'utf8').matchAll(
    /^import (?!type).*git\/.*'/gm,
  );
  t.deepEqual(
    [...static_].map(([line]) => /from '(.*)'/.exec(line)?.[1]),
    ['./git/local/find-git-folder.ts'],
  );
});

test('import table: features of the API import api/http and nothing else of the API; api/http imports no feature', (t) => {
  const folderOf = (path: string): string => (path.split('/').length > 2 ? path.split('/')[1]! : '');
  const inside = own.filter(
    ({ from, to }) => from.startsWith('api/') && to.startsWith('api/') && folderOf(from) !== '',
  );
  t.true(inside.length > 100);
  t.deepEqual(inside.filter(({ from, to }) => ![folderOf(from), 'http'].includes(folderOf(to))).map(show), []);
});

test('import table: no two files import each other in a circle', (t) => {
  t.deepEqual(findCircles(own.filter(({ isTypeOnly }) => !isTypeOnly)), []);
});

/** Rooms in which nothing forms a circle, imports of types included: neither two files nor two folders of one level. */
const LAYERED = ['lib', 'data', 'platform', 'api', 'cli', 'client', 'builder', 'bench'];

test('import table: neighbours in a folder form no circle, be they files or folders, not even by types', (t) => {
  const inside = own.filter(({ from, to }) => LAYERED.includes(from.split('/')[0]!) && isSameRoom(from, to));
  const levels = new Map<string, Import[]>();
  for (const { from, to, isTypeOnly } of inside) {
    const [one, other] = [from.split('/'), to.split('/')];
    const depth = one.findIndex((name, i) => name !== other[i]) + 1;
    const level = one.slice(0, depth - 1).join('/');
    const edge = { from: one.slice(0, depth).join('/'), to: other.slice(0, depth).join('/'), isTypeOnly };
    levels.set(level, [...(levels.get(level) ?? []), edge]);
  }
  t.true(levels.size >= 3);
  t.deepEqual([...levels.values()].flatMap(findCircles), []);
});

function isSameRoom(from: string, to: string): boolean {
  return from.split('/')[0] === to.split('/')[0];
}

/** Returns the circles that imports form, each as a line. */
function findCircles(edgeList: readonly Import[]): readonly string[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of edgeList) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (state.get(file) === 'open') circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (state.has(file)) return;
    state.set(file, 'open');
    for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
    state.set(file, 'done');
  };
  for (const file of edges.keys()) visit(file, []);
  return circles;
}
