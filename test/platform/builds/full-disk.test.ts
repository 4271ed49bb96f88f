import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { diskTest, mountDisk } from '../../helpers/mount-disk.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

diskTest('server: a push that finds the disk of the sites full is published once there is room', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const disk = mountDisk(t, 'size=8m');
  const { operations, get } = await createServer(t, `sites: ${join(disk, 'sites')}\n`);
  await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const before = await operations.build({ name: 'guide', all: true });
  t.is((await operations.waitForBuild({ id: before.id })).status, 'passing');
  commitFiles(repository, { 'docs/index.md': '# Two\n', 'docs/more.md': `# More\n\n${'word '.repeat(100_000)}` });
  const filler = join(disk, 'filler');
  t.throws(() => writeFileSync(filler, Buffer.alloc(9_000_000)), { code: 'ENOSPC' });
  const { id } = await operations.build({ name: 'guide', all: true });
  const find = async () => (await operations.listBuilds({ project: 'guide' })).find((build) => build.id === id)!;
  await waitUntil(async () => (await find()).status === 'queued' && (await find()).reason !== '');
  t.regex((await find()).reason, /^No space left to write the site to "…\/sites/);
  t.regex(await (await get('/docs/guide/en/main/')).text(), /One/, 'the old site is in place');
  rmSync(filler);
  t.is((await operations.waitForBuild({ id })).status, 'passing');
  t.regex(await (await get('/docs/guide/en/main/')).text(), /Two/);
});
