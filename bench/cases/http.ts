import { dirname, join } from 'node:path';
import { serveGit } from '../../test/helpers/serve-git.ts';
import { type BenchCase, getCorpus, toRow } from '../bench-case.ts';
import { CORPUS_PAGES } from '../corpus/open-corpus.ts';
import { type Contender, measureInTurn } from '../measure/measure-in-turn.ts';
import { setAside } from '../measure/set-aside.ts';
import { type DocbuildRun, expectPages, runDocbuild } from '../run-docbuild.ts';
import { stageNote } from './stage-note.ts';

/** All tags from a server on this machine (`git http-backend`): with nothing in the cache, and when nothing changed. */
export const httpCase: BenchCase = {
  name: 'http',
  title: '28 tags × 7 languages over HTTP',
  needsCorpus: true,
  async run(bench) {
    const { repository } = getCorpus(bench);
    const server = await serveGit({ teardown: () => {} } as never, dirname(repository));
    const site = {
      repository: `${server.url}/corpus.git`,
      out: join(bench.folder, 'out', 'site'),
      cache: join(bench.folder, 'cache'),
      args: ['--refs', 'v*'],
    };
    const run = async () => expectPages(await runDocbuild(site), CORPUS_PAGES);
    const clean = () => setAside(join(bench.folder, 'out'), site.cache);
    const contenders: Contender<DocbuildRun>[] = [
      { name: 'cold', prepare: clean, run },
      { name: 'nothing changed', perRound: bench.short, run },
    ];
    try {
      const runs = await measureInTurn(contenders, { ...bench, rounds: bench.long });
      const rows = contenders.map(({ name }) => toRow(name, runs.get(name)!, stageNote(runs.get(name)!)));
      return { rows, targets: [] };
    } finally {
      await server.close();
    }
  },
};
