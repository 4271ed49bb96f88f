import { execFile } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment, runGit } from '../../test/helpers/run-git.ts';

/** A project all of whose pages, in all versions, say which push they are of. */
export interface MarkedProject {
  readonly name: string;
  readonly repository: string;
  /** Builds are of all versions, so that these are of one push in each edition. */
  readonly isWhole: boolean;
  /** The number of the newest push. */
  readonly mark: number;
  /** The commit of that push. */
  readonly commit: string;
  /** Commits the next push, branches `main` and `v1` in one step; returns its number. */
  push(): Promise<number>;
}

/** Pages beside the first one; their titles are in the sidebar of each page. */
const FURTHER_PAGES = ['one', 'two', 'three'];

/** Creates a repository with one push. */
export async function createMarkedProject(
  folder: string,
  { name, isWhole }: Pick<MarkedProject, 'name' | 'isWhole'>,
): Promise<MarkedProject> {
  const repository = join(folder, name);
  mkdirSync(join(repository, 'docs'), { recursive: true });
  runGit(repository, 'init', '--quiet', '--initial-branch=main');
  const git = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: repository, env: gitEnvironment })).stdout.trim();
  let mark = 0;
  let newest = '';
  const project = {
    name,
    repository,
    isWhole,
    get mark() {
      return mark;
    },
    get commit() {
      return newest;
    },
    async push() {
      const next = mark + 1;
      writeFileSync(join(repository, 'docs/README.md'), `# Guide m${next}m\n\nThis is push m${next}m.\n`);
      for (const page of FURTHER_PAGES) {
        writeFileSync(join(repository, `docs/${page}.md`), `# Page ${page} m${next}m\n\nWords of m${next}m.\n`);
      }
      await git('add', '--all');
      const commit = await git('commit-tree', '-m', `Push ${next}`, await git('write-tree'));
      // Git replaces this file in one step, too; a reference in a file of its own would take precedence.
      const packed = join(repository, '.git/packed-refs');
      const refs = ['main', 'v1'].map((branch) => `${commit} refs/heads/${branch}\n`);
      writeFileSync(`${packed}.new`, `# pack-refs with: peeled fully-peeled sorted \n${refs.join('')}`);
      renameSync(`${packed}.new`, packed);
      mark = next;
      newest = commit;
      return next;
    },
  };
  await project.push();
  return project;
}

/** Returns the numbers of the pushes that a page says it is of, ascending; more than one should never be. */
export function findMarks(html: string): readonly number[] {
  return [...new Set([...html.matchAll(/\bm(\d+)m\b/g)].map(([, mark]) => Number(mark)))].sort((a, b) => a - b);
}
