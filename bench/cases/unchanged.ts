import { join } from 'node:path';
import { type BenchCase, getCorpus, type Target, toRow } from '../bench-case.ts';
import { CORPUS_PAGES } from '../corpus/open-corpus.ts';
import { type Contender, measureInTurn } from '../measure/measure-in-turn.ts';
import type { ProcessRun } from '../measure/run-process.ts';
import { type DocbuildRun, expectPages, runDocbuild } from '../run-docbuild.ts';
import { stageNote } from './stage-note.ts';

/** All tags again when nothing changed since the last build. */
export const unchangedCase: BenchCase = {
  name: 'unchanged',
  title: '28 tags × 7 languages again, nothing changed',
  needsCorpus: true,
  async run(bench) {
    const site = {
      repository: getCorpus(bench).repository,
      out: join(bench.folder, 'out', 'site'),
      cache: join(bench.folder, 'cache'),
      args: ['--refs', 'v*'],
    };
    await runDocbuild(site);
    const own: DocbuildRun[] = [];
    const docbuild: Contender = {
      name: 'docbuild',
      perRound: bench.short,
      run: async () => {
        const run = expectPages(await runDocbuild(site), CORPUS_PAGES);
        if (run.summary.rendered > 0)
          throw new Error(`${run.summary.rendered} pages were rendered although nothing changed`);
        own.push(run);
        return run;
      },
    };
    const contenders: Contender[] = [docbuild];
    if (bench.peers) contenders.push(bench.peers.hugo.all(bench.folder));
    const runs = await measureInTurn<ProcessRun>(contenders, { ...bench, rounds: bench.long });
    const rows = contenders.map(({ name }) => toRow(name, runs.get(name)!));
    const [again, hugo] = rows;
    const targets: Target[] = [];
    if (again && hugo) {
      targets.push({ name: "time of Hugo's", value: again.ms.median / hugo.ms.median, limit: 0.03, unit: '×' });
    }
    return { rows: [{ ...again!, note: stageNote(own) }, ...rows.slice(1)], targets };
  },
};
