import { cpSync, existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { BuildError, type BuildOptions, type BuildSummary, buildSite } from '../../../builder/index.ts';
import type { Ref, SourceError } from '../../../builder/model.ts';
import { MARKER_NAME, readSite, stateFolder } from '../../../builder/publish/site-manifest.ts';
import { LIMITS_OF_HISTORY } from '../../helpers/change-files.ts';
import { createRandom } from '../../helpers/create-random.ts';
import { createRandomHistory } from '../../helpers/create-random-history.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { EFFORT } from '../../helpers/effort.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { execGit, runGit } from '../../helpers/run-git.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const HISTORIES = 4 * EFFORT;
const STEPS = 12;
const VARIANTS: readonly Partial<BuildOptions>[] = [
  {},
  { baseUrl: 'https://docs.example.test/x/' },
  { single: true },
  { lang: ['en', 'zh_CN'] },
  { exclude: 'v1.*' },
  { sourceDir: 'docs/en' },
];

for (let seed = 1; seed <= HISTORIES; seed++) {
  test(`buildSite() gives the same bytes from an old site as from nothing, history ${seed}`, async (t) => {
    await followHistory(t, seed);
  });
}

for (let seed = 1; seed <= HISTORIES; seed++) {
  test(`buildSite() gives the same bytes where versions break and are mended, history ${seed}`, async (t) => {
    await followHistory(t, seed, 0.3);
  });
}

test('buildSite() builds old versions anew when a new one changes the default language', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/de/a.md': '# A\n',
    'docs/de/b.md': '# B\n',
    'docs/fr/a.md': '# A\n',
    'docs/fr/c.md': '# C\n',
  });
  const [site, fresh] = [createSite(t), createSite(t)];
  t.is((await site.build(repository.folder, { title: 'T' })).fallbacks, 1);
  t.true(site.has('fr/main/b.html') && !site.has('de/main/c.html'));
  repository.git('checkout', '--quiet', '-b', 'next');
  commitFiles(repository, { 'docs/ar/a.md': '# A\n' });
  repository.git('checkout', '--quiet', 'main');
  await site.build(repository.folder, { title: 'T' });
  await fresh.build(repository.folder, { title: 'T' });
  t.deepEqual(compareTrees(hashTree(site.out), hashTree(fresh.out)), []);
  t.false(site.has('fr/main/b.html'));
});

test('buildSite() lists warnings in the order of versions, which empty commits change, too', async (t) => {
  const { folder, git, ...repository } = createRepository(t);
  commitFiles({ folder, git, ...repository }, { 'docs/en/index.md': '# Home\n\n[x](gone.md)\n' });
  const commitAt = (branch: string, date: string) => {
    git('checkout', '--quiet', '-B', branch);
    const env = { GIT_COMMITTER_DATE: date };
    execGit(['commit', '--quiet', '--allow-empty', '-m', date], { cwd: folder, env });
    git('checkout', '--quiet', 'main');
  };
  const site = createSite(t);
  const build = async () => (await site.build(folder)).warnings.map(({ ref }) => ref);
  commitAt('dev', '2024-02-01T00:00:00Z');
  commitAt('next', '2024-03-01T00:00:00Z');
  t.deepEqual(await build(), ['main', 'next', 'dev']);
  commitAt('dev', '2024-04-01T00:00:00Z');
  t.deepEqual(await build(), ['main', 'dev', 'next']);
  t.deepEqual(await build(), ['main', 'dev', 'next']);
});

