import test, { type ExecutionContext } from 'ava';
import type { Ref } from '../../../builder/model.ts';
import { checkLinks } from '../../helpers/check-links.ts';
import { createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { encodeText } from '../../helpers/encode-text.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { damageObject, writeBlob, writeTree } from '../../helpers/raw-objects.ts';
import { serveGit } from '../../helpers/serve-git.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const GOOD = { 'docs/index.md': '# Home\n\n[A](guide/a.md)\n', 'docs/guide/a.md': '# A\n' };

/** A repository with a good default branch and a good tag `v9`. */
function createGood(t: ExecutionContext): TestRepository {
  const repository = createRepository(t);
  commitFiles(repository, GOOD);
  repository.git('tag', 'v9');
  return repository;
}

/** Makes a tag of the files of `main` with changes, and leaves `main` as it is. */
function tagFiles(repository: TestRepository, tag: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  repository.git('checkout', '--quiet', '--detach');
  commitFiles(repository, files);
  repository.git('tag', tag);
  repository.git('checkout', '--quiet', 'main');
}

/** Makes a tag, or moves a branch, whose tree holds a name that no honest client writes. */
function tagUnsafe(repository: TestRepository, ref: string): void {
  const page = writeBlob(repository, '# Evil\n');
  const docs = writeTree(repository, [
    { mode: '100644', name: '.git', oid: page },
    { mode: '100644', name: 'index.md', oid: page },
  ]);
  const root = writeTree(repository, [{ mode: '40000', name: 'docs', oid: docs }]);
  repository.git('update-ref', ref, repository.git('commit-tree', root, '-m', 'Evil'));
}

type Places = readonly { readonly ref: string; readonly file: string; readonly line: number; readonly code: string }[];

function places(errors: Places): readonly string[] {
  return errors.map(({ ref, file, line, code }) => `${ref} ${file}:${line} ${code}`);
}

/** Everything that may be wrong with an old tag, each in one of its own: how it is made, and what is said of it. */
const DEFECTS: Readonly<
  Record<string, { readonly make: (repository: TestRepository) => void; readonly errors: readonly string[] }>
> = {
  'a page in an encoding that cannot be told': {
    make: (repository) => tagFiles(repository, 'v0.1', { 'docs/b.md': encodeText('# Εγκατάσταση\n', 'windows-1253') }),
    errors: ['v0.1 docs/b.md:1 not-utf8'],
  },
  'a key twice in front matter': {
    make: (repository) => tagFiles(repository, 'v0.2', { 'docs/b.md': '---\ntitle: a\ntitle: b\n---\n' }),
    errors: ['v0.2 docs/b.md:3 front-matter'],
  },
  'a page above 5 MB': {
    make: (repository) => tagFiles(repository, 'v0.3', { 'docs/b.md': Buffer.alloc(5_000_001, 'x ') }),
    errors: ['v0.3 docs/b.md:0 page-too-large'],
  },
  'text between two thematic breaks': {
    make: (repository) => tagFiles(repository, 'v0.4', { 'docs/b.md': '---\njust text\n---\n' }),
    errors: [],
  },
  'a project file that is no YAML': {
    make: (repository) => tagFiles(repository, 'v0.5', { '.docbuild.yml': 'title: [\n' }),
    errors: ['v0.5 .docbuild.yml:1 project-file'],
  },
  'a project file with unknown keys': {
    make: (repository) =>
      tagFiles(repository, 'v0.6', { '.docbuild.yml': 'old: 1\nnav:\n  - guide/a.md\ncolour: red\n' }),
    errors: ['v0.6 .docbuild.yml:1 project-file', 'v0.6 .docbuild.yml:4 project-file'],
  },
  'a branch named latest': {
    make: (repository) => repository.git('branch', 'latest'),
    errors: ['latest :0 slug-taken'],
  },
  'two refs that meet in one slug': {
    make: (repository) => {
      repository.git('tag', 'a/b');
      repository.git('tag', 'a-b');
    },
    errors: ['a/b :0 slug-taken'],
  },
  'a name that no honest client writes': {
    make: (repository) => tagUnsafe(repository, 'refs/tags/v0.7'),
    errors: ['v0.7 docs/.git:0 unsafe-name'],
  },
  'too many files': {
    make: (repository) => {
      const files = Array.from({ length: 30 }, (_, n) => [`docs/x${n}.txt`, `${n}`] as const);
      tagFiles(repository, 'v0.8', Object.fromEntries(files));
    },
    errors: ['v0.8 :0 too-many-files'],
  },
  'a page that is missing': {
    make: (repository) => {
      tagFiles(repository, 'v0.9', { 'docs/lost.md': '# Lost\n' });
      damageObject(repository, 'v0.9:docs/lost.md');
    },
    errors: ['v0.9 docs/lost.md:0 damaged-repository'],
  },
  'a folder that is damaged': {
    make: (repository) => {
      tagFiles(repository, 'v0.10', { 'docs/deep/c.md': '# Deep\n' });
      damageObject(repository, 'v0.10:docs/deep', 'damaged');
    },
    errors: ['v0.10 docs/deep/:0 damaged-repository'],
  },
  'a picture that is missing': {
    make: (repository) => {
      tagFiles(repository, 'v0.11', { 'docs/b.md': '![x](lost.png)\n', 'docs/lost.png': 'lost picture' });
      damageObject(repository, 'v0.11:docs/lost.png');
    },
    errors: ['v0.11 docs/lost.png:0 damaged-repository'],
  },
  'a commit that is missing': {
    make: (repository) => {
      tagFiles(repository, 'v0.12', { 'docs/c.md': '# C\n' });
      damageObject(repository, 'v0.12');
    },
    errors: ['v0.12 :0 damaged-repository'],
  },
};
const options = { limits: { maxFiles: 20 }, title: 'T' };

for (const [title, { make, errors }] of Object.entries(DEFECTS)) {
  test(`buildSite() publishes all else where an old tag has ${title}`, async (t) => {
    const repository = createGood(t);
    make(repository);
    const site = createSite(t);
    const first = await site.build(repository.folder, options);
    t.deepEqual(places(first.errors), errors);
    t.true(site.has('en/main/guide/a.html') && site.has('en/v9/guide/a.html') && site.has('en/latest/index.html'));
    t.deepEqual(checkLinks(site.out).broken, []);
    const tree = hashTree(site.out);
    const again = await site.build(repository.folder, options);
    t.deepEqual([again.errors, again.rendered], [first.errors, 0]);
    t.deepEqual(compareTrees(tree, hashTree(site.out)), []);
    const strict = site.build(repository.folder, { ...options, strict: true });
    if (errors.length === 0) await t.notThrowsAsync(strict);
    else await t.throwsAsync(strict, { code: 'strict' });
    t.deepEqual(compareTrees(tree, hashTree(site.out)), []);
  });
}

test('buildSite() names all that is wrong with all versions in one run, by version, file and line', async (t) => {
  const repository = createGood(t);
  for (const { make } of Object.values(DEFECTS)) make(repository);
  const site = createSite(t);
  const { errors, versions } = await site.build(repository.folder, options);
  const expected = Object.values(DEFECTS).flatMap((defect) => defect.errors);
  t.deepEqual([...places(errors)].sort(), [...expected].sort());
  const order = [...new Set(errors.map(({ ref }) => ref))];
  t.deepEqual(order, [
    'latest',
    'v0.12',
    'v0.11',
    'v0.10',
    'v0.9',
    'v0.8',
    'v0.7',
    'v0.6',
    'v0.5',
    'v0.3',
    'v0.2',
    'v0.1',
    'a/b',
  ]);
  t.is(versions, 9);
  t.deepEqual(checkLinks(site.out).broken, []);
  const fresh = createSite(t);
  await fresh.build(repository.folder, options);
  t.deepEqual(compareTrees(hashTree(site.out), hashTree(fresh.out)), []);
});

test('buildSite() leaves the navigation of a broken project file out only where it is broken', async (t) => {
  const repository = createGood(t);
  DEFECTS['a project file with unknown keys']!.make(repository);
  const site = createSite(t);
  await site.build(repository.folder, options);
  const sidebar = /<nav id="_sidebar"[\s\S]*?<\/nav>/.exec(site.read('en/v0.6/index.html'))![0];
  t.deepEqual(
    [...sidebar.matchAll(/href="([^"]*)"/g)].map(([, url]) => url),
    ['./guide/a.html'],
  );
});

test('buildSite() keeps what is published of a version that cannot be built any more, until it can', async (t) => {
  const repository = createGood(t);
  repository.git('branch', 'next');
  const site = createSite(t);
  await site.build(repository.folder, options);
  tagUnsafe(repository, 'refs/heads/next');
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  const { errors, versions } = await site.build(repository.folder, { ...options, onPublished });
  t.deepEqual(places(errors), ['next docs/.git:0 unsafe-name']);
  t.regex(errors[0]!.message, /; the version stays as it was published$/);
  t.is(versions, 3);
  t.true(site.has('en/next/guide/a.html'));
  t.is(published.find(({ name }) => name === 'next')?.oid, repository.git('rev-parse', 'main'));
  // Also where everything has to be made anew: what was published is built once more.
  const retitled = await site.build(repository.folder, { ...options, title: 'Other', onPublished });
  t.deepEqual(places(retitled.errors), places(errors));
  t.regex(site.read('en/next/guide/a.html'), /\| Other<\/title>/);
  repository.git('update-ref', 'refs/heads/next', commitFiles(repository, { 'docs/new.md': '# New\n' }));
  const mended = await site.build(repository.folder, { ...options, onPublished });
  t.deepEqual(mended.errors, []);
  t.true(site.has('en/next/new.html'));
});

test('buildSite() builds a version again as soon as what was missing is there', async (t) => {
  const repository = createGood(t);
  // Not what other tests lose: a process knows a text that it has read.
  tagFiles(repository, 'v0.1', { 'docs/lost.md': '# Lost and found\n' });
  const restore = damageObject(repository, 'v0.1:docs/lost.md');
  const site = createSite(t);
  t.is((await site.build(repository.folder, options)).errors.length, 1);
  t.false(site.has('en/v0.1'));
  restore();
  t.deepEqual((await site.build(repository.folder, options)).errors, []);
  t.true(site.has('en/v0.1/lost.html'));
});

test('buildSite() notices a file that is gone only when it is copied', async (t) => {
  const repository = createGood(t);
  tagFiles(repository, 'v0.1', { 'docs/b.md': '![x](picture.png)\n', 'docs/picture.png': 'a picture' });
  const site = createSite(t);
  await site.build(repository.folder, options);
  damageObject(repository, 'v0.1:docs/picture.png');
  const out = `${site.folder}/second`;
  const { errors, versions } = await site.build(repository.folder, { ...options, out });
  t.deepEqual(places(errors), ['v0.1 :0 damaged-repository']);
  t.is(versions, 2);
  t.true(site.has('../second/en/main/guide/a.html'));
});

test('buildSite() keeps the latest version as it was published where it cannot be built', async (t) => {
  const repository = createGood(t);
  const site = createSite(t);
  await site.build(repository.folder, options);
  tagUnsafe(repository, 'refs/heads/main');
  repository.git('tag', 'v10', 'v9');
  const { errors, versions } = await site.build(repository.folder, {
    ...options,
    baseUrl: 'https://docs.example.test/',
  });
  t.deepEqual(places(errors), ['main docs/.git:0 unsafe-name']);
  t.is(versions, 3);
  t.regex(site.read('sitemap.xml'), /en\/latest\/guide\/a\.html/);
  const fresh = createSite(t);
  const error = await fresh.fail(repository.folder, options);
  t.deepEqual([error.code, error.location.ref], ['unsafe-name', 'main']);
  t.false(fresh.has('.'));
});

test('buildSite() fails where no version can be built', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, GOOD);
  const site = createSite(t);
  await site.build(repository.folder, options);
  tagUnsafe(repository, 'refs/heads/main');
  const { code } = await site.fail(repository.folder, options);
  t.is(code, 'unsafe-name');
  t.true(site.has('en/main/guide/a.html'));
});

