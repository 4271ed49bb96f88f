import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long answers took while something went on, ms. */
export interface Latency {
  readonly answers: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Asks for an address every few ms, one question at a time over one connection, until `work` is done. */
export async function probeLatency(url: string, work: Promise<unknown>): Promise<Latency> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen: number[] = [];
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  ended.catch(() => {});
  try {
    while (!isDone) {
      const start = performance.now();
      await ask(url, agent);
      seen.push(performance.now() - start);
      await sleep(3);
    }
    await ended;
  } finally {
    agent.destroy();
  }
  const sorted = seen.sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
  return { answers: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

function ask(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume().once('end', resolve).once('error', reject);
    }).once('error', reject);
  });
}
