import { join } from 'node:path';
import { type BenchCase, getCorpus, type Target, toRow } from '../bench-case.ts';
import { NEWEST_PAGES } from '../corpus/open-corpus.ts';
import { type Contender, measureInTurn } from '../measure/measure-in-turn.ts';
import type { ProcessRun } from '../measure/run-process.ts';
import { setAside } from '../measure/set-aside.ts';
import { type DocbuildRun, expectPages, runDocbuild } from '../run-docbuild.ts';
import { stageNote } from './stage-note.ts';

/** The newest tag alone with nothing in the cache. */
export const newestCase: BenchCase = {
  name: 'newest',
  title: 'The newest tag alone, 248 pages, cold cache',
  needsCorpus: true,
  async run(bench) {
    const { repository, newestTag } = getCorpus(bench);
    const out = join(bench.folder, 'out', 'site');
    const cache = join(bench.folder, 'cache');
    const own: DocbuildRun[] = [];
    const docbuild: Contender = {
      name: 'docbuild',
      perRound: 2,
      prepare: () => setAside(join(bench.folder, 'out'), cache),
      run: async () => {
        const run = expectPages(
          await runDocbuild({ repository, out, cache, args: ['--refs', newestTag] }),
          NEWEST_PAGES,
        );
        own.push(run);
        return run;
      },
    };
    const contenders: Contender[] = [docbuild];
    if (bench.peers) contenders.push(bench.peers.hugo.newest(bench.folder), bench.peers.eleventy.newest(bench.folder));
    const runs = await measureInTurn<ProcessRun>(contenders, { ...bench, rounds: bench.long });
    const rows = contenders.map(({ name }) => toRow(name, runs.get(name)!));
    const [site, , eleventy] = rows;
    const targets: Target[] = [];
    if (site && eleventy) {
      targets.push({ name: "time of Eleventy's", value: site.ms.median / eleventy.ms.median, limit: 0.4, unit: '×' });
    }
    return { rows: [{ ...site!, note: stageNote(own) }, ...rows.slice(1)], targets };
  },
};
