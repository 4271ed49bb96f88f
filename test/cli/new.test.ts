import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { createFolder } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { hashTree } from '../helpers/hash-tree.ts';
import { runCommand } from '../helpers/run-command.ts';
import { docbuildPath, runDocbuild } from '../helpers/run-docbuild.ts';
import { gitEnvironment, runGit } from '../helpers/run-git.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { serveGit } from '../helpers/serve-git.ts';
import { browserTest, findViolations, PATIENCE_MS, shareBrowser } from '../helpers/share-browser.ts';

const getBrowser = shareBrowser();

/** Builds the documentation in a folder and returns the summary. */
async function build(t: ExecutionContext, folder: string, out: string) {
  const { languages, pages, fallbacks, errors, warnings } = await createSite(t).build(folder, { out });
  return { languages, pages, fallbacks, errors, warnings };
}

test.serial('docbuild new writes a start that builds without a problem, and says what comes next', async (t) => {
  const cwd = createFolder(t);
  const { code, stdout } = await runDocbuild(['new', 'guide'], { cwd });
  t.is(code, 0);
  t.is(
    stdout,
    `Written to ${cwd}/guide:
  .docbuild.yml
  .github/workflows/docs.yml
  .gitignore
  docs/en/index.md
  docs/en/markdown.md
Next:
  cd guide
  docbuild dev --open
  docbuild site . --out public
Before the workflow runs, replace:
  <OWNER>/docbuild@<COMMIT> in .github/workflows/docs.yml
`,
  );
  const folder = join(cwd, 'guide');
  t.false(existsSync(join(folder, '.git')));
  const out = join(folder, 'public');
  t.deepEqual(await build(t, folder, out), { languages: 1, pages: 2, fallbacks: 0, errors: [], warnings: [] });
  t.regex(readFileSync(join(out, 'en/latest/index.html'), 'utf8'), /<title>guide/);
});

test.serial('docbuild new writes several languages, those without a text of their own to be translated', async (t) => {
  const folder = createFolder(t);
  const args = ['new', folder, '--lang', 'zh_CN,en,fr', '--title', 'A: "b" & c', '--git', '--json'];
  const { code, stdout } = await runCommand(args);
  t.is(code, 0);
  const { written, left, next } = JSON.parse(stdout);
  t.true(next.includes('git add . && git commit -m "First pages"'), 'what is not committed is not built');
  t.deepEqual(
    (written as readonly string[]).filter((path) => path.startsWith('docs/')),
    ['docs/en/index.md', 'docs/en/markdown.md', 'docs/fr/index.md', 'docs/zh_CN/index.md', 'docs/zh_CN/markdown.md'],
  );
  t.deepEqual(left, []);
  t.is(runGit(folder, 'symbolic-ref', 'HEAD'), 'refs/heads/main');
  const { title, lang } = parse(readFileSync(join(folder, '.docbuild.yml'), 'utf8'));
  t.deepEqual({ title, lang }, { title: 'A: "b" & c', lang: ['zh_CN', 'en', 'fr'] });
  runGit(folder, 'add', '.');
  runGit(folder, 'commit', '--quiet', '-m', 'Start');
  const out = join(createFolder(t), 'public');
  t.deepEqual(await build(t, folder, out), { languages: 3, pages: 5, fallbacks: 1, errors: [], warnings: [] });
  t.regex(readFileSync(join(out, 'index.html'), 'utf8'), /zh_CN\/latest/);
  t.false(readFileSync(join(out, 'zh_CN/latest/markdown.html'), 'utf8').includes('__'));
  t.regex(readFileSync(join(folder, 'docs/fr/index.md'), 'utf8'), /such as docs\/de,/);
});

test.serial('docbuild new names languages whose folders would not be recognised otherwise', async (t) => {
  const folder = createFolder(t);
  await runCommand(['new', folder, '--lang', 'en,fil,so']);
  const { languages, errors, warnings } = await build(t, folder, join(createFolder(t), 'public'));
  t.deepEqual({ languages, errors, warnings }, { languages: 3, errors: [], warnings: [] });
  const guide = createFolder(t);
  await runCommand(['new', guide, '--lang', 'en,de']);
  t.regex(readFileSync(join(guide, 'docs/de/index.md'), 'utf8'), /such as docs\/fr,/);
  t.is(
    parse(readFileSync(join(guide, '.docbuild.yml'), 'utf8')).lang,
    undefined,
    'one more folder is one more language',
  );
});

