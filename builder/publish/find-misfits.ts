import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts';
import type { SiteFiles } from './site-files.ts';

/** Contents measured, evenly spread over a part, to estimate its size. */
const SAMPLE = 100;
const FEW = 8;
/** A part estimated at more than this multiple of the space left is not measured completely. */
const CLEAR_EXCESS = 1.5;

/** The parts of a site that do not fit into the limit. */
export interface Misfits {
  readonly names: readonly string[];
  /** Estimated size of the site with them. */
  readonly bytes: number;
}

export interface RoomRules {
  /** Of so many parts, the first ones, none is taken after one that does not fit: of versions the oldest go. */
  readonly withoutGap: number;
  /** Contents that grow with each part, such as a search index, and the share of them that each part has; together 1. */
  readonly common: ReadonlySet<string>;
  readonly shares: ReadonlyMap<string, number>;
}

/**
 * Finds the parts of a site that have to be left out so that the others fit into the limit: each content counts once, for the
 * first part that holds it, and what is common to all for each by its share. Unknown sizes are measured by producing the contents;
 * of parts that clearly do not fit, and of what is common, a sample. What is produced of parts that then do not fit is bounded by the
 * limit, too: after that, only parts of known size are taken.
 */
export async function findMisfits(
  site: SiteFiles,
  options: {
    /** Names of groups that are published together or not at all, those that matter most first. */
    readonly parts: ReadonlyMap<string, readonly string[]>;
    readonly rules?: RoomRules | undefined;
    readonly maxBytes: number;
    /** Size in bytes of the contents that are known. */
    readonly sizes: ReadonlyMap<string, number>;
    readonly measure: (key: string, path: string) => Promise<number>;
  },
): Promise<Misfits> {
  const { parts, maxBytes, rules = { withoutGap: 0, common: new Set(), shares: new Map() } } = options;
  const sizes = new Map(options.sizes);
  const taken = new Set<string>();
  const left = new Set<string>();
  const names: string[] = [];
  /** Bytes produced for measuring, and those of parts that did not fit. */
  let made = 0;
  let inVain = 0;
  let isFull = false;
  let place = 0;
  const common = new Map<string, string>();
  for (const { prefix, list } of site.values()) {
    for (const [path, key] of list.files) if (rules.common.has(key)) common.set(key, prefix + path);
  }
  await sample(common);
  const commonBytes = estimate([...common.keys()], mean);
  let total = 0;
  for (const [name, groups] of parts) {
    const own = new Map<string, string>();
    for (const { prefix, list } of groups.map((group) => site.get(group)!)) {
      for (const [path, key] of list.files) if (!taken.has(key) && !common.has(key)) own.set(key, prefix + path);
    }
    const share = commonBytes * (rules.shares.get(name) ?? 0);
    // Of what is left out anyway a few contents tell the size.
    const bytes = isFull ? await sample(own, FEW) : await weigh(own, maxBytes - total - share);
    place += 1;
    if (bytes === undefined) {
      names.push(name);
      // The first part is needed in any case.
      isFull ||= place > 1 && place <= rules.withoutGap;
      for (const key of own.keys()) left.add(key);
    } else {
      total += bytes + share;
      for (const key of own.keys()) taken.add(key);
    }
  }
  if (names.length > 0) for (const key of common.keys()) left.add(key);
  const missing = [...left].filter((key) => !taken.has(key));
  return { names, bytes: total + estimate(missing, mean) };

  /** Returns what contents take; undefined when that is too much. */
  async function weigh(contents: ReadonlyMap<string, string>, room: number): Promise<number | undefined> {
    if (inVain > maxBytes && [...contents.keys()].some((key) => !sizes.has(key))) return sample(contents, FEW);
    const before = made;
    await sample(contents);
    // The median, since a few large files in the sample say nothing about the rest.
    let bytes = estimate([...contents.keys()], median) > CLEAR_EXCESS * room ? Number.POSITIVE_INFINITY : 0;
    for (const content of contents) {
      if (bytes > room) break;
      bytes += await measure(content);
    }
    if (bytes <= room) return bytes;
    inVain += made - before;
    return undefined;
  }

  /** Measures some contents of unknown size, evenly spread. */
  async function sample(contents: ReadonlyMap<string, string>, count = SAMPLE): Promise<undefined> {
    const unknown = [...contents].filter(([key]) => !sizes.has(key));
    const step = Math.max(1, unknown.length / count);
    for (let at = 0; at < unknown.length; at += step) await measure(unknown[Math.floor(at)]!);
  }

  async function measure([key, path]: readonly [string, string]): Promise<number> {
    let size = sizes.get(key);
    if (size === undefined) {
      const turn = yieldToEventLoop();
      if (turn) await turn;
      size = await options.measure(key, path);
      sizes.set(key, size);
      made += size;
    }
    return size;
  }

  /** Contents of unknown size count as much as a usual one. */
  function estimate(keys: readonly string[], usual: (sizes: readonly number[]) => number): number {
    const known = keys.flatMap((key) => sizes.get(key) ?? []);
    return sum(known) + (keys.length - known.length) * usual(known.length > 0 ? known : [...sizes.values()]);
  }
}

function sum(sizes: readonly number[]): number {
  let total = 0;
  for (const size of sizes) total += size;
  return total;
}

function mean(sizes: readonly number[]): number {
  return sizes.length === 0 ? 0 : sum(sizes) / sizes.length;
}

function median(sizes: readonly number[]): number {
  return [...sizes].sort((a, b) => a - b)[sizes.length >> 1] ?? 0;
}
