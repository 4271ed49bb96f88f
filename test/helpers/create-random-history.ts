import type { ExecutionContext } from 'ava';
import { changeFiles, createRandomFiles, type Files } from './change-files.ts';
import { createRandom, type Random } from './create-random.ts';
import { createFolder } from './create-repository.ts';
import { execGit, runGit } from './run-git.ts';

/** A bare repository that changes at random, the same way for the same seed. */
export interface RandomHistory {
  readonly folder: string;
  /** Changes files or refs and says what. */
  step(): string;
}

const BRANCHES = ['main', 'next', 'release/1.x', 'v2'];
/** Those that meet others, or files of the site, in one address. */
const COLLIDING = ['feature-x', 'latest', 'NEXT', 'index.html'];
const TAGS = ['v1.0', 'v1.1', 'v2', 'nightly', 'rel/1'];

/** Creates a repository with one branch of a few pages; `defects` is how often a change breaks something. */
export function createRandomHistory(t: ExecutionContext, seed: number, defects = 0): RandomHistory {
  const folder = createFolder(t);
  const git = (...args: string[]): boolean => {
    runGit(folder, ...args);
    return true;
  };
  const random = createRandom(seed);
  const branches = new Map<string, Files>([['main', createRandomFiles(random)]]);
  const tags = new Set<string>();
  let commits = 0;
  git('init', '--quiet', '--bare', '--initial-branch=main');
  // Pages then say where they can be edited, which depends on the default branch.
  git('config', 'remote.origin.url', 'https://github.com/o/r.git');
  commit('main');
  for (const tag of ['v1.0', 'v1.1']) {
    tags.add(tag);
    git('tag', tag, 'refs/heads/main');
    changeFiles(branches.get('main')!, random);
    commit('main');
  }
  makeBranch(random);

  const refChanges: readonly (readonly [name: string, change: (random: Random) => boolean])[] = [
    ['branch made', makeBranch],
    ['branch made', makeBranch],
    ['branch deleted', deleteBranch],
    ['tag', makeTag],
    ['tag', makeTag],
    ['tag', makeTag],
    ['tag deleted', deleteTag],
    ['other default branch', ({ pick }) => git('symbolic-ref', 'HEAD', `refs/heads/${pick([...branches.keys()])}`)],
    ['default branch that does not exist', () => git('symbolic-ref', 'HEAD', 'refs/heads/gone')],
    ['refs packed', () => git('pack-refs', '--all')],
    // What a version that breaks stays as must be there.
    ['repacked', () => git('gc', '--quiet', `--prune=${defects > 0 ? 'never' : 'now'}`)],
  ];
  return {
    folder,
    step() {
      for (;;) {
        if (random.chance(0.65)) {
          const branch = random.pick([...branches.keys()]);
          const what = changeFiles(branches.get(branch)!, random, defects);
          commit(branch);
          return `${branch}: ${what}`;
        }
        const [name, change] = random.pick(refChanges);
        if (change(random)) return name;
      }
    },
  };

  function makeBranch({ pick }: Random): boolean {
    const name = pick(defects > 0 ? [...BRANCHES, ...COLLIDING] : BRANCHES);
    if (branches.has(name)) return false;
    const from = pick([...branches.keys()]);
    branches.set(name, new Map(branches.get(from)));
    return git('branch', name, `refs/heads/${from}`);
  }

  function deleteBranch({ pick }: Random): boolean {
    if (branches.size < 2) return false;
    const name = pick([...branches.keys()]);
    branches.delete(name);
    return git('update-ref', '-d', `refs/heads/${name}`);
  }

  function makeTag({ pick, chance }: Random): boolean {
    const name = pick(TAGS);
    tags.add(name);
    const annotated = chance(0.5) ? ['--annotate', '--message=x'] : [];
    return git('tag', '--force', ...annotated, name, `refs/heads/${pick([...branches.keys()])}`);
  }

  function deleteTag({ pick }: Random): boolean {
    if (tags.size === 0) return false;
    const name = pick([...tags]);
    tags.delete(name);
    return git('tag', '--delete', name);
  }

  function commit(branch: string): void {
    const ref = `refs/heads/${branch}`;
    const from = commits === 0 ? '' : `from ${ref}^0\n`;
    commits++;
    const head = `commit ${ref}\ncommitter T <t@example.test> ${1_700_000_000 + commits * 60} +0000\ndata 1\nx\n`;
    const rows: Uint8Array[] = [Buffer.from(`${head}${from}deleteall\n`)];
    for (const [path, content] of branches.get(branch)!) {
      const bytes = Buffer.from(content);
      rows.push(Buffer.from(`M 100644 inline "${path}"\ndata ${bytes.length}\n`), bytes, Buffer.from('\n'));
    }
    const input = Buffer.concat(rows);
    execGit(['fast-import', '--quiet', '--force'], { cwd: folder, input });
  }
}
