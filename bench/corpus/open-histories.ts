import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVersions } from './create-synthetic.ts';
import { git } from './git.ts';

/** A whole history with its branches and tags, as a bare repository. */
export interface History {
  readonly name: string;
  readonly repository: string;
  /** A page of the branch `main` or `master` that may be changed. */
  readonly page: string;
  readonly branch: string;
}

/** Returns Koa's history; undefined where the corpus is not beside the project. */
export function openKoa(folder: string): History | undefined {
  const bundle = fileURLToPath(new URL('../../../../shared/corpus/koa.bundle', import.meta.url));
  return existsSync(bundle) ? cloneHistory('Koa', bundle, join(folder, 'koa.git')) : undefined;
}

/** Names the environment variable that leads to a clone of VitePress. */
export const VITEPRESS_VARIABLE = 'BENCH_VITEPRESS';

/** Returns VitePress' history from the clone that `BENCH_VITEPRESS` names; undefined where it names none. */
export function openVitepress(folder: string): History | undefined {
  const clone = process.env[VITEPRESS_VARIABLE];
  return clone === undefined ? undefined : cloneHistory('VitePress', clone, join(folder, 'vitepress.git'));
}

/** Makes a history of 1,000 tags, ten commits each, with 60,000 objects. */
export function createLargeHistory(folder: string): History {
  const repository = createVersions(folder, { versions: 1_000, pages: 40, commitsPerVersion: 10 });
  return describeHistory('1,000 tags, 60,000 objects', repository);
}

/** Clones branches and tags alone; a mirror of a code host holds the refs of hundreds of pull requests besides. */
function cloneHistory(name: string, from: string, repository: string): History {
  git('/', ['clone', '--quiet', '--bare', '--no-local', from, repository]);
  return describeHistory(name, repository);
}

function describeHistory(name: string, repository: string): History {
  const branch = git(repository, ['symbolic-ref', '--short', 'HEAD']);
  const files = git(repository, ['ls-tree', '-r', '--name-only', branch, '--', 'docs']).split('\n');
  return { name, repository, branch, page: files.find((file) => file.endsWith('.md'))! };
}
