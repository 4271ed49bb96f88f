import { spawn } from 'node:child_process';
import { sampleMemory } from './sample-memory.ts';

/** One measured run of a program. */
export interface ProcessRun {
  /** Wall time from the start of the process to its end, ms. */
  readonly ms: number;
  /** Peak memory of the process and its descendants together, see `sampleMemory`. */
  readonly peakBytes: number;
  readonly processes: number;
  readonly stdout: string;
}

/** Runs a program to its end and measures it. Throws with what it wrote to stderr when it fails. */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ProcessRun> {
  const start = performance.now();
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = child.pid === undefined ? undefined : sampleMemory(child.pid);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes));
  let end = start;
  child.once('exit', () => {
    end = performance.now();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => stop?.());
  const text = Buffer.concat(stdout).toString();
  if (code !== 0) {
    const said = `${Buffer.concat(stderr)}\n${text}`.trim().slice(-4_000);
    throw new Error(`"${command} ${args.join(' ')}" ended with code ${code}:\n${said}`);
  }
  const peak = stop!();
  return { ms: end - start, peakBytes: peak.bytes, processes: peak.processes, stdout: text };
}
