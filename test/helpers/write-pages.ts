import type { TestRepository } from './create-repository.ts';

/** Writes files and commits them; returns the commit's id. */
export function commitFiles(repository: TestRepository, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [path, content] of Object.entries(files)) repository.write(path, content);
  return repository.commit('Files');
}
