import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createProgram } from '../../cli/create-program.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { hashTree } from '../helpers/hash-tree.ts';
import { canRunAsNobody, isRoot } from '../helpers/run-as-nobody.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { serveGit } from '../helpers/serve-git.ts';
import { testIf } from '../helpers/test-if.ts';
import { commitFiles } from '../helpers/write-pages.ts';

test.serial('docbuild site names the page with which it ran out of memory', async (t) => {
  const folder = createFolder(t);
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs/index.md'), '# Home\n');
  writeFileSync(join(folder, 'docs/large.md'), `# Large\n\n<Hog />\n\n${'*a* '.repeat(50_000)}\n`);
  // Whatever else the machine does, memory ends before the time of a page.
  const hog = '() => { for (const all = []; process.env.HOG; ) all.push(new Array(100_000).fill(0.5)); return ""; }';
  const config = `export default { extensions: [{ name: 'hog', components: { Hog: ${hog} } }] };`;
  writeFileSync(join(folder, 'docbuild.config.mjs'), config);
  const site = createSite(t);
  const args = ['site', '.', '--out', site.out, '--cache', site.cacheFolder];
  const env = { HOG: '1', NODE_OPTIONS: '--max-old-space-size=60' };
  const { code, stderr } = await runDocbuild(args, { cwd: folder, env });
  t.not(code, 0);
  t.regex(stderr, /\nError: docbuild was ended while it rendered docs\/large\.md: out of memory, /);
  const whole = await runDocbuild(args, { cwd: folder });
  t.is(whole.code, 0);
  t.notRegex(whole.stderr, /was ended/);
});

test.serial('docbuild site names the step at which it ran out of memory outside of pages', async (t) => {
  const repository = createRepository(t);
  for (let i = 0; i < 1_500; i++) repository.write(`docs/${i}.md`, `# Page ${i}\n`);
  repository.commit('Many');
  for (let i = 0; i < 20; i++) repository.git('tag', `v1.${i}`);
  const site = createSite(t);
  const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder];
  const { code, stderr } = await runDocbuild(args, { env: { NODE_OPTIONS: '--max-old-space-size=24' } });
  t.not(code, 0);
  t.regex(stderr, /\nError: docbuild was ended at the step "[A-Z][a-z ]+": out of memory, .* Build fewer versions/);
});

test.serial(
  'docbuild site builds, ends with 0, shows stages on standard error and the summary on standard output',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, {
      'docs/en/index.md': '# Home\n\n[gone](gone.md)\n\n```js\nlet a;\n```\n',
      'docs/en/a.md': '# A\n',
      'docs/zh_CN/index.md': '# 首页\n',
    });
    repository.git('tag', 'v1');
    const site = createSite(t);
    const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder];
    const { code, stdout, stderr } = await runDocbuild(args);
    t.is(code, 0);
    t.regex(
      stdout,
      /^Warning: main docs\/en\/index\.md:3: Link "gone\.md" leads to no page or file \(and 1 other version\)\n/,
    );
    t.regex(
      stdout,
      /\n2 versions, 2 languages, 6 pages \(\+ 2 not translated\): 3 rendered, 3 reused; 2 dead links; \d+ kB in \d+\.\d\d s → .*out\n$/,
    );
    const stages = [
      'Opening the repository',
      'Fetching versions',
      'Reading versions',
      'Rendering pages',
      'Composing versions',
      'Publishing',
    ];
    t.deepEqual([...new Set(stderr.trimEnd().split('\n'))], stages);
    t.false((stdout + stderr).includes('\u001b'), 'no control characters where no terminal is');
  },
);

