import { Readable } from 'node:stream';
import { createProgram } from '../../cli/create-program.ts';
import type { FinishedProcess } from './run-docbuild.ts';

/** How a command is run. */
export interface CommandOptions {
  readonly cwd?: string;
  /** Its standard input; without it there is none. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Ends a command whose arguments end the program. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`Exit with ${code}`);
    this.code = code;
  }
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `docbuild` in this process, where the process is not what is tested: its start costs several times what
 * most commands do. Since the folder, the output and the exit code are those of the process, one command runs after the other:
 * what others wait for meanwhile, what listens, and `site`, which sets limits for its process, need `runDocbuild`.
 */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<FinishedProcess> {
  const running = last.then(() => run(args, options));
  last = running.catch(() => {});
  return running;
}

async function run(args: readonly string[], { cwd, input, env = {} }: CommandOptions): Promise<FinishedProcess> {
  const { exitCode, env: ownEnv } = process;
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  const ownFolder = process.cwd();
  const output = { stdout: '', stderr: '' };
  const release = (['stdout', 'stderr'] as const).map((name) => {
    const write = process[name].write;
    process[name].write = (chunk: string | Uint8Array) => {
      output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    };
    return () => {
      process[name].write = write;
    };
  });
  if (cwd !== undefined) process.chdir(cwd);
  process.env = { ...ownEnv, ...env };
  process.exitCode = undefined;
  const typed = Readable.from(input === undefined ? [] : [Buffer.from(input)]);
  Object.defineProperty(process, 'stdin', { value: typed, configurable: true });
  try {
    const program = createProgram(args, (code) => {
      throw new Exit(code);
    });
    await program.parseAsync(args, { from: 'user' });
    return { code: Number(process.exitCode ?? 0), ...output };
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return { code: error.code, ...output };
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
    process.exitCode = exitCode;
    process.env = ownEnv;
    process.chdir(ownFolder);
    for (const reset of release) reset();
  }
}
