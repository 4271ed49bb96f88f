import { execFileSync } from 'node:child_process';
import { readTreeCpuMs } from './sample-memory.ts';
import type { RunningServer } from './start-server.ts';

/** The report of wrk. */
export interface WrkRun {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time of the server for one answer, µs; says more than the rate where others use the machine. */
  readonly cpuUs: number;
}

export interface WrkOptions {
  readonly path: string;
  readonly connections: number;
  readonly seconds: number;
  readonly headers?: readonly string[];
  /** A Lua script that chooses what to ask for. */
  readonly script?: string;
}

/** Throws when an answer was not 2xx or 3xx or a connection failed: the figure would say nothing. */
export function runWrk({ url: origin, pid }: RunningServer, options: WrkOptions): WrkRun {
  const { path, connections, seconds, headers = [], script } = options;
  const url = origin + path;
  const fields = headers.flatMap((header) => ['-H', header]);
  const scripts = script === undefined ? [] : ['-s', script];
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...scripts, ...fields, url];
  const cpuMs = readTreeCpuMs(pid);
  const text = execFileSync('wrk', args, { encoding: 'utf8' });
  const usedMs = readTreeCpuMs(pid) - cpuMs;
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`wrk saw errors at ${url}:\n${text}`);
  const [, perSecond] = /Requests\/sec:\s*([\d.]+)/.exec(text) ?? [];
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(text) ?? [];
  const [, answers] = /(\d+) requests in/.exec(text) ?? [];
  if (perSecond === undefined || p99 === undefined || answers === undefined)
    throw new Error(`Cannot read what wrk says:\n${text}`);
  return {
    perSecond: Number(perSecond),
    p99Ms: Number(p99) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1),
    cpuUs: (usedMs * 1000) / Number(answers),
  };
}
