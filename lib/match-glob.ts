/** Longest pattern, in characters, that is taken apart. */
export const MAX_GLOB_LENGTH = 500;
/** Longest name that patterns are tried on, in characters; a longer one matches only itself. */
const MAX_NAME_LENGTH = 1000;

/** One step of a compiled pattern; steps follow each other unless they say otherwise. */
type Step =
  | { readonly kind: 'one'; readonly takes: (character: string) => boolean }
  /** Takes any number of characters. */
  | { readonly kind: 'run'; readonly crossesParts: boolean }
  /** Goes on at all of these steps at once. */
  | { kind: 'fork'; to: readonly number[] };

/**
 * Returns a test for one pattern: `*` and `?` stay within one part of a name, `**` as a whole part stands for any number
 * of parts, `[a-z]` and `[!a-z]` for one character, `{a,b}` for alternatives; everything else stands for itself.
 * All places a name may have reached are followed side by side, so that time grows with pattern times name and no
 * pattern takes longer, whatever its author intended.
 */
export function createGlob(pattern: string): (name: string) => boolean {
  const steps = compile([...pattern]);
  return (name) => name.length <= MAX_NAME_LENGTH && run(steps, name);
}

function run(steps: readonly Step[], name: string): boolean {
  const seen = new Int32Array(steps.length + 1).fill(-1);
  let places: number[] = [];
  let next: number[] = [];
  let round = 0;
  const reach = (at: number, list: number[]): void => {
    if (seen[at] === round) return;
    seen[at] = round;
    const step = steps[at];
    if (step?.kind === 'fork') for (const to of step.to) reach(to, list);
    else list.push(at);
    if (step?.kind === 'run') reach(at + 1, list);
  };
  reach(0, places);
  for (const character of name) {
    round++;
    for (const at of places) {
      const step = steps[at];
      if (step?.kind === 'one' && step.takes(character)) reach(at + 1, next);
      else if (step?.kind === 'run' && (step.crossesParts || character !== '/')) reach(at, next);
    }
    if (next.length === 0) return false;
    [places, next] = [next, places];
    next.length = 0;
  }
  return places.includes(steps.length);
}

function compile(pattern: readonly string[]): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  compileUntil(() => at >= pattern.length);
  return steps;

  function compileUntil(isEnd: () => boolean): void {
    const isBoundary = (place: number): boolean => /^[/{,}]?$/.test(pattern[place] ?? '');
    while (!isEnd()) {
      const character = pattern[at]!;
      if (character === '*') {
        const start = at;
        while (pattern[at] === '*') at++;
        const crossesParts = at - start === 2 && isBoundary(start - 1) && isBoundary(at);
        if (crossesParts && pattern[at] === '/') {
          at++;
          // Any number of parts, none included.
          steps.push({ kind: 'fork', to: [steps.length + 1, steps.length + 3] }, { kind: 'run', crossesParts }, slash);
        } else {
          steps.push({ kind: 'run', crossesParts });
        }
      } else if (character === '/' && pattern[at + 1] === '*' && pattern[at + 2] === '*' && isLastPart(at + 3)) {
        at += 3;
        steps.push({ kind: 'fork', to: [steps.length + 1, steps.length + 3] }, slash, {
          kind: 'run',
          crossesParts: true,
        });
      } else if (character === '{' && findClose(at) !== undefined) {
        compileAlternatives(findClose(at)!);
      } else {
        steps.push(compileOne());
      }
    }
  }

  function isLastPart(place: number): boolean {
    return /^[,}]?$/.test(pattern[place] ?? '');
  }

  /** Compiles `{a,b}`: a fork to each alternative, and after each a jump to the end. */
  function compileAlternatives(close: number): void {
    const fork = { kind: 'fork' as const, to: [] as number[] };
    const ends: { kind: 'fork'; to: readonly number[] }[] = [];
    steps.push(fork);
    do {
      at++;
      fork.to.push(steps.length);
      compileUntil(() => at >= close || pattern[at] === ',');
      const end = { kind: 'fork' as const, to: [] as readonly number[] };
      ends.push(end);
      steps.push(end);
    } while (at < close);
    at++;
    for (const end of ends) end.to = [steps.length];
  }

  function findClose(open: number): number | undefined {
    let depth = 0;
    for (let place = open; place < pattern.length; place++) {
      if (pattern[place] === '{') depth++;
      else if (pattern[place] === '}' && --depth === 0) return place;
    }
    return undefined;
  }

  function compileOne(): Step {
    const character = pattern[at++]!;
    if (character === '?') return { kind: 'one', takes: (other) => other !== '/' };
    const close = character === '[' ? pattern.indexOf(']', at + (/[!^]/.test(pattern[at] ?? '') ? 2 : 1)) : -1;
    if (close < 0) return { kind: 'one', takes: (other) => other === character };
    const isNegated = /[!^]/.test(pattern[at]!);
    const takes = createClass(pattern.slice(at + (isNegated ? 1 : 0), close));
    at = close + 1;
    return { kind: 'one', takes: (other) => other !== '/' && takes(other) !== isNegated };
  }
}

const slash: Step = { kind: 'one', takes: (character) => character === '/' };

/** Returns a test for the inside of `[…]`. */
function createClass(inside: readonly string[]): (character: string) => boolean {
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < inside.length; at++) {
    const isRange = inside[at + 1] === '-' && at + 2 < inside.length;
    const last = isRange ? inside[at + 2]! : inside[at]!;
    ranges.push([inside[at]!.codePointAt(0)!, last.codePointAt(0)!]);
    if (isRange) at += 2;
  }
  return (character) => {
    const code = character.codePointAt(0)!;
    return ranges.some(([low, high]) => code >= low && code <= high);
  };
}
