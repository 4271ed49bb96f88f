import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Files that begin first, since they take longest, and one that measures its memory: each line is a process. Two that need the
 * browser share one, which costs as much to start as several tests.
 */
const FIRST = [
  ['client/control'],
  ['client/site', 'client/reading'],
  ['client/switches', 'client/search'],
  ['client/docbuild'],
  ['api/sites/shared-host'],
  ['builder/build-site/crash'],
  ['client/corpus', 'client/live', 'client/extras'],
  ['cli/platform'],
  ['builder/build-site/incremental'],
  ['builder/markdown/page/page-limits'],
  ['cli/push'],
  ['builder/git/remote/fetch-histories'],
  ['cli/site'],
  ['api/inclusion/inclusion-routes'],
  ['builder/build-site/big-repositories'],
  ['api/docbuild/desc-memory'],
];
/** Other files that share a process. */
const MAX_FILES = 8;

const folder = join(dirname(fileURLToPath(import.meta.url)), 'dist/test');
// A run of single files, `npx ava dist/test/…`, has a process for each.
const isWhole = !process.argv.some((argument) => argument.includes('dist/test/'));

export default {
  files: isWhole ? writeGroups() : ['dist/test/**/*.test.js'],
  timeout: '5m',
  workerThreads: false,
  // Two more than there are cores, since many wait. The tests of a process run one after the other, see
  // test/helpers/serial-test.ts.
  concurrency: availableParallelism() + 2,
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
  const roomOf = (file) => file.split('/')[0];
  let last = [];
  for (const file of files.filter((file) => !grouped.has(file))) {
    if (last.length === 0 || last.length === MAX_FILES || roomOf(last[0]) !== roomOf(file)) {
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

function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
