import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readConfig } from '../../../platform/config/read-config.ts';
import { createClient, createConsole, mainOf, PASSWORD } from '../../helpers/create-console.ts';
import { createPassed, createProject } from '../../helpers/create-records.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { openStore } from '../../helpers/open-store.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const EVIL = '"><img src=x onerror=alert(1)>';

test('pages for operators do not exist for others, and what their forms do neither', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  await server.operations.createProject({ name: 'guide', settings: { url: 'https://git.example/a/b' } });
  const client = await logIn(user);
  const menu = (await client.get('/control/')).html;
  t.notRegex(menu, /Users|Grants|Blocks|Projects|Builds/);
  const missing = mainOf(await client.get('/control/nothing'));
  for (const path of [
    ...[
      'users',
      'grants',
      'blocks',
      'projects',
      'builds',
      'projects/guide',
      'projects/unknown',
      'all-short-urls',
      'audit',
    ],
    ...[`users/${user.uid}`, `users/${operator.uid}`, `grants/${user.uid}`, 'users/1'],
    ...[`grants/${user.uid}/book/100`, `grants/${user.uid}/reverse/1`],
  ]) {
    const answer = await client.get(`/control/${path}`);
    t.deepEqual([answer.status, mainOf(answer)], [404, missing], path);
  }
  await client.get('/control/');
  for (const [path, fields] of [
    ['users', { account: 'new', operator: '1' }],
    [`users/${operator.uid}/disable`, {}],
    [`users/${user.uid}/verify`, {}],
    [`users/${operator.uid}/password`, { password: 'something new' }],
    [`grants/${user.uid}`, { kind: 'credits', fen: '100' }],
    ['blocks', { kind: 'host', target: 'evil.example' }],
    ['blocks/remove', { kind: 'host', target: 'evil.example' }],
    ['projects/guide/build', {}],
    ['projects/guide/replay', { id: 'x' }],
    ['builds/x/cancel', {}],
    ['builds/cancel', { 'build.x': '1' }],
    ['all-short-urls/disable', { code: 'x' }],
    ['all-short-urls/all?by=host&q=example.org', { sure: '1' }],
  ] as const) {
    t.is((await client.post(`/control/${path}`, fields)).status, 404, path);
  }
  t.is(
    (await server.operations.listUsers({})).filter(({ isVerified, isDisabled }) => isVerified || isDisabled).length,
    0,
  );
  t.is((await server.operations.checkLedger({})).entries, 0);
  t.is((await server.operations.listBlocks({})).length, 0);
});

