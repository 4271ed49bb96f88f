import test from 'ava';
import { createSigningSecret } from '../../../lib/standard-webhooks.ts';
import { createCodeHosts } from '../../../platform/code-hosts/code-hosts.ts';
import { presentProject } from '../../../platform/projects/present-project.ts';
import {
  applyChanges,
  createProject,
  parseChanges,
  parseProjectName,
} from '../../../platform/projects/project-settings.ts';
import { exportProject, importProject } from '../../../platform/projects/transfer-project.ts';

const now = new Date('2024-01-02T03:04:05Z');
const create = (values: object = {}) => createProject('Guide', { url: 'https://host.test/o/r.git', ...values }, now);

test('parseProjectName() refuses what looks like a reserved name', (t) => {
  for (const name of ['docs', 'Docs-', 'api_', 'www--', 'control-_']) {
    t.throws(() => parseProjectName(name), { message: /reserved/ }, name);
  }
  t.is(parseProjectName('docs-2'), 'docs-2');
});

test('parseProjectName() lower-cases', (t) => t.is(parseProjectName('My_Docs-2'), 'my_docs-2'));

for (const name of ['', 'a', '1a', 'a b', 'a/b', '../a', 'ä', '__proto__', 'desc', 'BUILD', 'a'.repeat(102), 'a\n']) {
  test(`parseProjectName() refuses ${JSON.stringify(name.slice(0, 20))}`, (t) => {
    t.throws(() => parseProjectName(name), { name: 'DataError', message: /^Project name ".*" (?:must|is)/s });
  });
}

for (const url of [
  '',
  'host.test/r',
  'ssh://host/r',
  'file:///etc',
  'ext::sh -c id',
  'javascript:1',
  'a/b',
  'https://a\nb',
]) {
  test(`createProject() refuses the address ${JSON.stringify(url)}`, (t) => {
    t.throws(() => create({ url }), { name: 'DataError', message: /^Field "url" must be/ });
  });
}

test('createProject() refuses what no field may hold', (t) => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ domain: 'no domain' }, /Field "domain" must be a host name/],
    [{ domain: 'localhost' }, /Field "domain"/],
    [{ lang: ['en', 'EN'] }, /Field "lang" must not name a language twice/],
    [{ lang: ['not a code'] }, /Field "lang" must be language codes/],
    [{ sourceDir: 'a/../../b' }, /Field "sourceDir" must be inside/],
    [{ secret: 'x'.repeat(501) }, /Field "secret" must not have more than 500/],
    [{ latest: 'a\u0000b' }, /Field "latest" must be one line/],
    [{ meta: { 'a b': 'c' } }, /Field "meta"/],
  ];
  for (const [values, message] of wrong) t.throws(() => create(values), { name: 'DataError', message });
});

test('presentProject() shows neither secrets nor credentials', (t) => {
  const notifySecret = createSigningSecret();
  const shown = presentProject(
    create({ url: 'https://me:token@github.com/o/r.git', secret: 'hush', notifySecret }),
    createCodeHosts(),
  );
  t.deepEqual([shown.url, shown.gsp, shown.public, shown.hasSecret], ['https://github.com/o/r', 'GitHub', false, true]);
  t.true(shown.hasNotifySecret);
  t.notRegex(JSON.stringify(shown), /token|hush|whsec/);
});

test('parseChanges() reads fields, meta entries and lists with the separator in them', (t) => {
  const changes = parseChanges('latest:main,lang:en,zh_CN,single:true,meta:excluded_branch=test|dev,domain:');
  t.deepEqual(changes.settings, { latest: 'main', lang: ['en', 'zh_CN'], single: true, domain: '' });
  t.deepEqual({ ...changes.meta }, { excluded_branch: 'test|dev' });
});

test('parseChanges() keeps colons in values and takes another separator', (t) => {
  const { settings } = parseChanges('url:https://h.test/r;before:echo a,b', ';');
  t.deepEqual(settings, { url: 'https://h.test/r', before: 'echo a,b' });
});