test('buildSite() fails where the version that it updates cannot be built, and not for others', async (t) => {
  const repository = createGood(t);
  repository.git('branch', 'next');
  const site = createSite(t);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  await site.build(repository.folder, { ...options, onPublished });
  tagUnsafe(repository, 'refs/heads/next');
  const update = (...names: string[]) => ({ ...options, onPublished, refUpdate: { published, update: names } });
  t.is((await site.fail(repository.folder, update('next'))).code, 'unsafe-name');
  t.true(site.has('en/next/guide/a.html'));
  commitFiles(repository, { 'docs/new.md': '# New\n' });
  const { errors } = await site.build(repository.folder, update('main'));
  t.deepEqual(
    errors.map(({ ref }) => ref),
    ['next'],
  );
  t.true(site.has('en/main/new.html') && site.has('en/next/guide/a.html'));
});

test('buildSite() goes back to what others have published of a version, not to what it built last itself', async (t) => {
  const repository = createGood(t);
  repository.git('branch', 'next');
  const nodes = [createSite(t), createSite(t)] as const;
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  const build = (node: 0 | 1, ...update: string[]) =>
    nodes[node].build(repository.folder, {
      ...options,
      onPublished,
      refUpdate: { published, update: update.length > 0 ? update : undefined, isShared: true },
    });
  /** Pushes to `next` a page with a title. */
  const push = (title: string) => {
    repository.git('checkout', '--quiet', '--detach', 'main');
    const commit = commitFiles(repository, { 'docs/push.md': `# ${title}\n` });
    repository.git('checkout', '--quiet', 'main');
    repository.git('update-ref', 'refs/heads/next', commit);
  };
  const shows = (node: 0 | 1, title: string) =>
    t.regex(nodes[node].read('en/next/push.html'), new RegExp(`>${title} `));
  push('One');
  await build(0);
  push('Two');
  await build(1, 'next');
  tagUnsafe(repository, 'refs/heads/next');
  const broken = repository.git('rev-parse', 'next');
  for (const node of [0, 1] as const) {
    const { errors } = await build(node, 'main');
    t.deepEqual(places(errors), ['next docs/.git:0 unsafe-name']);
    shows(node, 'Two');
  }
  // Others publish another one, and the same push comes back: what was built with it before is out of date.
  push('Three');
  await build(1, 'next');
  repository.git('update-ref', 'refs/heads/next', broken);
  await build(0, 'main');
  shows(0, 'Three');
});

