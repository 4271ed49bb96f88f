import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'ava';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { execGit, runGit } from '../../helpers/run-git.ts';
import { serveGit } from '../../helpers/serve-git.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Makes a bare repository with many commits by one process; each changes one page, and every so many get a tag. */
function createHistory(folder: string, options: { commits: number; pages: number; commitsPerTag: number }): void {
  const { commits, pages, commitsPerTag } = options;
  runGit(folder, 'init', '--quiet', '--bare', '--initial-branch=main');
  const rows: string[] = [];
  for (let n = 0; n < commits; n++) {
    const text = `# Page ${n % pages}\n\nText ${n}\n`;
    rows.push(
      `commit refs/heads/main\nmark :${n + 1}\ncommitter T <t@example.test> ${1_700_000_000 + n * 60} +0000\ndata 1\nx\n`,
      `M 100644 inline docs/p${n % pages}.md\ndata ${text.length}\n${text}\n`,
    );
    if ((n + 1) % commitsPerTag === 0) {
      const number = (n + 1) / commitsPerTag;
      rows.push(`reset refs/tags/v${Math.floor(number / 100)}.${number % 100}\nfrom :${n + 1}\n\n`);
    }
  }
  execGit(['fast-import', '--quiet'], { cwd: folder, input: rows.join('') });
}

test('buildSite() publishes 1,000 tags, and one more without rendering again', async (t) => {
  const folder = createFolder(t);
  createHistory(folder, { commits: 1000, pages: 3, commitsPerTag: 1 });
  const site = createSite(t);
  const { versions, pages, rendered, reused } = await site.build(folder);
  t.deepEqual([versions, pages, rendered, reused], [1001, 3000, 1000, 2000]);
  t.is(readdirSync(join(site.out, 'en')).length, 1004);
  t.regex(site.read('en/latest/p0.html'), /Text 999/);
  runGit(folder, 'tag', 'v10.1', 'v5.0');
  const again = await site.build(folder);
  t.deepEqual([again.versions, again.rendered], [1002, 0]);
  t.is(statSync(join(site.out, 'en/v10.1/p0.html')).ino, statSync(join(site.out, 'en/v5.0/p0.html')).ino);
});

test('buildSite() brings only what it builds of a history of 60,000 objects over HTTP', async (t) => {
  const folder = createFolder(t);
  createHistory(folder, { commits: 15_000, pages: 100, commitsPerTag: 5000 });
  t.regex(runGit(folder, 'count-objects', '-v'), /in-pack: 60000/);
  const server = await serveGit(t, dirname(folder));
  const site = createSite(t);
  const { versions, pages } = await site.build(`${server.url}/${basename(folder)}`);
  t.deepEqual([versions, pages], [4, 400]);
  t.true(server.requests.length <= 3, `${server.requests.length} requests`);
  const packs = readdirSync(join(site.cacheFolder, 'repos'), { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(join(site.cacheFolder, 'repos', path)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
  t.true(packs < 200_000, `${packs} bytes`);
});

test('buildSite() builds versions whose files are too many to be in work at once', async (t) => {
  const repository = createRepository(t);
  for (let n = 0; n < 3_000; n++) repository.write(`docs/data/${n}.txt`, '');
  const tags = Array.from({ length: 40 }, (_, n) => `v1.${n}`);
  for (const tag of tags) {
    commitFiles(repository, { 'docs/index.md': `# Home of ${tag}\n\n[data](data/7.txt)\n` });
    repository.git('tag', tag);
  }
  const site = createSite(t);
  const { versions, pages, warnings } = await site.build(repository.folder);
  t.deepEqual([versions, pages, warnings], [41, 41, []]);
  for (const tag of tags) t.true(site.read(`en/${tag}/index.html`).includes(`Home of ${tag} <`), tag);
});
