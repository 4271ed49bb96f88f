import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { formatAnnotations } from '../cli/annotations.ts';
import { createFolder, createRepository } from './helpers/create-repository.ts';
import { runCommand } from './helpers/run-command.ts';
import { gitEnvironment, runGit } from './helpers/run-git.ts';
import { serveGit } from './helpers/serve-git.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

const { inputs, outputs, runs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};
const { steps } = runs;
const stepOf = (id: string): Step => steps.find((step) => step.id === id)!;

/** Runs the commands of a step as GitHub does, with this docbuild as the action. */
async function runStep(
  t: ExecutionContext,
  { shell, run }: Step,
  env: Readonly<Record<string, string>>,
  cwd = createFolder(t),
) {
  t.is(shell, 'bash');
  const output = join(createFolder(t), 'output');
  const { stdout } = await promisify(execFile)('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run!], {
    cwd,
    env: {
      ...gitEnvironment,
      HOME: createFolder(t),
      GITHUB_ACTION_PATH: root,
      GITHUB_OUTPUT: output,
      OPTIONS: '',
      ...env,
    },
    maxBuffer: 10_000_000,
  });
  return { stdout, cwd, output };
}

test('action: what it refers to exists, and no text from outside becomes a part of a script', (t) => {
  t.is(runs.using, 'composite');
  const ids = new Set(steps.flatMap(({ id }) => id ?? []));
  const text = JSON.stringify({ outputs, steps });
  for (const [, id] of text.matchAll(/\bsteps\.(\w+)\./g)) t.true(ids.has(id!), id);
  const named = [...text.matchAll(/\binputs\.(\w+)/g)].map(([, name]) => name!);
  t.deepEqual([...new Set(named)].sort(), Object.keys(inputs).sort());
  for (const { run = '' } of steps) t.notRegex(run, /\$\{\{/);
  for (const { run, shell } of steps) if (run !== undefined) t.is(shell, 'bash');
  // Whoever opens a pull request publishes nothing.
  for (const step of steps.filter(({ uses = '' }) => /pages/.test(uses)))
    t.true(step.if!.startsWith("${{ !startsWith(github.event_name, 'pull_request') && "), step.uses);
});

test('action: it installs from the lock file of its own commit, runs no scripts of packages, and nothing by a name', (t) => {
  const install = steps.find(({ run = '' }) => run.includes('npm ci'))!;
  t.is(install.if, "steps.built.outputs.cache-hit != 'true'");
  t.regex(install.run!, /npm ci --ignore-scripts .*\nnode build\.js\nnpm prune --omit=dev --ignore-scripts /);
  for (const { run = '' } of steps) t.notRegex(run, /npx|npm (?:install|i|exec)\b/);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  t.true(scripts['build']!.startsWith('node build.js'));
});

test.serial('action: what is kept between runs is named after its sources and the version of Node.js', async (t) => {
  const { output } = await runStep(t, stepOf('sources'), {});
  t.regex(readFileSync(output, 'utf8'), new RegExp(`^key=docbuild-${process.version}-[0-9a-f]{64}\\n$`));
  t.regex(String(stepOf('built').with!['key']), /runner\.os.*runner\.arch.*steps\.sources\.outputs\.key/);
});

test.serial('action: a push builds all branches and tags', async (t) => {
  const repository = createRepository(t);
  repository.write('docs/index.md', '# Guide\n\n[dead](no.md)\n');
  repository.commit('Start');
  repository.git('tag', 'v1');
  const { url } = await serveGit(t, join(repository.folder, '..'), { username: 'x-access-token', password: 'secret' });
  const env = {
    GITHUB_SERVER_URL: url,
    GITHUB_REPOSITORY: repository.folder.split('/').at(-1)!,
    OUT: 'public',
    STRICT: 'false',
    BASE_URL: 'https://acme.github.io/guide',
    OPTIONS: '--title A --exclude next|test',
    DOCBUILD_GIT_USERNAME: 'x-access-token',
    DOCBUILD_GIT_TOKEN: 'secret',
  };
  const build = stepOf('build');
  t.deepEqual(
    Object.keys(build.env!).sort(),
    Object.keys(env)
      .filter((name) => !name.startsWith('GITHUB_'))
      .sort(),
  );
  const { stdout, cwd } = await runStep(t, build, env);
  t.regex(readFileSync(join(cwd, 'public/en/v1/index.html'), 'utf8'), /<title>Guide \| A</);
  t.regex(readFileSync(join(cwd, 'public/sitemap.xml'), 'utf8'), /https:\/\/acme\.github\.io\/guide\/en\//);
  t.true(
    stdout.includes('::warning file=docs/index.md,line=3,title=docbuild::Link "no.md" leads to no page or file\n'),
  );
  t.is(stdout.split('::warning').length, 2, 'once, though two versions have it');
  await t.throwsAsync(runStep(t, build, { ...env, STRICT: 'true' }), { message: /3|problems? with --strict/ });
});

test.serial('action: a pull request is checked, annotated by file and line, and publishes nothing', async (t) => {
  const repository = createRepository(t);
  repository.write('docs/index.md', '# Guide\n');
  repository.write('docbuild.config.mjs', 'process.exit(99);\n');
  repository.commit('Start');
  const check = stepOf('check');
  t.is(check.if, "startsWith(github.event_name, 'pull_request')");
  const run = () => runStep(t, check, { GITHUB_WORKSPACE: repository.folder, OPTIONS: '--title A' });
  const good = await run();
  t.regex(good.stdout, /1 version, 1 language, 1 page/);
  t.notRegex(good.stdout, /^::/m);
  repository.write('docs/a,b.md', '# B\n\nText\n\n![](gone.png)\n');
  repository.commit('Bad');
  runGit(repository.folder, 'checkout', '--quiet', '--detach');
  mkdirSync(join(repository.folder, 'docs/not-committed'));
  writeFileSync(join(repository.folder, 'docs/not-committed/c.md'), '[dead](no.md)\n');
  const { stdout, stderr } = await t.throwsAsync<Error & { stdout: string; stderr: string }>(run());
  t.regex(stdout, /^::error file=docs\/a%2Cb\.md,line=5,title=docbuild::.*gone\.png/m);
  t.is(stdout.match(/^::/gm)?.length, 1);
  t.regex(stderr, /1 problem with --strict; nothing was published/);
});

test('annotations: texts cannot become commands of their own, and problems of a whole version name it', (t) => {
  const problem = { ref: 'main', file: 'a.md', line: 0, code: 'dead-link', message: '100 %\r\n::set-env::x' } as const;
  const lines = formatAnnotations(
    {
      errors: [{ ref: 'v1', file: '', line: 0, code: 'no-pages', message: 'No pages' }],
      warnings: [problem, { ...problem, ref: 'v2' }],
    },
    false,
  );
  t.deepEqual(lines, [
    '::error title=docbuild::v1: No pages',
    '::warning file=a.md,title=docbuild::100 %25%0D%0A::set-env::x',
  ]);
  t.regex(formatAnnotations({ errors: [], warnings: [problem] }, true)[0]!, /^::error/);
  t.regex(formatAnnotations({ errors: [], warnings: [{ ...problem, code: 'navigation' }] }, true)[0]!, /^::warning/);
});

test.serial('docbuild site --annotate is not for --json', async (t) => {
  const { code, stdout } = await runCommand(['site', '.', '--out', 'x', '--annotate', 'github', '--json']);
  t.is(code, 2);
  t.regex(stdout, /--annotate <kind>' cannot be used with option '--json'/);
});
