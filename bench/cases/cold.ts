import { join } from 'node:path';
import { type BenchCase, getCorpus, type Target, toRow } from '../bench-case.ts';
import { CORPUS_PAGES } from '../corpus/open-corpus.ts';
import { type Contender, measureInTurn } from '../measure/measure-in-turn.ts';
import type { ProcessRun } from '../measure/run-process.ts';
import { setAside } from '../measure/set-aside.ts';
import { type DocbuildRun, expectPages, runDocbuild } from '../run-docbuild.ts';
import { stageNote } from './stage-note.ts';

/** All tags in all languages with nothing in the cache. */
export const coldCase: BenchCase = {
  name: 'cold',
  title: '28 tags × 7 languages, 5,096 pages, cold cache',
  needsCorpus: true,
  async run(bench) {
    const { repository } = getCorpus(bench);
    const out = join(bench.folder, 'out', 'site');
    const cache = join(bench.folder, 'cache');
    const own: DocbuildRun[] = [];
    const docbuild: Contender = {
      name: 'docbuild',
      prepare: () => setAside(join(bench.folder, 'out'), cache),
      run: async () => {
        const run = expectPages(await runDocbuild({ repository, out, cache, args: ['--refs', 'v*'] }), CORPUS_PAGES);
        own.push(run);
        return run;
      },
    };
    const contenders: Contender[] = [docbuild];
    if (bench.peers) contenders.push(bench.peers.hugo.all(bench.folder), bench.peers.eleventy.all(bench.folder));
    const runs = await measureInTurn<ProcessRun>(contenders, { ...bench, rounds: bench.long });
    const rows = contenders.map(({ name }) => toRow(name, runs.get(name)!));
    const [site, hugo, eleventy] = rows;
    const targets: Target[] = [];
    if (site && hugo && eleventy) {
      targets.push(
        { name: "time of Hugo's", value: site.ms.median / hugo.ms.median, limit: 0.3, unit: '×' },
        { name: "time of Eleventy's", value: site.ms.median / eleventy.ms.median, limit: 0.1, unit: '×' },
        { name: "memory of Hugo's", value: site.peakBytes.median / hugo.peakBytes.median, limit: 0.4, unit: '×' },
      );
    }
    return { rows: [{ ...site!, note: stageNote(own) }, ...rows.slice(1)], targets };
  },
};
