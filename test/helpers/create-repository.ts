import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';

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

/**
 * Environment in which git reads no configuration of the machine and every commit has the same author and date. Nothing is
 * copied into new repositories, and no process looks for rubbish after each commit: most of what a repository costs.
 */
export const gitEnvironment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_TEMPLATE_DIR: '',
  GIT_AUTHOR_NAME: 'Test Author',
  GIT_AUTHOR_EMAIL: 'author@example.test',
  GIT_AUTHOR_DATE: '2024-01-02T03:04:05Z',
  GIT_COMMITTER_NAME: 'Test Author',
  GIT_COMMITTER_EMAIL: 'author@example.test',
  GIT_COMMITTER_DATE: '2024-01-02T03:04:05Z',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

/** Returns a new temporary folder that goes away with the test. */
export function createFolder(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'docbuild-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs git in a folder and returns what it printed, without the last newline. */
export function runGit(folder: string, ...args: string[]): string {
  const output = execFileSync('git', args, {
    cwd: folder,
    env: gitEnvironment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });
  return output.replace(/\n$/, '');
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
