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
  // Tests of a file run one after the other: they share CPU time, which some measure, and workers that are warm. Files
  // run side by side, one more than there are cores, since some wait.
  serial: true,
  concurrency: availableParallelism() + 1,
  sortTestFiles: (one, other) => rank(one) - rank(other) || (one < other ? -1 : 1),
};
