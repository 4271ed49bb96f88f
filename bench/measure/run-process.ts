import { spawn } from 'node:child_process';
import { cpuUsage } from 'node:process';
import { readBusyMs, readCores } from './busy-time.ts';
import { sampleMemory } from './sample-memory.ts';

/** One measured run of a program. */
export interface ProcessRun {
  /** Wall time from the start of the process to its end, ms. */
  readonly ms: number;
  /** Peak memory of the process and its descendants together, see `sampleMemory`. */
  readonly peakBytes: number;
  readonly processes: number;
  /** Part of the machine that other processes used meanwhile, 0 to 1. */
  readonly disturbance: number;
  readonly stdout: string;
}

/**
 * Runs a program to its end and measures it; it ends with this process. Throws with what it wrote when it ends with another
 * code than `code` (0).
 */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly code?: number } = {},
): Promise<ProcessRun> {
  const busy = readBusyMs();
  const own = cpuUsage();
  const start = performance.now();
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = child.pid === undefined ? undefined : sampleMemory(child.pid);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes));
  let end = start;
  let othersMs = 0;
  child.once('exit', () => {
    end = performance.now();
    othersMs = readBusyMs() - busy - toMs(cpuUsage(own));
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => {
    stop?.();
    process.off('exit', kill);
  });
  const text = Buffer.concat(stdout).toString();
  if (code !== (options.code ?? 0)) {
    const said = `${Buffer.concat(stderr)}\n${text}`.trim().slice(-4_000);
    throw new Error(`"${command} ${args.join(' ')}" ended with code ${code}:\n${said}`);
  }
  const peak = stop!();
  const ms = end - start;
  const disturbance = Math.max(0, othersMs - peak.cpuMs - BLIND_MS) / (ms * readCores());
  return { ms, peakBytes: peak.bytes, processes: peak.processes, disturbance, stdout: text };
}

/** Work after the last look at a process, and the coarse clock of the kernel, are no disturbance. */
const BLIND_MS = 50;

function toMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
