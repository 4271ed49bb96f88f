import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { openPostgresStore } from '../../data/postgres/open-postgres-store.ts';
import { createBackupFile } from '../../platform/moving/backup-file.ts';
import { openVault } from '../../platform/moving/place.ts';
import { siteFolder } from '../../platform/sites/site-storage.ts';
import { connectControl, socketPath } from '../../service/control-socket.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { compareBases, fillBase } from '../helpers/fill-base.ts';
import { compareTrees, hashTree } from '../helpers/hash-tree.ts';
import { openStore } from '../helpers/open-store.ts';
import { publishFiles } from '../helpers/publish-files.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { serveS3 } from '../helpers/serve-s3.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { spawnServer } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const cluster = shareCluster();
const S3_KEYS = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

/** Creates a folder with a configuration, whose `base_dir` is below it; returns what runs commands there. */
function createService(t: ExecutionContext, configuration = '') {
  const cwd = createFolder(t);
  writeFileSync(join(cwd, 'docbuild.yml'), `base_dir: ./base\n${configuration}`);
  const options = { cwd, env: S3_KEYS };
  const run = (args: readonly string[]) => runCommand(args, options);
  const runApart = (args: readonly string[], onStart?: (child: ChildProcess) => void) =>
    runDocbuild(args, { ...options, ...(onStart && { onStart }) });
  return {
    cwd,
    base: join(cwd, 'base'),
    runApart,
    async succeed(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await run(args);
      t.is(code, 0, stderr + stdout);
      return stdout;
    },
    async fail(...args: string[]): Promise<string> {
      const { code, stderr } = await run(args);
      t.true(code === 1 || code === 2, stderr);
      return stderr;
    },
  };
}

postgresTest('restore: a backup of any storage brings everything back in any other one', async (t) => {
  const { createDatabase, url } = await cluster();
  const s3 = await serveS3(t);
  const files = createService(t);
  const database = createService(t, `store: '${url(await createDatabase())}'\nsites: s3://docs/a?endpoint=${s3.url}\n`);
  const mixed = createService(t, `store: '${url(await createDatabase())}'\n`);
  const last = createService(t, `sites: s3://docs/b?endpoint=${s3.url}\n`);
  const end = createService(t);
  const records = await fillBase(files.base, { builds: 500 });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => join(files.cwd, `${name}.tar.gz`)) as [string, ...string[]];
  t.regex(await files.succeed('backup', a), new RegExp(`Wrote .*a\\.tar\\.gz: ${records} records, 2 sites`));
  t.is(statSync(a).mode & 0o777, 0o600);
  await database.succeed('restore', a);
  await database.succeed('backup', b!);
  await mixed.succeed('restore', b!);
  await mixed.succeed('backup', c!);
  await last.succeed('restore', c!);
  await last.succeed('backup', d!);
  await end.succeed('restore', d!);
  await compareBases(t, files.base, end.base);
  t.false(existsSync(join(end.base, 'restore.tmp')));
});