test.serial('docbuild site --json prints exactly one object with every promised key', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n\n[gone](gone.md)\n' });
  const site = createSite(t);
  const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder, '--json'];
  const { code, stdout, stderr } = await runDocbuild(args);
  t.is(code, 0);
  t.is(stderr, '');
  t.is(stdout.trimEnd().split('\n').length, 1);
  const { ms, bytes, stages, ...rest } = JSON.parse(stdout);
  t.true(ms > 0 && bytes > 0);
  t.deepEqual(Object.keys(stages), ['open', 'fetch', 'read', 'render', 'compose', 'publish']);
  t.true(Object.values(stages).every((value) => typeof value === 'number'));
  const message = 'Link "gone.md" leads to no page or file';
  t.deepEqual(rest, {
    format: 1,
    sources: [{ folder: 'docs', isReadmeOnly: false, refs: ['main'] }],
    versions: 1,
    languages: 1,
    pages: 1,
    fallbacks: 0,
    untranslated: [],
    translations: [],
    leftOut: { count: 0, names: [] },
    rendered: 1,
    reused: 0,
    extensions: [],
    errors: [],
    warnings: [{ ref: 'main', file: 'docs/index.md', line: 3, code: 'dead-link', message }],
  });
  const again = JSON.parse((await runDocbuild(args)).stdout);
  t.deepEqual([again.rendered, again.reused, again.warnings], [0, 1, rest.warnings]);
});

test.serial('docbuild site fails with 1 and says where on standard error, with --json as one object', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/a.md': '# A\n', '.docbuild.yml': 'title: [\n' });
  const site = createSite(t);
  const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder];
  const text = await runDocbuild(args);
  t.is(text.code, 1);
  t.is(text.stdout, '');
  t.regex(text.stderr, /\nError: ref "main", \.docbuild\.yml:\d: Not valid YAML.*\n$/);
  const json = await runDocbuild([...args, '--json']);
  t.is(json.code, 1);
  t.is(json.stderr, '');
  const { error } = JSON.parse(json.stdout);
  t.is(error.code, 'project-file');
  t.deepEqual([error.ref, error.file], ['main', '.docbuild.yml']);
  t.is(json.stdout.trimEnd().split('\n').length, 1);
});

test.serial('docbuild site --strict ends when one page of many is broken', async (t) => {
  const repository = createRepository(t);
  const code = Array.from({ length: 20 }, (_, n) => `\`\`\`ts\nconst a${n}: number = ${n};\n\`\`\`\n`).join('\n');
  for (let n = 0; n < 60; n++) repository.write(`docs/p${n}.md`, `# ${n}\n\n${code.replaceAll('number', `N${n}`)}`);
  repository.write('docs/a.md', Buffer.from([0x23, 0x20, 0xfd, 0x0a]));
  repository.commit('Pages');
  const site = createSite(t);
  const start = performance.now();
  const { code: exit, stderr } = await runDocbuild([
    'site',
    repository.folder,
    '-o',
    site.out,
    '--cache',
    site.cacheFolder,
    '--strict',
  ]);
  t.is(exit, 1, stderr);
  t.true(performance.now() - start < 60_000);
});

test.serial('docbuild site ends with 0 where versions have errors, and prints them before the warnings', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n\n[gone](gone.md)\n' });
  for (let n = 0; n < 25; n++) {
    commitFiles(repository, { 'docs/a.md': `---\ntitle: [${n}\n---\n`, [`docs/b${n}.md`]: '---\ntitle: [\n---\n' });
    repository.git('tag', `v0.${n}`);
  }
  repository.git('branch', 'latest');
  const site = createSite(t);
  const args = ['site', repository.folder, '-o', site.out, '--cache', site.cacheFolder];
  const { code, stdout } = await runDocbuild(args);
  t.is(code, 0);
  const lines = stdout.trimEnd().split('\n');
  t.regex(lines[0]!, /^Error: main docs\/a\.md:2: Front matter is not valid YAML: .* \(and 25 other versions\)$/);
  t.is(lines.filter((line) => line.startsWith('Error: ')).length, 20);
  t.regex(lines[20]!, /^… and \d+ more errors; --json lists them$/);
  t.regex(
    lines[21]!,
    /^Warning: main docs\/index\.md:3: Link "gone\.md" leads to no page or file \(and 25 other versions\)$/,
  );
  t.regex(lines.at(-1)!, /^26 versions, .*; 377 errors; /);
  const { errors } = JSON.parse((await runDocbuild([...args, '--json'])).stdout);
  t.is(errors.length, 377);
  t.deepEqual([errors[0].ref, errors[26].ref], ['main', 'latest']);
  const strict = await runDocbuild([...args, '--strict']);
  t.is(strict.code, 1);
  t.regex(strict.stderr, /Error: 403 problems with --strict; nothing was published:\n {2}main docs\/a\.md:2: /);
});

