import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { DataError } from '../../../../data/data-error.ts';
import type { Build } from '../../../../data/records/build.ts';
import { hashBytes } from '../../../../platform/sites/s3/edition.ts';
import type { S3Sites } from '../../../../platform/sites/s3/s3-sites.ts';
import { closeFile } from '../../../../platform/sites/site-files.ts';
import { siteFolder } from '../../../../platform/sites/site-storage.ts';
import { createBuild } from '../../../helpers/create-records.ts';
import { createRealS3Setup, createS3Setup } from '../../../helpers/create-s3-setup.ts';
import { listOpenFiles } from '../../../helpers/open-files.ts';
import { takeDownFiles } from '../../../helpers/publish-files.ts';
import { s3Test } from '../../../helpers/share-s3.ts';
import { waitUntil } from '../../../helpers/wait-until.ts';
import { readText } from '../storage-contract.ts';
import { testS3Faults } from './fault-contract.ts';

const WORDS = 'Words about documentation. '.repeat(200);
const FILES = {
  'index.html': WORDS,
  'en/v1/a.html': `${WORDS} a`,
  'en/v1/b.html': 'b',
  'image.png': randomBytes(3_000),
};

/** The hash of 9 MB of "x". */
const LARGE = hashBytes(Buffer.alloc(9_000_000, 'x'));

testS3Faults('S3 faults', (title, implementation) => test.serial(title, implementation), createS3Setup);
testS3Faults('faults of a real S3 server', s3Test, createRealS3Setup);

