import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** How git is run. */
interface GitOptions {
  /** Absolute path of the folder it runs in. */
  readonly cwd: string;
  /** Its standard input; without it there is none. */
  readonly input?: string | Uint8Array;
  /** Variables beside those of `gitEnvironment`, or in their place. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs git in a folder and returns what it printed, without the last newline. Throws when git fails. */
export function runGit(cwd: string, ...args: string[]): string {
  return execGit(args, { cwd }).toString().replace(/\n$/, '');
}

let runScript: ((script: string, input: string | Uint8Array) => Buffer) | undefined;

/**
 * Runs git and returns what it printed; throws what it said when it fails. A shell that waits for work starts it: starting a
 * process copies the page tables of its parent, which for a process as large as this one costs several times what git does.
 */
export function execGit(args: readonly string[], { cwd, input = '', env = {} }: GitOptions): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
  runScript ??= startShell();
  return runScript(`cd ${quote(cwd)} && ${[...variables, 'git', ...args.map(quote)].join(' ')}\n`, input);
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Starts a shell that ends with this process. Returns what runs a script in it; throws when a script fails. */
function startShell(): (script: string, input: string | Uint8Array) => Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'docbuild-shell-'));
  const path = (name: string): string => join(folder, name);
  execFileSync('mkfifo', [path('status')]);
  // Output goes to files: whatever a script leaves running then keeps nobody waiting.
  const loop =
    'exec 3>status; while read -r _; do cd "$0"; { . ./script; } <input >output 2>error 3>&-; echo $? >&3; done';
  const shell = spawn('sh', ['-c', loop, folder], {
    cwd: folder,
    env: gitEnvironment,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  shell.unref();
  // If it is gone, the end of the pipe is read in place of a status.
  shell.stdin.on('error', () => {});
  (shell.stdin as unknown as { unref(): void }).unref();
  const status = openSync(path('status'), 'r');
  process.on('exit', () => {
    closeSync(status);
    rmSync(folder, { recursive: true, force: true });
  });
  const answer = Buffer.alloc(16);
  return (script, input) => {
    writeFileSync(path('script'), script);
    writeFileSync(path('input'), input);
    shell.stdin.write('\n');
    const code = answer.toString('latin1', 0, readSync(status, answer)).trim();
    if (code === '0') return readFileSync(path('output'));
    const said = code === '' ? 'The shell is gone' : readFileSync(path('error'), 'utf8');
    throw new Error(`Command failed with ${code}: ${script}${said}`);
  };
}
