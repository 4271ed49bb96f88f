import { docbuildPath, type FinishedProcess, type ProcessOptions, runProgram } from './run-docbuild.ts';

/** How a command is run in a terminal. */
export interface TerminalOptions extends Omit<ProcessOptions, 'through'> {
  /** Columns that the terminal says it has; 0 = it does not know. */
  readonly columns?: number;
}

/**
 * Runs `docbuild` in a terminal of its own, with `script` of util-linux, and waits for its end. What it writes to either output is in
 * `stdout`; `input` is what is typed, and \x03 is Ctrl-C.
 */
export function runInTerminal(args: readonly string[], options: TerminalOptions = {}): Promise<FinishedProcess> {
  const { columns = 100, env = {}, ...rest } = options;
  const quoted = [process.execPath, docbuildPath, ...args].map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`);
  const command = `stty cols ${columns} rows 40; unset CI; exec ${quoted.join(' ')}`;
  return runProgram(['script', '--quiet', '--return', '--command', command, '/dev/null'], {
    ...rest,
    env: { TERM: 'xterm', ...env },
  });
}