async function followHistory(t: ExecutionContext, seed: number, defects = 0): Promise<void> {
  const folder = createFolder(t);
  const history = createRandomHistory(t, seed, defects);
  const random = createRandom(seed);
  let variant = VARIANTS[seed % VARIANTS.length]!;
  const out = join(folder, 'out');
  const seen = { failed: 0, kept: 0, errors: 0 };
  const seenFiles = new Map<string, string>();
  for (let step = 0; step < STEPS; step++) {
    if (random.chance(0.15)) variant = random.pick(VARIANTS);
    let published: readonly Ref[] = [];
    const onPublished = (refs: readonly Ref[]) => (published = refs);
    const limits = defects > 0 ? LIMITS_OF_HISTORY : {};
    const options = { repository: history.folder, title: 'Random', jobs: 1, limits, onPublished, ...variant };
    const what = `step ${step}, ${history.step()}, ${JSON.stringify(variant)}`;
    const before = hashSite(out);
    if (step % 3 === 1) forgetManifests(out);
    const grown = await attempt({ ...options, out, cacheFolder: join(folder, 'cache') });
    const freshOut = join(folder, `fresh-${step}`);
    // Sometimes with a cache of its own: what the cache holds must not show either.
    const cacheFolder = join(folder, step % 2 === 0 ? `cache-${step}` : 'cache-fresh');
    if (grown instanceof BuildError) seen.failed++;
    else {
      seen.errors += grown.errors.length;
      seen.kept += grown.errors.filter(isKept).length;
    }
    const repository = rewindKept(t, history.folder, grown, published);
    // Under another name, since the process remembers histories by the name of the repository.
    const fresh = await attempt({ ...options, repository: `${repository}/.`, out: freshOut, cacheFolder });
    const expected = fresh instanceof BuildError ? before.tree : hashSite(freshOut).tree;
    const compare = (result: BuildSummary | BuildError, why: string): void => {
      const { tree, former } = hashSite(out);
      t.deepEqual(describe(result, former.size), describe(fresh), why);
      t.deepEqual(compareTrees(tree, expected), [], why);
      t.deepEqual(
        [...former.hashes].filter(([path, hash]) => seenFiles.get(path) !== hash),
        [],
        'what stays was published before',
      );
      for (const [path, hash] of tree) seenFiles.set(path, hash);
    };
    compare(grown, what);
    compare(await attempt({ ...options, out, cacheFolder: join(folder, 'cache') }), `${what}, built again`);
  }
  if (defects > 0) t.log(seen);
}

/** Makes the next build read what is stored beside a site, as another process would. */
function forgetManifests(out: string): void {
  const state = stateFolder(out);
  const names = existsSync(state) ? readdirSync(state).filter((name) => name.endsWith('.json')) : [];
  for (const name of names) utimesSync(join(state, name), 0, 0);
}

async function attempt(options: BuildOptions): Promise<BuildSummary | BuildError> {
  try {
    return await buildSite(options);
  } catch (error) {
    if (error instanceof BuildError) return error;
    throw error;
  }
}

/** Returns the hashes of a site's files, those apart that stay of the site before; without the marker, which tells whether there are any. */
function hashSite(out: string) {
  const tree = new Map(hashTree(out));
  tree.delete(MARKER_NAME);
  const hashes = new Map<string, string>();
  let size = 0;
  for (const [path] of readSite(out)?.site.get('former')?.list.files ?? []) {
    hashes.set(path, tree.get(path)!);
    size += statSync(join(out, path)).size;
    tree.delete(path);
  }
  return { tree, former: { hashes, size } };
}

/** The part of a result on which both ways of building must agree; a part of the bytes may be of the site before. */
function describe(result: BuildSummary | BuildError, formerBytes = 0): object {
  if (result instanceof BuildError) return { code: result.code, message: result.message, location: result.location };
  const { versions, languages, pages, fallbacks, warnings } = result;
  const bytes = result.bytes - formerBytes;
  const errors = result.errors.filter((error) => !isKept(error));
  return { versions, languages, pages, fallbacks, warnings, bytes, errors };
}

function isKept({ message }: SourceError): boolean {
  return message.endsWith('the version stays as it was published');
}

/**
 * A version that cannot be built stays as it was published. Returns the repository as it would have to be for a build from
 * nothing to find the same: a copy whose refs lead to what is published.
 */
function rewindKept(
  t: ExecutionContext,
  folder: string,
  result: BuildSummary | BuildError,
  published: readonly Ref[],
): string {
  const kept = result instanceof BuildError ? [] : result.errors.filter(isKept);
  if (kept.length === 0) return folder;
  const copy = createFolder(t);
  cpSync(folder, copy, { recursive: true });
  for (const { ref } of kept) {
    const { kind, oid } = published.find(({ name }) => name === ref)!;
    runGit(copy, 'update-ref', `refs/${kind === 'tag' ? 'tags' : 'heads'}/${ref}`, oid);
  }
  return copy;
}
