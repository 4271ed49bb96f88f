import { availableParallelism } from 'node:os';

export default {
  files: ['dist/test/**/*.test.js'],
  require: ['./dist/test/helpers/fetch-without-reuse.js'],
  // Tests start processes, change the environment and measure CPU time, none of which a thread has of its own.
  workerThreads: false,
  // Many tests wait for processes of their own.
  concurrency: availableParallelism() + 2,
  // Without any result; a busy machine takes minutes for some tests.
  timeout: '5m',
  // `.ci/run` reads the numbers at its end.
  tap: process.env.CI === 'true',
};
