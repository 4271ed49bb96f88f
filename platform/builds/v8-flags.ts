import { setFlagsFromString } from 'node:v8';

/** The values that flags have in V8 by itself. */
const DEFAULTS = {
  'heap-growing-percent': 0,
  'semi-space-growth-factor': 2,
  /** Of V8 11, that of Node.js 20; later versions have another compiler and do not need it. */
  'interrupt-budget': 67_584,
  'flush-bytecode': true,
} as const;

type FlagName = keyof typeof DEFAULTS;

/** Flags that this process has set: the launcher and the code that it loads are bundled apart, and have it in common by this name. */
const FLAGS = Symbol.for('docbuild.v8-flags');
const shared = process as typeof process & { [FLAGS]?: Map<FlagName, number | boolean> };
shared[FLAGS] ??= new Map();
const changed = shared[FLAGS];

/** Sets a flag of V8 for this process. */
export function setV8Flag<Name extends FlagName>(
  name: Name,
  value: (typeof DEFAULTS)[Name] extends boolean ? boolean : number,
): void {
  changed.set(name, value);
  setFlagsFromString(format(name, value));
}

/** A build that is at more pages or files than this is a large one. */
const LARGE = 10_000;
/** How much the heap grows beyond what is in use, in percent: in a large build what is left for garbage counts most. */
const GROWTH = 30;
const LARGE_GROWTH = 10;

/** Lets the heap grow less than V8 does by itself. */
export function saveMemory(): void {
  setV8Flag('heap-growing-percent', GROWTH);
}

/** Saves more in a large build, as its progress shows it. */
export function watchBuild({ total }: { readonly total: number }): void {
  if (total > LARGE && changed.get('heap-growing-percent') !== LARGE_GROWTH) {
    setV8Flag('heap-growing-percent', LARGE_GROWTH);
  }
}

/** Runs a function while all flags have their default values: with others, V8 refuses compiled code that was kept. */
export function withDefaultV8Flags<T>(run: () => T): T {
  for (const name of changed.keys()) setFlagsFromString(format(name, DEFAULTS[name]));
  try {
    return run();
  } finally {
    for (const [name, value] of changed) setFlagsFromString(format(name, value));
  }
}

function format(name: string, value: number | boolean): string {
  if (typeof value === 'number') return `--${name}=${value}`;
  return value ? `--${name}` : `--no-${name}`;
}