test.serial('docbuild new changes no file that exists, except that it adds lines to .gitignore', async (t) => {
  const folder = createFolder(t);
  await runCommand(['new', folder]);
  writeFileSync(join(folder, 'docs/en/index.md'), '# Mine\n');
  const before = hashTree(folder);
  const again = await runCommand(['new', folder]);
  t.is(again.code, 0);
  t.regex(
    again.stdout,
    /^Nothing to write to .*\nLeft as they are:\n {2}\.docbuild\.yml\n {2}\.github\/workflows\/docs\.yml\n {2}docs\/en\/\n/,
  );
  t.deepEqual(hashTree(folder), before);

  const other = createFolder(t);
  mkdirSync(join(other, 'docs'));
  writeFileSync(join(other, 'docs/guide.md'), '# Guide\n');
  writeFileSync(join(other, '.gitignore'), 'node_modules\npublic');
  const { written, left } = JSON.parse((await runCommand(['new', other, '--ci', 'gitlab', '--json'])).stdout);
  t.deepEqual(written, ['.docbuild.yml', '.gitignore', '.gitlab-ci.yml']);
  t.deepEqual(left, ['docs/']);
  t.is(readFileSync(join(other, '.gitignore'), 'utf8'), 'node_modules\npublic\n/.public.docbuild/\n');
});

test.serial(
  'docbuild new leaves the documentation of another generator to docbuild migrate, and adds the workflow afterwards',
  async (t) => {
    const folder = createFolder(t);
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/index.md'), '# Home\n');
    writeFileSync(join(folder, 'mkdocs.yml'), 'site_name: Weaver\n');
    const before = hashTree(folder);
    const refused = await runCommand(['new', folder]);
    t.is(refused.code, 1);
    t.regex(refused.stderr, /has the documentation of another generator, "mkdocs\.yml": "docbuild migrate" takes over/);
    t.deepEqual(hashTree(folder), before);
    t.is((await runCommand(['migrate', folder, '--cache', createFolder(t)])).code, 0);
    const { written, left } = JSON.parse((await runCommand(['new', folder, '--json'])).stdout);
    t.deepEqual(written, ['.github/workflows/docs.yml', '.gitignore']);
    t.deepEqual(left, ['.docbuild.yml', 'docs/']);
  },
);

test.serial('docbuild new says what is wrong', async (t) => {
  const folder = createFolder(t);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const inFile = await runCommand(['new', file]);
  t.is(inFile.code, 1);
  t.regex(inFile.stderr, /^Error: Cannot read ".*file": ENOTDIR/);
  const language = await runCommand(['new', folder, '--lang', 'en,nothing really']);
  t.is(language.code, 2);
  t.regex(language.stderr, /"nothing really" is not a language code such as "en" or "zh_CN"/);
  const ci = await runCommand(['new', folder, '--ci', 'other']);
  t.is(ci.code, 2);
  t.regex(ci.stderr, /Allowed choices are github, gitlab, woodpecker, none/);
});

/** What the package of docbuild stands for in these tests: `npm` does nothing with it. */
const PACKAGE = 'a package';

/**
 * Runs commands of a workflow with this docbuild, in a folder of their own, whose `/tmp` is a folder, too. Returns that folder, with what
 * `npm` was asked for.
 */
async function runScript(
  t: ExecutionContext,
  lines: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = createFolder(t),
) {
  const bin = createFolder(t);
  const tmp = createFolder(t);
  const write = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  write('docbuild', `exec '${process.execPath}' '${docbuildPath}' "$@"`);
  write('npm', 'echo "npm $*"');
  const { PATH = '' } = process.env;
  const script = lines.join('\n').replaceAll('/tmp/', `${tmp}/`);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { ...gitEnvironment, HOME: cwd, PATH: `${bin}:${PATH}`, ...env },
  });
  t.true(
    stdout
      .replaceAll(tmp, '/tmp')
      .includes('npm install --global --ignore-scripts --no-audit --no-fund /tmp/docbuild.tgz\n'),
  );
  return { cwd, tmp, stdout };
}

