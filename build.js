import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds `dist/`: in a copy of the sources beside it, which then takes its place, so that a server that runs from it never finds
 * half of it, and a build that fails changes nothing. With `--if-changed`, which npm runs for `npm ci` and for each
 * `npx docbuild` in a clone, nothing is done where `dist/` is of these sources.
 */
const SOURCES = ['api', 'bench', 'builder', 'cli', 'client', 'data', 'lib', 'platform', 'templates', 'test'];
const FILES = ['package.json', 'package-lock.json', 'rolldown.config.js', 'tsconfig.json', 'build.js'];
/** In `dist/`: a hash of the sources. */
const MARK = 'sources.txt';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const hash = hashSources();
const isCurrent = existsSync(join(dist, MARK)) && readFileSync(join(dist, MARK), 'utf8') === hash;
if (!process.argv.includes('--if-changed') || !isCurrent) build();

function build() {
  removeLeftovers();
  const copy = join(root, `.build-${process.pid}`);
  mkdirSync(copy);
  try {
    for (const name of [...SOURCES, ...FILES]) {
      if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    const { status } = spawnSync('npm', ['run', '--silent', 'build:dist'], {
      cwd: copy,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    if (status !== 0) {
      process.exitCode = status ?? 1;
      return;
    }
    writeFileSync(join(copy, 'dist', MARK), hash);
    replaceDist(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Puts the new folder where the old one is; another build may do the same. */
function replaceDist(copy) {
  for (let attempt = 1; ; attempt++) {
    try {
      if (existsSync(dist)) renameSync(dist, join(copy, `dist-${attempt}`));
      renameSync(join(copy, 'dist'), dist);
      return;
    } catch (error) {
      if (attempt === 5 || !['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    }
  }
}

/** Removes the copies of builds that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    const [, pid] = /^\.build-(\d+)$/.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function hashSources() {
  const sum = createHash('sha256');
  const add = (path) =>
    sum
      .update(`${path}\n`)
      .update(readFileSync(join(root, path)))
      .update('\n');
  for (const name of FILES) if (existsSync(join(root, name))) add(name);
  for (const folder of SOURCES) {
    const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.sort()) add(path.slice(root.length));
  }
  return sum.digest('hex');
}
