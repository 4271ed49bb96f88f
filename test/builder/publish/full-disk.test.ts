import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { stageSite } from '../../../builder/publish/stage-site.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { diskTest, mountDisk } from '../../helpers/mount-disk.ts';
import { publishTo, readSite, sketchSite } from './publish-to.ts';

diskTest('openOutput() says that the disk is full and leaves the old site', async (t) => {
  const disk = mountDisk(t, 'size=1m');
  const out = join(disk, 'out');
  const small = { 'a.html': 'x'.repeat(100_000), 'b.html': 'y' };
  await publishTo(out, small);
  const big = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.html`, String(at).repeat(50_000)]));
  await t.throwsAsync(publishTo(out, { ...small, ...big }), {
    name: 'BuildError',
    code: 'disk-full',
    message: /No space left.*the old one is still in place/,
  } as object);
  t.deepEqual(readSite(out), small);
  const next = { ...small, 'c.html': 'z'.repeat(100_000) };
  await publishTo(out, next);
  t.deepEqual(readSite(out), next);
});

diskTest('openOutput() says that the disk is full when it has no room for a single file', async (t) => {
  const disk = mountDisk(t, 'size=64k');
  try {
    writeFileSync(join(disk, 'filler'), Buffer.alloc(100_000));
  } catch {
    // That is what it is for.
  }
  await t.throwsAsync(publishTo(join(disk, 'out'), { a: 'x'.repeat(10) }), { code: 'disk-full' } as object);
});

diskTest('openOutput() says that no file can be added, and leaves the old site', async (t) => {
  const disk = mountDisk(t, 'size=10m,nr_inodes=40');
  const out = join(disk, 'out');
  const small = { 'a.html': '1' };
  await publishTo(out, small);
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at}.html`, String(at)]));
  await t.throwsAsync(publishTo(out, many), { code: 'disk-full' } as object);
  t.deepEqual(readSite(out), small);
});

diskTest('openOutput() refuses an output that is a disk of its own', async (t) => {
  const disk = mountDisk(t, 'size=1m');
  await t.throwsAsync(publishTo(disk, { a: '1' }), { code: 'unwritable', message: /not a mount point/ } as object);
  t.deepEqual(readSite(disk), {});
});

test.serial('stageSite() copies a file that has as many links as it may have', async (t) => {
  const staging = createFolder(t);
  const count = 65_100;
  const { site, contents } = sketchSite(
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`d${at >> 10}/${at}`, 'same'])),
  );
  const { written, linked } = await stageSite({
    staging,
    staged: undefined,
    source: undefined,
    site,
    produce: (key) => Buffer.from(contents.get(key)!),
    known: new Map(),
    room: 1e6,
  });
  t.deepEqual({ written, linked }, { written: 1, linked: count - 1 });
  t.is(statSync(join(staging, `d${(count - 1) >> 10}/${count - 1}`)).size, 4);
  t.log(`A file has up to ${statSync(join(staging, 'd0/0')).nlink} links here`);
});
