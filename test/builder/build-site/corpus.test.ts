import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { CORPUS_BUNDLE, CORPUS_PAGES, openCorpus } from '../../../bench/corpus/open-corpus.ts';
import { type BuildSummary, buildSite } from '../../../builder/index.ts';
import { checkLinks } from '../../helpers/check-links.ts';
import { corpusTest } from '../../helpers/corpus-test.ts';
import { listLate, readBoard } from '../../helpers/read-board.ts';

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

/** What was found by reading both languages of the documentation of VitePress 1.6.4, and its past. */
const READ: Readonly<Record<string, Readonly<Record<string, readonly string[] | undefined>>>> = {
  zh: {
    'guide/using-vue.html': ['missing vs-code-intellisense-support since v1.4.2 (v1.4.1)'],
    'reference/site-config.html': [
      'changed srcexclude since v1.4.2 (v1.4.1)',
      'changed appearance since v1.3.0 (v1.2.3)',
    ],
    'reference/frontmatter-config.html': ['changed outline since v1.4.0 (v1.3.4)'],
    'reference/default-theme-search.html': [
      'changed local-search since v1.6.0 (v1.5.0)',
      'changed local-search-i18n since v1.3.0 (v1.2.3)',
    ],
    // Of its original, only the last line feed changed.
    'reference/default-theme-footer.html': undefined,
    'guide/deploy.html': undefined,
  },
  es: {
    'guide/deploy.html': ['missing stormkit since v1.1.0 ()', 'missing nginx since v1.1.1 ()'],
    'guide/migration-from-vuepress.html': ['missing since v1.0.0'],
    'guide/using-vue.html': undefined,
    'reference/default-theme-home-page.html': ['missing markdown-content since v1.0.0 ()'],
    'reference/site-config.html': ['changed srcexclude since v1.4.2 (v1.4.1)', 'missing metachunk since v1.0.0 ()'],
  },
  // It came after its original had that part.
  fa: {
    'reference/default-theme-config.html': ['missing skiptocontentlabel since v1.6.0 ()'],
  },
  ru: {
    'reference/default-theme-config.html': undefined,
    'reference/frontmatter-config.html': undefined,
    'guide/using-vue.html': undefined,
  },
};

builtTest('translations of VitePress lack what a reader of both finds missing', (t) => {
  for (const [language, pages] of Object.entries(READ)) {
    const late = listLate(readBoard(out, language), corpus!.newestTag);
    const found = Object.fromEntries(Object.keys(pages).map((path) => [path, late[path]]));
    t.deepEqual(found, pages, language);
  }
});

/** Returns the sizes of published files below a folder of the theme's own, gzip, in bytes. */
function measure(below: string, pattern: RegExp): ReadonlyMap<string, number> {
  const assets = join(out, '_docbuild', below);
  const names = readdirSync(assets, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name));
  return new Map(names.map((name) => [name, gzipSync(readFileSync(join(assets, name))).length]));
}

builtTest('what a page of the corpus needs of history is at most 3 KB, a comparison 25 KB', (t) => {
  const histories = measure('history', /^\w+\/\d+\.json$/);
  t.is(
    new Set([...histories.keys()].map((name) => name.split('/')[0])).size,
    6,
    'one language is in the newest version only',
  );
  for (const [name, bytes] of histories) t.true(bytes <= 3_000, `${name}: ${bytes} bytes`);
  const scripts = measure('', /^compare(?:-[\w-]+)?\.\w+\.js$/);
  t.is(scripts.size, 8, 'the script, and its words in each language');
  const [script] = [...scripts].find(([name]) => /^compare\./.test(name))!;
  for (const [name, bytes] of scripts) {
    if (name !== script) t.true(scripts.get(script)! + bytes <= 25_000, `${name}: ${bytes} bytes`);
  }
});