/** Serves a repository with a start for one CI, a branch and a tag beside `main`, and the package that its workflow names. */
async function serveStart(t: ExecutionContext, ci: string) {
  const files = createFolder(t);
  writeFileSync(join(files, 'docbuild.tgz'), PACKAGE);
  const { url: origin, close } = await serveFolder(files);
  t.teardown(close);
  const root = createFolder(t);
  const folder = join(root, 'guide');
  const sha256 = createHash('sha256').update(PACKAGE).digest('hex');
  const args = ['--ci', ci, '--git', '--package', `${origin}/docbuild.tgz`, '--sha256', sha256];
  const { stdout } = await runCommand(['new', folder, ...args, '--json']);
  t.deepEqual(JSON.parse(stdout).placeholders, []);
  runGit(folder, 'add', '.');
  runGit(folder, 'commit', '--quiet', '-m', 'Start');
  runGit(folder, 'tag', 'v1');
  runGit(folder, 'branch', 'next');
  runGit(folder, 'config', 'http.receivepack', 'true');
  const server = await serveGit(t, root, { username: 'docbuild', password: 'token' });
  return { folder, server };
}

const PUBLISHED = ['en/main/markdown.html', 'en/v1/index.html', 'en/next/index.html'];

test.serial(
  'docbuild new: the commands for GitLab publish all branches and tags, and check merge requests',
  async (t) => {
    const { folder, server } = await serveStart(t, 'gitlab');
    const text = readFileSync(join(folder, '.gitlab-ci.yml'), 'utf8');
    t.notRegex(text, /TO SET/);
    const { variables, '.docbuild': base, pages, 'check-documentation': check } = parse(text);
    t.deepEqual([pages.extends, check.extends, pages.artifacts], ['.docbuild', '.docbuild', { paths: ['public'] }]);
    const url = server.url.replace('//', '//docbuild:token@');
    const { cwd } = await runScript(t, [...base.before_script, ...pages.script], {
      ...variables,
      CI_REPOSITORY_URL: `${url}/guide`,
      CI_PAGES_URL: 'https://example.org/guide',
    });
    for (const path of [...PUBLISHED, 'sitemap.xml']) t.true(existsSync(join(cwd, 'public', path)), path);

    const checking = () => runScript(t, [...base.before_script, ...check.script], variables, folder);
    t.regex((await checking()).stdout, /1 version, 1 language, 2 pages/);
    writeFileSync(join(folder, 'docs/en/bad.md'), '# Bad\n\n[dead](no.md)\n');
    runGit(folder, 'add', '.');
    runGit(folder, 'commit', '--quiet', '-m', 'Bad');
    const { stderr } = await t.throwsAsync<Error & { stderr: string }>(checking());
    t.regex(stderr, /1 problem with --strict; nothing was published:\n.*docs\/en\/bad\.md:3/);

    const other = { ...variables, DOCBUILD_SHA256: '0'.repeat(64) };
    const { stdout } = await t.throwsAsync<Error & { stdout: string }>(runScript(t, base.before_script, other));
    t.regex(stdout, /FAILED/, 'another package is not installed');
    t.notRegex(stdout, /npm install/);
  },
);

test.serial('docbuild new: the commands for Woodpecker publish a branch, and check pull requests', async (t) => {
  const { folder, server } = await serveStart(t, 'woodpecker');
  const { steps } = parse(readFileSync(join(folder, '.woodpecker/docs.yml'), 'utf8'));
  const [publish, check] = steps;
  t.deepEqual([publish.name, check.name], ['publish', 'check']);
  const { PAGES_TOKEN, ...given } = publish.environment;
  t.deepEqual(PAGES_TOKEN, { from_secret: 'pages_token' });
  const env = { ...given, PAGES_TOKEN: 'token', CI_REPO_CLONE_URL: `${server.url}/guide`, CI_COMMIT_SHA: 'c0ffee' };
  for (let round = 1; round <= 2; round++) await runScript(t, publish.commands, env);
  const published = runGit(folder, 'ls-tree', '-r', '--name-only', 'pages').split('\n');
  for (const path of PUBLISHED) t.true(published.includes(path), path);
  t.is(runGit(folder, 'log', '--format=%s', 'pages'), 'Documentation at c0ffee');
  t.false(
    published.some((path) => path.startsWith('en/pages/')),
    'the published branch is no version',
  );
  t.regex((await runScript(t, check.commands, check.environment, folder)).stdout, /1 version, 1 language, 2 pages/);
});

