import test from 'ava';
import { arrangeReleases } from '../../../builder/history/release-lines.ts';

function arrange(names: readonly string[]) {
  const versions = names.map((name) => ({
    ref: { name, kind: /^(?:main|v\d|fix|release\/.*)$/.test(name) ? ('branch' as const) : ('tag' as const), oid: '' },
  }));
  const lines = arrangeReleases(versions);
  return Object.fromEntries(versions.map((version) => [version.ref.name, lines.findBefore(version)?.ref.name]));
}

test('a release follows the one before it in its family, and the default branch the newest of the first family', (t) => {
  t.deepEqual(arrange(['main', 'v2.0', 'v1.1', 'v1.0']), {
    main: 'v2.0',
    'v2.0': 'v1.1',
    'v1.1': 'v1.0',
    'v1.0': undefined,
  });
});

test('a default branch that is called like another family follows the newest release all the same', (t) => {
  t.like(arrange(['v2', 'v1', 'pkg@2.1', 'pkg@2.0', 'v0.5', 'v0.4']), { v2: 'pkg@2.1', v1: 'v0.5', 'v0.5': 'v0.4' });
});

test('a branch of releases follows the newest that it can contain, if tags are called without its word', (t) => {
  t.like(arrange(['main', 'release/2.4', 'release/1.0', 'release/0.1', '3.0.0', '2.4.1', '2.4.0', '1.1.0', '1.0.2']), {
    'release/2.4': '2.4.1',
    'release/1.0': '1.0.2',
    'release/0.1': '1.0.2',
  });
});
