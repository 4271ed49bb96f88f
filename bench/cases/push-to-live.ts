import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runDocbuild as runCommand } from '../../test/helpers/run-docbuild.ts';
import { serveGit } from '../../test/helpers/serve-git.ts';
import { type BenchCase, getCorpus, type Target } from '../bench-case.ts';
import { git } from '../corpus/git.ts';
import { measureInTurn } from '../measure/measure-in-turn.ts';
import { pushPage } from '../measure/push-page.ts';
import type { ProcessRun } from '../measure/run-process.ts';
import { startProgram } from '../measure/start-server.ts';
import { findSpread } from '../measure/statistics.ts';

const PAGE = 'docs/en/guide/deploy.md';
const PORT = 45_781;
const WARM_UP = 3;
const PUSHES = 40;

/** From a webhook to the changed page, on the corpus' 248 pages, the repository behind `git http-backend`. */
export const pushToLiveCase: BenchCase = {
  name: 'push-to-live',
  title: 'Push to live: webhook in → page changed for readers, 248 pages, a warm server',
  needsCorpus: true,
  async run(bench) {
    const repository = join(bench.folder, 'git', 'live.git');
    mkdirSync(join(bench.folder, 'git'));
    git(bench.folder, [
      'clone',
      '--quiet',
      '--bare',
      '--single-branch',
      '--no-tags',
      getCorpus(bench).repository,
      repository,
    ]);
    const gitServer = await serveGit({ teardown: () => {} } as never, join(bench.folder, 'git'));
    const folder = join(bench.folder, 'server');
    mkdirSync(folder);
    const config = join(folder, 'docbuild.yml');
    writeFileSync(config, 'base_dir: ./base\n');
    const url = `${gitServer.url}/live.git`;
    await runCommand(['project', 'create', '-c', config, '-u', url, '--latest', 'main', 'live']);
    await runCommand(['build', '-c', config, 'live', '-b', 'main']);
    const command = fileURLToPath(new URL('../../docbuild.js', import.meta.url));
    const server = await startProgram(process.execPath, [command, 'api', '-c', config, '--port', String(PORT)], PORT);
    try {
      const seen: { readonly ms: number; readonly fetchMs: number; readonly buildMs: number }[] = [];
      for (let n = 0; n < WARM_UP + PUSHES; n++) {
        const page = { project: 'live', path: PAGE, url: 'en/main/guide/deploy.html' };
        seen.push(await pushPage(server.url, repository, page));
      }
      const warm = seen.slice(WARM_UP);
      const sorted = warm.map(({ ms }) => ms).sort((a, b) => a - b);
      const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1]!;
      const fetchMs = findSpread(warm.map((one) => one.fetchMs)).median;
      const buildMs = findSpread(warm.map((one) => one.buildMs)).median;
      const note = `p95 ${p95.toFixed(0)} ms; of the median, ${buildMs.toFixed(0)} ms are the build, ${fetchMs.toFixed(0)} ms of it opening and fetching`;
      const rows = [{ name: `docbuild, ${PUSHES} pushes`, ms: findSpread(sorted), note }];
      const targets: Target[] = [];
      if (bench.peers) {
        const hugo = bench.peers.hugo.newest(bench.folder);
        const runs = await measureInTurn<ProcessRun>([{ ...hugo, perRound: bench.short }], { ...bench, rounds: 1 });
        const spread = findSpread(runs.get(hugo.name)!.map(({ ms }) => ms));
        rows.push({ name: hugo.name, ms: spread, note: 'the same version from scratch' });
        targets.push({ name: "p95 of Hugo's time from scratch", value: p95 / spread.median, limit: 0.5, unit: '×' });
      }
      return { rows, targets };
    } finally {
      await server.stop();
      await gitServer.close();
    }
  },
};
