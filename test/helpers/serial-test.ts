import ava, { type ImplementationFn, type TestFn } from 'ava';

let file = '';
const nameTest = (title: string): string => (file === '' ? title : `${file} › ${title}`);

/** Names the file whose tests are declared next, in a process of several files; see `ava.config.js`. */
export function nameFile(name: string): void {
  file = name;
}

/**
 * AVA's `test`, with the tests of a process one after the other: they share CPU time, which some measure, and workers that
 * are warm. AVA's own setting `serial` would run the processes one after the other, too.
 */
const test = Object.assign(
  (title: string, implementation: ImplementationFn<unknown[]>) => ava.serial(nameTest(title), implementation),
  ava,
  ava.serial,
  {
    skip: (title: string, implementation: ImplementationFn<unknown[]>) =>
      ava.serial.skip(nameTest(title), implementation),
  },
) as TestFn;

export default test;
