import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { runGit } from './run-git.ts';

/** A repository made by the git binary in a temporary folder that goes away with the test. */
export interface TestRepository {
  /** The work tree. */
  readonly folder: string;
  /** Runs git in the work tree and returns what it printed, without the last newline. Throws when git fails. */
  git(...args: string[]): string;
  /** Writes a file below the work tree, with its folders. */
  write(file: string, content: string | Uint8Array): void;
  /** Adds everything and commits it; returns the commit's id. */
  commit(message: string): string;
}

/** Returns a new temporary folder that goes away with the test. */
export function createFolder(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'docbuild-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns a new repository with no commit yet, on branch `main`. */
export function createRepository(t: ExecutionContext): TestRepository {
  const folder = createFolder(t);
  const git = (...args: string[]) => runGit(folder, ...args);
  git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    git,
    write(file, content) {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    },
    commit(message) {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      const head = readFileSync(join(folder, '.git/HEAD'), 'utf8').trim();
      const id = head.startsWith('ref: ')
        ? readFileSync(join(folder, '.git', head.slice('ref: '.length)), 'utf8')
        : head;
      return id.trim();
    },
  };
}
