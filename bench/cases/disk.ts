import { join } from 'node:path';
import { type BenchCase, getCorpus, type Row, type Target } from '../bench-case.ts';
import { diskUsage } from '../measure/disk-usage.ts';
import { runDocbuild } from '../run-docbuild.ts';

/** Disk space of all versions against that of the newest one. */
export const diskCase: BenchCase = {
  name: 'disk',
  title: 'Disk, allocated blocks, hard links once',
  needsCorpus: true,
  async run(bench) {
    const { repository, newestTag } = getCorpus(bench);
    const cache = join(bench.folder, 'cache');
    const measure = async (name: string, refs: string) => {
      const out = join(bench.folder, name, 'site');
      await runDocbuild({ repository, out, cache, args: ['--refs', refs] });
      return { site: diskUsage(out), withState: diskUsage(join(bench.folder, name)) };
    };
    const newest = await measure('newest', newestTag);
    const all = await measure('all', 'v*');
    const rows: Row[] = [
      { name: 'newest tag', note: `${mb(newest.site)}, with its state folder ${mb(newest.withState)}` },
      { name: '28 tags', note: `${mb(all.site)}, with its state folder ${mb(all.withState)}` },
      { name: 'cache folder', note: mb(diskUsage(cache)) },
    ];
    if (bench.peers) {
      const hugo = bench.peers.hugo.all(bench.folder);
      await hugo.prepare?.();
      await hugo.run();
      rows.push({ name: 'Hugo, 28 tags', note: mb(diskUsage(bench.peers.hugo.output(bench.folder))) });
    }
    const targets: Target[] = [
      { name: 'site, 28 tags of the newest', value: all.site / newest.site, limit: 3, unit: '×' },
      { name: 'with state folder', value: all.withState / newest.withState, limit: 3, unit: '×' },
    ];
    return { rows, targets };
  },
};

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
