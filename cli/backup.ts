import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { countNoun, formatBytes } from '../builder/index.ts';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import { createCounter } from './progress.ts';
import { addCommonOptions, type CommonFlags, printResult, withConfig } from './run-command.ts';

const LABELS = {
  sizes: 'Measuring records',
  records: 'Records',
  logs: 'Logs of builds',
  sites: 'Sites',
  checks: 'Comparing records',
};

interface BackupFlags extends CommonFlags {
  readonly sites: boolean;
}

interface RestoreFlags extends CommonFlags {
  readonly replace?: boolean;
  readonly check?: boolean;
}

/** Adds `docbuild backup` and `docbuild restore`. */
export function addBackupCommands(program: Command): void {
  addCommonOptions(program.command('backup'))
    .description('write records, logs and sites to one file, also while the server runs; it contains secrets')
    .argument('<file>', 'a new file, such as docbuild.tar.gz')
    .option('--no-sites', 'leave out sites, which a restored server then builds again')
    .action((file: string, flags: BackupFlags) => withConfig(flags, (loaded) => backUp(file, loaded, flags)));

  addCommonOptions(program.command('restore'))
    .description('bring a backup to the store and the sites of the configuration, which no server may use')
    .argument('<file>')
    .option(
      '--replace',
      'remove the records that are there, and sites and logs of projects that the backup does not have',
    )
    .option('--check', 'look only whether the backup is whole')
    .action((file: string, flags: RestoreFlags) => withConfig(flags, (loaded) => restore(file, loaded, flags)));
}

async function backUp(file: string, loaded: LoadedConfig, flags: BackupFlags): Promise<void> {
  const [{ writeBackup }, { openSitePlace, openSnapshot }] = await Promise.all([
    import('../platform/moving/backup.ts'),
    import('../platform/moving/place.ts'),
  ]);
  const places = placesOf(loaded);
  const counter = createCounter({ stream: process.stderr, isQuiet: flags.json ?? false, labels: LABELS });
  const source = await openSnapshot(places.store, warn);
  try {
    const sites = flags.sites ? await openSitePlace(places.sites) : undefined;
    try {
      const report = await writeBackup(resolve(file), { source, sites, onProgress: counter.report });
      counter.end();
      const { records, bytes, leftOut } = report;
      const about = `${countNoun(records, 'record')}, ${countNoun(report.sites, 'site')}, ${formatBytes(bytes)}`;
      const rows = [`Wrote ${file}: ${about}`];
      if (leftOut.length > 0) rows.push(`Sites left out, which a restored server builds again: ${leftOut.join(', ')}`);
      printResult(flags, { file: resolve(file), ...report }, rows.join('\n'));
    } finally {
      await sites?.close();
    }
  } finally {
    counter.end();
    await source.close();
  }
}

async function restore(file: string, loaded: LoadedConfig, flags: RestoreFlags): Promise<void> {
  const [{ unpackBackup }, { checkUnused, copyStore }, { openSitePlace, openVault }] = await Promise.all([
    import('../platform/moving/backup.ts'),
    import('../platform/moving/copy-store.ts'),
    import('../platform/moving/place.ts'),
  ]);
  if (flags.check) {
    const folder = await mkdtemp(join(tmpdir(), 'docbuild-check-'));
    const whole = await unpackBackup(resolve(file), folder);
    await whole.records.close();
    return printResult(flags, { isWhole: true }, `${file} is whole`);
  }
  const places = placesOf(loaded);
  const isReplacing = flags.replace ?? false;
  const counter = createCounter({ stream: process.stderr, isQuiet: flags.json ?? false, labels: LABELS });
  const target = await openVault(places.store, { mustExist: false, onWarning: warn });
  try {
    if (!isReplacing) await checkUnused(target, 'add --replace to remove them');
    const backup = await unpackBackup(resolve(file), join(loaded.baseDir, 'restore.tmp'));
    try {
      const isNeeded = backup.sites !== undefined || !places.sites.startsWith('s3:');
      const siteTarget = isNeeded ? await openSitePlace(places.sites) : undefined;
      try {
        const sites = backup.sites && siteTarget && { source: backup.sites, target: siteTarget };
        const report = await copyStore({
          source: backup.records,
          target,
          sites,
          siteTarget,
          isReplacing,
          onProgress: counter.report,
        });
        counter.end();
        const records = Object.values(report.records).reduce((sum, one) => sum + one.records, 0);
        const siteCount = Object.keys(report.sites ?? {}).length;
        const rows = [`Restored and compared: ${countNoun(records, 'record')}, ${countNoun(siteCount, 'site')}`];
        const { areRemoved, projects } = report.others;
        const what = areRemoved
          ? 'Removed the sites and logs'
          : 'Left on disk, which --replace would have removed: sites and logs';
        if (projects.length > 0) rows.push(`${what} of what the backup does not have: ${projects.join(', ')}`);
        printResult(flags, report, rows.join('\n'));
      } finally {
        await siteTarget?.close();
      }
    } finally {
      await backup.records.close();
    }
  } finally {
    counter.end();
    await target.close();
  }
}

/** Returns where a configuration keeps records and sites. */
function placesOf({ config, baseDir, file }: LoadedConfig): { readonly store: string; readonly sites: string } {
  const { store, sites } = config;
  const isRemote = sites.startsWith('s3:');
  const folder = sites === '' ? join(baseDir, 'sites') : resolve(dirname(file ?? '.'), sites);
  return { store: store || baseDir, sites: isRemote ? sites : folder };
}

function warn(message: string): void {
  process.stderr.write(`${message}\n`);
}