test('an operator who is one no more sees nothing at once', async (t) => {
  const { server, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  t.is((await client.get('/control/users')).status, 200);
  await server.operations.disableUser({ uid: operator.uid, isDisabled: true });
  t.is((await client.get('/control/users')).status, 303);
});

test('users: are created, with a password that is made and shown once, verified, disabled and let in again', async (t) => {
  const { server, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  await client.get('/control/users');
  for (const account of [EVIL, 'x', 'reader']) {
    const refused = await client.post('/control/users', { account, password: PASSWORD });
    t.is(refused.status, account === 'reader' ? 409 : 400);
    t.notRegex(refused.html, /<img src/);
  }
  const made = await client.submit('/control/users', { account: 'Support', password: '' });
  const password = /class="secret" value="(\w{20})"/.exec(made.html)![1]!;
  t.regex(made.html, /Password of support, shown only once/);
  const uid = /UID<\/dt><dd>(\d{10})</.exec(made.html)![1]!;
  t.false((await client.get(`/control/users/${uid}`)).html.includes(password));
  const guest = createClient(server);
  t.is((await guest.logIn('support', password)).status, 200);
  t.regex((await client.submit(`/control/users/${uid}/verify`)).html, /Account verified/);
  t.true((await server.operations.listUsers({})).find((one) => one.uid === uid)!.isVerified);
  t.regex((await client.submit(`/control/users/${uid}/unverify`)).html, /Verification of the account removed/);
  t.regex((await client.submit(`/control/users/${uid}/disable`)).html, /Account disabled; its sessions have ended/);
  t.is((await guest.get('/control/')).status, 303);
  t.is((await guest.logIn('support', password)).status, 403);
  t.regex((await client.submit(`/control/users/${uid}/enable`)).html, /enabled/);
  t.regex((await client.submit(`/control/users/${uid}/password`, { password: PASSWORD })).html, /Password changed/);
  t.is((await guest.logIn('support')).status, 200);
});

test('users: an operator does not lock themselves out', async (t) => {
  const { operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  await client.get(`/control/users/${operator.uid}`);
  t.is((await client.post(`/control/users/${operator.uid}/disable`)).status, 400);
  t.is((await client.post(`/control/users/${operator.uid}/password`)).status, 400);
  t.is((await client.get('/control/users')).status, 200);
  t.is((await client.get('/control/users/0000000000')).status, 404);
  t.is((await client.post('/control/users/0000000000/verify')).status, 404);
});

test('users: short URLs of somebody are switched off and on', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const reader = await logIn(user);
  await reader.get('/control/short-urls');
  await reader.post('/control/short-urls', { long_url: 'https://evil.example/', jid: 'bad' });
  const client = await logIn(operator);
  t.regex((await client.get(`/control/users/${user.uid}`)).html, /https:\/\/evil\.example/);
  await client.submit(`/control/users/${user.uid}/short-urls/disable`, { code: 'bad' });
  t.is((await server.get('/t/bad')).status, 410);
  t.regex((await reader.get('/control/short-urls')).html, /disabled by the operator/);
  await client.submit(`/control/users/${user.uid}/short-urls/enable`, { code: 'bad' });
  t.is((await server.get('/t/bad')).status, 302);
  t.is((await client.post(`/control/users/${user.uid}/short-urls/disable`, { code: 'none' })).status, 404);
});

test('users: are found by UID and by how the account begins, with plan, short URLs and last login', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const { operations } = server;
  for (let i = 0; i < 51; i++) {
    await operations.createUser({ account: `many-${String(i).padStart(2, '0')}`, password: PASSWORD });
  }
  await operations.grantPlan({ uid: user.uid, payment: { monthly: 30, months: 1 } });
  const reader = await logIn(user);
  await reader.get('/control/short-urls');
  await reader.post('/control/short-urls', { long_url: 'https://example.org/' });
  const client = await logIn(operator);
  const rowsOf = (html: string) =>
    [...html.matchAll(/<p class="title"><a href="\/control\/users\/\d+">([^<]+)/g)].map(([, a]) => a);
  const find = async (query: string) => (await client.get(`/control/users?${query}`)).html;
  const first = await find('q=MANY-');
  t.is(rowsOf(first).length, 50);
  const [, next = ''] = /href="\/control\/users\?([^"]+)" rel="next"/.exec(first)!;
  t.deepEqual(rowsOf(await find(next.replaceAll('&amp;', '&'))), ['many-50']);
  const found = await find(`q=${user.uid}`);
  t.deepEqual(rowsOf(found), ['reader']);
  t.regex(found, /Tier 2 · 1 short URL · created <time[^>]+>[^<]+<\/time> · last login <time/);
  t.regex(await find('q=many-00'), /Free · 0 short URLs · .*last login unknown/s);
  t.deepEqual(rowsOf(await find('q=nobody')), []);
  t.notRegex(await find(`q=${encodeURIComponent(EVIL)}`), /<img/);
  t.regex(await find(''), /There are 53 accounts/);
});

