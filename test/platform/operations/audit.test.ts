import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { AuditEntry } from '../../../data/records/audit-entry.ts';
import { createSigningSecret } from '../../../lib/standard-webhooks.ts';
import { createAudit, SERVER } from '../../../platform/audit/audit.ts';
import { readConfig } from '../../../platform/config/read-config.ts';
import { OPERATIONS, type Operations } from '../../../platform/operations/operations.ts';
import { connectControl, socketPath } from '../../../service/control-socket.ts';
import { throwsData } from '../../data/contract/adapter.ts';
import { createClient, createConsole, PASSWORD } from '../../helpers/create-console.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import { createServer } from '../../helpers/create-server.ts';

const DAY_MS = 86_400_000;
const SECRET = 'hidden-from-the-log';
const URL_WITH_CREDENTIALS = `https://user:${SECRET}@h.invalid/a`;
/** Nobody is there. */
const CDN = 'cdn: {url: "http://127.0.0.1:1/"}\n';
const PUSH = { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'first', 'Content-Type': 'application/json' };

type Name = keyof Operations;

/** Uses every operation that changes something, once, and returns what the log is to say of each. */
async function changeEverything(t: ExecutionContext, server: Awaited<ReturnType<typeof createServer>>) {
  const operations = (await connectControl(socketPath(join(server.folder, 'base'))))!;
  const expected: [Name, target: string, details: string][] = [];
  const does = async <N extends Name>(
    name: N,
    input: Parameters<Operations[N]>[0],
    [target, details = '']: readonly [string, string?],
  ): Promise<Awaited<ReturnType<Operations[N]>>> => {
    expected.push([name, target, details]);
    return (await (operations[name] as (input: unknown) => Promise<unknown>)(input)) as never;
  };
  // The console sends all fields; the log names those that are not what they would be anyway.
  const settings = { url: URL_WITH_CREDENTIALS, secret: SECRET, latest: '', lang: [], showNav: true, meta: {} };
  await does('createProject', { name: 'guide', settings, isPublic: true }, ['guide', 'url, secret']);
  const change = { changes: 'latest:main,meta:excluded_branch=test', settings: { secret: SECRET } };
  await does('updateProject', { name: 'guide', ...change }, ['guide', 'latest, secret, meta:excluded_branch']);
  const { text } = await operations.exportProject({ name: 'guide' });
  await does('importProject', { text, name: 'copy', isPublic: true }, ['copy']);
  const build = await does('build', { name: 'guide', all: true }, ['guide', 'all refs']);
  await does('cancelBuild', { id: build.id }, [build.id]);
  await does('retryBuild', { id: build.id }, [build.id]);
  await does('setLimits', { values: { 'limits.block_minutes': 11 } }, ['', 'limits.block_minutes']);
  await does('removeProject', { name: 'guide' }, ['guide']);
  await operations.createProject({ name: 'open', settings: { url: 'https://h.invalid/open' } });
  expected.push(['createProject', 'open', 'url']);
  const push = JSON.stringify({ ref: 'refs/heads/main', after: '1'.repeat(40) });
  t.is((await server.post('/docbuild/webhook/open', push, PUSH)).status, 201);
  const [delivery] = await operations.listDeliveries({ name: 'open' });
  await does('replayDelivery', { name: 'open', id: delivery!.id }, ['open', `delivery ${delivery!.id}`]);
  const notify = { notify: 'http://127.0.0.1:1/', notifySecret: createSigningSecret() };
  await does('updateProject', { name: 'open', settings: notify }, ['open', 'notify, notifySecret']);
  t.false((await does('sendTestNotification', { name: 'open' }, ['open'])).success);
  t.false((await does('purgeSite', { name: 'open' }, ['open'])).success);

  const account = 'reader';
  const { uid } = await does('createUser', { account, password: SECRET }, [account]);
  await does('verifyUser', { uid, isVerified: true }, [uid]);
  await does('disableUser', { uid, isDisabled: true }, [uid]);
  await does('disableUser', { uid, isDisabled: false }, [uid, 'enabled again']);
  await does('changePassword', { uid, password: PASSWORD }, [uid]);
  await does('createKey', { uid, permission: 'write', name: 'ci' }, [uid, 'write ci']);
  const { newest } = await does('grantPlan', { uid, payment: { fen: 300 }, note: SECRET }, [uid, '300 fen']);
  await does('reversePayment', { uid, seq: newest }, [uid, `payment ${newest}`]);
  const block = { kind: 'source', target: '203.0.113.7' } as const;
  await does('addBlock', { ...block, reason: 'Too much' }, [block.target, 'source']);
  await does('removeBlock', block, [block.target, 'source']);
  const client = createClient(server);
  await client.logIn(account);
  await client.submit('/control/short-urls', { long_url: 'https://example.com/' });
  const [{ code } = { code: '' }] = await operations.listShortUrls({ uid });
  await does('disableShortUrl', { code }, [code]);
  await does('enableShortUrl', { code }, [code]);
  await does('disableShortUrls', { uid, isDisabled: true }, [uid, 'all of this user']);
  const host = 'example.com';
  await does('disableShortUrls', { host, isDisabled: false }, [host, 'all to this host, enabled again']);
  await does('disableUser', { uid, isDisabled: true, withShortUrls: true }, [uid, 'with short URLs']);
  const archive = JSON.stringify([{ date: '20260315', urlbase: '/th?id=OHR.Dunes' }]);
  await does('importImages', { text: archive, isReplacing: true }, ['', 'replacing']);
  return { operations, expected };
}