test('buildSite() leaves an address to the version that has it when another one comes', async (t) => {
  const repository = createGood(t);
  repository.git('branch', 'a/b');
  const site = createSite(t);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  await site.build(repository.folder, { ...options, onPublished, refs: '**' });
  repository.git('branch', 'a-b');
  const refUpdate = { published, update: ['a-b'], isAsked: true };
  const error = await site.fail(repository.folder, { ...options, refUpdate });
  t.deepEqual([error.code, error.location.ref], ['slug-taken', 'a-b']);
  t.true(site.has('en/a-b/guide/a.html'));
});

test('buildSite() leaves out versions that a server cannot send', async (t) => {
  const repository = createGood(t);
  for (let n = 0; n < 20; n++) tagFiles(repository, `v0.${n}`, { 'docs/b.md': `# ${n}\n` });
  damageObject(repository, 'v0.3:docs/b.md');
  damageObject(repository, 'v0.17:docs');
  const site = createSite(t);
  const { url } = await serveGit(t, repository.folder);
  const { errors, versions } = await site.build(url, options);
  t.deepEqual(places(errors), ['v0.17 :0 remote-damaged', 'v0.3 :0 remote-damaged']);
  t.is(versions, 20);
});

test('buildSite() with a broken project file on the default branch changes nothing', async (t) => {
  const repository = createGood(t);
  const site = createSite(t);
  await site.build(repository.folder, options);
  commitFiles(repository, { '.docbuild.yml': 'exclude: secret/**\nsingle: maybe\n' });
  const { code, message, location } = await site.fail(repository.folder, options);
  t.is(code, 'project-file');
  t.deepEqual(location, { ref: 'main', file: '.docbuild.yml', line: 1 });
  t.regex(
    message,
    /^Unknown key "exclude": did you mean "excluded"\?; line 2: "single" must be true or false, not "maybe"$/,
  );
});
