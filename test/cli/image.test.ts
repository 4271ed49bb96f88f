import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createServer } from '../helpers/create-server.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';

test('docbuild image import fills the archive of a running server, altogether or not at all', async (t) => {
  const server = await createServer(t, 'utility: {image: {base_url: "http://127.0.0.1:9"}}\n');
  const day = (i: number): string => new Date(Date.UTC(2025, 5, 6 + i)).toISOString().slice(0, 10);
  // More than an operation with other input has.
  const entries = Array.from({ length: 150 }, (_, i) => ({
    date: day(i),
    urlbase: `/th?id=OHR.Picture${i}`,
    title: `Title ${i}`,
    copyright: 'x'.repeat(9_000),
  }));
  const file = join(server.folder, 'archive.json');
  const run = async (content: readonly object[], ...flags: string[]) => {
    writeFileSync(file, JSON.stringify(content));
    return runCommand(['image', 'import', file, ...flags], { cwd: server.folder });
  };
  const broken = await run([...entries, { date: day(3) }]);
  t.deepEqual([broken.code, broken.stdout], [2, '']);
  t.regex(broken.stderr, /Image 151: "urlbase" must be a text/);
  t.is((await server.get('/openservice/betapic?json&d=20250606')).status, 404);

  const first = await run(entries);
  t.deepEqual([first.code, first.stdout], [0, 'Added 150, replaced 0, unchanged 0\n']);
  const shown = (await (await server.get('/openservice/betapic?json&d=20250609')).json()) as { data: object };
  t.like(shown.data, { title: 'Title 3', urlbase: '/th?id=OHR.Picture3' });

  const changed = [{ ...entries[0]!, title: 'Another' }, entries[1]!, { ...entries[2]!, date: '2020-01-01' }];
  t.is(
    (await run(changed)).stdout,
    'Added 0, replaced 0, unchanged 1\nDays with another image, which was kept: 1; --replace replaces it\nImages from before the first day, which were left out: 1\n',
  );
  const replaced = await run(changed, '--replace', '--json');
  t.deepEqual(JSON.parse(replaced.stdout), { added: 0, replaced: 1, kept: 0, unchanged: 1, tooEarly: 1 });
  const missing = await runDocbuild(['image', 'import', 'nothing.json'], { cwd: server.folder });
  t.is(missing.code, 2);
  t.regex(missing.stderr, /Cannot read "nothing\.json": ENOENT/);
});
