import { readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { changeFiles, createRandomFiles } from '../../helpers/change-files.ts';
import { createRandom } from '../../helpers/create-random.ts';
import { createFolder, createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { runDocbuild } from '../../helpers/run-docbuild.ts';
import { runGit } from '../../helpers/run-git.ts';

/** A repository with a bit of everything: languages, versions, files, and code in many languages. */
function createMixed(t: ExecutionContext): TestRepository {
  const repository = createRepository(t);
  const random = createRandom(42);
  const files = createRandomFiles(random);
  for (let step = 0; step < 25; step++) changeFiles(files, random);
  const blocks = ['js', 'python', 'json', 'ini'];
  blocks.forEach((language, n) => {
    files.set(`docs/en/code/${language}.md`, `# ${language}\n\n\`\`\`${language}\nlet a${n} = "x" // ${n}\n\`\`\`\n`);
  });
  files.delete('.docbuild.yml');
  files.delete('docs/en/broken.md');
  for (const [path, content] of files) repository.write(path, content);
  repository.commit('One');
  repository.git('tag', 'v1.0');
  repository.write('docs/en/code/js.md', '# js\n\n```js\nlet other\n```\n');
  repository.commit('Two');
  return repository;
}

test.serial('buildSite() gives the same bytes for one worker and for four', async (t) => {
  const repository = createMixed(t);
  const [one, four] = [createSite(t), createSite(t)];
  const first = await one.build(repository.folder, { jobs: 1 });
  const second = await four.build(repository.folder, { jobs: 4 });
  t.deepEqual(compareTrees(hashTree(one.out), hashTree(four.out)), []);
  t.deepEqual(first.warnings, second.warnings);
  t.is(first.bytes, second.bytes);
});

test.serial('buildSite() gives the same bytes from a cold, a warm and a half lost cache', async (t) => {
  const repository = createMixed(t);
  const site = createSite(t);
  await site.build(repository.folder);
  const expected = hashTree(site.out);
  const fragments = join(site.cacheFolder, 'fragments');
  const build = async (name: string) => {
    const out = join(site.folder, name);
    const { rendered } = await site.build(repository.folder, { out });
    t.deepEqual(compareTrees(expected, hashTree(out)), [], name);
    return rendered;
  };
  t.is(await build('warm'), 0);
  // The second branch makes a second segment, so that half of the cache can be lost.
  repository.git('checkout', '--quiet', '-b', 'other');
  repository.write('docs/en/more.md', '# More\n');
  repository.commit('More');
  await site.build(repository.folder, { out: join(site.folder, 'more') });
  repository.git('checkout', '--quiet', 'main');
  repository.git('branch', '-D', '--quiet', 'other');
  const segments = readdirSync(fragments);
  t.true(segments.length > 1);
  rmSync(join(fragments, segments[0]!));
  await build('half lost');
});

test.serial('buildSite() gives the same bytes from a cache with damaged bytes, and heals it', async (t) => {
  const repository = createMixed(t);
  const site = createSite(t);
  await site.build(repository.folder);
  const expected = hashTree(site.out);
  const fragments = join(site.cacheFolder, 'fragments');
  const random = createRandom(1);
  const damages: readonly ((path: string) => void)[] = [
    (path) => truncateSync(path, readFileSync(path).length >> 1),
    (path) => truncateSync(path, 0),
    (path) => writeFileSync(path, 'garbage'.repeat(1000)),
    ...Array.from({ length: 4 }, () => (path: string) => {
      const bytes = readFileSync(path);
      for (let n = 0; n < 20; n++) bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
      writeFileSync(path, bytes);
    }),
  ];
  for (const [index, damage] of damages.entries()) {
    for (const name of readdirSync(fragments)) damage(join(fragments, name));
    const out = join(site.folder, `out-${index}`);
    await site.build(repository.folder, { out });
    t.deepEqual(compareTrees(expected, hashTree(out)), [], `damage ${index}`);
    const { rendered } = await site.build(repository.folder, { out: join(site.folder, `again-${index}`) });
    t.is(rendered, 0, `damage ${index} is healed`);
  }
});

test.serial('buildSite() gives the same bytes in another folder, at another time, from another clone', async (t) => {
  const repository = createMixed(t);
  const site = createSite(t);
  await site.build(repository.folder, { title: 'T' });
  const clone = join(createFolder(t), 'elsewhere/deep/clone');
  runGit(repository.folder, 'clone', '--quiet', '--mirror', repository.folder, clone);
  const other = createSite(t);
  utimesSync(clone, 1, 1);
  await other.build(clone, { title: 'T', out: join(other.folder, 'a/b/another name') });
  t.deepEqual(compareTrees(hashTree(site.out), hashTree(join(other.folder, 'a/b/another name'))), []);
  const text = [...hashTree(site.out).keys()].filter((path) => path.endsWith('.html')).map((path) => site.read(path));
  for (const secret of [repository.folder, site.folder]) t.false(text.some((page) => page.includes(secret)));
});

test.serial('buildSite() repairs a published file that somebody changed, added or deleted', async (t) => {
  const repository = createMixed(t);
  const site = createSite(t);
  await site.build(repository.folder);
  const expected = hashTree(site.out);
  const page = join(site.out, 'en/main/code/js.html');
  const touches: readonly (() => void)[] = [
    () => writeFileSync(page, 'changed'),
    () => rmSync(page),
    () => writeFileSync(join(site.out, 'en/main/extra.html'), 'more'),
    () => rmSync(join(site.out, 'en/v1.0'), { recursive: true }),
    () => rmSync(join(site.out, '.docbuild.json')),
    () => rmSync(site.out, { recursive: true }),
    () => rmSync(join(site.folder, '.out.docbuild'), { recursive: true }),
    () => rmSync(join(site.folder, '.out.docbuild/back'), { recursive: true }),
    () => {
      for (const name of readdirSync(join(site.folder, '.out.docbuild'))) {
        if (name.endsWith('.json')) writeFileSync(join(site.folder, '.out.docbuild', name), '{"format":1,"lists":');
      }
    },
  ];
  for (const [index, touch] of touches.entries()) {
    touch();
    await site.build(repository.folder, { force: true, preparesNext: true });
    t.deepEqual(compareTrees(expected, hashTree(site.out)), [], `touch ${index}`);
  }
});

test.serial('two processes that share a cache give the same bytes as one alone', async (t) => {
  const repository = createMixed(t);
  const alone = createSite(t);
  await alone.build(repository.folder, { title: 'T' });
  const expected = hashTree(alone.out);
  const shared = createSite(t);
  const outs = ['a', 'b', 'c'].map((name) => join(shared.folder, name));
  const results = await Promise.all(
    outs.map((out) =>
      runDocbuild(['site', repository.folder, '-o', out, '--cache', shared.cacheFolder, '--title', 'T', '--jobs', '1']),
    ),
  );
  for (const [index, { code, stderr }] of results.entries()) {
    t.is(code, 0, stderr);
    t.deepEqual(compareTrees(expected, hashTree(outs[index]!)), []);
  }
  const { rendered } = await shared.build(repository.folder, { out: join(shared.folder, 'd'), title: 'T' });
  t.is(rendered, 0);
});

test.serial(
  'buildSite() gives the same bytes while its cache is full, pruned to nothing, or not writable',
  async (t) => {
    const repository = createMixed(t);
    const site = createSite(t);
    await site.build(repository.folder);
    const expected = hashTree(site.out);
    const small = join(site.folder, 'small');
    for (let round = 0; round < 2; round++) {
      await site.build(repository.folder, {
        out: small,
        cacheFolder: join(site.folder, 'small-cache'),
        limits: { maxCacheBytes: 10 },
      });
      t.deepEqual(compareTrees(expected, hashTree(small)), []);
    }
    const file = join(site.folder, 'cache-is-a-file');
    writeFileSync(file, '');
    await site.build(repository.folder, { out: join(site.folder, 'no-cache'), cacheFolder: file });
    t.deepEqual(compareTrees(expected, hashTree(join(site.folder, 'no-cache'))), []);
  },
);
