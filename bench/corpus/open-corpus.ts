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

/** Pages over all tags; when a build finds another number, what is measured is not what the targets mean. */
export const CORPUS_PAGES = 5_096;
export const NEWEST_PAGES = 248;

/** Finds the corpus beside the project and clones it into a folder; undefined when it is not there. */
export function openCorpus(folder: string): Corpus | undefined {
  const bundle = fileURLToPath(new URL('../../../../shared/corpus/vitepress-docs.bundle', import.meta.url));
  if (!existsSync(bundle)) return undefined;
  const repository = join(folder, 'corpus.git');
  git(folder, ['clone', '--quiet', '--bare', bundle, repository]);
  const tags = git(repository, ['tag', '--list', 'v*', '--sort=version:refname']).split('\n');
  return { repository, tags, newestTag: tags.at(-1)! };
}