test.serial('S3 faults: however many requests of an upload wait to be repeated, Node warns of no leak', async (t) => {
  const { s3, open, publish } = await createS3Setup(t);
  const failed = new Set<string>();
  s3.fault = (method, path) => {
    if (method !== 'PUT' || failed.has(path)) return undefined;
    failed.add(path);
    return 500;
  };
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  t.teardown(() => process.off('warning', note));
  await publish(open(), Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.bin`, randomBytes(100)])));
  t.true(failed.size > 40);
  t.deepEqual(warnings, []);
});

test.serial('S3 faults: an upload ends with its build, and the next one uploads only what is missing', async (t) => {
  const { s3, open, publish, objects } = await createS3Setup(t);
  const opened = open();
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`en/v1/page-${i}.html`, `${WORDS} ${i} ${randomBytes(20).toString('hex')}`]),
  );
  const cancel = new AbortController();
  let puts = 0;
  s3.before = async (method) => {
    if (method === 'PUT' && ++puts === 40) cancel.abort();
  };
  await t.throwsAsync(publish(opened, files, { signal: cancel.signal }));
  t.is(await readText(await opened.sites.find('guide'), '/en/v1/page-1.html'), 'missing');
  s3.before = undefined;
  const kept = objects().size;
  t.true(kept >= 30 && kept < 100, String(kept));
  const upload = await publish(opened, files, { build: 'b2' });
  t.is(upload!.objects, objects().size - kept);
  t.is(await readText(await opened.sites.find('guide'), '/en/v1/page-1.html'), files['en/v1/page-1.html']!);
  await t.throwsAsync(publish(opened, { 'a.html': randomBytes(100) }, { build: 'b3', timeoutMs: 1 }), {
    message: 'Cannot upload the site: it took longer than 0.001 s',
  });
});

test.serial('S3 faults: a build that another one has overtaken publishes nothing', async (t) => {
  const { s3, open, publish } = await createS3Setup(t);
  const [slow, quick] = [open(), open()];
  let release = () => {};
  const isHeld = new Promise<void>((held) => {
    s3.before = async (method) => {
      if (method !== 'PUT') return;
      s3.before = undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      held();
      await released;
    };
  });
  const late = publish(slow, { 'a.html': 'from a node that was cut off' });
  await isHeld;
  await publish(quick, { 'a.html': 'newest' }, { build: 'b2' });
  release();
  await t.throwsAsync(late, { message: 'Another build has begun to publish this project' });
  for (const { sites } of [slow, quick]) t.is(await readText(await sites.find('guide'), '/a.html'), 'newest');
});

test.serial('S3 faults: a build that is not the one that runs any more takes no other one’s place', async (t) => {
  const { open, publish, projects, builds } = await createS3Setup(t);
  const [cutOff, other, reader] = [open(), open(), open()];
  const [first, second] = [createBuild({ status: 'running' }), createBuild({ status: 'running' })];
  const isCurrent = (stored: Build | undefined): boolean => stored?.status === 'running';
  const shown = async (): Promise<string> => readText(await reader.sites.find('guide'), '/a.html');
  const end = (id: string) => builds.change(id, (build) => ({ ...build, status: 'interrupted' }));
  await builds.add(first);
  await end(first.id);
  await builds.add(second);
  await publish(other, { 'a.html': 'push 90' }, { build: second.id, isCurrent });
  const before = await projects.find('guide');
  // It had asked whether it may publish before it was ended, and only now begins to.
  const refused = {
    code: 'taken',
    message: 'This build was cancelled or is run again elsewhere, and publishes nothing',
  };
  await t.throwsAsync(publish(cutOff, { 'a.html': 'push 89' }, { build: first.id, isCurrent }), refused as never);
  t.is(await shown(), 'push 90');
  t.deepEqual(await projects.find('guide'), before);
  // Nor does one that is ended while it uploads, nor one that nobody knows, as of a project that was removed and added again.
  const ended: typeof builds = {
    ...builds,
    async changeProject(name, id, change) {
      const changed = await builds.changeProject(name, id, change);
      if (changed.site?.staged?.build === id) await end(id);
      return changed;
    },
  };
  const third = createBuild({ status: 'running' });
  await builds.add(third);
  const late = publish(open({ builds: ended }), { 'a.html': 'push 91' }, { build: third.id, isCurrent });
  await t.throwsAsync(late, refused as never);
  await t.throwsAsync(publish(cutOff, { 'a.html': 'push 88' }, { build: 'unknown', isCurrent }), refused as never);
  t.is(await shown(), 'push 90');
  t.deepEqual(await projects.find('guide'), before, 'garbage is not kept for them');
});

test.serial(
  'S3 faults: what a build says of its versions is stored with what it publishes, or not at all',
  async (t) => {
    const { open, publish, projects } = await createS3Setup(t);
    const describe =
      (...refs: string[]): NonNullable<Parameters<S3Sites['publish']>[0]['changeProject']> =>
      (project) => ({
        ...project,
        versions: refs.map((ref) => ({
          ref,
          kind: 'branch',
          oid: 'a'.repeat(40),
          builtAt: '2026-01-02T03:04:05.000Z',
        })),
        publishedBy: refs.join(),
      });
    const opened = open();
    await publish(opened, { 'a.html': 'a' }, { changeProject: describe('main', 'v1') });
    const before = (await projects.find('guide'))!;
    t.deepEqual([before.publishedBy, before.versions.length, before.site!.staged], ['main,v1', 2, undefined]);
    const refused = { build: 'b2', changeProject: describe('main'), isCurrent: () => false };
    await t.throwsAsync(publish(opened, { 'a.html': 'b' }, refused), { code: 'taken' } as never);
    t.deepEqual(await projects.find('guide'), before);
  },
);

test.serial(
  'S3 faults: what a slow reader looked up before is neither shown after a newer edition nor in its place',
  async (t) => {
    const { s3, open, publish, projects } = await createS3Setup(t);
    const builder = open();
    await publish(builder, { 'a.html': 'push 89' });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    const slow: Pick<typeof projects, 'find'> = {
      async find(name) {
        const project = await projects.find(name);
        if (isHeld) {
          isHeld = false;
          await released;
        }
        return project;
      },
    };
    const { sites } = open({ projects: slow, waitMs: 2_000 });
    isHeld = true;
    const late = (async () => readText(await sites.find('guide'), '/a.html'))();
    await waitUntil(() => !isHeld);
    const shown = async (): Promise<string> => readText(await sites.find('guide'), '/a.html');
    await publish(builder, { 'a.html': 'push 90' }, { build: 'b2' });
    t.is(await shown(), 'push 90');
    release();
    t.is(await late, 'push 90');
    // What comes next cannot be had: readers go on with what they were shown.
    await publish(builder, { 'a.html': 'push 91' }, { build: 'b3' });
    s3.fault = () => 'cut';
    t.is(await shown(), 'push 90');
    s3.fault = undefined;
    await waitUntil(async () => (await shown()) === 'push 91');
    t.is(await shown(), 'push 91');
  },
);

test.serial('S3 faults: what was taken down is not shown in the place of what comes next', async (t) => {
  const { s3, open, publish, projects } = await createS3Setup(t);
  const builder = open();
  const { sites } = open({ waitMs: 300 });
  const show = async (): Promise<string> => readText(await sites.find('guide'), '/a.html');
  await publish(builder, { 'a.html': 'first' });
  t.is(await show(), 'first');
  takeDownFiles(siteFolder(builder.sites.folder, 'guide'));
  const order = { project: 'guide', timeoutMs: 60_000, signal: new AbortController().signal };
  await builder.sites.publish({ ...order, build: 'b2' });
  t.is((await projects.find('guide'))!.site!.edition, '');
  t.is(await show(), 'missing');
  await publish(builder, { 'a.html': 'second' }, { build: 'b3' });
  s3.fault = () => 'cut';
  await t.throwsAsync(show(), { code: 'busy' } as never);
  s3.fault = undefined;
  await waitUntil(async () => (await show().catch(() => '')) === 'second');
  t.is(await show(), 'second');
});

test.serial('S3 faults: a build that has uploaded its site waits for a store that is busy', async (t) => {
  const { open, publish, builds } = await createS3Setup(t);
  let refusals = 2;
  const busy: typeof builds = {
    ...builds,
    changeProject: async (...given) => {
      if (refusals-- > 0) throw new DataError('busy', 'The database is away');
      return builds.changeProject(...given);
    },
  };
  const opened = open({ builds: busy });
  await publish(opened, { 'a.html': 'a' });
  refusals = 1;
  await publish(opened, { 'a.html': 'b' }, { build: 'b2' });
  t.is(await readText(await opened.sites.find('guide'), '/a.html'), 'b');
});

test.serial('S3 faults: a publication that the store has made without saying so is made', async (t) => {
  const { projects, builds, open, publish } = await createS3Setup(t);
  const next = { build: 'b3', day: '2024-01-02' };
  let lost = 0;
  const forgetful: typeof builds = {
    ...builds,
    async changeProject(name, ...given) {
      const changed = await builds.changeProject(name, ...given);
      if (changed.site?.staged || ++lost > 2) return changed;
      if (lost === 2) await projects.change(name, (now) => ({ ...now, site: { ...now.site!, staged: next } }));
      throw new DataError('unwritable', 'The connection was lost');
    },
  };
  const { sites } = open();
  await publish(open({ builds: forgetful }), { 'a.html': 'a' }, { build: 'b2' });
  t.is(lost, 2);
  t.is(await readText(await sites.find('guide'), '/a.html'), 'a');
  t.deepEqual((await projects.find('guide'))!.site!.staged, next);
});

test.serial('S3 faults: what many ask for at once is fetched once', async (t) => {
  const { s3, open, publish } = await createS3Setup(t);
  await publish(open(), FILES);
  const { sites } = open();
  s3.requests.length = 0;
  const texts = await Promise.all(
    Array.from({ length: 100 }, async () => readText(await sites.find('guide'), '/en/v1/a.html')),
  );
  t.deepEqual([...new Set(texts)], [`${WORDS} a`]);
  const gets = s3.requests.filter((request) => request.startsWith('GET'));
  t.is(gets.length, new Set(gets).size);
  t.is(gets.length, 4, 'the root, the lists of two folders, and the page');
});

test.serial('S3 faults: what some readers still hold of a large file is not loaded again for others', async (t) => {
  const { open, publish } = await createS3Setup(t);
  const large = { 'image.bin': randomBytes(5_000_000), 'words.txt': WORDS.repeat(1_000) };
  await publish(open(), large);
  const { sites } = open();
  const site = await sites.find('guide');
  for (const [path, bytes] of Object.entries(large)) {
    const [first, second] = [await site.open(`/${path}`), await site.open(`/${path}`)];
    t.true(first!.content!.body.equals(Buffer.from(bytes as Buffer)), path);
    t.true(first!.content!.body.buffer === second!.content!.body.buffer, path);
    t.is(second!.content!.body.length, bytes.length, path);
  }
});

test.serial('S3 faults: what is damaged on disk is fetched again', async (t) => {
  const { open, publish } = await createS3Setup(t);
  const opened = open();
  await publish(opened, { ...FILES, 'large.bin': Buffer.alloc(9_000_000, 'x') });
  const cached = readdirSync(opened.cacheFolder);
  t.true(cached.length > 5);
  for (const name of cached) writeFileSync(join(opened.cacheFolder, name), 'damaged');
  const { sites } = open({ folder: join(opened.cacheFolder, '..') });
  for (const path of ['/index.html', '/en/v1/a.html', '/en/v1/b.html', '/image.png', '/large.bin']) {
    t.is(
      (await readText(await sites.find('guide'), path)).length,
      (await readText(await opened.sites.find('guide'), path)).length,
      path,
    );
  }
});

test.serial('S3 faults: a large file that comes too late is closed again', async (t) => {
  const { s3, open, publish } = await createS3Setup(t);
  await publish(open(), { 'large.bin': Buffer.alloc(9_000_000, 'x') });
  const { sites } = open({ waitMs: 2_000 });
  const site = await sites.find('guide');
  await site.find({ path: '/large.bin', isFolder: false });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  s3.before = () => released;
  const isOpen = () => listOpenFiles(LARGE).length > 0;
  await t.throwsAsync(async () => site.open('/large.bin'), { code: 'busy' } as never);
  release();
  const openLate = async () => site.open('/large.bin');
  let file: Awaited<ReturnType<typeof openLate>>;
  await waitUntil(async () => {
    file = await openLate().catch((error: { code?: string }) => {
      if (error.code !== 'busy') throw error;
      return undefined;
    });
    return file !== undefined;
  });
  t.true(isOpen());
  closeFile(file!);
  await waitUntil(() => !isOpen());
  t.false(isOpen());
});

test.serial('S3 faults: what S3 has lost of an edition is uploaded again by a build that looks for it', async (t) => {
  const { s3, open, publish, objects } = await createS3Setup(t);
  s3.pageSize = 3;
  const files = { ...FILES, 'large.bin': Buffer.alloc(9_000_000, 'x') };
  const first = open();
  await publish(first, files);
  const whole = objects().size;
  const before = [...objects().keys()];
  for (const [at, lost] of before.entries()) {
    (objects() as Map<string, Buffer>).delete(lost);
    await publish(first, files, { build: `quick-${at}` });
    t.false(objects().has(lost), 'what is taken for granted');
    t.is((await publish(first, files, { build: `thorough-${at}`, isThorough: true }))!.objects > 0, true, lost);
    t.is(objects().size, whole);
  }
  const { sites } = open();
  for (const [path, text] of Object.entries(FILES)) {
    t.is(await readText(await sites.find('guide'), `/${path}`), text.toString(), path);
  }
});

test.serial('S3 faults: a site that this release cannot read is reported', async (t) => {
  const { open, projects } = await createS3Setup(t);
  await projects.change('guide', (project) => ({
    ...project,
    site: { edition: 'of another kind', staged: undefined },
  }));
  const { sites, errors } = open();
  await t.throwsAsync(async () => readText(await sites.find('guide'), '/index.html'), { code: 'busy' } as never);
  t.deepEqual(
    errors.map(({ message }) => message),
    ['"of another kind" is no edition of a site'],
  );
});

test.serial('S3 faults: a folder that is full makes room, and a disk that refuses is done without', async (t) => {
  const { open, publish } = await createS3Setup(t);
  const files = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${i}.bin`, randomBytes(8_000_000)]));
  await publish(open(), files);
  const { sites, cacheFolder } = open({ cacheMb: 50 });
  for (let round = 0; round < 2; round++) {
    for (const [path, bytes] of Object.entries(files)) {
      const site = await sites.find('guide');
      await site.find({ path: `/${path}`, isFolder: false });
      const file = await site.open(`/${path}`);
      t.true(file?.content?.body.equals(bytes as Buffer));
      const used = readdirSync(cacheFolder).reduce(
        (sum, name) => sum + readFileSync(join(cacheFolder, name)).length,
        0,
      );
      t.true(used <= 50_000_000, String(used));
    }
  }
  const { sites: others, cacheFolder: refused, warnings } = open();
  await others.find('guide');
  // A file is where the folder should be.
  rmSync(refused, { recursive: true, force: true });
  writeFileSync(refused, '');
  t.true(existsSync(refused));
  const site = await others.find('guide');
  await site.find({ path: '/3.bin', isFolder: false });
  t.true((await site.open('/3.bin'))?.content?.body.equals(files['3.bin']!));
  t.regex(warnings.join('\n'), /Cannot keep contents of sites in /);
});

test.serial(
  'sites in S3: files of the theme stay where another node, which never had them, builds the next site',
  async (t) => {
    const { open, publish, objects } = await createS3Setup(t);
    const [first, second] = [open(), open()];
    const style = (hash: string) => `_docbuild/site.${hash}.css`;
    const read = async (hash: string) => readText(await first.sites.find('guide'), `/${style(hash)}`);
    await publish(first, { 'index.html': 'one', [style('11111111')]: 'one' });
    await publish(second, { 'index.html': 'two', [style('22222222')]: 'two' }, { build: 'b2' });
    t.deepEqual([await read('11111111'), await read('22222222')], ['one', 'two']);
    const uploaded = objects().size;
    // What this node had before is not what readers had last.
    await publish(first, { 'index.html': 'three', [style('22222222')]: 'two' }, { build: 'b3' });
    t.deepEqual([await read('11111111'), await read('22222222')], ['one', 'two']);
    t.true(objects().size <= uploaded + 3, 'the page, a list and the root are new');
    await publish(first, { 'index.html': 'four', [style('33333333')]: 'three' }, { build: 'b4' });
    t.deepEqual([await read('11111111'), await read('22222222'), await read('33333333')], ['missing', 'two', 'three']);
  },
);