test.serial('docbuild site --strict fails with 1 and lists the problems', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n\n[gone](gone.md)\n' });
  const site = createSite(t);
  const args = ['site', repository.folder, '-o', site.out, '--cache', site.cacheFolder, '--strict'];
  const { code, stderr } = await runDocbuild(args);
  t.is(code, 1);
  t.regex(
    stderr,
    /Error: 1 problem with --strict; nothing was published:\n {2}main docs\/index\.md:3: Link "gone\.md"/,
  );
  t.false(site.has(''));
});

test.serial('docbuild site takes . for the repository and names the site after the folder', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', '.gitignore': 'public\n.public.docbuild\n' });
  const clone = join(createFolder(t), 'my-good_docs');
  repository.git('clone', '--quiet', '.', clone);
  const cache = createFolder(t);
  const { code, stderr } = await runDocbuild(['site', '.', '--out', 'public', '--cache', cache], { cwd: clone });
  t.is(code, 0, stderr);
  t.regex(readFileSync(join(clone, 'public/en/latest/index.html'), 'utf8'), /<title>[^<]*My good docs<\/title>/);
  const refused = await runDocbuild(['site', '.', '--out', '.', '--cache', cache, '--force'], { cwd: clone });
  t.is(refused.code, 1);
  t.regex(refused.stderr, /Output folder ".*" contains ".*", which would be replaced; choose another/);
});

test.serial('docbuild site keeps its cache in the folder of the user when nothing else is said', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const home = createFolder(t);
  const site = createSite(t);
  const env = { HOME: home, XDG_CACHE_HOME: '' };
  t.is((await runDocbuild(['site', repository.folder, '-o', site.out], { env })).code, 0);
  t.notThrows(() => readFileSync(join(site.out, 'index.html')));
  t.true(readFileSync(join(site.out, 'index.html')).length > 0);
  mkdirSync(join(home, '.cache/docbuild'), { recursive: true });
  t.throws(() => mkdirSync(join(home, '.cache/docbuild/fragments')), { code: 'EEXIST' });
});

testIf(isRoot && canRunAsNobody(), 'only root can run as somebody else, in a place that others can read')(
  'docbuild works for a user without a home folder, who must name the cache of a site',
  async (t) => {
    // No user has this number.
    const through = 'setpriv --reuid=54321 --regid=54321 --clear-groups env -u HOME -u XDG_CACHE_HOME'.split(' ');
    const cwd = createFolder(t);
    chmodSync(cwd, 0o777);
    const run = (...args: string[]) => runDocbuild(args, { cwd, through });
    t.is((await run('--version')).code, 0);
    const refused = await run('site', '.', '--out', 'out');
    t.deepEqual([refused.code, refused.stdout], [2, '']);
    t.regex(refused.stderr, /required option '--cache <folder>' not specified/);
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# Home\n' });
    chmodSync(repository.folder, 0o755);
    const built = await run('site', repository.folder, '--out', 'out', '--cache', 'cache');
    t.is(built.code, 0, built.stderr);
    t.regex((await run('cfg')).stdout, /base_dir/);
  },
);

