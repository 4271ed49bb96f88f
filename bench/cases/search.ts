import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BenchCase, getCorpus, type Row, type Target } from '../bench-case.ts';
import { CORPUS_PAGES } from '../corpus/open-corpus.ts';
import { type BuiltSearch, openSearch } from '../corpus/open-search.ts';
import { HELD_OUT_QUERIES, SEARCH_QUERIES, type SearchQuery } from '../corpus/search-queries.ts';
import { findSpread } from '../measure/statistics.ts';
import { expectPages, runDocbuild } from '../run-docbuild.ts';

const FIRST = 3;

/** Search over all tags: what is found, how fast, and what is loaded for it. */
export const searchCase: BenchCase = {
  name: 'search',
  title: 'Search in 28 tags × 7 languages',
  needsCorpus: true,
  async run(bench) {
    const { repository } = getCorpus(bench);
    const out = join(bench.folder, 'site');
    const site = { repository, out, cache: join(bench.folder, 'cache'), args: ['--refs', 'v*'] };
    expectPages(await runDocbuild(site), CORPUS_PAGES);
    const sizeOf = (name: string): number => gzipSync(readFileSync(join(out, '_docbuild', name))).length;
    const languages = [...new Set(SEARCH_QUERIES.map(({ language }) => language))];
    const rows: Row[] = [];
    const sizes = new Map<string, number>();
    const times: number[] = [];
    let found = 0;
    const missedUnseen: SearchQuery[] = [];
    for (const language of languages) {
      const opening = performance.now();
      const search = openSearch(out, language);
      const openMs = performance.now() - opening;
      const queries = SEARCH_QUERIES.filter((query) => query.language === language);
      const missed = findMissed(search, queries);
      missedUnseen.push(
        ...findMissed(
          search,
          HELD_OUT_QUERIES.filter((query) => query.language === language),
        ),
      );
      found += queries.length - missed.length;
      const own = queries.flatMap(({ query }) =>
        [false, true].map(
          (everywhere) => findSpread(measure(() => search.find(query, everywhere), bench.short)).median,
        ),
      );
      times.push(...own);
      const [index] = search.files;
      const all = search.files.reduce((sum, name) => sum + sizeOf(name), 0);
      sizes.set(language, all);
      const note = [
        `${queries.length - missed.length} of ${queries.length} among the first ${FIRST}`,
        `index ${Math.round(sizeOf(index!) / 1024)} KB, with texts ${Math.round(all / 1024)} KB`,
        `open ${Math.round(openMs)} ms`,
        ...(missed.length > 0 ? [`missed: ${missed.map(({ query }) => query).join(', ')}`] : []),
      ];
      rows.push({ name: `${language}: a query`, ms: findSpread(own), note: note.join('; ') });
    }
    const p95 = [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
    const unseen = `${HELD_OUT_QUERIES.length - missedUnseen.length} of ${HELD_OUT_QUERIES.length} among the first ${FIRST}`;
    rows.push({
      name: 'queries never tuned for',
      note: `${unseen}; missed: ${missedUnseen.map(({ query }) => query).join(', ')}`,
    });
    const targets: Target[] = [
      {
        name: 'queries never tuned for that miss, %',
        value: (missedUnseen.length / HELD_OUT_QUERIES.length) * 100,
        limit: 1.5,
        unit: '',
      },
      { name: 'queries that miss, %', value: 100 - (found / SEARCH_QUERIES.length) * 100, limit: 1.5, unit: '' },
      { name: 'p95 of a query', value: p95, limit: 20, unit: 'ms' },
      {
        name: 'English and Chinese, gzip, KB',
        value: (sizes.get('en')! + sizes.get('zh')!) / 1000,
        limit: 1_500,
        unit: '',
      },
    ];
    return { rows, targets };
  },
};

/** Returns the queries that do not find their page among the first ones. */
function findMissed(search: BuiltSearch, queries: readonly SearchQuery[]): readonly SearchQuery[] {
  return queries.filter(({ query, pages }) => {
    const first = search.find(query).pages.slice(0, FIRST);
    return !first.some(({ path }) => pages.includes(path.replace(/\.html$/, '')));
  });
}

/** Returns how long some runs of a function take, ms. */
function measure(run: () => unknown, times: number): readonly number[] {
  return Array.from({ length: times }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
}
