import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Files that begin first, since they take longest, and one that measures its memory: each list is a process. Some that need the
 * browser share one, which costs as much to start as several tests, and so do those that need PostgreSQL or an S3 server.
 */
const FIRST = [
  ['client/control'],
  ['builder/build-site/crash'],
  ['cli/push'],
  ['client/docbuild'],
  ['client/site', 'client/reading'],
  ['cli/platform'],
  ['cli/nodes', 'cli/store-copy', 'cli/restore', 'cli/store', 'platform/sites/storage'],
  ['platform/sites/s3/faults', 'api/sites/sites-in-s3', 'api/nodes', 'api/service/write-check', 'deploy/nginx'],
  ['client/switches', 'client/search'],
  ['api/sites/shared-host'],
  ['api/inclusion/inclusion-routes'],
  ['builder/build-site/incremental'],
  ['client/corpus', 'client/live', 'client/extras'],
  [
    'data/postgres/open-postgres-store',
    'data/postgres/faults',
    'data/postgres/nodes',
    'data/postgres/hot-answers',
    'data/postgres/migrate',
    'data/short-term-memory',
  ],
  [
    'platform/builds/shared-queue',
    'platform/builds/quick-places',
    'platform/builds/log-storages',
    'platform/moving/backup',
    'platform/quotas/nodes',
    'platform/sites/s3/collect-garbage',
  ],
  ['builder/git/remote/fetch-histories'],
  ['cli/site', 'cli/backup', 'cli/dev'],
  ['builder/markdown/page/page-limits', 'builder/build-site/big-repositories', 'builder/markdown/threats'],
  ['api/docbuild/desc-memory'],
];
/** Other files that share a process. */
const MAX_FILES = 20;
/** Temporary files, 1.2 GB at their peak, are kept in memory if this much is free, in bytes. */
const MIN_MEMORY_BYTES = 6 * 1024 ** 3;

const folder = join(dirname(fileURLToPath(import.meta.url)), 'dist/test');
// A run of single files, `npx ava dist/test/…`, has a process for each.
const isWhole = !process.argv.some((argument) => argument.includes('dist/test/'));

// V8 11, that of Node.js 20, optimizes code early, which costs short tests more than it saves. Later versions have no such flag.
const hasInterruptBudget = process.versions.v8.startsWith('11.');

export default {
  files: isWhole ? writeGroups() : ['dist/test/**/*.test.js'],
  timeout: '5m',
  workerThreads: false,
  nodeArguments: hasInterruptBudget ? ['--interrupt-budget=270336'] : [],
  environmentVariables: isWhole ? openTemporary() : {},
  // Four more than there are cores, since many wait. The tests of a process run one after the other, see
  // test/helpers/serial-test.ts.
  concurrency: availableParallelism() + 4,
  sortTestFiles: (one, other) => (one < other ? -1 : 1),
};

/**
 * Joins test files: to start a process and to load what is tested takes as long as the tests of most files. Writes a file for
 * each process, in the order of their names, and returns their paths.
 */
function writeGroups() {
  const found = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.test.js'));
  const files = found.map((path) => path.replaceAll('\\', '/').slice(0, -'.test.js'.length)).sort();
  const groups = FIRST.map((group) => group.filter((file) => files.includes(file))).filter((group) => group.length > 0);
  const grouped = new Set(groups.flat());
  let last = [];
  for (const file of files.filter((file) => !grouped.has(file))) {
    if (last.length === 0 || last.length === MAX_FILES) {
      last = [];
      groups.push(last);
    }
    last.push(file);
  }
  mkdirSync(join(folder, 'groups'), { recursive: true });
  return groups.map((group, place) => {
    const name = `groups/${String(place + 1).padStart(2, '0')}.js`;
    const text = group.map((file) => `import '../${file}.test.js';\n`).join('');
    // Another run may be reading it.
    if (readIfExists(join(folder, name)) !== text) {
      const temporary = join(folder, `${name}.${process.pid}`);
      writeFileSync(temporary, text);
      renameSync(temporary, join(folder, name));
    }
    return `dist/test/${name}`;
  });
}

/**
 * Creates a folder for the temporary files of this run, in memory if enough is free, and removes it when the process exits. Returns
 * the environment variable that names it. Tests create and remove many files, and ext4 searches long for an inode that was not
 * freed within the last seconds.
 */
function openTemporary() {
  const parent = '/dev/shm';
  if (process.env.TMPDIR !== undefined || !existsSync(parent)) return {};
  const owner = process.getuid?.();
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const pid = /^docbuild-tests-(\d+)$/.exec(name)?.[1];
    // Left behind by a run that was killed; this process may have its number.
    const isLeft = pid !== undefined && (pid === `${process.pid}` || !existsSync(`/proc/${pid}`));
    if (isLeft && statSync(path, { throwIfNoEntry: false })?.uid === owner)
      rmSync(path, { recursive: true, force: true });
  }
  const { bavail, bsize } = statfsSync(parent);
  if (Math.min(bavail * bsize, process.availableMemory()) < MIN_MEMORY_BYTES) return {};
  const folder = join(parent, `docbuild-tests-${process.pid}`);
  mkdirSync(folder);
  // PostgreSQL runs as another user and keeps its files here.
  chmodSync(folder, 0o1777);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { TMPDIR: folder };
}

function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
