import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { createConsole, PASSWORD } from '../../helpers/create-console.ts';
import { runCommand } from '../../helpers/run-command.ts';

/** Pages on neighbouring hosts set cookies for the domain that they share with the console. */
const HOST = 'docs.example.org';
const FORM = 'application/x-www-form-urlencoded';

type Send = (
  path: string,
  options?: { readonly cookie?: string; readonly form?: object; readonly headers?: Record<string, string> },
) => Promise<{ readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly html: string }>;

/** The console at a host behind a proxy, with an operator `boss` and `reader`, the attacker; with TLS or without. */
async function createPlace(t: ExecutionContext, { isTls = true, yaml = '' } = {}) {
  const { server } = await createConsole(t, `api: {port: 0, trusted_proxies: 1}\n${yaml}`);
  const scheme = isTls ? 'https' : 'http';
  const send: Send = (path, { cookie, form, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const all = {
        Host: HOST,
        'X-Forwarded-Proto': scheme,
        'Sec-Fetch-Site': form ? 'same-origin' : 'none',
        Accept: 'text/html',
        ...(cookie !== undefined && { Cookie: cookie }),
        ...(form && { Origin: `${scheme}://${HOST}`, 'Content-Type': FORM }),
        ...headers,
      };
      const sent = request(server.origin + path, { method: form ? 'POST' : 'GET', headers: all }, async (answer) =>
        resolve({ status: answer.statusCode!, headers: answer.headers, html: await text(answer) }),
      );
      sent.once('error', reject);
      sent.end(form ? new URLSearchParams(form as Record<string, string>).toString() : '');
    });
  const logIn = async (account: string): Promise<string> => {
    const { headers } = await send('/api/user/login', { form: { account, password: PASSWORD } });
    return (headers['set-cookie'] as string[]).map((line) => line.split(';')[0]!).join('; ');
  };
  const [boss, reader] = [await logIn('boss'), await logIn('reader')];
  const token = /sessionId=([^;]+)/.exec(reader)![1]!;
  return { server, send, boss, reader, planted: `sessionId=${token}` };
}

