import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How often a process looks how its clock is wrong, in ms. */
export const CLOCK_LOOK_MS = 20;

const SHIFTED_CLOCK = `
import { readFileSync } from 'node:fs';
const True = Date;
let shift = 0;
const read = () => {
  try { shift = Number(readFileSync(process.env.CLOCK_SHIFT, 'utf8')) || 0; } catch {}
};
read();
setInterval(read, ${CLOCK_LOOK_MS}).unref();
globalThis.Date = class Date extends True {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(True.now() + shift);
  }
  static now() { return True.now() + shift; }
};
`;

/** Creates, in a folder, a clock for processes that are started with `env`; `shift` makes it wrong by so many ms, also while they run. */
export function createShiftedClock(folder: string): {
  readonly env: Readonly<Record<string, string>>;
  shift(ms: number): void;
} {
  const [file, module] = [join(folder, 'shift'), join(folder, 'shifted-clock.mjs')];
  writeFileSync(module, SHIFTED_CLOCK);
  const shift = (ms: number): void => writeFileSync(file, String(ms));
  shift(0);
  return { env: { CLOCK_SHIFT: file, NODE_OPTIONS: `--import ${pathToFileURL(module).href}` }, shift };
}
