import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { diskTest, mountDisk } from '../helpers/mount-disk.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';

/** Returns a small disk with some files and no room for more. */
function fillDisk(t: ExecutionContext, files: Readonly<Record<string, string>> = {}): string {
  const disk = mountDisk(t, 'size=64k');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(disk, name)), { recursive: true });
    writeFileSync(join(disk, name), text);
  }
  t.throws(() => writeFileSync(join(disk, 'fill'), Buffer.alloc(80_000)), { code: 'ENOSPC' });
  return disk;
}

for (const [command, file] of [
  ['init', 'docbuild.yml'],
  ['new', '.docbuild.yml'],
] as const) {
  diskTest(`docbuild ${command} on a full disk leaves no empty file, which it would keep the next time`, async (t) => {
    const cwd = fillDisk(t);
    const { code, stderr } = await runDocbuild([command], { cwd });
    t.is(code, 1);
    t.regex(stderr, /Cannot write .*no space left/);
    t.false(existsSync(join(cwd, file)));
  });
}

diskTest('docbuild migrate --force on a full disk leaves the file as it was', async (t) => {
  // More text than what the old file leaves free.
  const nav = Array.from({ length: 300 }, (_, n) => `{Page number ${n}: index.md}`);
  const files = {
    'docs/index.md': '# Home\n',
    '.docbuild.yml': 'title: Mine\n',
    'mkdocs.yml': `site_name: Guide\nnav: [${nav.join(', ')}]\n`,
  };
  const cwd = fillDisk(t, files);
  const { code, stderr } = await runDocbuild(['migrate', '--force'], { cwd });
  t.is(code, 1);
  t.regex(stderr, /Cannot write .*no space left/);
  t.is(readFileSync(join(cwd, '.docbuild.yml'), 'utf8'), 'title: Mine\n');
});
