import { join } from 'node:path';
import { type BenchCase, toRow } from '../bench-case.ts';
import { createSynthetic } from '../corpus/create-synthetic.ts';
import { diskUsage } from '../measure/disk-usage.ts';
import { type Contender, measureInTurn } from '../measure/measure-in-turn.ts';
import { setAside } from '../measure/set-aside.ts';
import { type DocbuildRun, expectPages, runDocbuild } from '../run-docbuild.ts';
import { stageNote } from './stage-note.ts';

const SMALL = 10_000;
const LARGE = 20_000;

/** Many made-up pages in one version, cold: in folders of 50, and all in one folder. */
export const syntheticCase: BenchCase = {
  name: 'synthetic',
  title: '10,000 and 20,000 synthetic pages in one version, cold cache',
  needsCorpus: false,
  async run(bench) {
    const disk = new Map<string, number>();
    const contenders = [create(SMALL, false), create(LARGE, false), create(SMALL, true), create(LARGE, true)];
    const runs = await measureInTurn<DocbuildRun>(contenders, { ...bench, rounds: bench.long });
    const rows = contenders.map(({ name }) => {
      const own = runs.get(name)!;
      return toRow(name, own, `${(disk.get(name)! / 1e6).toFixed(0)} MB on disk; ${stageNote(own)}`);
    });
    const [small, large, smallFlat, largeFlat] = rows;
    return {
      rows,
      targets: [
        { name: '20,000 of 10,000, folders', value: large!.ms.median / small!.ms.median, limit: 2.2, unit: '×' },
        {
          name: '20,000 of 10,000, one folder',
          value: largeFlat!.ms.median / smallFlat!.ms.median,
          limit: 2.2,
          unit: '×',
        },
        { name: 'memory, 20,000 in folders', value: large!.peakBytes.median / 1e6, limit: 700, unit: 'MB' },
        { name: 'memory, 20,000 in one folder', value: largeFlat!.peakBytes.median / 1e6, limit: 700, unit: 'MB' },
      ],
    };

    function create(pages: number, isFlat: boolean): Contender<DocbuildRun> {
      const name = `${pages.toLocaleString('en')} pages${isFlat ? ' in one folder' : ''}`;
      const repository = createSynthetic(bench.folder, { pages, isFlat });
      const out = join(bench.folder, 'out', 'site');
      const cache = join(bench.folder, 'cache');
      return {
        name,
        prepare: () => setAside(join(bench.folder, 'out'), cache),
        run: async () => {
          const args = ['--refs', 'main', '--single'];
          const run = expectPages(await runDocbuild({ repository, out, cache, args }), pages);
          disk.set(name, diskUsage(out));
          return run;
        },
      };
    }
  },
};
