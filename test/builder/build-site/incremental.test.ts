import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { BuildError, type BuildOptions, type BuildSummary, buildSite } from '../../../builder/index.ts';
import { createRandom } from '../../helpers/create-random.ts';
import { createRandomHistory } from '../../helpers/create-random-history.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Seeds of the histories; `HISTORY_SEEDS=from-to` tries others. */
const [from = 1, to = 6] = (process.env.HISTORY_SEEDS ?? '').split('-').filter(Boolean).map(Number);
const STEPS = Number(process.env.HISTORY_STEPS ?? 12);
const VARIANTS: readonly Partial<BuildOptions>[] = [
  {},
  { baseUrl: 'https://docs.example.test/x/' },
  { single: true },
  { lang: ['en', 'zh_CN'] },
  { exclude: 'v1.*' },
  { sourceDir: 'docs/en' },
];

for (let seed = from; seed <= to; seed++) {
  test(`buildSite() gives the same bytes from an old site as from nothing, history ${seed}`, async (t) => {
    await followHistory(t, seed);
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

async function followHistory(t: ExecutionContext, seed: number): Promise<void> {
  const folder = createFolder(t);
  const history = createRandomHistory(t, seed);
  const random = createRandom(seed);
  let variant = VARIANTS[seed % VARIANTS.length]!;
  const out = join(folder, 'out');
  for (let step = 0; step < STEPS; step++) {
    if (random.chance(0.15)) variant = random.pick(VARIANTS);
    const options = { repository: history.folder, title: 'Random', jobs: 1, ...variant };
    const what = `step ${step}, ${history.step()}, ${JSON.stringify(variant)}`;
    const before = hashTree(out);
    const grown = await attempt({ ...options, out, cacheFolder: join(folder, 'cache') });
    const freshOut = join(folder, `fresh-${step}`);
    // Sometimes with a cache of its own: what the cache holds must not show either.
    const cacheFolder = join(folder, step % 2 === 0 ? `cache-${step}` : 'cache-fresh');
    const fresh = await attempt({ ...options, out: freshOut, cacheFolder });
    t.deepEqual(describe(grown), describe(fresh), what);
    const expected = fresh instanceof BuildError ? before : hashTree(freshOut);
    t.deepEqual(compareTrees(hashTree(out), expected), [], what);
    const again = await attempt({ ...options, out, cacheFolder: join(folder, 'cache') });
    t.deepEqual(describe(again), describe(fresh), `${what}, built again`);
    t.deepEqual(compareTrees(hashTree(out), expected), [], `${what}, built again`);
  }
}

async function attempt(options: BuildOptions): Promise<BuildSummary | BuildError> {
  try {
    return await buildSite(options);
  } catch (error) {
    if (error instanceof BuildError) return error;
    throw error;
  }
}

/** What both ways of building must agree on. */
function describe(result: BuildSummary | BuildError): object {
  if (result instanceof BuildError) return { code: result.code, message: result.message, location: result.location };
  const { versions, languages, pages, fallbacks, warnings, bytes } = result;
  return { versions, languages, pages, fallbacks, warnings, bytes };
}
