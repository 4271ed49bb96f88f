import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { CORPUS_BUNDLE, openCorpus } from '../../bench/corpus/open-corpus.ts';
import { openSearch } from '../../bench/corpus/open-search.ts';
import { SEARCH_QUERIES } from '../../bench/corpus/search-queries.ts';
import { buildSite } from '../../builder/index.ts';
import { corpusTest } from '../helpers/corpus-test.ts';

const folder = mkdtempSync(join(tmpdir(), 'docbuild-relevance-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

corpusTest(CORPUS_BUNDLE)(
  'search: of 315 queries in seven languages 98.5 % find their page among the first three',
  async (t) => {
    const corpus = openCorpus(folder)!;
    const out = join(folder, 'out');
    await buildSite({ repository: corpus.repository, out, cacheFolder: join(folder, 'cache'), refs: corpus.newestTag });
    const languages = new Map(['en', 'zh', 'ru', 'fa', 'ko', 'es', 'pt'].map((code) => [code, openSearch(out, code)]));
    const missed = SEARCH_QUERIES.filter(({ language, query, pages }) => {
      const found = languages.get(language)!.find(query).pages.slice(0, 3);
      return !found.some(({ path }) => pages.includes(path.replace(/\.html$/, '')));
    });
    t.true(SEARCH_QUERIES.length >= 315);
    t.true(missed.length <= SEARCH_QUERIES.length * 0.015, missed.map(({ query }) => query).join(', '));
  },
);
