import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Attack, Check } from './attack.ts';
import { clockAttack } from './clocks.ts';
import { crashAttack } from './crashes.ts';
import { floodAttack, outageAttack } from './engines.ts';
import { holderAttack } from './holders.ts';
import { logReaderAttack } from './log-readers.ts';
import { loginAttack } from './logins.ts';
import { neighbourAttack } from './neighbours.ts';
import { orphanAttack } from './orphans.ts';
import { readerAttack } from './readers.ts';
import { sessionAttack } from './sessions.ts';
import { shapeAttack } from './shapes.ts';
import { strangerAttack } from './strangers.ts';

const ATTACKS: readonly Attack[] = [
  loginAttack,
  floodAttack,
  outageAttack,
  neighbourAttack,
  logReaderAttack,
  strangerAttack,
  holderAttack,
  sessionAttack,
  readerAttack,
  crashAttack,
  clockAttack,
  orphanAttack,
  shapeAttack,
];

const only = process.argv.slice(2);
const unknown = only.find((name) => !ATTACKS.some((one) => one.name === name));
if (unknown !== undefined) {
  console.error(`There is no attack "${unknown}"; attacks: ${ATTACKS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'docbuild-attacks-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

console.log(
  `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)} at the start\n`,
);
let failed = 0;
for (const attack of ATTACKS.filter(({ name }) => only.length === 0 || only.includes(name))) {
  console.error(`${attack.name}: ${attack.title}`);
  const checks = await run(attack);
  failed += checks.filter(({ holds }) => !holds).length;
  const rows = checks.map(
    ({ name, holds, seen }) => `| ${name} | ${holds ? 'yes' : '**no**'} | ${seen.replace(/\s*[|\n]\s*/g, ' ')} |`,
  );
  console.log([`### ${attack.title}`, '', '| must hold | held | seen |', '|---|---|---|', ...rows, ''].join('\n'));
}
console.log(failed === 0 ? 'Everything held.' : `${failed} did not hold.`);
process.exit(failed === 0 ? 0 : 1);

/** Runs an attack in a folder of its own, and ends what it has started; what it throws is a check that did not hold. */
async function run({ name, run }: Attack): Promise<readonly Check[]> {
  const place = join(folder, name);
  mkdirSync(place);
  const teardowns: (() => unknown)[] = [];
  const context = { teardown: (end: () => unknown) => void teardowns.push(end) } as ExecutionContext;
  const say = (text: string): void => console.error(`  ${text}`);
  try {
    return await run({ folder: place, context, say });
  } catch (error) {
    return [{ name: 'the attack can be run', holds: false, seen: String((error as Error).stack) }];
  } finally {
    for (const end of teardowns.reverse()) await end();
  }
}
