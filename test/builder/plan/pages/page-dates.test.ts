import test, { type ExecutionContext } from 'ava';
import { openCache } from '../../../../builder/cache/cache.ts';
import { openRepository } from '../../../../builder/open-repository.ts';
import { createPageDates } from '../../../../builder/plan/pages/page-dates.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import { execGit, runGit } from '../../../helpers/run-git.ts';

const PAGES = 7;
const ENGINE = { maxBytes: 1e7, engineVersion: 'test' };

/** Adds commits to `main`, each of which writes one of a few pages, an hour after the one before. */
function addCommits(folder: string, first: number, count: number): void {
  const rows = Array.from({ length: count }, (_, index) => {
    const number = first + index;
    const text = `# Page\n\nSentence ${number}.\n`;
    const from = number > 0 && index === 0 ? 'from refs/heads/main^0\n' : '';
    const head = `commit refs/heads/main\ncommitter T <t@example.test> ${timeOf(number)} +0000\ndata 1\nx\n`;
    return `${head}${from}M 100644 inline p${number % PAGES}.md\ndata ${text.length}\n${text}\n`;
  });
  execGit(['fast-import', '--quiet'], { cwd: folder, input: rows.join('') });
}

const timeOf = (commit: number): number => 1_600_000_000 + commit * 3_600;

/**
 * Reads the dates of the newest commit as a new process does, which has nothing but the cache; checks them, and returns how many
 * commits it read. `isLost` tells what the cache has dropped.
 */
async function readAnew(
  t: ExecutionContext,
  { folder, cacheFolder, commits }: { folder: string; cacheFolder: string; commits: number },
  isLost = (_value: Buffer): boolean => false,
): Promise<number> {
  const repository = await openRepository(folder, { cacheFolder, environment: {}, maxFetchBytes: 1e8 });
  const cache = openCache({ folder: cacheFolder, ...ENGINE });
  const readKept: typeof cache.read = (key, decode) =>
    cache.read(key, (value) => (isLost(value) ? undefined : decode(value)));
  const read = new Set<string>();
  const past = repository.past!;
  const readCommit = (oid: string) => {
    read.add(oid);
    return past.readCommit(oid);
  };
  // The process remembers what it read under the name of a repository.
  const readDates = createPageDates(
    { ...past, readCommit },
    { cache: { ...cache, read: readKept }, repository: createFolder(t) },
  );
  const dateOf = await readDates(repository.refs.find(({ name }) => name === 'main')!.oid, {
    folder: '',
    isFlat: false,
  });
  const listed = runGit(folder, 'ls-tree', 'main').matchAll(/ ([0-9a-f]{40})\tp(\d+)\.md$/gm);
  const dates = [...listed].map(([, blob, page]) => [page, dateOf(`p${page}.md`, blob!)]);
  const lastOf = (page: number): number => commits - 1 - ((commits - 1 - page) % PAGES);
  const expected = Array.from({ length: PAGES }, (_, page) => [String(page), timeOf(lastOf(page))]);
  t.deepEqual(dates, expected, `${commits} commits`);
  t.is(cache.close(), undefined);
  await repository.close();
  return read.size;
}

function createHistory(t: ExecutionContext, commits: number) {
  const folder = createFolder(t);
  runGit(folder, 'init', '--quiet', '--bare', '--initial-branch=main', folder);
  addCommits(folder, 0, commits);
  return { folder, cacheFolder: createFolder(t) };
}

test('dates: a new process reads only commits that are not in the cache, however many came one by one', async (t) => {
  const history = createHistory(t, 45);
  t.is(await readAnew(t, { ...history, commits: 45 }), 45);
  for (let commits = 46; commits <= 105; commits++) {
    addCommits(history.folder, commits - 1, 1);
    // The new one, and its parent for what was in it.
    t.is(await readAnew(t, { ...history, commits }), 2, `${commits} commits`);
  }
});

test('dates: what the cache has dropped of a history is read again', async (t) => {
  const history = createHistory(t, 100);
  await readAnew(t, { ...history, commits: 100 });
  addCommits(history.folder, 100, 10);
  await readAnew(t, { ...history, commits: 110 });
  addCommits(history.folder, 110, 1);
  const isLarge = (value: Buffer): boolean => value.length > 3_000;
  t.is(await readAnew(t, { ...history, commits: 111 }, isLarge), 102);
  t.is(await readAnew(t, { ...history, commits: 111 }), 0);
});
