import test from 'ava';
import { negotiateLanguage, translate } from '../../../api/http/language.ts';
import { renderPage } from '../../../api/http/pages.ts';
import { phrase } from '../../../lib/phrase.ts';
import { createClient, createConsole } from '../../helpers/create-console.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';

const CHINESE = { 'Accept-Language': 'zh-CN,zh;q=0.9,en;q=0.8' };
const ENGLISH = { 'Accept-Language': 'en-GB' };
const NOTHING = 'Nothing found at "/nothing"';
const NOTHING_ZH = '“/nothing”处没有内容';

test('negotiateLanguage() prefers what the field prefers, and English where nothing fits', (t) => {
  for (const field of ['zh-CN', 'zh', 'zh-TW,en;q=0.1', 'fr, zh;q=0.5, en;q=0.4', 'ZH-cn', 'zh-Hans-SG, *']) {
    t.is(negotiateLanguage(field), 'zh-CN', field);
  }
  const others = [
    undefined,
    '',
    '*',
    'en',
    'en-US,zh;q=0.9',
    'de',
    'zh;q=0',
    'fr, *;q=0.5',
    'zhx',
    '=;,',
    'zh,'.repeat(9999),
  ];
  for (const field of others) t.is(negotiateLanguage(field), 'en', field);
});

test('messages of the API are in the language that is asked for, their other fields as ever', async (t) => {
  const server = await createServer(t);
  const ask = async (headers: Record<string, string>) => (await server.get('/nothing', headers)).json();
  t.deepEqual(await ask(ENGLISH), { success: false, message: NOTHING });
  t.deepEqual(await ask({}), { success: false, message: NOTHING });
  t.deepEqual(await ask(CHINESE), { success: false, message: NOTHING_ZH });
  t.deepEqual(await ask({ ...CHINESE, Cookie: 'language=en' }), { success: false, message: NOTHING });
  t.deepEqual(await ask({ ...CHINESE, Cookie: 'language=constructor' }), { success: false, message: NOTHING_ZH });
});

test('pages are in the language of their reader, and caches know that it depends on the request', async (t) => {
  const server = await createServer(t);
  for (const path of ['/', '/docbuild/api', '/control/login', '/t/unknown']) {
    const english = await server.get(path, ENGLISH);
    const chinese = await server.get(path, CHINESE);
    t.regex(await english.text(), /<html lang="en">/, path);
    t.regex(await chinese.text(), /<html lang="zh-CN">/, path);
    for (const { headers } of [english, chinese]) t.regex(headers.get('vary')!, /Accept-Language, Cookie/, path);
    if (english.headers.has('etag')) t.not(english.headers.get('etag'), chinese.headers.get('etag'));
  }
});

test('why a build ended is in the language of the reader, and a message of the engine is marked as English', async (t) => {
  const { folder } = createRepository(t);
  const server = await createServer(t);
  const show = async (name: string, before: string): Promise<string> => {
    await server.operations.createProject({ name, settings: { url: folder, before } });
    const { id } = await server.operations.build({ name, all: true });
    await server.operations.waitForBuild({ id });
    return (await server.get(`/docbuild/builds/${id}`, { ...CHINESE, Accept: 'text/html' })).text();
  };
  t.regex(await show('failing', 'exit 3'), /<p class="reason">命令“before”失败（exit code 3）<\/p>/);
  t.regex(await show('empty', ''), /<p class="reason"><span lang="en">[^<]+<\/span><\/p>/);
});

test('answers that are the same for everybody do not vary by language', async (t) => {
  const server = await createServer(t);
  for (const path of ['/docbuild/badge/guide', '/docbuild/assets/docbuild.js', '/openapi.json', '/healthz']) {
    t.notRegex((await server.get(path, CHINESE)).headers.get('vary') ?? '', /Language|Cookie/, path);
  }
});