const summarize = (entries: readonly AuditEntry[]) =>
  entries.map(({ action, target, details }) => [action, target, details]);

test.serial(
  'operations: whatever changes something is in the audit log, with who did it, and without secrets',
  async (t) => {
    const server = await createServer(t, CDN);
    const { operations, expected } = await changeEverything(t, server);
    const entries = (await operations.listAudit({})).filter(({ actor }) => actor !== 'reader').reverse();
    const order = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join(' | ')).sort();
    t.deepEqual(order(summarize(entries)), order(expected));
    const { username } = (await import('node:os')).userInfo();
    for (const entry of entries) {
      t.like(entry, { actor: `command line (${username})`, uid: '', from: '', outcome: 'done', group: 'operators' });
    }
    t.false(JSON.stringify(entries).includes(SECRET));
    // A new operation that changes something must be used above.
    const recorded = Object.entries(OPERATIONS).filter(([, { recording }]) => recording !== 'none');
    t.deepEqual([...new Set(expected.map(([name]) => name))].sort(), recorded.map(([name]) => name).sort());
  },
);

test.serial('operations: what cannot be written into the audit log is not done', async (t) => {
  const server = await createServer(t, CDN);
  const { operations } = server;
  const { uid } = await operations.createUser({ account: 'reader', password: PASSWORD });
  await operations.createProject({ name: 'guide', settings: { url: 'https://h.invalid/a' } });
  const inTheWay = join(server.folder, 'base/store/audit.json.tmp');
  mkdirSync(inTheWay);
  const refused = [
    operations.verifyUser({ uid, isVerified: true }),
    operations.grantPlan({ uid, payment: { fen: 300 } }),
    operations.addBlock({ kind: 'host', target: 'example.com' }),
    operations.build({ name: 'guide', all: true }),
  ];
  await Promise.all(refused.map((one) => throwsData(t, one, 'unwritable', /"audit\.json"/)));
  rmdirSync(inTheWay);
  t.false((await operations.listUsers({}))[0]?.isVerified);
  t.is((await operations.checkLedger({})).entries, 0);
  t.deepEqual(await operations.listBlocks({}), []);
  t.deepEqual(await operations.listBuilds({}), []);
  t.deepEqual(
    (await operations.listAudit({})).map(({ action }) => action),
    ['createProject', 'createUser'],
  );
  await operations.verifyUser({ uid, isVerified: true });
});