test('users: are disabled with their short URLs, and enabling brings back those alone', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const reader = await logIn(user);
  await reader.get('/control/short-urls');
  for (const jid of ['good', 'bad']) await reader.post('/control/short-urls', { long_url: 'https://e.example/', jid });
  const statuses = async () => [(await server.get('/t/good')).status, (await server.get('/t/bad')).status];
  await server.operations.disableShortUrl({ code: 'bad' });
  const client = await logIn(operator);
  const path = `/control/users/${user.uid}`;
  await client.get(path);
  t.regex(
    (await client.submit(`${path}/disable`)).html,
    /Account disabled; its sessions.*Disable the short URLs, too/s,
  );
  t.deepEqual(await statuses(), [302, 410]);
  const both = await client.submit(`${path}/disable`, { short_urls: '1' });
  t.regex(
    both.html,
    /Account and its short URLs disabled.*short URLs disabled.*disabled by the operator.*disabled with its owner's account/s,
  );
  t.deepEqual(await statuses(), [410, 410]);
  await t.throwsAsync(server.operations.enableShortUrl({ code: 'good' }), { message: /together with the account/ });
  await client.submit(`${path}/enable`);
  t.deepEqual(await statuses(), [302, 410]);
});

test('short URLs of all users are found by code, user and host, and disabled one by one, several or all at once', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const reader = await logIn(user);
  await reader.get('/control/short-urls');
  for (let i = 0; i < 52; i++) {
    const host = ['example.org', 'evil.example', 'a.evil.example'][i % 3];
    await reader.post('/control/short-urls', {
      long_url: `https://${host}/${i}`,
      jid: `n${String(i).padStart(2, '0')}`,
    });
  }
  const client = await logIn(operator);
  const path = '/control/all-short-urls';
  const codesOf = (html: string) => [...html.matchAll(/<p class="long">https:[^<]*\/(\d+)/g)].map(([, n]) => Number(n));
  const find = async (query: string) => (await client.get(`${path}?${query}`)).html;
  t.deepEqual(codesOf(await find('by=code&q=N07')), [7]);
  t.deepEqual(codesOf(await find(`q=${encodeURIComponent(`${server.origin}/t/n08`)}`)), [8]);
  t.deepEqual(codesOf(await find('by=host&q=EVIL.example')).slice(0, 3), [50, 49, 47]);
  t.is(codesOf(await find('by=host&q=a.evil.example')).length, 17);
  t.regex(await find('by=host&q=evil.example'), /<h2>34 short URLs</);
  t.regex(await find('before=n40'), /<h2>52 short URLs</);
  t.deepEqual(codesOf(await find('by=user&q=Reader')).slice(0, 2), [51, 50]);
  const all = await find('');
  const [, next = ''] = /all-short-urls\?([^"]+)" rel="next"/.exec(all)!;
  t.deepEqual([codesOf(all).length, codesOf(await find(next))], [50, [1, 0]]);
  for (const [query, said] of [
    ['by=code&q=none', /role="alert">Short URL &quot;none&quot; does not exist/],
    ['by=user&q=nobody', /role="alert">User &quot;nobody&quot; does not exist/],
    ['by=host&q=a%20b', /role="alert">&quot;a b&quot; is not a host/],
    [`by=user&q=${encodeURIComponent(EVIL)}`, /role="alert">User &quot;&quot;&gt;&lt;img/],
    ['before=none', /role="alert">Short URL &quot;none&quot; does not exist/],
  ] as const) {
    const html = await find(query);
    t.regex(html, said);
    t.notRegex(html, /<img/);
  }
  const isOn = async (...codes: readonly string[]) =>
    Promise.all(codes.map(async (code) => (await server.get(`/t/${code}`)).status === 302));

  const one = await client.submit(`${path}/disable?by=code&q=n00`, { code: 'n00' });
  t.regex(one.html, /Short URL disabled/);
  t.deepEqual(codesOf(one.html), [0]);
  await client.submit(`${path}/disable`, { 'code.n00': '1', 'code.n01': '1', 'code.n02': '1' });
  t.deepEqual(await isOn('n00', 'n01', 'n02', 'n03'), [false, false, false, true]);
  await client.submit(`${path}/enable`, { 'code.n00': '1', 'code.n03': '1' });
  t.deepEqual(await isOn('n00', 'n01', 'n03'), [true, false, true]);
  const host = `${path}/all?by=host&q=evil.example`;
  t.is((await client.post(host)).status, 400);
  t.regex((await client.submit(host, { sure: '1' })).html, /Short URLs disabled/);
  t.deepEqual(await isOn('n03', 'n04', 'n05'), [true, false, false]);
  await client.submit(`${path}/all?by=user&q=reader`, { sure: '1', disabled: '0' });
  t.deepEqual(await isOn('n01', 'n04', 'n05'), [true, true, true]);
  for (const wrong of [`${path}/all`, `${path}/all?by=code&q=n00`]) {
    t.is((await client.post(wrong, { sure: '1' })).status, 400, wrong);
  }
  const empty = await client.post(`${path}/disable?by=host&q=evil.example`);
  t.is(empty.status, 400);
  t.regex(empty.html, /Choose short URLs first.*a\.evil\.example/s);
});

/** Returns the hidden fields that the last form of a page has. */
function readFields(html: string): Record<string, string> {
  const fields = html.matchAll(/name="(submission|newest|terms)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name, value]) => [name!, value!]));
}

test('grants: a payment is reversed once, after a page that shows what is taken back', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  const { newest: seq } = await server.operations.grantPlan({
    uid: user.uid,
    payment: { fen: 500 },
    note: 'Receipt 17',
  });
  const path = `/control/grants/${user.uid}`;
  t.true((await client.get(path)).html.includes(`href="${path}/reverse/${seq}"`));
  const { html } = await client.get(`${path}/reverse/${seq}`);
  t.regex(html, /Reverse payment 1\?.*500 fen.*booked by the server · Receipt 17.*500 requests.*0 requests left/s);
  t.is((await server.operations.getPlan({ uid: user.uid })).credits.left, 500);
  const done = await client.submit(`${path}/reverse/${seq}`, { ...readFields(html), note: 'Wrong user' });
  t.regex(
    done.html,
    /Payment reversed.*0 requests left.*Payment 1 reversed, 500 requests taken back.*booked by boss · Wrong/s,
  );
  t.false(done.html.includes(`/reverse/${seq}"`));
  t.is((await client.get(`${path}/reverse/${seq}`)).status, 409);
  t.is((await client.get(`${path}/reverse/99`)).status, 404);
  t.deepEqual((await server.operations.checkLedger({})).problems, []);
  const own = await (await logIn(user)).get('/control/');
  t.regex(own.html, /500 requests taken back/);
  t.notRegex(own.html, /Receipt 17|Wrong user|booked by/, 'notes are for operators');
});

test('grants: what is booked is what was confirmed, also when prices change in between', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  const path = `/control/grants/${user.uid}/book/300`;
  const { html } = await client.get(path);
  t.regex(html, /300 fen for 300 requests/);
  const file = join(server.folder, 'docbuild.yml');
  appendFileSync(file, 'billing: {fen_per_request: 2}\n');
  server.reload(() => readConfig(file, server.folder));
  while ((await server.operations.getPrices({})).fenPerRequest !== 2) await new Promise(setImmediate);
  const refused = await client.post(path, { ...readFields(html), note: 'Receipt 17' });
  t.is(refused.status, 409);
  t.regex(refused.html, /prices have changed meanwhile.*300 fen for 150 requests.*value="Receipt 17"/s);
  t.is((await client.post(path, { ...readFields(refused.html), terms: '' })).status, 409, 'a form without them');
  t.is((await server.operations.checkLedger({})).entries, 0);
  t.regex((await client.submit(path, readFields(refused.html))).html, /Payment booked.*150 requests left/s);
});

