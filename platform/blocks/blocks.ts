import { DataError } from '../../data/data-error.ts';
import type { Block, BlockStore } from '../../data/records/block.ts';
import { append } from '../../lib/append.ts';
import { createBoundedMap, memoize } from '../../lib/bounded-map.ts';
import { isAmongNetworks, parseNetwork } from '../../lib/ip-address.ts';
import { phrase } from '../../lib/phrase.ts';
import { DEFAULT_LIMIT_SETTINGS, type LimitSettings } from '../config/limit-settings.ts';
import { type BlockInput, parseBlock, parseHost, parseTarget } from './parse-block.ts';

/** Who may not call, and where short URLs may not lead without a warning. */
export interface Blocks {
  /** Returns the block that a source (`sourceOf`) is under now, the one that lasts longest; none for those never blocked. */
  findForSource(source: string): Promise<Block | undefined>;
  /** Returns whether a host, or a domain above it, is on the list; for `safe` of short URLs. */
  isHostBlocked(host: string): Promise<boolean>;
  /** Counts a call that was refused by a limit; so many within a minute block its source for a while. */
  countRefusal(source: string): Promise<void>;
  /** Removes blocks that have ended. */
  prune(): Promise<void>;
  /** Returns current blocks, hosts first, up to 1,000 after `after`. */
  list(query: { readonly after?: Pick<Block, 'kind' | 'target'> }): Promise<readonly Block[]>;
  /** Adds a block, or replaces the one of this target. Throws DataError `invalid`. */
  add(input: BlockInput, means?: { readonly by?: string; readonly store?: BlockStore }): Promise<Block>;
  /** Throws DataError `invalid`, `not-found`. */
  remove(input: Pick<BlockInput, 'kind' | 'target'>, records?: BlockStore): Promise<Block>;
}

const MINUTE_MS = 60_000;
/** Blocks that have ended and are kept: the clock may have been ahead, and they count again when it is set right. */
const KEPT_ENDED = 1_000;
/** Most automatic blocks that are kept at a time. */
const MAX_BY_LIMIT = 10_000;
const MAX_HOSTS = 10_000;
const PAGE = 1000;

/** Creates the blocks that a store keeps; `neverBlocked` returns addresses and ranges that none of them stops. */
export function createBlocks({
  store,
  now,
  neverBlocked = () => [],
  limits = () => DEFAULT_LIMIT_SETTINGS,
  onBlocked = () => {},
}: {
  readonly store: BlockStore;
  readonly now: () => Date;
  readonly neverBlocked?: () => readonly string[];
  /** How many refused calls block a source, and for how long; default: the usual ones. */
  readonly limits?: () => Pick<LimitSettings, 'refused_per_minute' | 'block_minutes'>;
  /** Called for each source that is blocked because it kept calling. */
  readonly onBlocked?: () => void;
}): Blocks {
  const refusals = createRefusals();
  // Short URLs lead to the same hosts over and over.
  const parseKnownHost = memoize(parseHost, MAX_HOSTS);
  const latestOf = (nowMs: number): string => new Date(nowMs + limits().block_minutes * MINUTE_MS).toISOString();
  /** An automatic block that lasts longer than any does was made while the clock was ahead. */
  const isOn = ({ until, by }: Block, nowMs: number): boolean =>
    until === '' || (until > new Date(nowMs).toISOString() && (by !== 'limit' || until <= latestOf(nowMs)));
  const isFree = (source: string): boolean => {
    const allowed = neverBlocked();
    return allowed.length > 0 && isAmongNetworks(source, allowed);
  };
  const prune = (): Promise<void> => {
    const time = now();
    const latestIso = latestOf(time.getTime());
    return store.prune({ nowIso: time.toISOString(), latestIso, keep: MAX_BY_LIMIT, keepEnded: KEPT_ENDED });
  };
  return {
    async findForSource(source) {
      const found = await store.listMatching('source', source);
      if (found.length === 0 || isFree(source)) return undefined;
      const nowMs = now().getTime();
      return found
        .filter((block) => isOn(block, nowMs))
        .sort(byEnd)
        .at(-1);
    },
    async isHostBlocked(host) {
      const parsed = parseKnownHost(host);
      const found = parsed === undefined ? [] : await store.listMatching('host', parsed);
      if (found.length === 0) return false;
      const nowMs = now().getTime();
      return found.some((block) => isOn(block, nowMs));
    },
    async countRefusal(source) {
      const nowMs = now().getTime();
      const network = parseNetwork(source);
      const { refused_per_minute } = limits();
      if (!network || !refusals.count(network.text, { nowMs, most: refused_per_minute }) || isFree(source)) return;
      const block: Block = {
        kind: 'source',
        target: network.text,
        by: 'limit',
        operator: undefined,
        reason: 'Kept calling beyond its limit',
        createdAt: new Date(nowMs).toISOString(),
        until: latestOf(nowMs),
      };
      await store.put('source', network.text, (old) => {
        const isKept = old && isOn(old, nowMs) && byEnd(old, block) > 0;
        return isKept ? old : block;
      });
      onBlocked();
      await prune();
    },
    prune,
    async list({ after }) {
      const nowMs = now().getTime();
      await prune();
      const blocks: Block[] = [];
      for (let last = after; blocks.length < PAGE; ) {
        const page = await store.list({ ...(last && { after: last }), limit: PAGE });
        append(
          blocks,
          page.filter((block) => isOn(block, nowMs)),
        );
        if (page.length < PAGE) break;
        last = page.at(-1)!;
      }
      return blocks.slice(0, PAGE);
    },
    async add(input, { by, store: records = store } = {}) {
      const block = { ...parseBlock(input, now()), operator: by };
      if (block.kind === 'source' && isFree(block.target)) {
        throw new DataError('invalid', phrase`"${block.target}" is among "api.never_blocked": no block would stop it`);
      }
      return records.put(block.kind, block.target, () => block);
    },
    async remove({ kind, target }, records = store) {
      const canonical = parseTarget(kind, target);
      const removed = await records.remove(kind, canonical);
      if (!removed) throw new DataError('not-found', phrase`"${canonical}" is not blocked`);
      if (kind === 'source') refusals.forget(canonical);
      return removed;
    },
  };
}

/** Orders by when blocks end, those for ever last. */
function byEnd(a: Block, b: Block): number {
  if (a.until === b.until) return 0;
  if (a.until === '' || b.until === '') return a.until === '' ? 1 : -1;
  return a.until < b.until ? -1 : 1;
}

/** Sources that are watched at once. */
const MAX_SOURCES = 10_000;

/** Counts calls that limits refused, by source, in memory. `count` returns true when a source has reached the limit. */
function createRefusals() {
  /** Times of the latest refusals, ascending, fewer than the limit. */
  const sources = createBoundedMap<string, readonly number[]>({ maxEntries: MAX_SOURCES });
  return {
    count(source: string, { nowMs, most }: { readonly nowMs: number; readonly most: number }): boolean {
      const times = (sources.get(source) ?? []).filter((ms) => nowMs - MINUTE_MS < ms && ms <= nowMs);
      times.push(nowMs);
      const isReached = times.length >= most;
      if (isReached) sources.delete(source);
      else sources.set(source, times);
      return isReached;
    },
    forget(source: string): void {
      sources.delete(source);
    },
  };
}
