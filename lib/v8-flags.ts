import { setFlagsFromString } from 'node:v8';

/** The values that flags have in V8 by itself. */
const USUAL = {
  'heap-growing-percent': 0,
  'semi-space-growth-factor': 2,
  /** Of V8 11, that of Node.js 20; later versions have another compiler and do not need it. */
  'interrupt-budget': 67_584,
  'flush-bytecode': true,
} as const;

/**
 * Sets a flag of V8 for this process. It has its usual value again when the process exits, since compiled code that is kept then
 * is accepted only with the same flags (`cli/code-cache.ts`).
 */
export function setV8Flag<Name extends keyof typeof USUAL>(
  name: Name,
  value: (typeof USUAL)[Name] extends boolean ? boolean : number,
): void {
  setFlagsFromString(format(name, value));
  process.prependOnceListener('exit', () => setFlagsFromString(format(name, USUAL[name])));
}

function format(name: string, value: number | boolean): string {
  if (typeof value === 'number') return `--${name}=${value}`;
  return value ? `--${name}` : `--no-${name}`;
}
