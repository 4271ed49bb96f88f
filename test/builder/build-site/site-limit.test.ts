import test, { type ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Each version has a picture of its own, of so many bytes; pages and theme take less together. */
const PICTURE = 800_000;
/** Room for three pictures and everything else. */
const limits = { maxOutputBytes: 3.5 * PICTURE };

/** Creates a repository with tags v1, v2, … and a branch `main`, which is like the last of them. */
function createVersions(t: ExecutionContext, count: number) {
  const repository = createRepository(t);
  const add = (tag: string, bytes = PICTURE): void => {
    commitFiles(repository, {
      'docs/index.md': `# Home of ${tag}\n\n![](picture.png)\n`,
      'docs/picture.png': tag.padEnd(bytes, '.'),
    });
    repository.git('tag', tag);
  };
  for (let n = 1; n <= count; n++) add(`v${n}`);
  return { ...repository, add };
}

test('buildSite() leaves out the oldest versions for which the site has no room, and says what to do', async (t) => {
  const repository = createVersions(t, 5);
  const site = createSite(t);
  const { versions, errors, bytes } = await site.build(repository.folder, { limits });
  t.is(versions, 4);
  t.true(bytes <= limits.maxOutputBytes);
  for (const slug of ['latest', 'main', 'v5', 'v4', 'v3']) t.true(site.has(`en/${slug}/picture.png`), slug);
  for (const slug of ['v2', 'v1']) t.false(site.has(`en/${slug}`), slug);
  t.deepEqual(
    errors.map(({ ref, code }) => [ref, code]),
    [
      ['v2', 'output-limit'],
      ['v1', 'output-limit'],
    ],
  );
  t.regex(
    errors[0]!.message,
    /^With all its versions the site would take about 4\.\d MB, more than 2\.8 MB, the limit for a site; raise it with --max-output, or choose versions with --refs or --exclude; the version is left out$/,
  );
  t.is(errors[1]!.message, errors[0]!.message);
  t.deepEqual(Object.keys(JSON.parse(site.read('versions.json')).refs), ['main', 'v5', 'v4', 'v3']);
});

test('buildSite() has nothing to do for a site without room until something changes, then makes what a new build makes', async (t) => {
  const repository = createVersions(t, 5);
  const site = createSite(t);
  const build = () => site.build(repository.folder, { limits });
  const { errors } = await build();
  const stages: string[] = [];
  const again = await site.build(repository.folder, { limits, onProgress: ({ stage }) => stages.push(stage) });
  t.deepEqual([again.errors, again.rendered], [errors, 0]);
  t.false(stages.includes('render'));
  const changes: Readonly<Record<string, readonly [change: () => void, leftOut: readonly string[]]>> = {
    'a newer version': [() => repository.add('v6'), ['v3', 'v2', 'v1']],
    'a version less': [() => repository.git('tag', '-d', 'v5'), ['v2', 'v1']],
  };
  for (const [title, [change, leftOut]] of Object.entries(changes)) {
    change();
    const found = await build();
    t.deepEqual(
      found.errors.map(({ ref }) => ref),
      leftOut,
      title,
    );
    const fresh = createSite(t);
    await fresh.build(repository.folder, { limits });
    t.deepEqual(compareTrees(hashTree(site.out), hashTree(fresh.out)), [], title);
  }
  const { errors: none, versions } = await site.build(repository.folder);
  t.deepEqual([none, versions], [[], 6]);
  t.true(site.has('en/v1/picture.png'));
  const shrunk = await build();
  t.deepEqual(
    shrunk.errors.map(({ ref }) => ref),
    ['v2', 'v1'],
  );
  t.false(site.has('en/v1'));
});

test('buildSite() leaves out a branch that is too large and keeps the versions after it', async (t) => {
  const repository = createVersions(t, 2);
  repository.git('checkout', '--quiet', '-b', 'huge');
  commitFiles(repository, { 'docs/picture.png': 'huge'.padEnd(3 * PICTURE, '.') });
  repository.git('checkout', '--quiet', 'main');
  const site = createSite(t);
  const { versions, errors } = await site.build(repository.folder, { limits, refs: '**' });
  t.is(versions, 3);
  t.deepEqual(
    errors.map(({ ref, code }) => [ref, code]),
    [['huge', 'output-limit']],
  );
  t.true(site.has('en/v1/picture.png'));
});

test('buildSite() fails where there is no room for the latest version or the one that was asked for', async (t) => {
  const repository = createVersions(t, 4);
  const site = createSite(t);
  await site.build(repository.folder, { limits, refs: 'main|v4|v3|v2' });
  const before = site.list();
  const published = ['main', 'v4', 'v3', 'v2'].map((name) => ({
    name,
    kind: name === 'main' ? ('branch' as const) : ('tag' as const),
    oid: repository.git('rev-parse', `${name}^{commit}`),
  }));
  const asked = await site.fail(repository.folder, { limits, refUpdate: { published, update: ['v1'] } });
  t.deepEqual([asked.code, asked.location], ['output-limit', { ref: 'v1' }]);
  t.deepEqual(site.list(), before);
  repository.add('v9', 4 * PICTURE);
  const latest = await site.fail(repository.folder, { limits });
  t.deepEqual([latest.code, latest.location], ['output-limit', { ref: 'main' }]);
  t.deepEqual(site.list(), before);
});
