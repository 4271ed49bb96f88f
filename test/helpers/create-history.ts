import type { ExecutionContext } from 'ava';
import { createRepository, type TestRepository } from './create-repository.ts';

/** Returns some sentences of their own about a subject. */
export const say = (subject: string): string =>
  Array.from(
    { length: 12 },
    (_, at) => `Sentence ${at} tells what ${subject} has to do with ${subject}${at * 7}.`,
  ).join('\n');

/** Commits the files of each version, by their paths below `docs/`, and tags it; the last one is also `main`. */
export function createHistory(
  t: ExecutionContext,
  versions: Readonly<Record<string, Readonly<Record<string, string>>>>,
): TestRepository {
  const repository = createRepository(t);
  for (const [tag, files] of Object.entries(versions)) {
    repository.git('rm', '-rqf', '--ignore-unmatch', '.');
    for (const [path, text] of Object.entries(files)) {
      repository.write(path.startsWith('.') ? path : `docs/${path}`, text);
    }
    repository.commit(tag);
    repository.git('tag', tag);
  }
  return repository;
}
