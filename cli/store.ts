import type { Command } from 'commander';
import { countNoun } from '../builder/index.ts';
import type { CopyProgress, CopyReport } from '../platform/moving/copy-store.ts';
import { exitCodeOf, printFailure } from './print-failure.ts';
import { createCounter } from './progress.ts';
import { printResult } from './run-command.ts';

interface CopyFlags {
  readonly from: string;
  readonly to: string;
  readonly sitesFrom?: string;
  readonly sitesTo?: string;
  readonly json?: boolean;
}

const LABELS: Readonly<Record<CopyProgress['what'], string>> = {
  sizes: 'Measuring records',
  sites: 'Copying sites',
  records: 'Copying records',
  logs: 'Copying logs of builds',
  checks: 'Comparing records',
};

/** Adds `docbuild store copy`, which moves a service to another store. */
export function addStoreCommands(program: Command): void {
  program
    .command('store')
    .description('move a service from one store to another')
    .command('copy')
    .description('copy records, logs and sites to a place that has none, and compare them; no server may use either')
    .requiredOption('--from <place>', 'a base_dir, or the URL of a database')
    .requiredOption('--to <place>', 'another one')
    .option('--sites-from <place>', 'folder of sites, or s3://… (default: "sites" below a base_dir)')
    .option('--sites-to <place>', 'another one (default: "sites" below a base_dir, else they are not copied)')
    .option('--json', 'print JSON instead of text')
    .action(async (flags: CopyFlags) => {
      const counter = createCounter({ stream: process.stderr, isQuiet: flags.json ?? false, labels: LABELS });
      try {
        const report = await copy(flags, counter.report);
        counter.end();
        printResult(flags, report, describe(report, flags));
      } catch (error) {
        counter.end();
        printFailure(error, flags.json ?? false);
        process.exitCode = exitCodeOf(error);
      }
    });
}

async function copy(flags: CopyFlags, onProgress: (progress: CopyProgress) => void): Promise<CopyReport> {
  const { copyStore } = await import('../platform/moving/copy-store.ts');
  const { chooseSites, checkApart, checkPlaces, openSitePlace, openVault } = await import(
    '../platform/moving/place.ts'
  );
  const onWarning = (message: string): void => void process.stderr.write(`${message}\n`);
  checkPlaces(flags);
  checkApart(flags.from, flags.to);
  const places = chooseSites(flags);
  const opened: { close(): Promise<void> }[] = [];
  const add = <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(one);
    return one;
  };
  try {
    const source = add(await openVault(flags.from, { mustExist: true, onWarning }));
    const target = add(await openVault(flags.to, { mustExist: false, onWarning }));
    const sites = places && {
      source: add(await openSitePlace(places.from)),
      target: add(await openSitePlace(places.to)),
    };
    return await copyStore({ source, target, sites, onProgress });
  } finally {
    for (const one of opened.toReversed()) await one.close();
  }
}

function describe({ records, logs, sites }: CopyReport, { to, sitesTo }: CopyFlags): string {
  const isFolder = !/^postgres/.test(to);
  const kept = Object.entries(records).filter(([, { records: count }]) => count > 0);
  const rows = kept.map(
    ([name, { records: count, hash }]) => `${name.padEnd(14)} ${String(count).padStart(9)}  ${hash}`,
  );
  const files = Object.values(sites ?? {}).reduce((sum, site) => sum + site.files, 0);
  const about = sites
    ? `${countNoun(Object.keys(sites).length, 'site')} (${countNoun(files, 'file')})`
    : 'no sites: they stay where they are';
  const keys = isFolder ? ['base_dir'] : ['store'];
  if (sitesTo !== undefined) keys.push('sites');
  return [
    ...rows,
    `Copied and compared: ${kept.reduce((sum, [, one]) => sum + one.records, 0)} records, ${countNoun(logs, 'file')} of builds, ${about}.`,
    `Change ${keys.map((key) => `"${key}"`).join(' and ')} in the configuration, then start the server.`,
  ].join('\n');
}