test.serial('docbuild new names no package that anybody could register, and says what is to be set', async (t) => {
  for (const [ci, file, words] of [
    ['github', '.github/workflows/docs.yml', ['<OWNER>/docbuild@<COMMIT>']],
    ['gitlab', '.gitlab-ci.yml', ['https://docs.example.org/PACKAGE.tgz', 'SHA256']],
    ['woodpecker', '.woodpecker/docs.yml', ['https://docs.example.org/PACKAGE.tgz', 'SHA256']],
  ] as const) {
    const folder = createFolder(t);
    const { stdout } = await runCommand(['new', folder, '--ci', ci]);
    t.true(
      stdout.endsWith(`Before the workflow runs, replace:\n${words.map((word) => `  ${word} in ${file}\n`).join('')}`),
      ci,
    );
    const text = readFileSync(join(folder, file), 'utf8');
    t.true(text.includes(`# TO SET: replace ${words.join(' and ')} below.`), ci);
    t.notRegex(text, /npx|npm (?:install|i|exec)\s.*\bdocbuild(?:@\S+)?\s*$|docbuild@\d/m, ci);
    t.notRegex(text, /__/);
  }
});

test.serial(
  'docbuild new: the workflow for GitHub uses the action that it is told, publishes, and checks',
  async (t) => {
    const folder = createFolder(t);
    const action = `acme/docbuild@${'0123456789'.repeat(4)}`;
    await runCommand(['new', folder, '--action', action]);
    const text = readFileSync(join(folder, '.github/workflows/docs.yml'), 'utf8');
    t.notRegex(text, /TO SET/);
    const { on, permissions, jobs } = parse(text) as {
      readonly on: readonly string[];
      readonly permissions: object;
      readonly jobs: Readonly<
        Record<
          string,
          {
            readonly if: string;
            readonly permissions: Record<string, string>;
            readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly env?: object }[];
          }
        >
      >;
    };
    t.deepEqual([on, permissions], [['push', 'pull_request', 'workflow_dispatch'], {}]);
    const used = Object.values(jobs).flatMap(({ steps }) =>
      steps.flatMap(({ uses = '' }) => (uses.startsWith('acme/') ? [uses] : [])),
    );
    t.deepEqual(used, [action, action]);
    // Only what publishes may publish, and it runs nothing of a pull request; what starts it runs no code of anybody.
    t.deepEqual(
      Object.entries(jobs).map(([name, job]) => [name, job.permissions]),
      [
        ['publish', { contents: 'read', pages: 'write', 'id-token': 'write' }],
        ['publish-from-default-branch', { actions: 'write' }],
        ['check', { contents: 'read' }],
      ],
    );
    t.regex(jobs['publish']!.if, /!= 'pull_request'/);
    t.regex(jobs['check']!.if, /== 'pull_request'/);
    for (const { steps } of Object.values(jobs)) for (const { run = '' } of steps) t.notRegex(run, /\$\{\{/);
  },
);

test.serial('docbuild new refuses an action, a package and a hash that are none', async (t) => {
  for (const [flag, value, message] of [
    ['--action', 'acme/docbuild@v1', /all 40 digits of a commit/],
    ['--action', 'docbuild', /OWNER\/REPOSITORY@COMMIT/],
    ['--package', 'docbuild@0.1.0', /http\(s\) URL/],
    ['--sha256', 'abc', /64 hexadecimal digits/],
  ] as const) {
    const { code, stderr } = await runCommand(['new', createFolder(t), flag, value]);
    t.is(code, 2, value);
    t.regex(stderr, message);
  }
});

browserTest('docbuild new: its pages have no fault in accessibility, in both colour schemes', async (t) => {
  const folder = createFolder(t);
  await runCommand(['new', folder, '--lang', 'en,zh_CN']);
  const out = join(folder, 'public');
  await build(t, folder, out);
  const { url: origin, close } = await serveFolder(out);
  t.teardown(close);
  const page = await getBrowser().newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of ['en/latest/', 'en/latest/markdown.html', 'zh_CN/latest/markdown.html']) {
      await page.goto(`${origin}/${path}`);
      t.deepEqual(await findViolations(page), [], `${path}, ${colorScheme}`);
    }
  }
});