test.serial(
  'restore: what a server acknowledged before the backup began is in it, with sites as a build left them',
  async (t) => {
    const { cwd, base, succeed } = createService(t);
    const repository = createRepository(t);
    const mark = (number: number): void => {
      for (let i = 0; i < 20; i++) repository.write(`docs/p${i}.md`, `# Page ${i}\n\nmark ${number}.\n`);
      repository.commit(`Mark ${number}`);
    };
    mark(0);
    const server = await spawnServer(t, cwd);
    const operations = (await connectControl(socketPath(base)))!;
    const build = async (): Promise<void> => {
      const { id } = await operations.build({ name: 'guide', all: true });
      t.is((await operations.waitForBuild({ id })).status, 'passing');
    };
    await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    await build();
    let isBusy = true;
    let added = 0;
    const adding = async (): Promise<void> => {
      for (; isBusy; added++) {
        await operations.createProject({ name: `p${added}`, settings: { url: `https://h.invalid/${added}` } });
        // More of them at once would prove nothing more.
        await setTimeout(10);
      }
    };
    const building = async (): Promise<void> => {
      for (let number = 1; isBusy; number++) {
        mark(number);
        await build();
      }
    };
    const work = Promise.all([adding(), building()]);
    const acknowledged: number[] = [];
    for (const name of ['1', '2', '3']) {
      acknowledged.push(added);
      await succeed('backup', join(cwd, name));
    }
    isBusy = false;
    await work;
    t.is(await server.stop('SIGTERM'), 0);
    for (const [i, name] of ['1', '2', '3'].entries()) {
      const other = createService(t);
      await other.succeed('restore', join(cwd, name));
      const list = JSON.parse(await other.succeed('project', 'list', '--json')) as readonly { readonly name: string }[];
      const names = new Set(list.map((project) => project.name));
      for (let j = 0; j < acknowledged[i]!; j++) t.true(names.has(`p${j}`));
      // A site that changed all the time is left out, which the server mends. Before it starts, since it would build again.
      const folder = join(other.base, 'sites/guide/site/en/main');
      const pages = existsSync(folder) ? readdirSync(folder).filter((path) => /^p\d+\.html$/.test(path)) : [];
      t.true(pages.length === 0 || pages.length === 20);
      const marks = new Set(pages.map((path) => /mark (\d+)\./.exec(readFileSync(join(folder, path), 'utf8'))![1]));
      t.is(marks.size, Math.min(pages.length, 1), `${[...marks]}`);
      if (i > 0) continue;
      const restored = await spawnServer(t, other.cwd);
      await waitUntil(async () => (await fetch(`${restored.origin}/docs/guide/en/main/p0.html`)).status === 200);
      t.is(await restored.stop('SIGTERM'), 0);
    }
  },
);

