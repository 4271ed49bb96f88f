import { basename, dirname, join } from 'node:path';
import { type GitServer, serveGit } from '../../test/helpers/serve-git.ts';
import { type Bench, type BenchCase, type CaseResult, type Row, toRow } from '../bench-case.ts';
import { changePage } from '../corpus/change-page.ts';
import { git } from '../corpus/git.ts';
import {
  createLargeHistory,
  type History,
  openKoa,
  openVitepress,
  VITEPRESS_VARIABLE,
} from '../corpus/open-histories.ts';
import { diskUsage } from '../measure/disk-usage.ts';
import { type Contender, measureInTurn } from '../measure/measure-in-turn.ts';
import { type ProcessRun, runProcess } from '../measure/run-process.ts';
import { setAside } from '../measure/set-aside.ts';
import { type DocbuildRun, runDocbuild } from '../run-docbuild.ts';
import { stageNote } from './stage-note.ts';

/** All refs of Koa from a server: with nothing in the cache, unchanged, with one more tag, after a push. */
export const remoteCase: BenchCase = {
  name: 'remote',
  title: "Koa's history over HTTP, all branches and tags",
  needsCorpus: true,
  run: (bench) => measureRemote(bench, openKoa(bench.folder)!, { megabytes: 500, updates: [400, 1_000, 700] }),
};

/** The same with larger histories. */
export const largeRemoteCase: BenchCase = {
  name: 'remote-large',
  title: 'Larger histories over HTTP, all branches and tags',
  needsCorpus: false,
  async run(bench) {
    const vitepress = openVitepress(bench.folder);
    const skipped: Row = { name: 'VitePress', note: `skipped: ${VITEPRESS_VARIABLE} names no clone of it` };
    const results: CaseResult[] = vitepress ? [] : [{ rows: [skipped], targets: [] }];
    for (const history of [vitepress, createLargeHistory(bench.folder)]) {
      if (history) results.push(await measureRemote(bench, history, { megabytes: 700 }));
    }
    return { rows: results.flatMap(({ rows }) => rows), targets: results.flatMap(({ targets }) => targets) };
  },
};

/** Servers that can less than usual, or insist on one version of the protocol. */
export const serversCase: BenchCase = {
  name: 'remote-servers',
  title: "Koa's history over HTTP from other servers, empty cache",
  needsCorpus: true,
  async run(bench) {
    const remote = await openRemote(bench, openKoa(bench.folder)!);
    const kinds = new Map<string, Partial<GitServer>>([
      ['without filter and thin packs', { without: ['filter', 'thin-pack'] }],
      ['version 0 of the protocol', { protocol: 0 }],
      ['version 2 of the protocol', { protocol: 2 }],
    ]);
    const contenders = [...kinds].map(([name, kind]): Contender<ProcessRun> => {
      const { prepare, run } = remote.cold;
      return {
        name,
        async prepare() {
          await prepare?.();
          Object.assign(remote.server, { without: [], protocol: undefined }, kind);
        },
        run: () => run().finally(() => Object.assign(remote.server, { without: [], protocol: undefined })),
      };
    });
    try {
      const base = [remote.mirror, remote.disk];
      const runs = await measureInTurn([...base, ...contenders], { ...bench, rounds: bench.long });
      const rows = [...runs].map(([name, list]) => toRow(name, list));
      const floor = rows[0]!.ms.median + rows[1]!.ms.median;
      return {
        rows,
        targets: rows.slice(base.length).flatMap(({ name, ms, peakBytes }) => [
          { name: `${name}, time of disk and mirror clone`, value: ms.median / floor, limit: 3, unit: '×' as const },
          { name: `${name}, memory`, value: peakBytes.median / 1e6, limit: 500, unit: 'MB' as const },
        ]),
      };
    } finally {
      await remote.server.close();
    }
  },
};

/** Costs of the dates of pages, for which the history is fetched without files. */
export const datesCase: BenchCase = {
  name: 'remote-dates',
  title: 'Histories over HTTP, without and with the dates of pages, all branches and tags',
  needsCorpus: true,
  async run(bench) {
    const results: CaseResult[] = [];
    for (const history of [openKoa(bench.folder), openVitepress(bench.folder)]) {
      if (history) results.push(await measureDates(bench, history));
    }
    return { rows: results.flatMap(({ rows }) => rows), targets: results.flatMap(({ targets }) => targets) };
  },
};

