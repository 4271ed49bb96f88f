import test from 'ava';
import { DEFAULT_LIMITS } from '../../../builder/build-limits.ts';
import { loadProjectFileSchema } from '../../../builder/plan/project-file.ts';
import {
  type BuildOptions,
  fingerprintInputs,
  joinSettings,
  SITE_OPTIONS,
  type SiteOption,
} from '../../../builder/plan/site-options.ts';

const repository = {
  title: 'Docs',
  webUrl: undefined,
  head: 'main',
  refs: [{ name: 'main', kind: 'branch', oid: '1' }],
} as const;

/** Two values of every option. */
const VALUES: { readonly [Name in keyof Required<BuildOptions>]: readonly [unknown, unknown] } = {
  repository: ['/a', '/b'],
  out: ['/a', '/b'],
  sourceDir: [undefined, 'docs'],
  lang: [undefined, ['de']],
  slug: [undefined, [{ pattern: 'v*', name: '*' }]],
  refs: [undefined, 'main'],
  exclude: [undefined, 'test'],
  latest: [undefined, 'main'],
  single: [undefined, true],
  title: [undefined, 'Title'],
  announcement: [undefined, { text: 'Soon' }],
  allowedHosts: [undefined, ['fonts.example.com']],
  since: [undefined, true],
  sidebar: [undefined, 'section'],
  lastUpdated: [undefined, false],
  machines: [undefined, false],
  evergreen: [undefined, ['releases/**']],
  llmsFull: [undefined, 'none'],
  templates: [undefined, { 'footer.njk': 'x' }],
  config: [undefined, { path: '/a/docbuild.config.mjs', key: '1' }],
  liveScript: [undefined, '/_docbuild/live.js'],
  baseUrl: [undefined, 'https://docs.example.org/'],
  alsoBelow: [undefined, '/docs/guide/'],
  button: [undefined, false],
  codeHosts: [undefined, [{ hosts: '^x$', file: 'a', folder: 'b', edit: 'c' }]],
  hideGit: [undefined, true],
  cacheFolder: ['/a', '/b'],
  jobs: [1, 2],
  strict: [undefined, true],
  force: [undefined, true],
  outputWaitMs: [undefined, 1],
  environment: [undefined, { A: 'b' }],
  limits: [DEFAULT_LIMITS, { ...DEFAULT_LIMITS, maxFiles: 7 }],
  refUpdate: [undefined, { update: ['main'], published: [] }],
  fatalPages: [[], ['docs/a.md']],
  beforePublish: [undefined, async () => {}],
  preparesNext: [undefined, true],
  onPublished: [undefined, () => {}],
  onProblems: [undefined, () => {}],
  signal: [undefined, AbortSignal.abort()],
  onCacheFailure: [undefined, () => {}],
  onProgress: [undefined, () => {}],
};

const fingerprint = (name: string, value: unknown): string => {
  const options = { repository: '/a', out: '/a', cacheFolder: '/a', limits: DEFAULT_LIMITS, [name]: value };
  return fingerprintInputs(options, repository, 'engine');
};

test('fingerprintInputs() is another one for each option that decides the site, and for no other', (t) => {
  for (const [name, { decides }] of Object.entries<SiteOption>(SITE_OPTIONS)) {
    const [one, other] = VALUES[name as keyof BuildOptions];
    t.is(fingerprint(name, one) === fingerprint(name, other), decides === 'run', name);
  }
});

test('fingerprintInputs() looks only at limits that decide what is published', (t) => {
  const of = (limits: object) => fingerprint('limits', { ...DEFAULT_LIMITS, ...limits });
  t.is(of({ timeoutMs: 1 }), of({ timeoutMs: 2 }));
  t.not(of({ maxDepth: 1 }), of({ maxDepth: 2 }));
});

test('joinSettings() has every option that decides how the site is; the command wins over the project file', (t) => {
  const names = Object.entries<SiteOption>(SITE_OPTIONS).filter(([, { decides }]) => decides === 'site');
  const base = { repository: '/a', out: '/a', cacheFolder: '/a' };
  const settings = joinSettings(base, { title: 'File', lang: ['de'], excluded: 'test' }, 'Fallback');
  t.deepEqual(Object.keys(settings).sort(), [...names.map(([name]) => name), 'repositoryTitle', 'theme'].sort());
  t.like(settings, { title: 'File', lang: ['de'], exclude: 'test', single: false });
  const given = { ...base, title: 'Command', lang: ['fr'], exclude: 'wip', baseUrl: 'https://docs.example.org' };
  t.like(joinSettings(given, { title: 'File', lang: ['de'], excluded: 'test' }, 'Fallback'), {
    title: 'Command',
    lang: ['fr'],
    exclude: 'wip|test',
    baseUrl: 'https://docs.example.org/',
  });
  t.like(joinSettings(base, {}, 'Fallback'), { title: undefined, repositoryTitle: 'Fallback' });
});

test('joinSettings() leaves a key to each version that counts for versions', (t) => {
  const base = { repository: '/a', out: '/a', cacheFolder: '/a' };
  t.is(joinSettings(base, { sourceDir: 'manual' }, 'Fallback').sourceDir, undefined);
  t.is(joinSettings({ ...base, sourceDir: 'docs' }, { sourceDir: 'manual' }, 'Fallback').sourceDir, 'docs');
});

test('every key of the project file sets an option or can be set only there', async (t) => {
  const onlyInFile = ['extensions', 'nav', 'redirects', 'theme', 'markdown'];
  const fileKeys = Object.values<SiteOption>(SITE_OPTIONS).flatMap(({ key }) => key ?? []);
  t.deepEqual([...fileKeys, ...onlyInFile].sort(), Object.keys((await loadProjectFileSchema()).shape).sort());
});
