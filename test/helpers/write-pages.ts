import type { ExecutionContext } from 'ava';
import { createRepository, type TestRepository } from './create-repository.ts';

/** Writes files and commits them; returns the commit's id. */
export function commitFiles(repository: TestRepository, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [path, content] of Object.entries(files)) repository.write(path, content);
  return repository.commit('Files');
}

/** Creates a repository with one commit of these files. */
export function createDocs(t: ExecutionContext, files: Readonly<Record<string, string>>): TestRepository {
  const repository = createRepository(t);
  commitFiles(repository, files);
  return repository;
}
