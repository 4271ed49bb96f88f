import { availableParallelism } from 'node:os';

/** Folders whose files take longest; they begin first, so that none of them runs alone in the end. */
const LONG = ['client', 'builder/build-site', 'cli', 'api/inclusion'];
const rank = (file) => {
  const at = LONG.findIndex((folder) => file.includes(`dist/test/${folder}/`));
  return at < 0 ? LONG.length : at;
};

export default {
  files: ['dist/test/**/*.test.js'],
  timeout: '5m',
  workerThreads: false,
  // One more than there are cores, since some wait. The tests of a file run one after the other, see
  // test/helpers/serial-test.ts.
  concurrency: availableParallelism() + 1,
  sortTestFiles: (one, other) => rank(one) - rank(other) || (one < other ? -1 : 1),
};