test('parseChanges() says what it cannot read', (t) => {
  t.throws(() => parseChanges('colour:red'), { message: /"colour:red" does not begin with a field \(url, latest/ });
  t.throws(() => parseChanges('meta:x'), { message: /"meta:x" has no name/ });
  t.throws(() => parseChanges('single:perhaps'), { message: /Field "single" must be true or false, not "perhaps"/ });
  t.throws(() => parseChanges('name:other'), { message: /does not begin with a field/ });
});

test('applyChanges() adds, changes and removes meta entries one by one', (t) => {
  const project = create({ meta: { a: '1', b: '2' } });
  t.deepEqual(applyChanges(project, parseChanges('meta:a=,meta:c=3')).meta, { b: '2', c: '3' });
  t.deepEqual(project.meta, { a: '1', b: '2' });
});

test('exportProject() and importProject() carry all settings to another name', (t) => {
  const project = create({ url: 'https://u:p@h.test/r', secret: 's', lang: ['en'], meta: { a: 'ü' }, before: 'x' });
  const copy = importProject(exportProject(project), 'Other', now);
  t.deepEqual(copy, { ...project, name: 'other' });
});

test('importProject() reads what an earlier release exported, which knew neither timeout nor notifications', (t) => {
  const {
    timeout,
    notify: _notify,
    notifySecret: _secret,
    ...settings
  } = JSON.parse(
    Buffer.from(exportProject(create({ timeout: 7 })).slice('docbuild-project-1.'.length), 'base64url').toString(),
  );
  t.is(timeout, 7);
  const text = `docbuild-project-1.${Buffer.from(JSON.stringify(settings)).toString('base64url')}`;
  t.deepEqual(importProject(text, undefined, now), create());
});

test('a timeout is a whole number of seconds, up to a day; 0 and nothing mean the limit of the server', (t) => {
  for (const [text, seconds] of [
    ['60', 60],
    ['0', 0],
    ['', 0],
    ['86400', 86_400],
  ] as const) {
    t.deepEqual(parseChanges(`timeout:${text}`).settings, { timeout: seconds });
  }
  for (const text of ['-1', '1.5', '86401', 'soon', '1e9', 'Infinity']) {
    t.throws(() => parseChanges(`timeout:${text}`), { name: 'DataError', message: /^Field "timeout" (must|is)/ });
  }
});

test('notifications go to http and https URLs without credentials, and are signed with whsec_ secrets', (t) => {
  for (const url of ['https://hooks.example/a?token=b', 'http://10.0.0.1:8080/', '']) {
    t.deepEqual(parseChanges(`notify:${url}`).settings, { notify: url });
  }
  for (const url of ['hooks.example', 'ftp://hooks.example', 'https://u:p@hooks.example', 'https://', 'javascript:x']) {
    t.throws(() => parseChanges(`notify:${url}`), { name: 'DataError', message: /^Field "notify" must be/ });
  }
  const secret = createSigningSecret();
  t.regex(secret, /^whsec_[\w+/]{43}=$/);
  t.deepEqual(parseChanges(`notifySecret:${secret}`).settings, { notifySecret: secret });
  for (const wrong of ['secret', 'whsec_', `whsec_${'A'.repeat(31)}`, `whsec_${'A'.repeat(90)}`, 'whsec_ä'.repeat(9)]) {
    t.throws(() => parseChanges(`notifySecret:${wrong}`), { name: 'DataError', message: /^Field "notifySecret" must/ });
  }
});

test('importProject() refuses what nobody exported', (t) => {
  const text = exportProject(create());
  for (const wrong of ['', 'x', text.slice(0, -5), `${text}AAAA`, 'docbuild-project-1.e30', 'a'.repeat(200_000)]) {
    t.throws(() => importProject(wrong, undefined, now), { name: 'DataError', message: /exported project/ });
  }
});
