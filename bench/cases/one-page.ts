import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchCase, getCorpus, type Target, toRow } from '../bench-case.ts';
import { changePage } from '../corpus/change-page.ts';
import { git } from '../corpus/git.ts';
import { CORPUS_PAGES, NEWEST_PAGES } from '../corpus/open-corpus.ts';
import { type Contender, measureInTurn } from '../measure/measure-in-turn.ts';
import { type ProcessRun, runProcess } from '../measure/run-process.ts';
import { findSpread, type Spread } from '../measure/statistics.ts';
import { type DocbuildRun, expectPages, runDocbuild } from '../run-docbuild.ts';
import type { RebuildPlan } from '../scripts/rebuild-in-process.ts';
import { stageNote } from './stage-note.ts';

const PAGE = 'docs/en/guide/deploy.md';
const WARM_UP = 3;

/** One page changed in one of 29 versions: `main`, which is HEAD and stands for `latest` too, or another branch. */
export const onePageCase: BenchCase = {
  name: 'one-page',
  title: 'One page changed in one of 29 versions (28 tags and a branch), warm cache',
  needsCorpus: true,
  async run(bench) {
    const own = new Map<string, DocbuildRun[]>();
    const contenders: Contender[] = [
      await createContender('text, in main (HEAD, latest)', 'main', (n) => `\nParagraph ${n}.\n`),
      await createContender('code, in main (HEAD, latest)', 'main', (n) => `\n\`\`\`ts\nconst run = ${n};\n\`\`\`\n`),
      await createContender('text, in another branch', 'draft', (n) => `\nParagraph ${n}.\n`),
    ];
    if (bench.peers) contenders.push(bench.peers.hugo.all(bench.folder));
    const runs = await measureInTurn<ProcessRun>(contenders, { ...bench, rounds: bench.long });
    const rows = contenders.map(({ name }) => toRow(name, runs.get(name)!));
    const inside = [...own.values()].map((builds) => findSpread(builds.map(timeApartFromFetch)));
    const targets: Target[] = [{ name: 'stages apart from fetch', value: inside[0]!.median, limit: 60, unit: 'ms' }];
    const hugo = rows[3];
    if (hugo) {
      const value = rows[0]!.ms.median / hugo.ms.median;
      targets.unshift({ name: "whole process, time of Hugo's", value, limit: 0.04, unit: '×' });
    }
    const noted = rows.map((row) => {
      const builds = own.get(row.name);
      return builds
        ? {
            ...row,
            note: `inside ${findSpread(builds.map(timeApartFromFetch)).median.toFixed(0)} ms: ${stageNote(builds)}`,
          }
        : row;
    });
    const inServer = {
      name: 'text, buildSite() again in a process that has built before',
      ms: await measureInServer(),
    };
    targets.push({ name: 'the same in such a process', value: inServer.ms.median, limit: 60, unit: 'ms' });
    return { rows: [...noted, inServer], targets };

    async function createContender(name: string, branch: string, text: (n: number) => string): Promise<Contender> {
      const folder = join(bench.folder, String(own.size));
      const repository = `${folder}.git`;
      git(bench.folder, ['clone', '--quiet', '--bare', getCorpus(bench).repository, repository]);
      if (branch !== 'main') git(repository, ['branch', branch, 'main']);
      const args = ['--refs', `${branch}|v*`, ...(branch === 'main' ? [] : ['--latest', getCorpus(bench).newestTag])];
      const site = { repository, out: join(folder, 'site'), cache: join(folder, 'cache'), args };
      await runDocbuild(site);
      const builds: DocbuildRun[] = [];
      own.set(name, builds);
      return {
        name,
        perRound: bench.short,
        prepare: () => changePage(repository, { branch, path: PAGE, text: text(builds.length) }),
        run: async () => {
          const run = expectPages(await runDocbuild(site), CORPUS_PAGES + NEWEST_PAGES);
          if (run.summary.rendered !== 1) throw new Error(`${run.summary.rendered} pages were rendered instead of 1`);
          builds.push(run);
          return run;
        },
      };
    }

    /** Time apart from fetch when the modules are loaded; the first builds, which compile, are left out. */
    async function measureInServer(): Promise<Spread> {
      const repository = join(bench.folder, 'server.git');
      git(bench.folder, ['clone', '--quiet', '--bare', getCorpus(bench).repository, repository]);
      const plan: RebuildPlan = {
        repository,
        out: join(bench.folder, 'server', 'site'),
        cacheFolder: join(bench.folder, 'server', 'cache'),
        refs: 'main|v*',
        branch: 'main',
        path: PAGE,
        count: WARM_UP + bench.short * bench.long,
      };
      const script = fileURLToPath(new URL('../scripts/rebuild-in-process.js', import.meta.url));
      const { stdout } = await runProcess(process.execPath, [script, JSON.stringify(plan)]);
      return findSpread((JSON.parse(stdout) as readonly number[]).slice(WARM_UP));
    }
  },
};

function timeApartFromFetch({ summary }: DocbuildRun): number {
  return summary.ms - summary.stages.fetch;
}