const accountOf = (html: string): string | undefined => /class="who">([^<]*)</.exec(html)?.[1];
const fieldsOf = (html: string): object =>
  Object.fromEntries([...html.matchAll(/name="(form|as)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));

test.serial('over TLS cookies belong to their host, and no other session counts', async (t) => {
  const { send, boss, planted } = await createPlace(t);
  t.regex(boss, /^__Host-sessionId=dbs_[\w-]+; __Host-knownDevice=[\w.-]+$/);
  const { headers } = await send('/control/login');
  t.regex(
    String(headers['set-cookie']),
    /^__Host-controlForm=[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
  );
  for (const cookie of [`${planted}; ${boss}`, `${boss}; ${planted}`, `${planted}; ${planted}; ${boss}`]) {
    t.is(accountOf((await send('/control/keys', { cookie })).html), 'boss');
  }
  t.is((await send('/control/keys', { cookie: planted })).status, 303);
  const language = await send('/docbuild/language', { form: { language: 'zh-CN', to: '/' } });
  t.regex(String(language.headers['set-cookie']), /^__Host-language=zh-CN; /);
  const chinese = await send('/control/login', { cookie: 'language=en; __Host-language=zh-CN' });
  t.regex(chinese.html, /登录/);
});

test.serial(
  'over TLS programs may send the cookie by its name in the contract, and find it in the answer of a login',
  async (t) => {
    const { server, send, planted } = await createPlace(t);
    const shorten = (headers: Record<string, string>, cookie: string) =>
      server.post('/openservice/shorturl/v1/?Action=shorten', 'long_url=https://example.com/', {
        'Content-Type': FORM,
        'X-Forwarded-Proto': 'https',
        Cookie: cookie,
        ...headers,
      });
    t.like(await (await shorten({}, planted)).json(), { code: 0 });
    t.like(await (await shorten({ 'Sec-Fetch-Site': 'same-origin' }, planted)).json(), { code: 401 });
    t.is((await shorten({}, `${planted}; sessionId=other`)).status, 400);
    const login = await server.post('/api/user/login', `account=reader&password=${PASSWORD}`, {
      'Content-Type': FORM,
      'X-Forwarded-Proto': 'https',
    });
    const names = login.headers.getSetCookie().map((line) => /^[^=]+/.exec(line)![0]);
    t.deepEqual(names.sort(), ['__Host-knownDevice', '__Host-sessionId', 'sessionId']);
    for (const line of login.headers.getSetCookie()) t.regex(line, /; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
    t.is((await send('/api/user/logout', { form: {}, cookie: planted })).status, 200);
  },
);

test.serial(
  'without TLS a second session is refused, and both are removed wherever they may have been set',
  async (t) => {
    const { send, boss, planted } = await createPlace(t, { isTls: false });
    t.regex(boss, /^sessionId=dbs_/);
    t.is(accountOf((await send('/control/keys', { cookie: boss })).html), 'boss');
    for (const cookie of [`${planted}; ${boss}`, `${boss}; ${planted}`]) {
      for (const path of ['/control/keys', '/control/login', '/control/']) {
        const { status, html, headers } = await send(path, { cookie });
        t.is(status, 400, path);
        t.regex(html, /more than once.*log in again/);
        const removed = headers['set-cookie'] as string[];
        for (const domain of ['', '; Domain=docs.example.org', '; Domain=example.org'])
          for (const at of ['/', '/control'])
            t.true(removed.includes(`sessionId=; Path=${at}; Max-Age=0${domain}`), at);
        t.true(removed.every((field) => field.startsWith('sessionId=;')));
      }
      const posted = await send('/control/keys', { cookie, form: { name: 'x', permission: 'read' } });
      t.is(posted.status, 400);
      const { status, html } = await send('/api/user/quota', { cookie });
      t.deepEqual([status, /more than once/.test(html)], [400, true]);
    }
    const twoForms = await send('/control/login', {
      cookie: `controlForm=${'a'.repeat(32)}; controlForm=${'b'.repeat(32)}`,
    });
    t.is(twoForms.status, 400);
    const twoLanguages = await send('/control/login', { cookie: 'language=zh-CN; language=en' });
    t.is(twoLanguages.status, 200, 'a preference locks nobody out');
  },
);

test.serial('forms say whose they are, and are never carried out as those of another account', async (t) => {
  const { send, boss, reader } = await createPlace(t);
  const own = await send('/control/keys', { cookie: boss });
  t.regex(own.html, /<form [^>]*action="\/control\/keys".*?You act as boss.*?<\/form>/s);
  const forms = own.html.match(/<form [^>]*action="\/control\/.*?<\/form>/gs)!;
  for (const form of forms) t.regex(form, /name="as" value="boss"/);
  const fields = { ...fieldsOf(own.html), name: 'x', permission: 'read' };
  const other = await send('/control/keys', { cookie: reader, form: fields });
  t.is(other.status, 403);
  t.regex(other.html, /opened as &quot;boss&quot;, and you are &quot;reader&quot; now, so nothing was done/);
  t.regex((await send('/control/keys', { cookie: reader })).html, /You have no keys yet/);
  const lied = await send('/control/keys', { cookie: reader, form: { ...fields, as: 'reader' } });
  t.regex(lied.html, /has expired/);
  t.is((await send('/control/keys', { cookie: boss, form: fields })).status, 303);
});

test.serial('too many cookies are refused with what removes them, and sites are read all the same', async (t) => {
  const { send, boss, server } = await createPlace(t);
  const bombs = (count: number, bytes: number): string =>
    Array.from({ length: count }, (_, i) => `bomb${i}=${'x'.repeat(bytes)}`).join('; ');
  for (const [path, type] of [
    ['/control/keys', /^text\/html/],
    ['/', /^text\/html/],
  ] as const) {
    const { status, html, headers } = await send(path, { cookie: `${bombs(10, 4000)}; ${boss}` });
    t.is(status, 431, path);
    t.regex(String(headers['content-type']), type);
    t.is(headers['clear-site-data'], '"cookies"');
    t.regex(html, /more than 16 KB of cookies.*reload the page/);
    t.true((headers['set-cookie'] as string[]).includes('bomb0=; Path=/; Max-Age=0; Domain=example.org'));
    t.true(JSON.stringify(headers).length < 3_800, 'as much as proxies read');
  }
  const json = await send('/docbuild/desc/guide', { cookie: bombs(10, 4000), headers: { Accept: 'application/json' } });
  t.regex(json.html, /^\{"success":false,"message":"Your browser sends more/);
  const chinese = await send('/', { cookie: bombs(10, 4000), headers: { 'Accept-Language': 'zh' } });
  t.regex(chinese.html, /超过 16 KB 的 cookie/);
  t.is((await send('/control/keys', { cookie: `${bombs(3, 4000)}; ${boss}` })).status, 200);
  t.deepEqual(
    server.logged().filter((line) => line.includes('"level":50')),
    [],
  );
});

test.serial('operators are told where the console shares a domain with sites', async (t) => {
  const { send, boss, reader, server } = await createPlace(t, { yaml: 'docs: {domain: docs.example.org}\n' });
  const told = /share the domain example\.org/;
  t.regex((await send('/control/', { cookie: boss })).html, told);
  t.regex((await send('/control/projects', { cookie: boss })).html, told);
  t.notRegex((await send('/control/', { cookie: reader })).html, told);
  const elsewhere = await send('/control/', { cookie: boss, headers: { Host: 'console.example.net' } });
  t.notRegex(elsewhere.html, told);
  t.true(server.warnings.some((warning) => /"api\.auth_url"/.test(warning)));
  t.true(server.logged().some((line) => /"level":40.*api\.auth_url/.test(line)));
});

test.serial(
  'operators are told where a project has a domain of the console, and cannot give it the console’s own host',
  async (t) => {
    const { send, boss, server } = await createPlace(t);
    const settings = { url: 'https://code.example/o/guide.git', domain: 'guide.example.org' };
    await server.operations.createProject({ name: 'guide', settings });
    const page = '/control/projects/guide';
    const read = async (path: string, host = HOST) =>
      (await send(path, { cookie: boss, headers: { Host: host } })).html;
    t.regex(await read(page), /site at guide\.example\.org and this console share the domain example\.org/);
    t.regex(await read(`${page}/edit`), /It shares example\.org with this console/);
    t.notRegex(await read(page, 'console.example.net'), /share the domain/);
    t.regex(await read(`${page}/edit`, 'console.example.net'), /Not in the domain of this console/);

    const edit = async (domain: string) => {
      const html = await read(`${page}/edit`);
      const hidden = [...html.matchAll(/name="(form|submission|fingerprint)" value="([^"]*)"/g)];
      const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
      const form = { ...fields, ...settings, domain, secret_kind: 'keep', unseen: '1', show_nav: '1' };
      return send(`${page}/edit`, { cookie: boss, form });
    };
    const refused = await edit('Docs.Example.org');
    t.is(refused.status, 409);
    t.regex(refused.html, /cannot have the host .*docs\.example\.org.*: it belongs to the service itself/i);
    t.is((await edit('example.org')).status, 303, 'a domain above is a warning, as one beside it');
    t.regex(await read(page), /site at example\.org and this console share the domain example\.org/);
  },
);

test.serial('who gives a project a domain of the console by command or API is told, too', async (t) => {
  const { server } = await createConsole(t, 'api: {port: 0, docs_api_url: "https://docs.example.org"}\n');
  const run = (...args: string[]) => runCommand(['project', ...args], { cwd: server.folder });
  const url = 'https://code.example/o/guide.git';
  const created = await run('create', '-u', url, '--domain', 'example.org', 'guide');
  t.is(created.code, 0);
  t.regex(created.stderr, /^Warning: The console at docs\.example\.org and project "guide" at example\.org share/m);
  const changed = await run('update', '-t', 'domain:guide.example.net', 'guide');
  t.notRegex(changed.stderr, /share the domain/);
  const own = await run('update', '-t', 'domain:docs.example.org', 'guide');
  t.is(own.code, 1);
  t.regex(own.stderr, /it belongs to the service itself/);
  const { sharedDomain } = await server.operations.updateProject({
    name: 'guide',
    settings: { domain: 'example.org' },
  });
  t.is(sharedDomain?.domain, 'example.org');
});