/** Returns a home folder, where its compiled code is kept, and what runs docbuild there. */
function createHome(t: ExecutionContext) {
  const home = createFolder(t);
  const code = join(home, '.cache/docbuild/code');
  const run = (...args: string[]) => runDocbuild(args, { env: { HOME: home, XDG_CACHE_HOME: '' } });
  const list = () => readdirSync(code, { recursive: true, encoding: 'utf8' }).toSorted();
  return { code, run, list };
}

test.serial(
  'docbuild keeps its compiled code in the cache folder of the user, and removes what earlier releases have left',
  async (t) => {
    const { code, run, list } = createHome(t);
    const first = await run('--version');
    t.regex(first.stdout, /^\d+\.\d+\.\d+\n$/);
    const kept = list();
    t.true(
      kept.some((path) => path.includes('/docbuild.cjs-')),
      kept.join(),
    );
    t.deepEqual(await run('--version'), first);
    t.deepEqual(list(), kept);
    for (let at = 0; at < 500; at++) writeFileSync(join(code, kept[0]!, `old-${at}`), '');
    writeFileSync(join(code, 'of somebody else'), '');
    // Code that is not kept yet has to find room.
    t.is((await run('new', '--help')).code, 0);
    rmSync(join(code, kept.find((path) => path.includes('/docbuild.cjs-'))!));
    t.deepEqual(await run('--version'), first);
    t.false(list().some((path) => path.includes('old-')));
    // The process that made room kept what it had compiled itself, the next one keeps the rest.
    t.deepEqual(await run('--version'), first);
    t.deepEqual(list(), ['of somebody else', ...kept]);
    rmSync(code, { recursive: true });
    writeFileSync(code, '');
    t.deepEqual(await run('--version'), first);
  },
);

test.serial('code that a build compiles after it has set flags of V8 is used by the next one, too', async (t) => {
  const { code, run, list } = createHome(t);
  const repository = createRepository(t);
  const build = async (text: string) => {
    commitFiles(repository, {
      '.docbuild.yml': 'title: Home\ntheme:\n  logo: docs/logo.svg\n',
      'docs/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"/>',
      'docs/index.md': `# Home\n\n![](logo.svg)\n\n${text}\n`,
    });
    const built = await run('site', repository.folder, '--out', site.out, '--cache', site.cacheFolder);
    t.is(built.code, 0, built.stderr);
    const files = list().filter((path) => path.includes('.cjs-'));
    return files.map((path) => `${path} ${statSync(join(code, path)).ino}`);
  };
  const site = createSite(t);
  await build('First.');
  // The second process looks whether it has more to keep; the third writes only what it had to compile.
  const second = await build('Second.');
  for (const name of ['engine', 'project-file-schema', 'open-document'])
    t.true(
      second.some((file) => file.includes(`/${name}-`)),
      name,
    );
  t.deepEqual(await build('Third.'), second);
  // A site needs nothing of the server.
  t.false(second.some((file) => /\/(?:server|serve-sites|open-platform|undici)-/.test(file)));
});

test.serial('a cache folder that is not absolute counts for nothing, since a repository could have it', async (t) => {
  const { run, list } = createHome(t);
  const cwd = createFolder(t);
  const ran = await runDocbuild(['--version'], { cwd, env: { HOME: cwd, XDG_CACHE_HOME: 'cache' } });
  t.is(ran.code, 0);
  t.deepEqual(readdirSync(cwd), ['.cache']);
  t.is((await run('--version')).code, 0);
  t.true(list().length > 0);
});

testIf(isRoot, 'only root can use the home folder of another user')(
  'root leaves nothing in the home folder of another user',
  async (t) => {
    const home = createFolder(t);
    chownSync(home, 65_534, 65_534);
    t.is((await runDocbuild(['--version'], { env: { HOME: home, XDG_CACHE_HOME: '' } })).code, 0);
    t.deepEqual(readdirSync(home), []);
  },
);

