import type { Build } from '../../data/records/build.ts';
import { createBuildId } from '../../data/records/build-id.ts';
import type { Delivery } from '../../data/records/delivery.ts';
import type { Project } from '../../data/records/project.ts';

const TIME = '2026-05-04T03:02:01.000Z';

/** Gives a project with every field, but for these values. */
export function createProject(values: Partial<Project> = {}): Project {
  return {
    name: 'guide',
    url: 'https://code.example/owner/guide.git',
    latest: '',
    single: false,
    sourceDir: 'docs',
    lang: ['en', 'zh_CN'],
    secret: 's3cret',
    showNav: true,
    hideGit: false,
    domain: '',
    before: '',
    after: '',
    meta: { excluded_branch: 'test|dev' },
    createdAt: TIME,
    versions: [{ ref: 'main', kind: 'branch', oid: 'a'.repeat(40), builtAt: TIME }],
    ...values,
  };
}

/** Gives a queued build of `main` with a new id, but for these values. */
export function createBuild(values: Partial<Build> = {}): Build {
  return {
    id: createBuildId(Date.now()),
    project: 'guide',
    kind: 'build',
    ref: 'main',
    cause: 'webhook',
    status: 'queued',
    commit: '',
    reason: '',
    requests: 1,
    retryOf: '',
    createdAt: TIME,
    startedAt: '',
    finishedAt: '',
    result: undefined,
    ...values,
  };
}

/** Gives a build that passed. */
export function createPassed(values: Partial<Build> = {}): Build {
  const counts = { versions: 1, languages: 2, pages: 30, rendered: 4, reused: 26, warnings: 0, bytes: 123_456 };
  return createBuild({
    status: 'passing',
    startedAt: TIME,
    finishedAt: TIME,
    result: { ...counts, ms: 321, fetchMs: 12.5 },
    ...values,
  });
}

/** Gives a delivery that led to a build. */
export function createDelivery(values: Partial<Delivery> = {}): Delivery {
  return {
    project: 'guide',
    id: 'delivery-1',
    service: 'github',
    event: 'push',
    receivedAt: TIME,
    status: 201,
    answer: 'build started',
    build: createBuildId(Date.now()),
    action: { kind: 'build', ref: 'main', commit: 'b'.repeat(40) },
    ...values,
  };
}
