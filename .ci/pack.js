// Makes the package of what `npm run build` has built: node .ci/pack.js [FOLDER], the current one by default. Prints its path. Unlike
// `npm pack` alone it leaves out of package.json what only a clone needs: scripts, among them one that npm takes for an install script,
// and dependencies of the development. Equal sources give equal bytes.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = resolve(process.argv[2] ?? '.');
const pack = (cwd, ...args) => {
  const text = execFileSync('npm', ['pack', '--json', '--ignore-scripts', ...args], { cwd, encoding: 'utf8' });
  // npm 12 lists packages by their names.
  const found = JSON.parse(text);
  return (Array.isArray(found) ? found : Object.values(found))[0];
};

/** Returns the commit of a clone whose files are those of it; undefined elsewhere. */
function findCommit() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const head = git('rev-parse', '--verify', '--quiet', 'HEAD');
  const top = git('rev-parse', '--show-toplevel').stdout?.trim();
  const isClean = git('status', '--porcelain').stdout === '';
  return head.status === 0 && isClean && resolve(top) === resolve(root) ? head.stdout.trim() : undefined;
}

execFileSync(process.execPath, [join(root, '.ci/sbom.js'), join(root, 'dist/sbom.cdx.json')]);
const stage = mkdtempSync(join(tmpdir(), 'docbuild-pack-'));
try {
  for (const { path } of pack(root, '--dry-run').files) {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    cpSync(join(root, path), join(stage, path));
  }
  const {
    scripts,
    devDependencies,
    overrides,
    imports,
    private: _,
    ...shipped
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // The commit that the sources are of; workflows that `docbuild new` writes name it.
  const gitHead = findCommit();
  writeFileSync(
    join(stage, 'package.json'),
    `${JSON.stringify({ ...shipped, ...(gitHead && { gitHead }) }, null, 2)}\n`,
  );
  mkdirSync(target, { recursive: true });
  console.log(join(target, pack(stage, '--pack-destination', target).filename));
} finally {
  rmSync(stage, { recursive: true, force: true });
}