testIf(isRoot, 'only root can make a folder of another user')(
  'docbuild keeps no compiled code in a folder of another user',
  async (t) => {
    const { code, run, list } = createHome(t);
    mkdirSync(code, { recursive: true });
    chownSync(code, 65_534, 65_534);
    t.is((await run('--version')).code, 0);
    t.deepEqual(list(), []);
  },
);

test.serial(
  'docbuild site --max-output stops a build whose latest version takes more, and may be raised',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# Home\n\n![](big.png)\n', 'docs/big.png': 'x'.repeat(1_200_000) });
    const site = createSite(t);
    const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder];
    const refused = await runDocbuild([...args, '--max-output', '1']);
    t.is(refused.code, 1);
    t.regex(
      refused.stderr,
      /site would take about 1\.\d MB, more than 1 MB, the limit for a site; raise it with --max-output/,
    );
    t.false(existsSync(site.out));
    t.is((await runDocbuild([...args, '--max-output', '2'])).code, 0);
  },
);

test.serial('docbuild site takes every limit as an option, and messages name the one that was reached', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': `# Home\n\n![](big.png)\n`,
    'docs/large.md': 'x'.repeat(1_100_000),
    'docs/big.png': 'x'.repeat(1_200_000),
    'docs/a/b/c.md': '# C\n',
  });
  const build = async (...options: readonly string[]): Promise<string> => {
    const site = createSite(t);
    const { stdout, stderr } = await runDocbuild([
      ...['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder, '--jobs', '1', ...options],
    ]);
    return stdout + stderr;
  };
  const cases = [
    [['--max-page', '1'], `more than 1 MB, the limit for a page; raise it with --max-page`],
    [['--max-file', '1'], `larger than 1 MB, the limit for a file; raise it with --max-file`],
    [['--max-files', '3'], `more than 3 files, the limit for one version; raise it with --max-files`],
    [['--max-depth', '1'], `more than 1 levels, the limit for nested folders; raise it with --max-depth`],
  ] as const;
  const printed = await Promise.all(cases.map(([options]) => build(...options)));
  for (const [at, [, message]] of cases.entries()) t.true(printed[at]!.includes(message), printed[at]);
  const all = await build(
    '--timeout',
    '60',
    '--max-fetch',
    '1',
    '--max-cache',
    '1',
    '--max-page',
    '2',
    '--max-file',
    '2',
  );
  t.notRegex(all, /limit/);
});

const oneCoreTest = testIf(spawnSync('taskset', ['-c', '0', 'true']).status === 0, 'needs taskset');
oneCoreTest('docbuild site --jobs 1 works on one core and publishes what more workers do', async (t) => {
  const repository = createRepository(t);
  const fence = (n: number): string => `\`\`\`ts\nconst a${n} = ${n};\n\`\`\`\n`;
  for (let n = 0; n < 30; n++) repository.write(`docs/p${n}.md`, `# ${n}\n\n${fence(n)}`);
  repository.commit('Pages');
  const build = async (jobs: readonly string[], through: readonly string[]) => {
    const site = createSite(t);
    const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder, ...jobs];
    const { code, stderr } = await runDocbuild(args, { through });
    t.is(code, 0, stderr);
    return hashTree(site.out);
  };
  const one = await build(['--jobs', '1'], ['taskset', '-c', '0']);
  t.deepEqual(one, await build([], ['taskset', '-c', '0']));
  t.deepEqual(one, await build(['--jobs', '3'], []));
});

test.serial('docbuild ends with 2 for wrong use, and with 0 after its help and its version', async (t) => {
  const run = (...args: string[]) => runDocbuild(args, { cwd: createFolder(t) });
  t.is((await run('sites')).code, 2);
  const [help, version] = [await run('site', '--help'), await run('--version')];
  t.deepEqual([help.code, version.code], [0, 0]);
  t.regex(help.stdout, /Usage: docbuild site/);
  t.regex(version.stdout, /^\d+\.\d+\.\d+\n$/);
});

