import test from 'ava';
import { arrangeVersions } from '../../../builder/history/version-lines.ts';

const arrange = (tags: readonly string[], branches: readonly string[], latest: string, defaultBranch = 'main') => {
  const refs = [
    ...branches.map((name) => ({ ref: { name, kind: 'branch' as const, oid: '' } })),
    ...tags.map((name) => ({ ref: { name, kind: 'tag' as const, oid: '' } })),
  ];
  const sorted = [...refs].sort((a, b) => Number(b.ref.name === latest) - Number(a.ref.name === latest));
  const { order, bases } = arrangeVersions(sorted, defaultBranch);
  for (const [name, base] of bases) if (order.indexOf(base) >= order.indexOf(name)) throw new Error(`${base} is late`);
  return Object.fromEntries(bases);
};

test('lines of versions: releases follow each other, the default branch the newest, other branches the default branch', (t) => {
  t.deepEqual(arrange(['v1.10.0', 'v1.2.0', 'v2.0.0-rc.1', 'v1.9.0'], ['main', 'feature/x'], 'v1.10.0'), {
    'v1.9.0': 'v1.2.0',
    'v1.10.0': 'v1.9.0',
    'v2.0.0-rc.1': 'v1.10.0',
    main: 'v1.10.0',
    'feature/x': 'main',
  });
});

test('lines of versions: a branch that is one of versions follows the newest release in it', (t) => {
  t.deepEqual(arrange(['v1.0', 'v1.1', 'v2.0'], ['1.x', '2.x', 'main'], 'main'), {
    'v1.1': 'v1.0',
    'v2.0': 'v1.1',
    '1.x': 'v1.1',
    '2.x': 'v2.0',
    main: 'v2.0',
  });
  t.deepEqual(arrange([], ['1.x', '2.x', '3.x', 'work'], '3.x', '3.x'), { '2.x': '1.x', '3.x': '2.x', work: '3.x' });
});

test('lines of versions: families have lines of their own', (t) => {
  t.deepEqual(arrange(['a@1.0', 'a@2.0', 'b@1.0', 'b@1.1', 'b@1.2'], ['main'], 'b@1.2'), {
    'a@2.0': 'a@1.0',
    'b@1.1': 'b@1.0',
    'b@1.2': 'b@1.1',
    main: 'b@1.2',
  });
});

test('lines of versions: without a default branch or releases, the rest follows the latest version', (t) => {
  t.deepEqual(arrange(['nightly'], ['dev'], 'dev'), { nightly: 'dev' });
  t.deepEqual(arrange(['v1'], ['dev'], 'v1'), { dev: 'v1' });
  t.deepEqual(arrange([], ['main'], 'main'), {});
});