test.serial('restore: a backup that is damaged in any way changes nothing', async (t) => {
  const { cwd, base, succeed, fail } = createService(t);
  await fillBase(base);
  const good = join(cwd, 'good');
  await succeed('backup', good);
  t.regex(await succeed('restore', '--check', good), /is whole/);
  const bytes = readFileSync(good);
  const tar = gunzipSync(bytes);
  const flip = (buffer: Buffer, at: number): Buffer => {
    const copy = Buffer.from(buffer);
    copy[at]! ^= 1;
    return copy;
  };
  const at = tar.indexOf('<!doctype');
  const damaged: Readonly<Record<string, Buffer>> = {
    truncated: bytes.subarray(0, bytes.length - 100),
    flipped: flip(bytes, bytes.length >> 1),
    'other page': gzipSync(flip(tar, at + 200)),
    'other record': gzipSync(flip(tar, tar.indexOf('"guide"') + 2)),
    'no end': gzipSync(tar.subarray(0, tar.length - 4096)),
    'no tar': gzipSync(Buffer.from('hello')),
    empty: Buffer.alloc(0),
  };
  const before = hashTree(base);
  for (const [name, content] of Object.entries(damaged)) {
    writeFileSync(join(cwd, 'bad'), content);
    t.regex(
      await fail('restore', '--replace', join(cwd, 'bad')),
      /Cannot use backup ".*": .*nothing was changed/,
      name,
    );
    t.deepEqual(compareTrees(before, hashTree(base)), [], name);
  }
  for (const name of ['../evil', 'sites/../evil/site.json', 'logs/a/../../evil.log', '/tmp/evil', 'sites/a/.x']) {
    const path = join(cwd, 'outside');
    const file = await createBackupFile(path, { mayReplace: true });
    await file.add('backup.json', Buffer.from('{"format":1,"hasSites":true}'));
    await file.add(name, Buffer.from('{}'));
    await file.finish();
    t.regex(await fail('restore', '--replace', path), /it has a file "|nothing was changed/, name);
    t.deepEqual(compareTrees(before, hashTree(base)), [], name);
  }
  const site = { groups: [['a', '', [['index.html', '0'.repeat(64)]]]] };
  for (const [name, content] of [
    ['sites/guide/site.json', JSON.stringify(site)],
    ['sites/guide/site.json', '{"groups":[["a","",[["../x","y"]]]]}'],
    ['sites/guide/site.json', '{"groups":1}'],
    ['records/projects/0.jsonl', '{"name":1}'],
    ['records/projects/0.jsonl', '{'],
    [`sites/guide/${'0'.repeat(64)}`, 'other bytes'],
  ] as const) {
    const path = join(cwd, 'wrong');
    const file = await createBackupFile(path, { mayReplace: true });
    await file.add('backup.json', Buffer.from('{"format":1,"hasSites":true}'));
    await file.add(name, Buffer.from(content));
    await file.finish();
    t.regex(
      await fail('restore', '--replace', path),
      /Cannot use backup|A site has a file with the path "\.\.\/x"/,
      content,
    );
    t.deepEqual(compareTrees(before, hashTree(base)), [], content);
  }
  const newer = join(cwd, 'newer');
  const file = await createBackupFile(newer);
  await file.add('backup.json', Buffer.from('{"format":99,"hasSites":false}'));
  await file.finish();
  t.regex(await fail('restore', '--replace', newer), /a newer docbuild has written it/);
  t.regex(await fail('restore', join(cwd, 'missing')), /has records; add --replace/);
  t.regex(await fail('restore', '--replace', join(cwd, 'missing')), /does not exist/);
});

postgresTest('restore: one that is killed anywhere leaves a store that nothing opens, and goes on', async (t) => {
  const { createDatabase, url } = await cluster();
  const source = createService(t);
  await fillBase(source.base, { builds: 1_500 });
  const backup = join(source.cwd, 'backup');
  await source.succeed('backup', backup);
  for (const configuration of ['', `store: '${url(await createDatabase())}'\n`]) {
    const { runApart, base, succeed, fail, cwd } = createService(t, configuration);
    for (const stage of ['Sites', 'Records', 'Logs']) {
      const killed = await runApart(['restore', backup], (child) => {
        child.stderr!.on('data', (text: string) => void (text.includes(stage) && child.kill('SIGKILL')));
      });
      t.is(killed.code, null, stage);
      t.regex(await fail('project', 'list'), /bringing records there was interrupted/);
      t.regex(await fail('backup', join(cwd, 'half')), /bringing records there was interrupted/);
    }
    await succeed('restore', backup);
    if (configuration === '') await compareBases(t, source.base, base);
    else t.is((JSON.parse(await succeed('project', 'list', '--json')) as object[]).length, 2);
  }
});

postgresTest('restore: overwrites records only when told so, and never while a server uses them', async (t) => {
  const { createDatabase, url } = await cluster();
  const database = url(await createDatabase());
  const source = createService(t);
  await fillBase(source.base);
  const backup = join(source.cwd, 'backup');
  await source.succeed('backup', backup);
  t.regex(await source.fail('backup', backup), /exists already/);
  const files = createService(t);
  const shared = createService(t, `store: '${database}'\n`);
  for (const { succeed, fail } of [files, shared]) {
    await succeed('project', 'create', 'other', '--url', 'https://code.example/owner/other.git');
    t.regex(await fail('restore', backup), /has records; add --replace/);
    t.regex(await succeed('project', 'list'), /other/);
  }
  const store = await openStore(t, join(files.base, 'store'));
  // This process has the locks itself.
  const refuse = async ({ runApart }: typeof files): Promise<string> => {
    const { code, stderr } = await runApart(['restore', '--replace', backup]);
    t.is(code, 1);
    return stderr;
  };
  t.regex(await refuse(files), /is using it/);
  await store.close();
  const node = await openPostgresStore({ url: database, onWarning: t.fail });
  t.regex(await refuse(shared), /is using it; stop it first/);
  await node.close();
  for (const { succeed } of [files, shared]) {
    await succeed('restore', '--replace', backup);
    t.notRegex(await succeed('project', 'list'), /other/);
  }
  await compareBases(t, source.base, files.base);
});

postgresTest('restore: replacing removes sites and logs of projects that the backup does not have', async (t) => {
  const { createDatabase, url } = await cluster();
  const source = createService(t);
  await fillBase(source.base);
  // Takes long enough to be killed in the middle.
  const large = createService(t);
  await fillBase(large.base, { builds: 1_500 });
  const long = join(large.cwd, 'long');
  await large.succeed('backup', long);
  const [whole, records] = ['whole', 'records'].map((name) => join(source.cwd, name)) as [string, string];
  await source.succeed('backup', whole);
  await source.succeed('backup', '--no-sites', records);
  for (const isShared of [false, true]) {
    const database = url(await createDatabase());
    const { base, runApart, succeed } = createService(t, isShared ? `store: '${database}'\n` : '');
    const addGone = async (): Promise<void> => {
      await publishFiles(siteFolder(join(base, 'sites'), 'gone'), { 'index.html': 'gone' });
      const vault = await openVault(isShared ? database : base, { mustExist: false, onWarning: t.fail });
      const { writer } = await vault.logs.open('gone', 'b1');
      writer.write('A line');
      await writer.end();
      await vault.logs.writeProblems('gone-too', 'b2', '[]');
      await vault.close();
    };
    const listLeft = async (): Promise<readonly string[]> => {
      const vault = await openVault(isShared ? database : base, { mustExist: false, onWarning: t.fail });
      const names = await vault.logs.listProjects();
      await vault.close();
      return [
        ...names.map((name) => `log of ${name}`),
        ...readdirSync(join(base, 'sites')).map((name) => `site ${name}`),
      ];
    };
    const rest = ['log of guide', 'site b', 'site foreign', 'site guide'];
    mkdirSync(join(base, 'sites', 'foreign', 'site'), { recursive: true });
    await addGone();
    const message = /of what the backup does not have: gone, gone-too$/m;
    t.regex(await succeed('restore', whole), message);
    t.deepEqual((await listLeft()).filter((left) => left.includes('gone')).length, 3);
    // Nothing is removed before everything is there; another one removes it.
    const killed = await runApart(['restore', '--replace', long], (child) => {
      child.stderr!.on('data', (text: string) => void (text.includes('Logs') && child.kill('SIGKILL')));
    });
    t.is(killed.code, null);
    t.deepEqual((await listLeft()).filter((left) => left.includes('gone')).length, 3);
    t.regex(await succeed('restore', '--replace', whole), message);
    t.deepEqual(await listLeft(), rest);
    t.notRegex(await succeed('restore', '--replace', whole), /does not have/);
    await addGone();
    t.regex(await succeed('restore', '--replace', records), message);
    t.deepEqual(await listLeft(), rest);
  }
});

postgresTest('restore: replacing removes the site of a project where the backup left it out', async (t) => {
  const { createDatabase, url } = await cluster();
  const source = createService(t);
  await fillBase(source.base);
  writeFileSync(join(siteFolder(join(source.base, 'sites'), 'b'), '.docbuild.json'), '');
  const backup = join(source.cwd, 'backup');
  t.regex(await source.succeed('backup', backup), /Sites left out, .*: b$/m);
  const { base, succeed } = createService(t, `store: '${url(await createDatabase())}'\n`);
  await fillBase(base);
  await succeed('restore', '--replace', backup);
  // The server finds that there is none, and builds it.
  t.deepEqual(readdirSync(join(base, 'sites')), ['guide']);
});

test.serial('restore: without sites the server builds them again', async (t) => {
  const source = createService(t);
  await fillBase(source.base);
  const backup = join(source.cwd, 'backup');
  await source.succeed('backup', '--no-sites', backup);
  const { base, succeed } = createService(t);
  await succeed('restore', backup);
  t.false(existsSync(join(base, 'sites')));
  t.regex(await succeed('project', 'list'), /guide/);
});

test.serial(
  'backup: names sites that the bucket lacks something of, and writes nothing while S3 is away',
  async (t) => {
    const s3 = await serveS3(t);
    const files = createService(t);
    await fillBase(files.base);
    const first = join(files.cwd, 'first');
    await files.succeed('backup', first);
    const { cwd, succeed, fail } = createService(t, `sites: s3://docs/a?endpoint=${s3.url}\n`);
    await succeed('restore', first);
    const objects = s3.buckets.get('docs')!;
    const lost = [...objects.keys()].find((key) => key.startsWith('a/b/'))!;
    objects.delete(lost);
    t.regex(await succeed('backup', join(cwd, 'second')), /1 site, .*\nSites left out, .*: b\n/);
    s3.fault = () => 500;
    t.regex(await fail('backup', join(cwd, 'third')), /^Error: Bucket "docs" at .* answered 500/m);
    t.deepEqual(readdirSync(cwd).sort(), ['base', 'docbuild.yml', 'second']);
  },
);
