import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Operations } from '../../platform/operations/operations.ts';
import { connectControl, socketPath } from '../../service/control-socket.ts';
import { type SpawnedServer, spawnServer } from '../../test/helpers/spawn-server.ts';

/** Something that must hold while a server is attacked. */
export interface Check {
  readonly name: string;
  readonly holds: boolean;
  /** The findings, with figures. */
  readonly seen: string;
}

/** One way to attack a server. */
export interface Attack {
  readonly name: string;
  readonly title: string;
  readonly run: (arena: Arena) => Promise<readonly Check[]>;
}

/** The tools of attacks. */
export interface Arena {
  /** Temporary folder of the attack that runs; empty at its start. */
  readonly folder: string;
  /** For helpers of tests: what they start ends with the attack. */
  readonly context: ExecutionContext;
  readonly say: (text: string) => void;
}

/** A server process with the operations on it. */
export interface AttackedServer extends SpawnedServer {
  readonly operations: Operations;
}

/**
 * Writes a configuration behind one trusted proxy, so that requests can come from many addresses; returns its folder. `api` has further
 * keys of that section.
 */
export function writeConfig({ folder }: Pick<Arena, 'folder'>, yaml = '', name = 'server', api = ''): string {
  const place = join(folder, name);
  mkdirSync(place);
  writeFileSync(join(place, 'docbuild.yml'), `base_dir: ./base\napi: {trusted_proxies: 1${api}}\n${yaml}`);
  return place;
}

/** Starts `docbuild api` in a folder with a configuration. */
export async function startServer(
  { context }: Pick<Arena, 'context'>,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<AttackedServer> {
  const server = await spawnServer(context, folder, env);
  const operations = await connectControl(socketPath(join(folder, 'base')));
  if (!operations) throw new Error('The server has no control socket');
  return { ...server, operations };
}

/** Returns the header of a request that comes from an address, one for each number. */
export function from(number: number): { readonly 'X-Forwarded-For': string } {
  return { 'X-Forwarded-For': `20.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}` };
}

/** Does something again and again, several at a time, until the returned function is called, which waits for the last of it. */
export function keepDoing(count: number, work: (number: number) => Promise<unknown>): () => Promise<void> {
  let isOver = false;
  let next = 0;
  const workers = Array.from({ length: count }, async () => {
    while (!isOver) await work(next++).catch(() => {});
  });
  return async () => {
    isOver = true;
    await Promise.all(workers);
  };
}

/** Counts equal values: `503 × 12, 200 × 3`, the most frequent first. */
export function tally(values: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([value, count]) => `${value} × ${count}`).join(', ') || 'none';
}

/** Returns the median and the longest of some times: `median 12 ms, longest 40 ms`. */
export function describeTimes(ms: readonly number[]): string {
  const sorted = [...ms].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  return `median ${Math.round(median)} ms, longest ${Math.round(sorted.at(-1) ?? 0)} ms`;
}
