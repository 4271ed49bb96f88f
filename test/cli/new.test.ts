import { execFile } from 'node:child_process';
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
  t.regex(ci.stderr, /Allowed choices are github, gitlab, none/);
});

interface Step {
  readonly run?: string;
}

/** Runs a script of a workflow with this docbuild; `npm` does nothing. */
async function runScript(t: ExecutionContext, script: string, env: Readonly<Record<string, string>>): Promise<string> {
  const bin = createFolder(t);
  const write = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  write('docbuild', `exec '${process.execPath}' '${docbuildPath}' "$@"`);
  write('npm', 'echo "npm $*"');
  const cwd = createFolder(t);
  const { PATH = '' } = process.env;
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { ...gitEnvironment, HOME: cwd, PATH: `${bin}:${PATH}`, ...env },
  });
  t.regex(stdout, /^npm install --global docbuild@\d+\.\d+\.\d+\n/);
  return cwd;
}

/** Serves a repository with a start for one CI, a branch and a tag beside `main`, and returns what runs there. */
async function serveStart(t: ExecutionContext, ci: string) {
  const root = createFolder(t);
  const folder = join(root, 'guide');
  await runCommand(['new', folder, '--ci', ci, '--git']);
  runGit(folder, 'add', '.');
  runGit(folder, 'commit', '--quiet', '-m', 'Start');
  runGit(folder, 'tag', 'v1');
  runGit(folder, 'branch', 'next');
  const credentials = { username: 'ci', password: 'token' };
  const server = await serveGit(t, root, credentials);
  return { folder, server, credentials };
}

const PUBLISHED = ['en/main/markdown.html', 'en/v1/index.html', 'en/next/index.html', 'sitemap.xml'];

test.serial('docbuild new: the commands of the workflow for GitHub publish all branches and tags', async (t) => {
  const { folder, server, credentials } = await serveStart(t, 'github');
  const { env, jobs } = parse(readFileSync(join(folder, '.github/workflows/docs.yml'), 'utf8'));
  const steps = jobs.documentation.steps as readonly Step[];
  const script = steps.flatMap(({ run }) => run ?? []).join('\n');
  const cwd = await runScript(t, script, {
    ...env,
    GITHUB_SERVER_URL: server.url,
    GITHUB_REPOSITORY: 'guide',
    BASE_URL: 'https://example.org/guide',
    DOCBUILD_GIT_USERNAME: credentials.username,
    DOCBUILD_GIT_TOKEN: credentials.password,
  });
  for (const path of PUBLISHED) t.true(existsSync(join(cwd, 'public', path)), path);
});

test.serial('docbuild new: the commands of the workflow for GitLab publish all branches and tags', async (t) => {
  const { folder, server } = await serveStart(t, 'gitlab');
  const { pages } = parse(readFileSync(join(folder, '.gitlab-ci.yml'), 'utf8'));
  t.deepEqual(pages.artifacts, { paths: ['public'] });
  const url = server.url.replace('//', '//ci:token@');
  const cwd = await runScript(t, (pages.script as readonly string[]).join('\n'), {
    DOCBUILD: pages.variables.DOCBUILD,
    CI_REPOSITORY_URL: `${url}/guide`,
    CI_PAGES_URL: 'https://example.org/guide',
  });
  for (const path of PUBLISHED) t.true(existsSync(join(cwd, 'public', path)), path);
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
