import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { LIMIT_TABLE } from '../../../platform/limits/limit-table.ts';
import { createClient, createConsole, mainOf } from '../../helpers/create-console.ts';
import { runCommand } from '../../helpers/run-command.ts';

test.serial('limits: all are shown with their values, and who is refused by them now', async (t) => {
  const { server, operator, user, logIn } = await createConsole(
    t,
    'utility: {short_url: {reductions_per_minute: 2}}\n',
  );
  const [client, reader] = [await logIn(operator), await logIn(user)];
  const before = mainOf(await client.get('/control/limits'));
  for (const { title } of LIMIT_TABLE) t.true(before.includes(String(title)), String(title));
  t.regex(before, /name="limit\.utility\.short_url\.reductions_per_minute" value="2"/);
  t.notRegex(before, /refused now/);
  const reduce = () =>
    server.post('/openservice/shorturl/v1/?Action=reduction', 'short_string=none', {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push((await reduce()).status);
  t.is(statuses.filter((status) => status === 429).length, 3);
  for (let i = 0; i < 22; i++) {
    await server.post('/api/user/login', `account=guess${i}&password=wrong-password`, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
  }
  const after = mainOf(await client.get('/control/limits'));
  t.regex(
    after,
    /Reductions from an address, a minute[\s\S]*?1 caller is refused now[\s\S]*?3 calls refused in the last hour/,
  );
  t.regex(after, /<code>127\.0\.0\.1<\/code>: 3 calls refused, until <time/);
  t.regex(after, /Wrong passwords for an account[\s\S]*?1 caller is refused now/);
  t.regex((await client.get('/control/limits', { 'Accept-Language': 'zh-CN' })).html, /目前拒绝 1 个调用方/);
  t.is((await reader.get('/control/limits')).status, 404);
});

test.serial(
  'limits: one that is set holds at once, stands in the configuration, and leaves all else there as it is',
  async (t) => {
    const yaml = '# My comment\nutility:\n  short_url: {reductions_per_minute: 2} # few\nlimits:\n';
    const { server, operator, logIn } = await createConsole(t, yaml);
    const file = join(server.folder, 'docbuild.yml');
    chmodSync(file, 0o640);
    const client = await logIn(operator);
    await client.get('/control/limits');
    const saved = await client.submit('/control/limits', {
      'limit.utility.short_url.reductions_per_minute': '4',
      'limit.limits.changes_per_minute': '7',
      'limit.builds.quick': '',
      'limit.utility.alpha.concurrency': '3',
    });
    t.regex(saved.html, /some take effect when the server is started again/);
    t.is(
      readFileSync(file, 'utf8'),
      'base_dir: ./base\napi: { port: 0 }\n# My comment\nutility:\n  short_url: { reductions_per_minute: 4 } # few\n  alpha:\n    concurrency: 3\nlimits:\n  changes_per_minute: 7\n',
    );
    t.is(statSync(file).mode & 0o777, 0o640);
    const statuses = [];
    for (let i = 0; i < 6; i++) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      statuses.push(
        (await server.post('/openservice/shorturl/v1/?Action=reduction', 'short_string=none', headers)).status,
      );
    }
    t.is(statuses.filter((status) => status === 429).length, 2);
    const limits = await server.operations.listLimits({});
    const limitOf = (key: string) => limits.find((one) => one.key === key)?.value;
    t.deepEqual([limitOf('limits.changes_per_minute'), limitOf('utility.alpha.concurrency')], [7, 4]);
    t.like((await server.operations.listAudit({}))[0], {
      action: 'setLimits',
      details:
        'limits.changes_per_minute, builds.quick, utility.alpha.concurrency, utility.short_url.reductions_per_minute',
    });

    const usual = await client.submit('/control/limits', { 'limit.limits.changes_per_minute': '' });
    t.regex(usual.html, /Limits saved; they hold from now on/);
    t.regex(usual.html, /name="limit\.limits\.changes_per_minute" value="60"/);
    const text = readFileSync(file, 'utf8');
    for (const [field, value, message] of [
      [
        'limits.changes_per_minute',
        '0',
        /key &quot;limits\.changes_per_minute&quot;: must be a whole number from 1 to 10000/,
      ],
      ['limits.logins_per_account', '-3', /Key &quot;limits\.logins_per_account&quot; must be a whole number/],
      ['builds.concurrency', '65', /must be from 1 to 64/],
    ] as const) {
      const refused = await client.post('/control/limits', { [`limit.${field}`]: value });
      t.is(refused.status, 400, field);
      t.regex(refused.html, message);
      t.is(readFileSync(file, 'utf8'), text);
    }
    await t.throwsAsync(server.operations.setLimits({ values: { 'api.port': 1 } }), {
      message: /is not the key of a limit/,
    });
  },
);

test.serial('limits: a file that is being edited is not taken over, and one that is damaged not written', async (t) => {
  const { server, operator, logIn } = await createConsole(t);
  const file = join(server.folder, 'docbuild.yml');
  const client = await logIn(operator);
  await client.get('/control/limits');
  writeFileSync(file, `${readFileSync(file, 'utf8')}auth: {registration: true}\n`);
  await client.post('/control/limits', { 'limit.limits.block_minutes': '15' });
  t.regex(readFileSync(file, 'utf8'), /registration: true[\s\S]*block_minutes: 15/);
  t.is((await createClient(server).get('/control/register')).status, 404, 'not until SIGHUP');
  const damaged = `${readFileSync(file, 'utf8')}nonsense: 1\n`;
  writeFileSync(file, damaged);
  const refused = await client.post('/control/limits', { 'limit.limits.block_minutes': '20' });
  t.is(refused.status, 400);
  t.regex(refused.html, /unknown key &quot;nonsense&quot;/);
  t.is(readFileSync(file, 'utf8'), damaged);
});

test.serial('docbuild limits lists and sets limits', async (t) => {
  const { server } = await createConsole(t);
  const run = async (...args: string[]) => runCommand(['limits', ...args], { cwd: server.folder });
  t.regex((await run('list')).stdout, /^limits\.changes_per_minute\t60\tChanges of own keys/m);
  t.regex((await run('list')).stdout, /^fixed\t5\tAPI keys of a user$/m);
  t.is((await run('set', 'limits.changes_per_minute', '9')).code, 0);
  t.regex((await run('list')).stdout, /^limits\.changes_per_minute\t9\t/m);
  t.is((await run('set', 'limits.changes_per_minute')).code, 0);
  const listed = JSON.parse((await run('list', '--json')).stdout) as { key: string; value: number }[];
  t.is(listed.find(({ key }) => key === 'limits.changes_per_minute')?.value, 60);
  t.is((await run('set', 'limits.changes_per_minute', 'x')).code, 2);
  t.is((await run('set', 'limits.nothing', '1')).code, 2);
});
