import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { dayIn } from '../../platform/images/day.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { serveImages } from '../helpers/serve-images.ts';
import { spawnServer } from '../helpers/spawn-server.ts';
import { createMmdb } from '../helpers/write-mmdb.ts';
import { createXdb } from '../helpers/write-xdb.ts';

/** The command is one bundle, in which modules that are loaded late must be found, too. */
test('command: the bundle has what the utility API loads when it is first needed', async (t) => {
  const service = await serveImages(t, dayIn('Asia/Shanghai', new Date()));
  const folder = createFolder(t);
  const start = async (ip: string) => {
    writeFileSync(
      join(folder, 'docbuild.yml'),
      `base_dir: ./base\nutility: {image: {base_url: "${service.url}"}, ip: {${ip}}}\n`,
    );
    const server = await spawnServer(t, folder);
    const find = async (address: string) => {
      const answer = await fetch(`${server.origin}/openservice/ip/rest?ip=${address}`);
      return ((await answer.json()) as { data: { country: string } }).data.country;
    };
    return { server, find };
  };
  writeFileSync(join(folder, '4.xdb'), createXdb([['8.8.8.0', '8.8.8.255', 'A|B|C|D']]));
  writeFileSync(join(folder, '6.mmdb'), createMmdb({ '2400::/16': { country: 'E' } }));
  const first = await start('db4: 4.xdb, db6: 6.mmdb');
  t.deepEqual([await first.find('8.8.8.8'), await first.find('2400::1')], ['A', 'E']);
  const image = await fetch(`${first.server.origin}/openservice/betapic`, { redirect: 'manual' });
  t.is(image.status, 302, first.server.output());
  t.is(await first.server.stop('SIGTERM'), 0, first.server.output());
  const second = await start('');
  t.deepEqual([await second.find('223.5.5.5'), await second.find('2400:3200::1')], ['中国', '中国']);
  t.is(await second.server.stop('SIGTERM'), 0, second.server.output());
});
