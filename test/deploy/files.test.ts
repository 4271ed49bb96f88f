import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { readConfig } from '../../platform/config/read-config.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { checkNginx, nginxTest } from '../helpers/start-nginx.ts';
import { testIf } from '../helpers/test-if.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

const compose = parse(read('deploy/compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const { services } = compose;
const nodes = Object.entries(services).filter(([, { image }]) => image === 'docbuild');

test.serial('compose file: it has two web nodes, two build nodes, a database, an S3 server and nginx', (t) => {
  t.deepEqual(Object.keys(services).sort(), ['build-1', 'build-2', 'db', 'nginx', 's3', 'web-1', 'web-2']);
  t.is(nodes.length, 4);
  for (const [name, { command }] of nodes) t.is(command![2], name.replace(/-\d$/, ''));
});

test.serial('compose file: services, volumes and files that it names exist, and no two nodes share a folder', (t) => {
  const used: string[] = [];
  for (const [name, { depends_on = {}, volumes = [] }] of Object.entries(services)) {
    for (const [needed, { condition }] of Object.entries(depends_on)) {
      t.true(needed in services, `${name} needs ${needed}`);
      if (condition === 'service_healthy') t.truthy(services[needed]!.healthcheck, `${needed} cannot be healthy`);
    }
    for (const volume of volumes) {
      const [source] = volume.split(':') as [string];
      if (source.startsWith('./')) t.true(existsSync(new URL(`deploy/${source}`, root)), volume);
      else used.push(source);
    }
  }
  t.deepEqual(used.sort(), Object.keys(compose.volumes).sort());
});

test.serial('compose file: commands, options and keys of its configuration exist', async (t) => {
  const loaded = readConfig('deploy/docbuild.yml', new URL('.', root).pathname);
  t.is(loaded.config.sites.startsWith('s3://'), true);
  t.true(loaded.config.store.startsWith('postgres://'));
  t.is(new URL(loaded.config.sites.split('endpoint=')[1]!).hostname, 's3');
  t.is(services['db']!.environment!['POSTGRES_USER'], nodes[0]![1].environment!['PGUSER']);
  const { stdout } = await runCommand(['api', '--help'], { cwd: createFolder(t) });
  for (const [, { command }] of nodes) {
    const [name, ...args] = command!;
    t.is(name, 'api');
    for (const option of args.filter((one) => one.startsWith('-'))) t.true(stdout.includes(option), option);
    t.true(stdout.includes(`"${args[1]}"`), args[1]);
  }
});

test.serial('compose file: health checks ask where nodes answer', (t) => {
  const { config: loaded } = readConfig('deploy/docbuild.yml', new URL('.', root).pathname);
  for (const [name, { healthcheck }] of nodes) {
    const port = name.startsWith('web-') ? loaded.api.port : loaded.probes.port;
    t.true(healthcheck!.test.join(' ').includes(`http://127.0.0.1:${port}/readyz`), name);
  }
});

test.serial('compose file: each variable that it needs is in env.example, and the other way round', (t) => {
  const needed = new Set([...read('deploy/compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!));
  const given = [...read('deploy/env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
  t.deepEqual([...needed].sort(), given.sort());
});

const config = read('deploy/nginx.conf');

test.serial('nginx: its upstreams are the web nodes of the compose file, at the port that they listen on', (t) => {
  const { config: loaded } = readConfig('deploy/docbuild.yml', new URL('.', root).pathname);
  const servers = [...config.matchAll(/^\s*server (\S+):(\d+) /gm)].map(([, name, port]) => [name, Number(port)]);
  t.deepEqual(
    servers,
    Object.keys(services).flatMap((name) => (name.startsWith('web-') ? [[name, loaded.api.port]] : [])),
  );
  t.is(loaded.api.trusted_proxies, 1);
});

nginxTest('nginx: it accepts the configuration', (t) => {
  t.regex(
    checkNginx(t, config.replaceAll(/web-\d/g, '127.0.0.1').replaceAll(/80;$/gm, '28080;')),
    /test is successful/,
  );
});

testIf(existsSync('/usr/bin/systemd-analyze'), 'needs systemd-analyze')(
  'systemd: the units are valid, with node and docbuild where they are',
  (t) => {
    const folder = createFolder(t);
    const command = join(folder, 'node');
    writeFileSync(command, '', { mode: 0o755 });
    for (const [file, as] of [
      ['docbuild.service', ['docbuild.service']],
      ['docbuild@.service', ['docbuild@web.service', 'docbuild@build.service']],
    ] as const) {
      for (const name of as) {
        copyFileSync(new URL(`deploy/systemd/${file}`, root), join(folder, name));
        writeFileSync(
          join(folder, name),
          readFileSync(join(folder, name), 'utf8').replace('ExecStart=/usr/bin/node', `ExecStart=${command}`),
        );
        const said = execFileSync(
          'sh',
          ['-c', 'systemd-analyze verify --man=no "$0" 2>&1 || echo refused', join(folder, name)],
          {
            encoding: 'utf8',
          },
        );
        const own = said.split('\n').filter((line) => line.includes(name) || line === 'refused');
        t.deepEqual(own, []);
      }
    }
  },
);

test.serial(
  'systemd: the unit of one process is that of the documentation, and that of a role has the same limits',
  (t) => {
    const unit = read('deploy/systemd/docbuild.service');
    for (const language of ['en', 'zh_CN']) {
      const shown = [...read(`docs/${language}/production.md`).matchAll(/```ini\n(.*?)```/gs)].map(([, text]) => text!);
      const settings = (text: string): string[] => text.split('\n').filter((line) => /^[[A-Z]/.test(line));
      t.deepEqual(settings(shown[0]!), settings(unit), language);
    }
    const ofRole = read('deploy/systemd/docbuild@.service');
    const limits = (text: string): string => text.slice(text.indexOf('ExecReload'), text.indexOf('[Install]'));
    t.is(limits(ofRole), limits(unit));
    t.true(ofRole.includes('docbuild.js api --role %i '));
  },
);
