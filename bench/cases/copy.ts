import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CopyReport } from '../../platform/moving/copy-store.ts';
import { programs, startCluster } from '../../test/helpers/postgres-cluster.ts';
import { type BenchCase, type Row, type Target, toRow } from '../bench-case.ts';
import { type ProcessRun, runProcess } from '../measure/run-process.ts';
import { COMMAND } from '../run-docbuild.ts';
import { fillPlace } from '../store/fill-place.ts';

const PROJECTS = 10_000;
const SIZES = [100_000, 300_000, 1_000_000];
/** A folder keeps fewer than this many. */
const FOLDER_BUILDS = 800_000;

/** `docbuild store copy` of 10,000 projects and up to 1,000,000 builds with a log each, between databases and folders. */
export const copyCase: BenchCase = {
  name: 'copy',
  title: `A service of ${PROJECTS} projects is copied to another store`,
  needsCorpus: false,
  async run({ folder, short, say }) {
    if (programs === undefined) throw new Error('PostgreSQL is not installed; set POSTGRES_BIN');
    const isQuick = short === 2;
    const cluster = await startCluster({ shared_buffers: '256MB', max_wal_size: '4GB' });
    try {
      const rows: Row[] = [];
      const peaks: number[] = [];
      for (const builds of isQuick ? SIZES.slice(0, 1) : SIZES) {
        const createDatabase = async () => cluster.url(await cluster.createDatabase());
        const source = await createDatabase();
        await fillPlace(source, { projects: PROJECTS, builds });
        say(`copy: ${builds} builds are there`);
        const copy = async (name: string, from: string, to: string): Promise<ProcessRun> => {
          const run = await runProcess(process.execPath, [
            COMMAND,
            'store',
            'copy',
            '--json',
            '--from',
            from,
            '--to',
            to,
          ]);
          checkReport(JSON.parse(run.stdout) as CopyReport, builds);
          rows.push(toRow(`${builds} builds, ${name}`, [run]));
          return run;
        };
        peaks.push((await copy('database to database', source, await createDatabase())).peakBytes);
        const base = join(folder, `${builds}`);
        mkdirSync(base);
        if (builds <= FOLDER_BUILDS) {
          await copy('database to folder', source, base);
          await copy('folder to database', base, await createDatabase());
        } else {
          const args = [COMMAND, 'store', 'copy', '--from', source, '--to', base];
          const run = await runProcess(process.execPath, args, { code: 1 });
          rows.push(toRow(`${builds} builds, database to folder`, [run], 'refused'));
        }
        rmSync(base, { recursive: true, force: true });
      }
      const targets: Target[] = [
        { name: 'memory, database to database', value: Math.max(...peaks) / 1e6, limit: 200, unit: 'MB' },
        { name: 'memory of the most of that of the least', value: peaks.at(-1)! / peaks[0]!, limit: 1.2, unit: '×' },
      ];
      return { rows, targets };
    } finally {
      await cluster.stop();
      rmSync(cluster.folder, { recursive: true, force: true });
    }
  },
};

/** Throws where not everything was copied: the figures would say nothing. */
function checkReport({ records, logs }: CopyReport, builds: number): void {
  const seen = records['builds']!.records;
  if (seen !== builds || logs < builds) throw new Error(`${seen} builds and ${logs} logs were copied of ${builds}`);
}