test.serial(
  'audit log: entries are kept for 90 days, and those that anybody can make have a limit of their own',
  async (t) => {
    const store = createMemoryStore();
    const clock = { ms: Date.parse('2026-05-04T12:00:00Z') };
    const onError = (error: unknown) => t.fail(String(error));
    const audit = createAudit({ store, now: () => new Date(clock.ms), onError });
    await audit.add({ actor: SERVER, action: 'reloadConfiguration' });
    await audit.addAttempt({ actor: { ...SERVER, kind: 'user', name: 'boss' }, action: 'logIn' });
    const user = { ...SERVER, kind: 'user', name: 'reader', isOperator: false } as const;
    for (let i = 0; i < 5600; i++) {
      clock.ms++;
      await audit.add({ actor: user, action: 'createKey' });
    }
    const kept = await store.audit.list({ action: 'createKey', limit: 9999 });
    t.true(kept.length >= 5000 && kept.length < 5600, `${kept.length}`);
    for (const action of ['reloadConfiguration', 'logIn'])
      t.is((await audit.list({ action, limit: 9 })).length, 1, action);
    for (let i = 0; i < 5600; i++) {
      clock.ms++;
      await audit.addAttempt({ actor: { ...SERVER, kind: 'user', name: 'boss', uid: `${i}` }, action: 'logIn' });
    }
    const attempts = await store.audit.list({ action: 'logIn', limit: 9999 });
    t.true(attempts.length >= 5000 && attempts.length < 5601, `${attempts.length}`);
    t.is((await audit.list({ action: 'reloadConfiguration', limit: 9 })).length, 1);
    t.true((await store.audit.list({ action: 'createKey', limit: 9999 })).length >= 5000);
    const first = (await audit.list({ limit: 1 }))[0]!.id;
    for (let week = 0; week < 13; week++) {
      clock.ms += 7 * DAY_MS;
      await audit.add({ actor: SERVER, action: 'reloadConfiguration' });
      await audit.prune();
      const isKept = (await audit.list({ limit: 9999 })).some(({ id }) => id === first);
      t.is(isKept, week < 12, `${week}`);
    }
  },
);

test.serial(
  'audit log: no entry is lost, hidden or put in another place while the clock is a year ahead, nor when it is set right',
  async (t) => {
    const store = createMemoryStore();
    const clock = { ms: Date.parse('2026-05-04T12:00:00Z') };
    const onError = (error: unknown) => t.fail(String(error));
    const create = () => createAudit({ store, now: () => new Date(clock.ms), onError });
    let audit = create();
    const expected: string[] = [];
    const act = async (times: number) => {
      for (let i = 0; i < times; i++) {
        expected.unshift(`${expected.length}`);
        await audit.add({ actor: SERVER, action: 'reloadConfiguration', details: expected[0]! });
        clock.ms += 3_600_000;
      }
      await audit.prune();
      const found = await audit.list({ limit: 9999 });
      t.deepEqual(
        found.map(({ details }) => details),
        expected,
      );
    };
    for (const jump of [0, 365, -365, 3650, -3650, -400, 800, -400]) {
      clock.ms += jump * DAY_MS;
      await audit.prune();
      await act(5);
      audit = create();
      await act(5);
    }
    const boss = { ...SERVER, kind: 'user', name: 'boss', uid: '1' } as const;
    clock.ms += 365 * DAY_MS;
    await audit.addAttempt({ actor: boss, action: 'logIn' });
    clock.ms -= 365 * DAY_MS;
    await audit.addAttempt({ actor: boss, action: 'logIn' });
    t.is((await audit.list({ action: 'logIn', limit: 9 })).length, 2, 'not one entry with what came a year later');
  },
);

