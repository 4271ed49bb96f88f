import ava, { type ImplementationFn, type TestFn } from 'ava';
import { Agent, setGlobalDispatcher } from 'undici';

// `fetch` takes a connection for each request: a server closes one that has waited for seconds, as while a test is busy, also when the
// next request is on its way to it.
setGlobalDispatcher(new Agent({ pipelining: 0 }));

/** Puts the file in front of a title where several share a process, see `ava.config.js`; elsewhere AVA says which it is. */
function nameTest(title: string): string {
  const file = /\/dist\/test\/([^\n]*)\.test\.js:/.exec(new Error().stack!)?.[1];
  return file === undefined || ava.meta.file.endsWith(`/${file}.test.js`)
    ? title
    : `${file.replaceAll('/', ' › ')} › ${title}`;
}

/** A test that waits for what never happens is named by this and fails alone; AVA's own limit would end the whole run. */
const LIMIT_MS = 4 * 60_000;

function limitTime(implementation: ImplementationFn<unknown[]>): ImplementationFn<unknown[]> {
  return (t, ...given) => {
    t.timeout(LIMIT_MS, 'the test has done nothing for four minutes');
    return implementation(t, ...given);
  };
}

/**
 * AVA's `test`, with the tests of a process one after the other: they share CPU time, which some measure, and workers that
 * are warm. AVA's own setting `serial` would run the processes one after the other, too.
 */
const test = Object.assign(
  (title: string, implementation: ImplementationFn<unknown[]>) =>
    ava.serial(nameTest(title), limitTime(implementation)),
  ava,
  ava.serial,
  {
    skip: (title: string, implementation: ImplementationFn<unknown[]>) =>
      ava.serial.skip(nameTest(title), implementation),
  },
) as TestFn;

export default test;
