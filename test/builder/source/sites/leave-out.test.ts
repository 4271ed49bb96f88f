import test from 'ava';
import type { GeneratorSite } from '../../../../builder/source/sites/describe-site.ts';
import { leaveOut } from '../../../../builder/source/sites/leave-out.ts';

function select(
  generator: GeneratorSite['generator'],
  exclude: readonly string[],
  paths: readonly string[],
): readonly string[] {
  const site = { generator, exclude } as unknown as GeneratorSite;
  const files = paths.map((path) => ({ path, oid: path }));
  return leaveOut(files, site).flatMap(({ path, isLeftOut }) => (isLeftOut ? [path] : []));
}

const PATHS = [
  'index.md',
  'README.md',
  'lib/a.md',
  'guide/lib/b.md',
  'guide/README.md',
  'guide/TODO.md',
  'guide/x.txt',
];

test('leaveOut() takes folders, names in any folder, and globs', (t) => {
  t.deepEqual(select('mkdocs', ['lib/'], PATHS), ['lib/a.md', 'guide/lib/b.md']);
  t.deepEqual(select('mkdocs', ['/lib/'], PATHS), ['lib/a.md']);
  t.deepEqual(select('mkdocs', ['guide/lib'], PATHS), ['guide/lib/b.md']);
  t.deepEqual(select('vitepress', ['**/TODO.md', '**/README.md'], PATHS), [
    'README.md',
    'guide/README.md',
    'guide/TODO.md',
  ]);
  t.deepEqual(select('mkdocs', ['*.txt', '', '/'], PATHS), [], 'what is no page stays as it is');
});

test('leaveOut() takes a README beside an index where Jekyll would', (t) => {
  t.deepEqual(select('jekyll', [], PATHS), ['README.md']);
  t.deepEqual(select('mkdocs', [], PATHS), []);
});

test("leaveOut() takes VitePress' dynamic routes", (t) => {
  const paths = ['[id].md', 'posts/[...slug]/a.md', 'array[0].md', 'a.md'];
  t.deepEqual(select('vitepress', [], paths), ['[id].md', 'posts/[...slug]/a.md', 'array[0].md']);
  t.deepEqual(select('vuepress', [], paths), []);
});
