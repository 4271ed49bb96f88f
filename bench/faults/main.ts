import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ExecutionContext } from 'ava';
import { programs } from '../../test/helpers/postgres-cluster.ts';
import { hasS3, type S3Server, startS3 } from '../../test/helpers/s3-server.ts';
import type { Check } from '../attacks/attack.ts';
import { formatTable } from '../report/format-table.ts';
import { FAULT_KINDS, listUpgrades } from './fault-kinds.ts';
import { measureGarbage } from './measure-garbage.ts';
import { runFaults } from './run-faults.ts';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    /** Ends the run after so many minutes, however many faults there were. */
    minutes: { type: 'string', default: '1000' },
    /** Path of the `docbuild.js` of an older release: nodes begin with it, and are upgraded one after the other. */
    'upgrade-from': { type: 'string' },
    /** Measures what a bucket holds after many publishes and kills, instead. */
    garbage: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const program = values['upgrade-from'];
const [webs, builds] = program === undefined ? [3, 2] : [2, 2];
const possible = program === undefined ? FAULT_KINDS : listUpgrades(webs, builds);
const kinds = possible.filter(({ name }) => values.only?.some((part) => name.includes(part)) ?? true);
if (kinds.length === 0 || programs === undefined || !hasS3) {
  const names = possible.map(({ name }) => name).join(', ');
  console.error(kinds.length === 0 ? `There is no such fault; there are: ${names}` : 'PostgreSQL or S3 is missing');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'docbuild-faults-'));
const teardowns: (() => unknown)[] = [];
const context = { teardown: (end: () => unknown) => void teardowns.push(end) } as ExecutionContext;
let isStopped = false;
process.once('SIGINT', () => {
  isStopped = true;
});
const endMs = performance.now() + Number(values.minutes) * 60_000;
console.log(
  `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)} at the start\n`,
);
let isRight = false;
try {
  const s3 = await startS3();
  teardowns.push(() => s3.stop());
  if (values.garbage) {
    const { checks, rows } = await measureGarbage(folder, {
      s3,
      seed: Number(values.seed),
      say: (text) => console.error(text),
    });
    console.log(formatTable(['', 'objects in the bucket', 'bytes'], rows));
    printChecks(checks);
    isRight = checks.every(({ holds }) => holds);
  } else isRight = await injectFaults(s3);
} finally {
  for (const end of teardowns.reverse()) await end();
  if (values.keep) console.error(folder);
  else rmSync(folder, { recursive: true, force: true });
}
process.exit(isRight ? 0 : 1);

async function injectFaults(s3: S3Server): Promise<boolean> {
  const { checks, recoveries, balancer, missing } = await runFaults(context, {
    folder,
    s3,
    kinds,
    webs,
    builds,
    program,
    faults: program === undefined ? Number(values.faults) : kinds.length,
    seed: Number(values.seed),
    say: (text) => console.error(text),
    isOver: () => isStopped || performance.now() > endMs,
  });
  const times = recoveries
    .filter(({ ms }) => ms.length > 0)
    .map(({ kind, ms }) => {
      const sorted = ms.toSorted((a, b) => a - b);
      const seconds = (at: number) => `${(sorted[at]! / 1_000).toFixed(1)} s`;
      return [kind, String(ms.length), seconds(sorted.length >> 1), seconds(sorted.length - 1)];
    });
  console.log(formatTable(['fault', 'times', 'recovered, median', 'longest'], times));
  printChecks(checks);
  console.log(`Seed ${values.seed}, behind ${balancer}${missing.map((what) => `; without ${what}`).join('')}`);
  return checks.every(({ holds }) => holds);
}

function printChecks(checks: readonly Check[]): void {
  const rows = checks.map(({ name, holds, seen }) => [name, holds ? 'yes' : '**no**', seen.replace(/[|\n]/g, ' ')]);
  console.log(formatTable(['must hold', 'held', 'seen'], rows));
}
