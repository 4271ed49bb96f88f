import type { RegexEngine } from 'shiki/core';

type Scanner = ReturnType<RegexEngine['createScanner']>;
type Text = ReturnType<RegexEngine['createString']>;
type Match = ReturnType<Scanner['findNextMatchSync']>;

/** Limit of cached pattern lists, including unused ones. */
const MAX_LISTS = 3_000;
/** One pattern in this many ends a part, in every list that contains it. */
const PART_LENGTH = 16;

/** Patterns compiled as one, and their last match. */
interface Part {
  readonly key: string;
  readonly scanner: Scanner;
  /** Whether a match depends on where the search starts. */
  readonly startsMatter: boolean;
  users: number;
  text: Text | undefined;
  options: unknown;
  from: number;
  match: Match;
  matchStart: number;
}

/** A grammar's list: its parts in order, and the index at which each one starts. */
interface List {
  readonly parts: readonly Part[];
  readonly offsets: readonly number[];
  users: number;
}

/**
 * Returns a regex engine that finds what `engine` finds and compiles far less. Every context of a grammar lists all
 * patterns it allows, mostly the same ones, and the engine compiles each list separately: in JavaScript's grammar each
 * pattern seven times, which is most of the cost of the first blocks of a language. Here lists are cut into parts after
 * patterns that are chosen by a hash of their text, so that equal sequences result in equal parts; a part is compiled
 * once for all lists, and its match in a line is kept until the search has passed it.
 */
export function sharePatterns(engine: RegexEngine): RegexEngine {
  const lists = new Map<string, List>();
  const parts = new Map<string, Part>();
  return {
    createString: (text) => engine.createString(text),
    createScanner(patterns) {
      const sources = patterns.map((pattern) => (typeof pattern === 'string' ? pattern : pattern.source));
      const key = keyOf(sources);
      const list = lists.get(key) ?? createList(sources);
      lists.set(key, list);
      list.users++;
      return {
        findNextMatchSync(text, start, options) {
          if (typeof text !== 'string') return findInList(list, text, start, options);
          const created = engine.createString(text);
          const match = findInList(list, created, start, options);
          created.dispose?.();
          return match;
        },
        dispose() {
          if (--list.users > 0 || lists.size <= MAX_LISTS) return;
          lists.delete(key);
          list.parts.forEach(release);
        },
      };
    },
  };

  function createList(sources: readonly string[]): List {
    const cuts = findCuts(sources);
    const offsets = [0, ...cuts.slice(0, -1)];
    return { offsets, parts: cuts.map((end, index) => takePart(sources.slice(offsets[index], end))), users: 0 };
  }

  function takePart(sources: string[]): Part {
    const key = keyOf(sources);
    let part = parts.get(key);
    if (part === undefined) {
      part = {
        key,
        scanner: engine.createScanner(sources),
        startsMatter: sources.some((source) => source.includes('\\G')),
        users: 0,
        text: undefined,
        options: undefined,
        from: 0,
        match: null,
        matchStart: 0,
      };
      parts.set(key, part);
    }
    part.users++;
    return part;
  }

  function release(part: Part): void {
    if (--part.users > 0) return;
    parts.delete(part.key);
    part.scanner.dispose?.();
  }
}

/** The length distinguishes the empty list from the list of the empty pattern. */
const keyOf = (sources: readonly string[]): string => `${sources.length}\0${sources.join('\0')}`;

/**
 * Returns the ends of the parts. The first pattern of a list is usually unique to it. With `\K` the start of a match is
 * unknown, so that parts could not be compared: such a list stays whole.
 */
function findCuts(sources: readonly string[]): readonly number[] {
  if (sources.some((source) => source.includes('\\K'))) return [sources.length];
  const cuts: number[] = [];
  for (let i = 1; i < sources.length; i++) {
    if (i === 1 || hashText(sources[i - 1]!) % PART_LENGTH === 0) cuts.push(i);
  }
  return [...cuts, sources.length];
}

/** Returns the leftmost match; of two at one position, that of the earlier pattern. */
function findInList(
  list: List,
  text: Text,
  start: number,
  options: Parameters<Scanner['findNextMatchSync']>[2],
): Match {
  let best: Match = null;
  let bestStart = Number.POSITIVE_INFINITY;
  let bestOffset = 0;
  const { parts, offsets } = list;
  for (let i = 0; i < parts.length && bestStart > start; i++) {
    const part = parts[i]!;
    const known =
      part.text === text &&
      part.options === options &&
      part.from <= start &&
      part.matchStart >= start &&
      !part.startsMatter;
    if (!known) {
      const match = part.scanner.findNextMatchSync(text, start, options);
      part.text = text;
      part.options = options;
      part.from = start;
      part.match = match;
      part.matchStart = match === null ? Number.POSITIVE_INFINITY : match.captureIndices[0]!.start;
    }
    if (part.matchStart >= bestStart) continue;
    best = part.match;
    bestStart = part.matchStart;
    bestOffset = offsets[i]!;
  }
  return best && { index: best.index + bestOffset, captureIndices: best.captureIndices };
}

/** FNV-1a over UTF-16 units, its bits mixed once more. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
