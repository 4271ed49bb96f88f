import { existsSync } from 'node:fs';
import { corpusBundle } from '../../bench/corpus/open-corpus.ts';
import { type ConditionalTest, testIf } from './test-if.ts';

/** Declares tests of a bundle of the corpus: without it they are skipped, and fail where `CI` is `true`. */
export function corpusTest(bundle: string): ConditionalTest {
  const file = corpusBundle(bundle);
  return testIf(existsSync(file), `needs the corpus: "${file}" does not exist`, { isRequiredInCi: true });
}
