import { buildSite } from '../../builder/index.ts';
import { changePage } from '../corpus/change-page.ts';

/** Given as JSON in the first argument. */
export interface RebuildPlan {
  readonly repository: string;
  readonly out: string;
  readonly cacheFolder: string;
  readonly refs: string;
  readonly branch: string;
  readonly path: string;
  readonly count: number;
}

/**
 * Runs as a separate process: builds a site, then changes a page and builds again that many times, as a server does
 * that has everything loaded. Prints the time of each of the later builds apart from fetch, ms.
 */
const { repository, out, cacheFolder, refs, branch, path, count } = JSON.parse(process.argv[2]!) as RebuildPlan;
await buildSite({ repository, out, cacheFolder, refs });
const times: number[] = [];
for (let i = 0; i < count; i++) {
  changePage(repository, { branch, path, text: `\nParagraph ${i} of a server.\n` });
  const { ms, stages, rendered } = await buildSite({ repository, out, cacheFolder, refs });
  if (rendered !== 1) throw new Error(`${rendered} pages were rendered instead of 1`);
  times.push(ms - stages.fetch);
}
console.log(JSON.stringify(times));
