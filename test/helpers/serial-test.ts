import ava, { type TestFn } from 'ava';

/**
 * AVA's `test`, with the tests of a file one after the other: they share CPU time, which some measure, and workers that are
 * warm. AVA's own setting `serial` would run the files one after the other, too.
 */
const test: TestFn = Object.assign(
  (...declared: Parameters<typeof ava.serial>) => ava.serial(...declared),
  ava,
  ava.serial,
) as TestFn;

export default test;
