import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';

function createFiles(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const folder = createFolder(t);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const MKDOCS = {
  'mkdocs.yml': 'site_name: Weaver\nhooks: [a.py]\nnav:\n  - Home: index.md\n',
  'docs/index.md': '# Home\n',
};

function migrate(t: ExecutionContext, folder: string, ...flags: string[]) {
  return runCommand(['migrate', '--cache', createFolder(t), ...flags], { cwd: folder });
}

test.serial('docbuild migrate writes the project file and says what it took over and what not', async (t) => {
  const folder = createFiles(t, MKDOCS);
  const { code, stdout, stderr } = await runDocbuild(['migrate', '--cache', createFolder(t)], { cwd: folder });
  t.is(code, 0, stderr);
  t.is(
    stdout,
    `Wrote ${folder}/.docbuild.yml
Taken over from mkdocs.yml: sourceDir, title, navigation of 1 page
Not taken over:
  mkdocs.yml:2: "hooks" is not taken over: programs are not run
Next:
  docbuild dev --open
`,
  );
  t.regex(
    readFileSync(join(folder, '.docbuild.yml'), 'utf8'),
    /\ntitle: Weaver\nsourceDir: docs\nnav:\n {2}- Home: index\.md\n$/,
  );
});

test.serial(
  'docbuild migrate leaves an existing project file, unless it is forced, and does not read it',
  async (t) => {
    const folder = createFiles(t, {
      ...MKDOCS,
      '.docbuild.yml': 'title: Mine\nsourceDir: elsewhere\nnav: [gone.md]\n',
    });
    const file = join(folder, '.docbuild.yml');
    const refused = await migrate(t, folder);
    t.is(refused.code, 1);
    t.is(refused.stderr, `Error: "${file}" exists and was not changed; --force replaces it, --dry-run shows another\n`);
    const shown = await migrate(t, folder, '--dry-run');
    t.is(shown.code, 0);
    t.regex(shown.stdout, /\ntitle: Weaver\nsourceDir: docs\n/);
    t.is(readFileSync(file, 'utf8'), 'title: Mine\nsourceDir: elsewhere\nnav: [gone.md]\n');
    const forced = await migrate(t, folder, '--force', '--json');
    const { text, project, notes } = JSON.parse(forced.stdout);
    t.is(readFileSync(file, 'utf8'), text);
    t.is(project.title, 'Weaver');
    t.deepEqual(notes, [{ file: 'mkdocs.yml', line: 2, message: '"hooks" is not taken over: programs are not run' }]);
  },
);

test.serial('docbuild migrate says that there is nothing to migrate', async (t) => {
  const folder = createFiles(t, { 'docs/index.md': '# Home\n' });
  const { code, stderr } = await migrate(t, folder);
  t.is(code, 1);
  t.regex(stderr, /^Error: No documentation of another generator found in "\.": it is recognised by a file such as/);
  t.false(existsSync(join(folder, '.docbuild.yml')));
});

test.serial('docbuild migrate runs nothing of a configuration, and survives one that cannot be read', async (t) => {
  const pages = { 'docs/index.md': '# Home\n' };
  const script = createFiles(t, {
    ...pages,
    'docusaurus.config.js': `require('fs').writeFileSync('ran', '');
module.exports = { title: 'A', plugins: [function run() { process.exit(3) }], themeConfig: { navbar: { items: list() } }, __proto__: null };`,
  });
  const ran = await migrate(t, script);
  t.is(ran.code, 0, ran.stderr);
  t.false(existsSync(join(script, 'ran')));
  t.regex(ran.stdout, /docusaurus\.config\.js:2: Links of the header that are computed are not taken over/);

  const broken = createFiles(t, { ...pages, 'docusaurus.config.js': 'module.exports = { title: ' });
  t.regex((await migrate(t, broken)).stdout, /docusaurus\.config\.js: The file cannot be read/);
  const yaml = createFiles(t, { ...pages, 'mkdocs.yml': 'site_name: [\n' });
  t.regex((await migrate(t, yaml)).stdout, /mkdocs\.yml:1: The file cannot be read: /);
  const long = createFiles(t, {
    ...pages,
    'mkdocs.yml': `site_name: ${'a'.repeat(600)}\ncopyright: ${'b '.repeat(300)}\ntheme: {palette: {primary: teal}}\n`,
  });
  const { code, stdout } = await migrate(t, long);
  t.is(code, 0);
  for (const key of ['title', 'theme.footer']) {
    t.true(stdout.includes(`mkdocs.yml: Not taken over: "${key}" must not have more than 500 characters\n`), key);
  }
  t.regex(readFileSync(join(long, '.docbuild.yml'), 'utf8'), /\nsourceDir: docs\ntheme:\n {2}accent: "#009485"\n$/);
});