test.serial(
  'audit log: attempts on one operator within an hour are one entry, with their number, last time and addresses',
  async (t) => {
    const store = createMemoryStore();
    const clock = { ms: Date.parse('2026-05-04T12:00:00Z') };
    const onError = (error: unknown) => t.fail(String(error));
    const audit = createAudit({ store, now: () => new Date(clock.ms), onError });
    const boss = { ...SERVER, kind: 'user', name: 'boss', uid: '1' } as const;
    const attempt = (i: number) => audit.addAttempt({ actor: { ...boss, from: `192.0.2.${i}` }, action: 'logIn' });
    await attempt(0);
    t.is((await audit.list({ limit: 9 }))[0]?.repeated, undefined);
    for (const i of [0, 1, 2, 1]) {
      clock.ms += 600_000;
      await attempt(i);
    }
    await audit.addAttempt({ actor: boss, action: 'checkPassword' });
    await audit.addAttempt({ actor: { ...boss, uid: '2' }, action: 'logIn' });
    const [, , joined, ...rest] = await audit.list({ limit: 9 });
    t.deepEqual(rest, []);
    t.like(joined, {
      at: '2026-05-04T12:00:00.000Z',
      from: '192.0.2.0',
      details: '192.0.2.1, 192.0.2.2',
      group: 'attempts',
    });
    t.deepEqual(joined?.repeated, { count: 5, lastAt: '2026-05-04T12:40:00.000Z' });
    clock.ms += 1_200_000;
    for (let i = 0; i < 20; i++) await attempt(i);
    const entries = await audit.list({ action: 'logIn', limit: 9 });
    t.is(entries.length, 3);
    t.is(entries[0]?.repeated?.count, 20);
    t.regex(entries[0]?.details ?? '', /^192\.0\.2\.1, .*192\.0\.2\.10, …$/);
  },
);

test.serial(
  'operations: a refused operation leaves no entry, and one that fails half-way one that says so',
  async (t) => {
    const { operations } = await createServer(t);
    await throwsData(t, operations.verifyUser({ uid: '1', isVerified: true }), 'not-found', /does not exist/);
    t.deepEqual(await operations.listAudit({}), []);
    await throwsData(t, operations.build({ name: 'none' }), 'not-found', /does not exist/);
    t.like(await operations.listAudit({}), [
      { action: 'build', target: 'none', outcome: 'failed', actor: 'the server' },
    ]);
  },
);

test.serial(
  'audit log: operators on the console are named with their address, users with their own keys and password',
  async (t) => {
    const { server, user, operator, logIn } = await createConsole(t);
    const boss = await logIn(operator);
    await boss.get(`/control/users/${user.uid}`);
    await boss.submit(`/control/users/${user.uid}/verify`);
    const reader = await logIn(user);
    await reader.get('/control/keys');
    await reader.submit('/control/keys', { permission: 'read' });
    const [key, verify, logged] = await server.operations.listAudit({ limit: 3 });
    t.like(verify, { actor: 'boss', uid: operator.uid, from: '127.0.0.1', action: 'verifyUser', target: user.uid });
    t.like(logged, { actor: 'boss', uid: operator.uid, action: 'logIn', outcome: 'done', group: 'operators' });
    t.like(key, { actor: 'reader', uid: user.uid, action: 'createKey', details: 'read', group: 'others' });
  },
);

test.serial('audit log: reloads of the configuration are in it, with the names of what changed', async (t) => {
  const server = await createServer(t);
  const file = join(server.folder, 'docbuild.yml');
  server.reload(() =>
    parse(`base_dir: ./base\napi: {port: 0}\ntimezone: Asia/Shanghai\nbilling: {contact: ${SECRET}}\n`),
  );
  server.reload(() => parse('nothing: 1'));
  let entries: readonly AuditEntry[] = [];
  while (entries.length < 2) {
    await nextTurn();
    entries = await server.operations.listAudit({ action: 'reloadConfiguration' });
  }
  t.like(entries, [
    { actor: 'the server', outcome: 'failed', details: '' },
    { actor: 'the server', outcome: 'done', details: 'billing.contact, timezone (after a restart)' },
  ]);
  // What is shown where a quota ends changes at once.
  t.is((await server.operations.getPrices({})).contact, SECRET);

  function parse(yaml: string) {
    writeFileSync(file, yaml);
    return readConfig(file, server.folder);
  }
});

