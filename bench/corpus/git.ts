import { execFileSync } from 'node:child_process';

/** Runs git in a folder, apart from the machine's configuration, and returns what it printed without the last newline. */
export function git(folder: string, args: readonly string[], input: string | Buffer = ''): string {
  return gitBytes(folder, args, input).toString().replace(/\n$/, '');
}

/** Runs git like `git` and returns the bytes it printed. */
export function gitBytes(folder: string, args: readonly string[], input: string | Buffer = ''): Buffer {
  const person = { NAME: 'Bench', EMAIL: 'bench@example.test', DATE: '2024-01-02T03:04:05Z' };
  const identity = Object.entries(person).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  return execFileSync('git', args, {
    cwd: folder,
    input,
    maxBuffer: 1 << 30,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
      ...Object.fromEntries(identity),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      LC_ALL: 'C',
    },
  });
}