test('a language that is chosen is kept and leads back to the page', async (t) => {
  const server = await createServer(t, 'api: {port: 0, trusted_proxies: 1}\n');
  const client = createClient(server);
  const before = await client.get('/control/login?next=%2Fcontrol%2Fkeys');
  t.regex(before.html, /<button [^>]*value="zh-CN" lang="zh-CN">简体中文<\/button>/);
  const to = /name="to" value="([^"]*)"/.exec(before.html)![1]!;
  const after = await client.submit('/docbuild/language', { language: 'zh-CN', to });
  t.regex(after.html, /<html lang="zh-CN">/);
  t.regex(after.html, /name="next" value="\/control\/keys"/);
  t.regex(after.html, /<button [^>]*value="en" lang="en">English<\/button>/);
  t.regex((await client.get('/docbuild/api', ENGLISH)).html, /<html lang="zh-CN">/);
  const secure = await client.post('/docbuild/language', { language: 'en' }, { 'X-Forwarded-Proto': 'https' });
  t.is(
    secure.headers.get('set-cookie'),
    '__Host-language=en; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure',
  );
});

test('a change of the language leads to pages of this host only, and knows its languages', async (t) => {
  const client = createClient(await createServer(t));
  const targets = [
    '//evil.example/',
    'https://evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    'x',
    '/./ /..//evil.example',
  ];
  for (const to of targets) {
    const { location } = await client.post('/docbuild/language', { language: 'en', to });
    t.regex(location!, /^\/(?!\/)/, to);
    t.is(new URL(location!, 'http://here.example').host, 'here.example', to);
  }
  t.is(
    (await client.post('/docbuild/language', { language: 'en', to: '/docbuild/api?x=1' })).location,
    '/docbuild/api?x=1',
  );
  for (const language of ['fr', '', '__proto__', 'en\r\nX: y']) {
    const { status, headers } = await client.post('/docbuild/language', { language });
    t.is(status, 400, language);
    t.false(headers.has('set-cookie'));
  }
});

test('after a form that failed, a change of the language leads to the page of the form', async (t) => {
  const { user, operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  await client.get(`/control/users/${operator.uid}`);
  const failed = await client.post(`/control/users/${operator.uid}/disable`);
  t.is(failed.status, 400);
  t.regex(failed.html, new RegExp(`name="to" value="/control/users/${operator.uid}"`));
  t.truthy(user);
});

test('values in translated texts are data: nothing in them is HTML, code or a pattern', (t) => {
  const evil = '<img src=x onerror=alert(1)> `code` {0} "quoted"';
  for (const language of ['en', 'zh-CN'] as const) {
    const message = phrase`Nothing found at "${phrase`Method ${evil} is not allowed for "${evil}"`}"`;
    const model = { status: 400, message, flash: '', error: message, account: '', section: '', formToken: '' };
    const html = renderPage('control/error.njk', model, { language, timeZone: 'UTC', path: evil });
    t.notRegex(html, /<img|<code>/);
    t.is(html.split('&lt;img src=x onerror=alert(1)&gt; `code` {0} &quot;quoted&quot;').length, 6, language);
    t.true(translate(message, language).includes(evil));
  }
});

test('times of pages are in the configured time zone and name it; programs read UTC', async (t) => {
  const now = () => new Date('2026-05-04T18:30:15.123Z');
  const { user, logIn } = await createConsole(t, 'timezone: Asia/Kolkata\n', now);
  const { html } = await (await logIn(user)).get('/control/');
  t.regex(html, /<time datetime="2026-05-04T18:30:15.123Z">2026-05-05 00:00 UTC\+5:30<\/time>/);
});

test('a message that quotes what was asked for is text, whatever is in it', async (t) => {
  const { operator, logIn } = await createConsole(t);
  const client = await logIn(operator);
  const { status, html } = await client.get('/control/projects/a%60b%3Ci%3E');
  t.is(status, 404);
  t.regex(html, /a`b&lt;i&gt;/);
  t.notRegex(html, /<code>b/);
});
