import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { git } from './git.ts';

/** The corpus as a bare repository: 28 tags of real documentation in 7 languages. */
export interface Corpus {
  readonly repository: string;
  readonly tags: readonly string[];
  readonly newestTag: string;
}

/** Its file. */
export const CORPUS_BUNDLE = 'vitepress-docs.bundle';
/** Pages over all tags; when a build finds another number, what is measured is not what the targets mean. */
export const CORPUS_PAGES = 5_096;
export const NEWEST_PAGES = 248;

/** Returns where a git bundle of the corpus is expected: beside the project. */
export function corpusBundle(name: string): string {
  return fileURLToPath(new URL(`../../../../shared/corpus/${name}`, import.meta.url));
}

/** Finds the corpus beside the project and clones it into a folder; undefined when it is not there. */
export function openCorpus(folder: string): Corpus | undefined {
  const bundle = corpusBundle(CORPUS_BUNDLE);
  if (!existsSync(bundle)) return undefined;
  const repository = join(folder, 'corpus.git');
  git(folder, ['clone', '--quiet', '--bare', bundle, repository]);
  const tags = git(repository, ['tag', '--list', 'v*', '--sort=version:refname']).split('\n');
  return { repository, tags, newestTag: tags.at(-1)! };
}