async function measureDates(bench: Bench, history: History): Promise<CaseResult> {
  const { repository, branch, page, name } = history;
  const { server, cold, dated } = await openRemote(bench, history);
  const push = () => changePage(repository, { branch, path: page, text: `\nParagraph ${performance.now()}.\n` });
  const contenders = [
    cold,
    dated.cold,
    { name: 'nothing changed, with dates', run: dated.again },
    { name: 'a page changed by a push, with dates', prepare: push, run: dated.again },
  ];
  try {
    const bytes = new Map<string, number>();
    const weighed = contenders.map(({ run, ...contender }): Contender<DocbuildRun> => {
      const folder = contender.name === cold.name ? cold.repos : dated.cold.repos;
      const weigh = (outcome: DocbuildRun) => {
        bytes.set(contender.name, diskUsage(folder));
        return outcome;
      };
      return { ...contender, run: () => run().then(weigh) };
    });
    const runs = await measureInTurn(weighed, { ...bench, rounds: bench.long });
    const rows = [...runs].map(([kind, list]) =>
      toRow(`${name}: ${kind}`, list, `${(bytes.get(kind)! / 1e6).toFixed(2)} MB in the cache; ${stageNote(list)}`),
    );
    const value = rows[1]!.ms.median / rows[0]!.ms.median;
    return { rows, targets: [{ name: `${name}, time with dates`, value, limit: 1.5, unit: '×' }] };
  } finally {
    await server.close();
  }
}

/** A build with nothing in the cache, and where it keeps what it fetched. */
interface Cold extends Contender<DocbuildRun> {
  readonly repos: string;
}

/** A history at a server, and ways to build it. */
interface Remote {
  readonly server: GitServer;
  readonly mirror: Contender<ProcessRun>;
  readonly disk: Contender<DocbuildRun>;
  readonly cold: Cold;
  readonly again: () => Promise<DocbuildRun>;
  /** The same with dates. */
  readonly dated: { readonly cold: Cold; readonly again: () => Promise<DocbuildRun> };
}

async function openRemote(bench: Bench, { repository }: History): Promise<Remote> {
  const server = await serveGit({ teardown: () => {} } as never, dirname(repository));
  const url = `${server.url}/${basename(repository)}`;
  const place = (name: string) => join(bench.folder, `${basename(repository)}-${name}`);
  const siteAt = (name: string, from: string, args: readonly string[] = []) => ({
    site: { repository: from, out: join(place(name), 'site'), cache: join(place(name), 'cache'), args },
    repos: join(place(name), 'cache/repos'),
    prepare: () => setAside(place(name)),
  });
  const [disk, remote] = [siteAt('disk', repository), siteAt('http', url)];
  const dated = siteAt('dated', url, ['--last-updated']);
  const pages: number[] = [];
  const build = async (site: typeof disk.site): Promise<DocbuildRun> => {
    const run = await runDocbuild(site);
    pages.push(run.summary.pages);
    if (run.summary.pages < pages[0]!)
      throw new Error(`The build made ${run.summary.pages} pages instead of ${pages[0]}`);
    return run;
  };
  return {
    server,
    mirror: {
      name: 'git clone --mirror',
      prepare: () => setAside(place('mirror')),
      run: () => runProcess('git', ['clone', '--quiet', '--mirror', url, place('mirror')]),
    },
    disk: { name: 'docbuild, from disk', prepare: disk.prepare, run: () => build(disk.site) },
    cold: { ...remote, name: 'docbuild, over HTTP, empty cache', run: () => build(remote.site) },
    again: () => build(remote.site),
    dated: {
      cold: { ...dated, name: 'docbuild, over HTTP, empty cache, with dates', run: () => build(dated.site) },
      again: () => build(dated.site),
    },
  };
}

async function measureRemote(
  bench: Bench,
  history: History,
  limits: {
    readonly megabytes: number;
    /** For an unchanged remote, one more tag, and a push, ms. */
    readonly updates?: readonly [number, number, number];
  },
): Promise<CaseResult> {
  const { repository, branch, page, name } = history;
  const { server, mirror, disk, cold, again } = await openRemote(bench, history);
  let count = 0;
  const updates: Contender<DocbuildRun>[] = [
    { name: 'nothing changed', perRound: bench.short, run: again },
    {
      name: 'one more tag',
      perRound: bench.short,
      // Of a commit that was not fetched yet.
      prepare: () => void git(repository, ['tag', `bench-${++count}`, `refs/heads/${branch}~${20 + count}`]),
      run: again,
    },
    {
      name: 'a page changed by a push',
      perRound: bench.short,
      prepare: () => changePage(repository, { branch, path: page, text: `\nParagraph ${++count}.\n` }),
      run: again,
    },
  ];
  try {
    const contenders: Contender<ProcessRun>[] = [mirror, disk, cold, ...updates];
    const runs = await measureInTurn(contenders, { ...bench, rounds: bench.long });
    const rows = contenders.map((contender) => {
      const own = runs.get(contender.name)!;
      return toRow(`${name}: ${contender.name}`, own, contender === mirror ? '' : stageNote(own as DocbuildRun[]));
    });
    const [clone, local, remote, ...updated] = rows;
    const floor = clone!.ms.median + local!.ms.median;
    return {
      rows,
      targets: [
        { name: `${name}, time of disk and mirror clone`, value: remote!.ms.median / floor, limit: 2, unit: '×' },
        { name: `${name}, memory`, value: remote!.peakBytes.median / 1e6, limit: limits.megabytes, unit: 'MB' },
        ...updated.flatMap((row, index) =>
          limits.updates
            ? [{ name: row.name, value: row.ms.median, limit: limits.updates[index]!, unit: 'ms' as const }]
            : [],
        ),
      ],
    };
  } finally {
    await server.close();
  }
}
