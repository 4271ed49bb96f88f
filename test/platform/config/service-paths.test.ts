import test from 'ava';
import {
  areaOfPath,
  checkServicePath,
  hasPages,
  isReservedName,
  isUtility,
} from '../../../platform/config/service-paths.ts';

test('areaOfPath() is one of a few words', (t) => {
  const areas = {
    '/docbuild/desc/guide': 'desc',
    '/docbuild/guide/desc': 'docbuild',
    '/docbuild/api': 'docbuild',
    '/docbuild': 'docbuild',
    '/docs/guide/': 'docs',
    '/api/Anything': 'api',
    '/control': 'control',
    '/': 'site',
    '/toString': 'site',
    '/openapi.json': 'site',
  };
  for (const [path, area] of Object.entries(areas)) t.is(areaOfPath(path), area, path);
});

test('checkServicePath() throws for a beginning that is not declared', (t) => {
  for (const path of ['/', '/t/:code', '/docbuild/:project/new', '/docbuild/desc/:project']) checkServicePath(path);
  for (const path of ['/new', '/docbuild/new', '/docbuild/new/:project']) {
    t.throws(() => checkServicePath(path), { message: /SERVICE_PATHS/ });
  }
});

test('names that projects cannot have are words of paths; some came later', (t) => {
  for (const name of ['desc', 'Builds', 'github', 'www', 'docs', 'api', 'control']) t.true(isReservedName(name), name);
  for (const name of ['projects', 'language', 'metrics', 'docbuild', 'guide']) t.false(isReservedName(name), name);
  t.deepEqual(['/api/x', '/openservice', '/t/ab', '/docs', '/tt', '/'].map(isUtility), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  t.true(hasPages('/docs/guide') && hasPages('/docbuild/builds/1/log') && !hasPages('/docbuild/desc/guide'));
});
