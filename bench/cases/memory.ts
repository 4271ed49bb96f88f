import { join } from 'node:path';
import { type BenchCase, toRow } from '../bench-case.ts';
import { createVersions } from '../corpus/create-synthetic.ts';
import { type Contender, measureInTurn } from '../measure/measure-in-turn.ts';
import { runProcess } from '../measure/run-process.ts';
import { setAside } from '../measure/set-aside.ts';
import { startScript } from '../measure/start-server.ts';
import { COMMAND, type DocbuildRun, expectPages, runDocbuild } from '../run-docbuild.ts';
import { stageNote } from './stage-note.ts';

const VERSIONS = 1_100;
const PAGES = 33;

/** Many versions that differ by one page each, from disk. */
export const versionsCase: BenchCase = {
  name: 'versions',
  title: '1,100 versions, 36,000 pages, one page changed in each, from disk, empty cache',
  needsCorpus: false,
  async run(bench) {
    const repository = createVersions(bench.folder, { versions: VERSIONS, pages: PAGES });
    const folder = join(bench.folder, 'built');
    const docbuild: Contender<DocbuildRun> = {
      name: 'docbuild',
      prepare: () => setAside(folder),
      run: async () => {
        const site = { repository, out: join(folder, 'site'), cache: join(folder, 'cache'), args: ['--refs', 'v*'] };
        return expectPages(await runDocbuild(site), VERSIONS * PAGES);
      },
    };
    const runs = await measureInTurn([docbuild], { ...bench, rounds: bench.long });
    const own = runs.get(docbuild.name)!;
    const row = toRow(docbuild.name, own, stageNote(own));
    return { rows: [row], targets: [{ name: 'memory', value: row.peakBytes.median / 1e6, limit: 500, unit: 'MB' }] };
  },
};

/** Servers that never stop sending: small objects, large ones, or messages. */
export const endlessCase: BenchCase = {
  name: 'endless',
  title: 'Servers that send without end, refused at 500 MB',
  needsCorpus: false,
  async run(bench) {
    const contenders = ['small', 'large', 'messages'].map((kind): Contender => {
      const folder = join(bench.folder, kind);
      return {
        name: kind,
        prepare: () => setAside(folder),
        async run() {
          const server = await startScript('serve-endless', kind);
          try {
            const args = [
              COMMAND,
              'site',
              `${server.url}/x.git`,
              '--out',
              join(folder, 'site'),
              '--cache',
              join(folder, 'cache'),
            ];
            const run = await runProcess(process.execPath, [...args, '--json'], { code: 1 });
            if (!/"fetch-limit"/.test(run.stdout)) throw new Error(`The build ended otherwise: ${run.stdout}`);
            return run;
          } finally {
            await server.stop();
          }
        },
      };
    });
    const runs = await measureInTurn(contenders, { ...bench, rounds: 1 });
    const rows = contenders.map(({ name }) => toRow(name, runs.get(name)!));
    return {
      rows,
      targets: rows.map(({ name, peakBytes }) => ({
        name: `memory, ${name}`,
        value: peakBytes.median / 1e6,
        limit: 600,
        unit: 'MB',
      })),
    };
  },
};
