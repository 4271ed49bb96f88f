import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { createFolder } from './helpers/create-repository.ts';
import { gitEnvironment, runGit } from './helpers/run-git.ts';
import { testIf } from './helpers/test-if.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const releaseTest = testIf(existsSync(join(root, '.git')), 'needs a clone', { isRequiredInCi: false });

/** Returns a clone with the files of this folder, committed, and what is built and installed here. */
function createClone(t: ExecutionContext): string {
  const folder = join(createFolder(t), 'docbuild');
  mkdirSync(folder);
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const name of files.split('\0').filter((one) => one !== '' && existsSync(join(root, one))))
    cpSync(join(root, name), join(folder, name));
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  appendFileSync(join(folder, '.gitignore'), 'node_modules\n');
  runGit(folder, 'init', '--quiet', '--initial-branch=main');
  runGit(folder, 'add', '.');
  runGit(folder, 'commit', '--quiet', '-m', 'All');
  return folder;
}

releaseTest('release: it makes package, list, licences, checksums and notes of a tag, and uploads nothing', (t) => {
  t.timeout(300_000);
  const clone = createClone(t);
  const out = join(createFolder(t), 'out');
  const release = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['.ci/release', ...args], {
      cwd: clone,
      encoding: 'utf8',
      env: { ...gitEnvironment, HOME: createFolder(t) },
    });
  const refuse = (message: RegExp, ...args: readonly string[]): void => {
    const { status, stderr } = release(...args);
    t.is(status, 1);
    t.regex(stderr, message);
    t.false(existsSync(out));
  };
  t.is(release().status, 2);
  refuse(/the tag is "v9\.9\.9", and package\.json has the version/, 'v9.9.9', out);
  refuse(/is not at HEAD/, `v${version}`, out);
  runGit(clone, 'tag', `v${version}`);
  writeFileSync(join(clone, 'new.txt'), '');
  refuse(/changes that are not committed/, `v${version}`, out);
  execFileSync('rm', [join(clone, 'new.txt')]);

  const { status, stdout, stderr } = release(`v${version}`, out);
  t.is(status, 0, stderr);
  const names = [`docbuild-${version}-NOTICES.txt`, `docbuild-${version}.cdx.json`, `docbuild-${version}.tgz`];
  const found = readdirSync(out).filter((name) => !name.endsWith('-image.tar'));
  t.deepEqual(found.sort(), ['NOTES.md', 'SHA256SUMS', ...names]);
  t.is(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out }).status, 0);
  const commit = runGit(clone, 'rev-parse', 'HEAD');
  const notes = readFileSync(join(out, 'NOTES.md'), 'utf8');
  t.true(notes.includes(`@${commit} # v${version}`));
  const sum = createHash('sha256')
    .update(readFileSync(join(out, names[2]!)))
    .digest('hex');
  t.true(notes.includes(`${sum}  ${names[2]}`));
  const { components } = JSON.parse(readFileSync(join(out, names[1]!), 'utf8')) as { components: readonly object[] };
  t.true(components.length > 50);
  t.regex(readFileSync(join(out, names[0]!), 'utf8'), /koa \d/);
  t.regex(stdout, /To upload, once the repository is yours:\n {2}git push origin v/);
  t.regex(stdout, /"OWNER" in package\.json stands for whoever has the repository/);
  // The package says of which commit it is, for the workflows that it writes.
  const manifest = execFileSync('tar', ['-xzOf', join(out, names[2]!), 'package/package.json'], { encoding: 'utf8' });
  t.is((JSON.parse(manifest) as { gitHead: string }).gitHead, commit);

  writeFileSync(join(clone, 'CHANGELOG.md'), '# Changes\n\n## 0.0.1\n\nOld\n');
  runGit(clone, 'commit', '--quiet', '-am', 'No notes');
  runGit(clone, 'tag', '--force', `v${version}`);
  const { stderr: missing } = release(`v${version}`, join(createFolder(t), 'out'));
  t.regex(missing, /CHANGELOG\.md has no section "## /);
});