test('audit: operators find who did what, in pages, and others find no such page', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  for (let i = 0; i < 55; i++) {
    await server.operations.addBlock({ kind: 'source', target: `203.0.113.${i}` });
  }
  await client.get(`/control/users/${user.uid}`);
  await client.submit(`/control/users/${user.uid}/verify`);
  const { html } = await client.get('/control/audit');
  t.regex(html, /boss<\/a>.*127\.0\.0\.1.*<td>verify an account<\/td>.*the server.*add a block/s);
  const next = /<a href="([^"]+)" rel="next"/.exec(html)![1]!.replaceAll('&amp;', '&');
  t.regex((await client.get(next)).html, /203\.0\.113\.0<.*<td>create an account<\/td>.*<td>operator<\/td>/s);
  const found = await client.get(`/control/audit?who=boss&action=verifyUser&target=${user.uid}`);
  t.is(found.html.match(/<td>verify an account<\/td>/g)?.length, 1);
  t.regex(found.html, /<option value="verifyUser" selected>verify an account \(verifyUser\)/);
  t.regex((await client.get(`/control/audit?who=${encodeURIComponent(EVIL)}`)).html, /No entries.*Entries are kept/s);
  t.true((await client.get('/control/blocks')).html.includes('by the server'));
  t.is((await (await logIn(user)).get('/control/audit')).status, 404);
});

