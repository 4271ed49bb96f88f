import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts';
import type { SiteFiles } from './site-files.ts';

/** So many parts that do not fit are measured; of those after them only what is known to fit is taken. */
const MAX_MEASURED = 8;
/** Of a part that does not fit, so many contents are measured, so that it can be told what it takes. */
const SAMPLE = 500;

/** The parts of a site that do not fit into its limit. */
export interface Misfits {
  readonly names: readonly string[];
  /** About what the site would take with them. */
  readonly bytes: number;
}

/**
 * Finds the parts of a site that have to be left out so that the others fit into the limit: each content counts once, for the
 * first part that holds it, and a part that does not fit makes no difference to those after it. Sizes that nobody knows are
 * measured by making the contents.
 */
export async function findMisfits(
  site: SiteFiles,
  options: {
    /** Names of groups that are published together or not at all, those that matter most first. */
    readonly parts: ReadonlyMap<string, readonly string[]>;
    readonly maxBytes: number;
    /** Size in bytes of the contents that are known. */
    readonly sizes: ReadonlyMap<string, number>;
    readonly measure: (key: string, path: string) => Promise<number>;
  },
): Promise<Misfits> {
  const { parts, maxBytes } = options;
  const sizes = new Map(options.sizes);
  const taken = new Set<string>();
  const left = new Set<string>();
  const names: string[] = [];
  let total = 0;
  for (const [name, groups] of parts) {
    const own = new Map<string, string>();
    for (const { prefix, list } of groups.map((group) => site.get(group)!)) {
      for (const [path, key] of list.files) if (!taken.has(key)) own.set(key, prefix + path);
    }
    const bytes = await weigh(own, maxBytes - total, names.length < MAX_MEASURED);
    if (bytes === undefined) {
      names.push(name);
      for (const key of own.keys()) left.add(key);
    } else {
      total += bytes;
      for (const key of own.keys()) taken.add(key);
    }
  }
  const missing = [...left].filter((key) => !taken.has(key));
  return { names, bytes: total + estimate(missing) };

  /** Returns what contents take; undefined when that is too much, or not known and not to be found out. */
  async function weigh(contents: ReadonlyMap<string, string>, room: number, mayMeasure: boolean) {
    let bytes = 0;
    let beyond = 0;
    for (const [key, path] of contents) {
      if (bytes > room && ++beyond > SAMPLE) return undefined;
      if (!sizes.has(key)) {
        if (!mayMeasure) return undefined;
        const turn = yieldToEventLoop();
        if (turn) await turn;
        sizes.set(key, await options.measure(key, path));
      }
      bytes += sizes.get(key)!;
    }
    return bytes > room ? undefined : bytes;
  }

  /** Contents of unknown size count for as much as the others on average. */
  function estimate(keys: readonly string[]): number {
    const known = keys.flatMap((key) => sizes.get(key) ?? []);
    const bytes = sum(known);
    const average = known.length > 0 ? bytes / known.length : sum(sizes.values()) / Math.max(1, sizes.size);
    return bytes + (keys.length - known.length) * average;
  }
}

function sum(sizes: Iterable<number>): number {
  let total = 0;
  for (const size of sizes) total += size;
  return total;
}
