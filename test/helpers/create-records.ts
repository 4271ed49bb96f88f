import type { ApiKey } from '../../data/records/api-key.ts';
import type { AuditEntry } from '../../data/records/audit-entry.ts';
import type { Block } from '../../data/records/block.ts';
import type { Build } from '../../data/records/build.ts';
import { createBuildId } from '../../data/records/build-id.ts';
import type { Delivery } from '../../data/records/delivery.ts';
import type { Image } from '../../data/records/image.ts';
import type { Notification } from '../../data/records/notification.ts';
import type { OutboxEntry } from '../../data/records/outbox-entry.ts';
import type { Poll } from '../../data/records/poll.ts';
import type { Project } from '../../data/records/project.ts';
import type { Session } from '../../data/records/session.ts';
import type { ShortUrl } from '../../data/records/short-url.ts';
import type { User } from '../../data/records/user.ts';
import type { BuildOutcome } from '../../platform/builds/run-build.ts';

const TIME = '2026-05-04T03:02:01.000Z';

/** Returns a project with every field, but for these values. */
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
    timeout: 0,
    notify: '',
    notifySecret: '',
    meta: { excluded_branch: 'test|dev' },
    createdAt: TIME,
    versions: [{ ref: 'main', kind: 'branch', oid: 'a'.repeat(40), builtAt: TIME }],
    site: undefined,
    failing: [],
    publishedBy: undefined,
    schedule: '',
    scheduledAt: undefined,
    lastScheduledAt: undefined,
    poll: '',
    ...values,
  };
}

/** Returns the project of GitHub's example payloads with nothing published, but for these values. */
export function createHookProject(values: Partial<Project> = {}): Project {
  return createProject({
    url: 'https://github.com/Codertocat/Hello-World.git',
    lang: [],
    secret: 'the secret',
    meta: {},
    createdAt: '2026-01-01T00:00:00.000Z',
    versions: [],
    ...values,
  });
}

/** Returns the poll of a project that was compared once, but for these values. */
export function createPoll(values: Partial<Poll> = {}): Poll {
  return { project: 'guide', nextAt: TIME, answeredAt: TIME, failures: 0, failure: '', seen: ['a'], ...values };
}

/** Returns a queued build of `main` with a new id, but for these values. */
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
    interruptions: undefined,
    notBefore: undefined,
    isUnsure: undefined,
    createdAt: TIME,
    startedAt: '',
    finishedAt: '',
    result: undefined,
    isScheduled: undefined,
    run: undefined,
    ...values,
  };
}

/** Returns a build that passed. */
export function createPassed(values: Partial<Build> = {}): Build {
  const counts = {
    versions: 1,
    languages: 2,
    pages: 30,
    rendered: 4,
    reused: 26,
    errors: 0,
    warnings: 0,
    bytes: 123_456,
  };
  return createBuild({
    status: 'passing',
    startedAt: TIME,
    finishedAt: TIME,
    result: { ...counts, ms: 321, fetchMs: 12.5 },
    ...values,
  });
}

/** Returns how a build of one page ends that passes, but for these values. */
export function createOutcome(
  values: Partial<BuildOutcome & { status: 'passing' }> = {},
): BuildOutcome & { status: 'passing' } {
  const counts = {
    versions: 1,
    languages: 1,
    pages: 1,
    rendered: 1,
    reused: 0,
    errors: 0,
    warnings: 0,
    bytes: 1,
    firstError: undefined,
  };
  const result = { ...counts, ms: 1, fetchMs: 1 };
  return { status: 'passing', result, versions: [], failing: [], problems: [], isLeftOut: false, ...values };
}

/** Returns the notification of a failing version that waits to be sent, but for these values. */
export function createNotification(values: Partial<Notification> = {}): Notification {
  return {
    project: 'guide',
    ref: 'main',
    id: 'msg_1',
    state: 'failing',
    build: createBuildId(Date.now()),
    at: TIME,
    errors: 2,
    messages: ['docs/a.md:3: Something is wrong'],
    delivery: 'waiting',
    attempts: 0,
    nextAt: TIME,
    failure: '',
    ...values,
  };
}

/** Returns a purge that is to be sent. */
export function createOutboxEntry(values: Partial<OutboxEntry> = {}): OutboxEntry {
  return {
    project: 'guide',
    site: 'a',
    urls: ['https://docs.example/docs/guide/'],
    requests: 1,
    at: TIME,
    nextAt: TIME,
    left: 2,
    failures: 0,
    failure: '',
    deliveredAt: '',
    ...values,
  };
}

/** Returns a delivery that led to a build. */
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

/** Returns a user with every field, but for these values. */
export function createUser(values: Partial<User> = {}): User {
  return {
    uid: '1000000001',
    account: 'reader',
    passwordHash: '$scrypt$ln=15,r=8,p=3$c2FsdA$aGFzaA',
    isOperator: false,
    isVerified: false,
    isDisabled: false,
    createdAt: TIME,
    areShortUrlsDisabled: undefined,
    lastLoginAt: undefined,
    ...values,
  };
}

/** Returns a short URL with a code made here, but for these values. */
export function createShortUrl(values: Partial<ShortUrl> = {}): ShortUrl {
  return {
    code: 'bcd234',
    longUrl: 'https://example.org/a?b=c#d',
    uid: '1000000001',
    isCustom: false,
    isDisabled: false,
    createdAt: TIME,
    isDisabledByOwner: undefined,
    expiresAt: undefined,
    ...values,
  };
}

/** Returns a session of that user, but for these values. */
export function createSession(values: Partial<Session> = {}): Session {
  return {
    tokenHash: 'c'.repeat(64),
    uid: '1000000001',
    createdAt: TIME,
    expiresAt: '2026-06-03T03:02:01.000Z',
    ...values,
  };
}

/** Returns a key of that user, but for these values. */
export function createKey(values: Partial<ApiKey> = {}): ApiKey {
  return {
    id: '0123456789abcdef',
    uid: '1000000001',
    hash: 'd'.repeat(64),
    prefix: 'dbk_abcdefgh',
    permission: 'read',
    isDisabled: false,
    name: undefined,
    lastUsedAt: undefined,
    createdAt: TIME,
    ...values,
  };
}

/** Returns the image of a day. */
export function createImage(values: Partial<Image> = {}): Image {
  const { date = '20260504' } = values;
  return {
    market: 'zh-CN',
    date,
    urlbase: `/th?id=OHR.Picture${date}`,
    title: `Title of ${date}`,
    copyright: `A place (© somebody, ${date})`,
    ...values,
  };
}

/** Returns an entry of the audit log, but for these values. */
export function createAuditEntry(values: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: '2026-05-04T12:00:00.000Z 1',
    at: '2026-05-04T12:00:00.000Z',
    actor: 'boss',
    uid: '2000000001',
    from: '203.0.113.7',
    action: 'verifyUser',
    target: '1000000001',
    details: '',
    outcome: 'done',
    repeated: undefined,
    group: 'operators',
    ...values,
  };
}

/** Returns a block of one address by the operator, for ever, but for these values. */
export function createBlock(values: Partial<Block> = {}): Block {
  return {
    kind: 'source',
    target: '203.0.113.7/32',
    by: 'operator',
    operator: 'boss',
    reason: '',
    createdAt: '2026-05-04T12:00:00.000Z',
    until: '',
    ...values,
  };
}
