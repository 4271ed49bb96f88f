import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { CORPUS_BUNDLE, CORPUS_PAGES, openCorpus } from '../../../bench/corpus/open-corpus.ts';
import { type BuildSummary, buildSite } from '../../../builder/index.ts';
import { checkLinks } from '../../helpers/check-links.ts';
import { corpusTest } from '../../helpers/corpus-test.ts';

const folder = mkdtempSync(join(tmpdir(), 'docbuild-corpus-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));
const corpus = openCorpus(folder);
const builtTest = corpusTest(CORPUS_BUNDLE);
const out = join(folder, 'out');

let summary: BuildSummary;
if (corpus) {
  test.before(async () => {
    summary = await buildSite({ repository: corpus.repository, out, cacheFolder: join(folder, 'cache'), refs: 'v*' });
  });
}

builtTest('buildSite() builds all pages of all tags of the corpus, each distinct one once', (t) => {
  t.is(summary.versions, 28);
  t.is(summary.languages, 7);
  t.is(summary.pages, CORPUS_PAGES);
  t.is(summary.rendered, 477);
  t.is(summary.reused, CORPUS_PAGES - 477);
  for (const code of ['en', 'es', 'fa', 'ko', 'pt', 'ru', 'zh'])
    t.true(existsSync(join(out, code, 'latest/index.html')), code);
  t.is(statSync(join(out, 'en/latest/index.html')).ino, statSync(join(out, 'en/v1.6.4/index.html')).ino);
});

builtTest('buildSite() leaves no link of the corpus that leads nowhere and was not reported', (t) => {
  const reported = new Map<string, Set<string>>();
  for (const { ref, code, message } of summary.warnings) {
    if (!['dead-link', 'dead-anchor', 'missing-file', 'lfs-pointer'].includes(code)) continue;
    const urls = reported.get(ref) ?? new Set();
    reported.set(ref, urls.add(/"([^"]*)"/.exec(message)![1]!));
  }
  const { broken, followed } = checkLinks(out);
  const surprises = broken.filter(({ page, url }) => {
    const slug = page.split('/')[1]!;
    const urls = reported.get(slug === 'latest' ? (corpus?.newestTag ?? '') : slug);
    return !urls?.has(url) && !urls?.has(decodeURI(url)) && !urls?.has(decodeURIComponent(url.slice(url.indexOf('#'))));
  });
  t.deepEqual(surprises.slice(0, 20), []);
  t.true(followed > 200_000, `${followed} addresses followed`);
  t.true(broken.length > 0, 'the corpus has dead links, so the check can find some');
});