test('audit: what programs write is shown in the language of the reader, attempts with their number', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  for (let i = 0; i < 3; i++) t.is((await createClient(server).logIn('boss', 'a wrong one')).status, 401);
  await server.operations.disableUser({ uid: user.uid, isDisabled: true, withShortUrls: true });
  const chinese = mainOf(await client.get('/control/audit', { 'Accept-Language': 'zh' }));
  t.regex(chinese, /<td>服务器<\/td>.*<td>停用或启用账号<\/td>.*<td>连同短网址<\/td>/s);
  t.regex(chinese, /<td>登录 <span class="state bad">.*<td>3 次，最后一次在 <time/s);
  t.regex(mainOf(await client.get('/control/audit')), /<td>3 times, last at <time/);
});

test('who blocked a source, and who booked a payment, is shown in the language of the reader', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  await server.operations.addBlock({ kind: 'source', target: '203.0.113.7' });
  await server.operations.grantPlan({ uid: user.uid, payment: { fen: 100 } });
  const show = async (path: string, language: string) =>
    mainOf(await client.get(path, { 'Accept-Language': language }));
  const [blocks, ledger, reversal] = [
    '/control/blocks',
    `/control/grants/${user.uid}`,
    `/control/grants/${user.uid}/reverse/1`,
  ];
  t.regex(await show(blocks!, 'zh'), /由 服务器 添加/);
  for (const path of [ledger!, reversal!]) t.regex(await show(path, 'zh'), /由 服务器 登记/, path);
  t.regex(await show(blocks!, 'en'), /by the server/);
  for (const path of [ledger!, reversal!]) t.regex(await show(path, 'en'), /booked by the server/, path);
});

