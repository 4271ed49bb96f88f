import {
  createAuditEntry,
  createBlock,
  createBuild,
  createDelivery,
  createImage,
  createKey,
  createNotification,
  createOutboxEntry,
  createPoll,
  createProject,
  createSession,
  createShortUrl,
  createUser,
} from './create-records.ts';

const AT = '2026-05-04T03:02:01.000Z';
const GRANT = {
  kind: 'credits',
  seq: 1,
  uid: '1000000001',
  module: 'inclusion',
  at: AT,
  fen: 100,
  count: 5,
  expiresAt: '2027-05-04T03:02:01.000Z',
};
const USE = {
  kind: 'use',
  seq: 2,
  uid: '1000000001',
  module: 'inclusion',
  at: AT,
  from: AT,
  grant: 1,
  taken: 2,
  returned: 0,
  left: 3,
  merged: 1,
};
const REVERSAL = {
  kind: 'reversal',
  seq: 3,
  uid: '1000000001',
  module: 'inclusion',
  at: AT,
  grant: 1,
  requests: 3,
  ms: 0,
  left: 0,
};
const USAGE = { module: 'inclusion', subject: 'user:1', day: '2026-05-04', count: 1, recent: [], within: [] };
const ID = '0123456789abcdefghij';

/** Records of each collection on both sides of what its rules tell apart. */
export const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  projects: [
    createProject(),
    createProject({ name: 'b', domain: 'b.example', url: 'git@code.example:o/b.git' }),
    createProject({ name: 'v10', schedule: '@daily', scheduledAt: AT }),
  ],
  builds: [
    createBuild({ id: ID, ref: '' }),
    createBuild({ id: ID, status: 'running', kind: 'remove' }),
    createBuild({ id: ID, status: 'passing' }),
    createBuild({ id: ID, status: 'failing' }),
    createBuild({ id: ID, status: 'passing', kind: 'remove' }),
    createBuild({ id: ID, status: 'cancelled' }),
  ],
  deliveries: [createDelivery({ id: '1', receivedAt: '2026-05-04T03:02:01Z' })],
  notifications: [
    createNotification({ ref: 'refs/heads/main', at: AT, delivery: 'waiting', nextAt: AT }),
    createNotification({ ref: 'refs/heads/main', at: AT, state: 'mended', delivery: 'delivered', nextAt: '' }),
  ],
  users: [createUser({ uid: '1000000001', account: 'name' })],
  sessions: [createSession({ tokenHash: 'a', uid: '1000000001', expiresAt: AT })],
  keys: [createKey({ id: 'a', hash: 'b', uid: '1000000001', createdAt: AT })],
  usage: [USAGE, { ...USAGE, subject: 'net:2001:db8:1:2::/64', within: ['2001:db8:1::/48', '2001:db8::/32'] }],
  ledger: [GRANT, { ...GRANT, kind: 'monthly', tier: 1, price: 15, perDay: 100, months: 1 }, USE, REVERSAL],
  blocks: [
    createBlock({ kind: 'source', target: '203.0.113.0/24', by: 'limit', until: AT }),
    createBlock({ kind: 'host', target: 'host.example', by: 'operator', until: '' }),
  ],
  images: [createImage({ market: 'zh-CN', date: '20260504' })],
  inclusions: [{ engine: 'alpha', url: 'example.org/', foundAt: AT }],
  'short-urls': [
    createShortUrl({ code: 'Own', uid: '1', longUrl: 'https://[2001:db8::1]:8080/', isCustom: true, createdAt: AT }),
    createShortUrl({ code: 'made', uid: '1', longUrl: 'https://docs.example.:8080/a', isCustom: false, createdAt: AT }),
  ],
  redirects: [{ code: 'own', count: 1 }],
  purges: [createOutboxEntry({ nextAt: AT }), createOutboxEntry({ project: 'b', nextAt: '' })],
  publications: [createOutboxEntry({ project: 'b', urls: [] })],
  limits: [{ set: { 'builds.quick': { value: 3, by: 'boss', at: AT } } }],
  polls: [createPoll(), createPoll({ project: 'v10', seen: undefined, failures: 2, failure: 'Cannot reach it' })],
  audit: [createAuditEntry({ id: 'a', target: '' }), createAuditEntry({ id: 'b', target: 'guide', group: 'attempts' })],
};