const wrongUses: readonly (readonly [title: string, args: readonly string[], message: RegExp])[] = [
  ['no output folder', ['site', '.'], /required option '-o, --out <folder>' not specified/],
  ['no repository', ['site', '--out', 'x'], /missing required argument 'repository'/],
  ['two repositories', ['site', 'a', 'b', '--out', 'x'], /too many arguments/],
  ['an unknown option', ['site', '.', '--out', 'x', '--colour'], /unknown option '--colour'/],
  ['an unknown command', ['sites'], /unknown command 'sites'\n\(Did you mean site\?\)/],
  ['no command', [], /Usage: docbuild/],
  ['jobs of 0', ['site', '.', '--out', 'x', '--jobs', '0'], /'0' is invalid.*number from 1 to 64/],
  ['jobs that are no number', ['site', '.', '--out', 'x', '--jobs', 'many'], /'many' is invalid/],
  [
    'a size of nothing',
    ['site', '.', '--out', 'x', '--max-output', '0'],
    /'0' is invalid.*whole number from 1 to 1000000/,
  ],
  [
    'a time of a fraction',
    ['site', '.', '--out', 'x', '--timeout', '1.5'],
    /'1\.5' is invalid.*number from 1 to 86400/,
  ],
  ['too many levels', ['site', '.', '--out', 'x', '--max-depth', '351'], /'351' is invalid.*from 1 to 350/],
  ['jobs in another notation', ['site', '.', '--out', 'x', '--jobs', '0x2'], /'0x2' is invalid.*number from 1 to 64/],
  ['more jobs than threads help', ['site', '.', '--out', 'x', '--jobs', '65'], /'65' is invalid.*number from 1 to 64/],
  ['jobs of 1.5', ['site', '.', '--out', 'x', '--jobs', '1.5'], /'1\.5' is invalid/],
  ['a language that is none', ['site', '.', '--out', 'x', '--lang', 'en,../x'], /"\.\.\/x" is not a language code/],
  ['an empty language', ['site', '.', '--out', 'x', '--lang', 'en,'], /"" is not a language code/],
  ['a language of impossible parts', ['site', '.', '--out', 'x', '--lang', 'en-xx-yy-zz'], /is not a language code/],
  ['a base URL without a host', ['site', '.', '--out', 'x', '--base-url', '/docs/'], /absolute http or https URL/],
  [
    'a base URL with a password, which every page would show',
    ['site', '.', '--out', 'x', '--base-url', 'https://me:hunter2@docs.example.org/'],
    /^(?!.*hunter2)[\s\S]*without user name and password/,
  ],
  ['a base URL of a script', ['site', '.', '--out', 'x', '--base-url', 'javascript:x'], /absolute http or https URL/],
];
for (const [title, args, message] of wrongUses) {
  test.serial(`docbuild ends with 2 for wrong use: ${title}`, async (t) => {
    const { code, stdout, stderr } = await runCommand(args, { cwd: createFolder(t) });
    t.is(code, 2, stderr);
    t.regex(stderr, message);
    t.is(stdout, '');
  });
}

test.serial('every command is found by its names and aliases, and its help is the same alone and among all', (t) => {
  const stop = (): never => t.fail() as never;
  const all = createProgram([], stop).commands;
  t.true(all.length > 15);
  for (const command of all.filter((one) => one.name() !== 'help')) {
    for (const name of [command.name(), ...command.aliases()]) {
      const alone = createProgram([name], stop).commands;
      t.true(alone.length <= 2, name);
      const found = alone.find((one) => [one.name(), ...one.aliases()].includes(name));
      t.is(found?.helpInformation(), command.helpInformation());
    }
  }
});