test.serial("audit log: a new password of one's own is in it", async (t) => {
  const { server, user, logIn } = await createConsole(t);
  const reader = await logIn(user);
  await reader.get('/control/');
  const next = `${PASSWORD} again`;
  await reader.submit('/control/password', { password: PASSWORD, new: next, again: next });
  const [entry] = await server.operations.listAudit({});
  t.like(entry, { actor: 'reader', action: 'changePassword', target: user.uid, group: 'others', details: '' });
});

test.serial(
  'audit log: a password that is given again is no login, but a wrong one of an operator is in it',
  async (t) => {
    const clock = { ms: Date.parse('2026-05-04T12:00:00Z') };
    const { server, operator, logIn } = await createConsole(t, '', () => new Date(clock.ms));
    const boss = await logIn(operator);
    const readLogin = async () =>
      (await server.operations.listUsers({})).find(({ uid }) => uid === operator.uid)?.lastLoginAt;
    t.is(await readLogin(), '2026-05-04T12:00:00.000Z');
    clock.ms += 60_000;
    await boss.get('/control/');
    const change = (password: string) => boss.post('/control/password', { password, new: 'short', again: 'short' });
    t.is((await change(PASSWORD)).status, 400, 'the new one is refused, after the old one was right');
    t.is(await readLogin(), '2026-05-04T12:00:00.000Z');
    t.is((await change('wrong')).status, 401);
    await server.operations.createUser({ account: 'later', password: PASSWORD });
    const entries = await server.operations.listAudit({ actor: 'boss' });
    t.deepEqual(
      entries.map(({ action, outcome }) => [action, outcome]),
      [
        ['checkPassword', 'failed'],
        ['logIn', 'done'],
      ],
    );
  },
);

test.serial('audit log: keys that are disabled by a logout are in it, from the console and from the API', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  for (const { uid } of [user, operator]) await server.operations.createKey({ uid, permission: 'read' });
  const boss = await logIn(operator);
  await boss.get('/control/');
  t.is((await boss.post('/control/logout', { keys: '1' })).status, 303);
  const cookie = [...(await logIn(user)).cookies].map((pair) => pair.join('=')).join('; ');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: cookie, Origin: server.origin };
  t.is((await server.post('/api/user/logout', 'keys=1', headers)).status, 200);
  const entries = await server.operations.listAudit({ action: 'disableKeys' });
  t.deepEqual(
    entries.map(({ actor, target, outcome, group }) => [actor, target, outcome, group]),
    [
      ['reader', user.uid, 'done', 'others'],
      ['boss', operator.uid, 'done', 'operators'],
    ],
  );
});

test.serial(
  'audit log: failed logins of operators are in it, those of others and of unknown accounts are not',
  async (t) => {
    const { server, logIn, operator, user } = await createConsole(t);
    for (const account of ['boss', 'reader', 'nobody-here']) {
      await logIn({ ...user, account }).catch(() => undefined);
      const form = new URLSearchParams({ account, password: 'wrong' }).toString();
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
      t.is((await server.post('/api/user/login', form, type)).status, 401);
    }
    // Nobody waits for the entry of a failed login; what comes later is behind it.
    await server.operations.createUser({ account: 'later', password: PASSWORD });
    const entries = await server.operations.listAudit({ action: 'logIn' });
    t.deepEqual(
      entries.map(({ actor, uid, outcome, group }) => [actor, uid, outcome, group]),
      [
        ['boss', operator.uid, 'failed', 'attempts'],
        ['boss', operator.uid, 'done', 'operators'],
      ],
    );
  },
);