test('grants: somebody is found by uid or account, months and amounts are booked, each once', async (t) => {
  const { server, user, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  for (const asked of [user.uid, 'READER', ' reader ']) {
    const { html } = await client.get(`/control/grants?user=${encodeURIComponent(asked)}`);
    t.true(html.includes(`href="/control/grants/${user.uid}"`), asked);
  }
  const none = await client.get(`/control/grants?user=${encodeURIComponent(EVIL)}`);
  t.regex(none.html, /User “&quot;&gt;&lt;img/);
  const path = `/control/grants/${user.uid}`;
  const months = await client.post(path, { kind: 'monthly', monthly: '30', months: '3' });
  t.is(months.location, `${path}/book/30x3`);
  const { html } = await client.get(months.location!);
  t.regex(html, /Book this payment\?.*reader.*3 months at 30 a month, 1000 a day.*Plan after it.*Tier 2 \(30 a month/s);
  t.is((await server.operations.checkLedger({})).entries, 0, 'nothing is booked before it is confirmed');
  const fields = { ...readFields(html), note: `Receipt 17 ${EVIL}` };
  const twice = await Promise.all([client.post(months.location!, fields), client.post(months.location!, fields)]);
  t.deepEqual(
    twice.map(({ location }) => location),
    [`${path}?flash=granted`, `${path}?flash=granted`],
  );
  t.is((await client.post(months.location!, fields)).status, 303);
  // Somebody who has not seen that booking, or a form that is sent again after a restart.
  const late = await client.post(months.location!, { ...fields, submission: 'other' });
  t.is(late.status, 409);
  t.regex(late.html, /booked for this user meanwhile.*value="Receipt 17/s);
  const amount = await client.submit(path, { kind: 'credits', fen: '500' });
  t.regex(amount.html, /500 fen for 500 requests, valid until/);
  const shown = await client.submit(`${path}/book/500`, readFields(amount.html));
  t.regex(shown.html, /Payment booked.*Tier 2 \(30 a month, 1000 a day\).*500 requests left.*3 months of tier 2 paid/s);
  t.regex(shown.html, /booked by boss · Receipt 17 &quot;/);
  t.is((await server.operations.getPlan({ uid: user.uid })).ledger.length, 2);
  for (const fields of [
    { kind: 'monthly', monthly: '31', months: '1' },
    { kind: 'monthly', monthly: '30', months: '0' },
    { kind: 'monthly', monthly: '30', months: '1e3' },
    { kind: 'monthly', monthly: '30' },
    { kind: 'credits', fen: '-5' },
    { kind: 'credits', fen: '5.5' },
    { kind: 'credits', fen: EVIL },
    {},
  ] as Record<string, string>[]) {
    const refused = await client.post(path, fields);
    t.is(refused.status, 400, JSON.stringify(fields));
    t.notRegex(refused.html, /<img src=x/);
  }
  t.is((await server.operations.checkLedger({})).entries, 2);
  for (const payment of ['0', 'x', '31x1', '30x0', '30x1x1', EVIL]) {
    t.is((await client.get(`${path}/book/${encodeURIComponent(payment)}`)).status, 400, payment);
  }
  t.is((await client.post('/control/grants/1234567890', { kind: 'credits', fen: '5' })).status, 404);
  t.regex((await client.get('/control/grants')).html, /adds up<\/span> 2 entries; 500 paid requests/);
});

test('blocks: sources and hosts are blocked for a while or for ever, and let go', async (t) => {
  const { server, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  await client.get('/control/blocks');
  await client.submit('/control/blocks', { kind: 'source', target: '203.0.113.7/24', reason: EVIL, minutes: '10' });
  const foreign = await client.submit('/control/blocks', { kind: 'host', target: 'Böse.example' });
  t.regex(foreign.html, /<code>xn--bse-sna\.example<\/code> \(<bdi>böse\.example<\/bdi>\)/);
  await client.submit('/control/blocks/remove', { kind: 'host', target: 'böse.example' });
  const listed = await client.submit('/control/blocks', { kind: 'host', target: 'Evil.Example' });
  t.regex(listed.html, /<code>203\.0\.113\.0\/24<\/code>/);
  t.regex(listed.html, /<code>evil\.example<\/code>/);
  t.notRegex(listed.html, /<img src=x/);
  const [host, source] = await server.operations.listBlocks({});
  t.deepEqual([host!.until, source!.reason], ['', EVIL]);
  t.true(Math.abs(Date.parse(source!.until) - Date.now() - 600_000) < 60_000);
  for (const fields of [
    { kind: 'source', target: '0.0.0.0/0' },
    { kind: 'source', target: EVIL },
    { kind: 'other', target: 'x' },
    { kind: 'host', target: 'a.example', minutes: '0' },
    { kind: 'host', target: 'a.example', minutes: 'x' },
    { kind: 'host', target: 'a.example', reason: 'x'.repeat(501) },
  ] as Record<string, string>[]) {
    const refused = await client.post('/control/blocks', fields);
    t.is(refused.status, 400, JSON.stringify(fields));
    t.notRegex(refused.html, /<img src=x/);
  }
  t.regex(
    (await client.submit('/control/blocks/remove', { kind: 'host', target: 'evil.example' })).html,
    /Block removed/,
  );
  t.is((await client.post('/control/blocks/remove', { kind: 'host', target: 'evil.example' })).status, 404);
  t.is((await server.operations.listBlocks({})).length, 1);
});

test('builds: all that ended stand in pages, and a new one before them though the clock was ahead once', async (t) => {
  const folder = createFolder(t);
  const store = await openStore(t, join(folder, 'base/store'));
  for (const name of ['guide', 'other']) {
    await store.projects.add(createProject({ name, url: '/nowhere', versions: [] }));
  }
  const ahead = (Date.now() + 86_400_000).toString(36).padStart(9, '0');
  const ids = Array.from({ length: 51 }, (_, i) => `${ahead}${String(i).padStart(11, '0')}`);
  for (const [i, id] of ids.entries()) await store.builds.add(createPassed({ id, project: i % 2 ? 'guide' : 'other' }));
  await store.close();

  const server = await createServer(t, '', folder);
  await server.operations.createUser({ account: 'boss', password: PASSWORD, isOperator: true });
  const client = createClient(server);
  await client.logIn('boss');
  const shown = async (path: string): Promise<{ ids: string[]; next: string | undefined }> => {
    const { html } = await client.get(path);
    const found = [...html.matchAll(/docbuild\/builds\/([0-9a-z]{20})/g)].map(([, id]) => id!);
    return { ids: [...new Set(found)], next: /href="([^"]+)" rel="next"/.exec(html)?.[1] };
  };
  const first = await shown('/control/builds');
  t.deepEqual(first.ids, ids.slice(1).reverse());
  t.deepEqual(await shown(first.next!), { ids: [ids[0]!], next: undefined });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  await server.operations.waitForBuild({ id });
  t.is((await shown('/control/builds')).ids[0], id);
});

test('projects and builds: are listed, built, cancelled and replayed', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Hi\n' });
  const { server, operator, logIn } = await createConsole(t);
  const { operations } = server;
  const secret = 'the <secret> of the project';
  await operations.createProject({ name: 'guide', settings: { url: repository.folder, secret } });
  await operations.createProject({ name: 'slow', settings: { url: repository.folder, before: 'sleep 60' } });
  const client = await logIn(operator);
  await client.get('/control/projects');
  t.regex((await client.submit('/control/projects/guide/build')).html, /Build requested/);
  t.is((await client.post('/control/projects/unknown/build')).status, 404);
  t.is((await client.post('/control/projects/guide/build', { ref: 'x\ny' })).status, 400);
  const evil = await client.submit('/control/projects/guide/build', { ref: EVIL });
  t.notRegex(evil.html, /<img src=x/);
  await client.post('/control/projects/guide/build', { all: '1' });
  const { id } = await operations.build({ name: 'guide', all: true });
  t.is((await operations.waitForBuild({ id })).status, 'passing');
  const listed = await client.get('/control/projects');
  t.regex(listed.html, new RegExp(`href="${server.origin}/docs/guide/"`));

  const slow = await operations.build({ name: 'slow', all: true });
  t.regex((await client.get('/control/builds')).html, new RegExp(`/control/builds/${slow.id}/cancel`));
  t.regex((await client.submit(`/control/builds/${slow.id}/cancel`)).html, /Build cancelled/);
  t.is((await operations.waitForBuild({ id: slow.id })).status, 'cancelled');
  t.is((await client.post(`/control/builds/${'0'.repeat(20)}/cancel`)).status, 404);
  const builds = (await client.get('/control/builds')).html;
  t.true(builds.indexOf(slow.id) < builds.indexOf(id));

  const running = await operations.build({ name: 'slow', all: true });
  const waiting = await operations.build({ name: 'slow', ref: 'main' });
  const kept = await operations.build({ name: 'slow', ref: 'next' });
  t.regex((await client.get('/control/builds')).html, new RegExp(`name="build\\.${waiting.id}"`));
  const nothing = await client.submit('/control/builds/cancel');
  t.regex(nothing.html, /Choose the builds to cancel/);
  const several = { [`build.${running.id}`]: '1', [`build.${waiting.id}`]: '1' };
  t.regex((await client.submit('/control/builds/cancel', several)).html, /Builds cancelled\./);
  const states = [running, waiting].map(async (build) => (await operations.waitForBuild({ id: build.id })).status);
  t.deepEqual(await Promise.all(states), ['cancelled', 'cancelled']);
  await operations.cancelBuild({ id: kept.id });
  t.notRegex(builds, /<img src=x/);

  const push = { ref: 'refs/heads/main', after: repository.git('rev-parse', 'HEAD'), deleted: false, password: secret };
  const headers = { 'Content-Type': 'application/json', 'X-Gitee-Event': 'Push Hook', 'X-Gitee-Token': secret };
  const body = JSON.stringify({ hook_name: 'push_hooks', before: '0'.repeat(40), repository: {}, ...push });
  await server.post('/docbuild/webhook/guide', body, headers);
  await server.post('/docbuild/webhook/guide', body, { ...headers, 'X-Gitee-Token': EVIL });
  const page = await client.get('/control/projects/guide');
  const [delivery] = (await operations.listDeliveries({ name: 'guide' })).filter(({ action }) => action);
  t.truthy(delivery, 'the push is recorded');
  t.regex(page.html, /gitee Push Hook/);
  t.regex(page.html, /refused: /);
  t.notRegex(page.html, /the &lt;secret|the <secret|<img src=x/);
  t.regex(
    (await client.submit('/control/projects/guide/replay', { id: delivery!.id })).html,
    /Delivery replayed.*replayed: build/s,
  );
  t.is((await client.post('/control/projects/guide/replay', { id: 'unknown' })).status, 404);
});

test('projects: the console says which of them publish a repository that needs credentials, and the limit of their builds', async (t) => {
  const { server, operator, logIn } = await createConsole(t);
  const { operations } = server;
  const url = 'https://ann:pa55word@git.example/a/closed';
  await operations.createProject({ name: 'closed', settings: { url }, isPublic: true });
  await operations.createProject({ name: 'open', settings: { url: 'https://git.example/a/open', timeout: 90 } });
  const client = await logIn(operator);
  const show = async (path: string) => (await client.get(`/control/projects${path}`)).html;
  const [list, closed, open] = [await show(''), await show('/closed'), await show('/open')];
  t.is(list.match(/repository needs credentials, documentation is public/g)?.length, 1);
  t.regex(closed, /needs credentials; documentation, builds and logs are public/);
  t.notRegex(open, /credentials/);
  t.regex(open, /Limit of one build<\/dt><dd>90 s</);
  t.regex(closed, /Limit of one build<\/dt><dd>600 s, as set for the server</);
  t.notRegex(list + closed, /pa55word|ann:/);
});

test('users and projects: many are listed by pages', async (t) => {
  const { server, operator, logIn } = await createConsole(t);
  for (let i = 0; i < 52; i++) {
    await server.operations.createProject({ name: `p${100 + i}`, settings: { url: 'https://git.example/a/b' } });
  }
  const client = await logIn(operator);
  const first = (await client.get('/control/projects')).html;
  t.is(first.match(/class="title"/g)!.length, 50);
  const second = (await client.get(/href="([^"]+)" rel="next"/.exec(first)![1]!)).html;
  t.deepEqual(second.match(/>p\d+</g), ['>p150<', '>p151<']);
  t.regex((await client.get('/control/users?after=boss')).html, /reader.*First page/s);
});