for (const args of [['--help'], ['site', '--help'], ['help', 'site'], ['--version'], ['-h']]) {
  test.serial(`docbuild ${args.join(' ')} prints to standard output and ends with 0`, async (t) => {
    const { code, stdout, stderr } = await runCommand(args);
    t.is(code, 0);
    t.is(stderr, '');
    t.regex(stdout, args[0] === '--version' ? /^\d+\.\d+\.\d+\n$/ : /Usage: docbuild/);
    if (args.includes('site'))
      for (const option of ['--refs', '--lang', '--strict', '--json', '--force']) t.true(stdout.includes(option));
  });
}

test.serial('docbuild site prints each warning once and no more than twenty', async (t) => {
  const repository = createRepository(t);
  const links = Array.from({ length: 30 }, (_, n) => `[x](gone-${n}.md)\n`).join('\n');
  commitFiles(repository, { 'docs/index.md': links });
  for (const tag of ['v1', 'v2']) repository.git('tag', tag);
  const site = createSite(t);
  const { stdout } = await runDocbuild(['site', repository.folder, '-o', site.out, '--cache', site.cacheFolder]);
  t.is(stdout.match(/^Warning: /gm)?.length, 20);
  t.regex(stdout, /… and 10 more warnings; --json lists them\n/);
  t.regex(stdout, /90 dead links/);
});

test.serial(
  'docbuild site ends when it has printed its error, also while the server of a damaged pack keeps the connection',
  async (t) => {
    const repository = createRepository(t);
    // What cannot be compressed takes its room in the pack.
    const files = Array.from({ length: 40 }, (_, i) => [`docs/${i}.bin`, randomBytes(20_000)] as const);
    commitFiles(repository, { 'docs/index.md': '# One\n', ...Object.fromEntries(files) });
    const server = await serveGit(t, repository.folder);
    server.tamper = (body, method) => (method === 'POST' ? body.fill(0, 20_000, 20_100) : body);
    // All that is sent is read; only then is there something to wait for.
    server.holdAfterBytes = 150_000;
    const out = createFolder(t);
    let printedMs = Number.NaN;
    const { code, stderr } = await runDocbuild(
      ['site', `${server.url}/.git`, '--out', join(out, 'site'), '--cache', out],
      {
        onStart(child) {
          child.stderr?.on('data', (text: string) => {
            if (/^Error: /m.test(text)) printedMs = performance.now();
          });
        },
      },
    );
    t.is(code, 1);
    t.regex(stderr, /^Error: .* sent a damaged pack/m);
    // The connection is given up after 60 s without a byte.
    t.true(performance.now() - printedMs < 30_000);
  },
);

test.serial('docbuild site ends quietly when nobody reads what it prints, and says when it cannot print', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  const args = ['site', repository.folder, '-o', site.out, '--cache', site.cacheFolder, '--json'];
  const closed = await runDocbuild(args, { onStart: (child) => child.stdout!.destroy() });
  t.is(closed.stderr, '');
  t.is(closed.code, 0);
  const shell = (command: string) => runDocbuild(args, { through: ['sh', '-c', `exec "$@" ${command}`, 'sh'] });
  const full = await shell('> /dev/full');
  t.is(full.code, 1);
  t.regex(full.stderr, /^Error: Cannot write to standard output: ENOSPC/);
});

test.serial('docbuild site, as it is installed, renders code, tables and components', async (t) => {
  const repository = createRepository(t);
  const text = '# Home\n\n```js\nlet a;\n```\n\n| a |\n|---|\n| b |\n\n<Badge text="new" />\n\n```js\nopen\n';
  commitFiles(repository, { 'docs/index.md': text });
  const folder = createFolder(t);
  const args = ['site', repository.folder, '-o', join(folder, 'out'), '--cache', join(folder, 'cache'), '--json'];
  const { code, stdout } = await runDocbuild(args);
  t.is(code, 0);
  const { errors, warnings } = JSON.parse(stdout);
  t.deepEqual(errors, []);
  t.deepEqual(
    warnings.map(({ line, code: subject }: { line: number; code: string }) => [line, subject]),
    [[13, 'unclosed']],
  );
});
