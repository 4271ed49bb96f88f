import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { watchFolder } from '../../cli/watch-folder.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const POLL_MS = 20;

/** Watches a new folder, which holds these files; what has changed is in `changed`, by paths below it. */
function startWatching(
  t: ExecutionContext,
  files: readonly string[],
  {
    pollMs,
    ignored = new Set(),
  }: { readonly pollMs?: number | undefined; readonly ignored?: ReadonlySet<string> } = {},
) {
  const root = join(createFolder(t), 'root');
  const at = (path: string): string => join(root, path);
  const write = (path: string, text = 'x'): void => {
    mkdirSync(at(`${path}/..`), { recursive: true });
    writeFileSync(at(path), text);
  };
  for (const file of files) write(file);
  const changed: string[] = [];
  const watcher = watchFolder(root, {
    isIgnored: (path) => ignored.has(relative(root, path)),
    onChange: (path) => changed.push(relative(root, path)),
    onError: (error) => t.fail(error.message),
    pollMs,
  });
  t.teardown(() => watcher.close());
  return {
    root,
    changed,
    watcher,
    at,
    write,
    seen: (...paths: readonly string[]) => waitUntil(() => paths.every((path) => changed.includes(path))),
  };
}

test.serial('watching a folder: files are seen that appear at any moment after their folder', async (t) => {
  const { at, write, seen } = startWatching(t, ['first.md']);
  const files: string[] = [];
  for (let n = 0; n < 100; n++) {
    mkdirSync(at(`d${n}`));
    await seen(`d${n}`);
    const until = performance.now() + (n % 20) * 0.2;
    while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
    // Every other one comes with folders of its own, and all are older than the watcher, as from an archive.
    const file = n % 2 === 0 ? `d${n}/a.md` : `d${n}/deep/er/a.md`;
    write(file);
    utimesSync(at(file), 1, 1);
    files.push(file);
  }
  await seen(...files);
  t.is(files.length, 100);
});

test.serial('watching a folder: every save is seen, however soon it follows another', async (t) => {
  const { at, changed, write } = startWatching(t, ['a/b/c/page.md']);
  for (let n = 0; n < 200; n++) {
    changed.length = 0;
    write('a/b/c/page.md', `${n}`);
    await waitUntil(() => changed.length > 0);
    // The next save comes while this one is being read.
    for (let turn = 0; turn < n % 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  t.deepEqual(new Set(changed), new Set(['a/b/c/page.md']));
  t.is(readFileSync(at('a/b/c/page.md'), 'utf8'), '199');
});

for (const pollMs of [undefined, POLL_MS]) {
  const how = pollMs === undefined ? 'watching' : 'polling';

  test.serial(`${how} a folder: only what changes is reported`, async (t) => {
    const pages = Array.from({ length: 50 }, (_, n) => `d${n}/e/a.md`);
    const { at, changed, write, seen } = startWatching(t, pages, { pollMs });
    write('d49/e/a.md', 'other');
    await seen('d49/e/a.md');
    symlinkSync('..', at('d0/link'));
    write('new.md');
    await seen('d0/link', 'new.md');
    rmSync(at('d1/e/a.md'));
    renameSync(at('d2/e/a.md'), at('d2/e/b.md'));
    await seen('d1/e/a.md', 'd2/e/a.md', 'd2/e/b.md');
    const expected = ['d0/link', 'd1/e/a.md', 'd2/e/a.md', 'd2/e/b.md', 'd49/e/a.md', 'new.md'];
    t.deepEqual([...new Set(changed)].sort(), expected);
  });

  test.serial(`${how} a folder: folders that are moved, removed or replaced are still watched`, async (t) => {
    const { at, changed, write, seen } = startWatching(t, ['a/deep/one.md'], { pollMs });
    renameSync(at('a'), at('b'));
    await seen('a', 'b');
    changed.length = 0;
    write('b/deep/one.md', 'moved');
    await seen('b/deep/one.md');
    rmSync(at('b'), { recursive: true });
    await seen('b');
    changed.length = 0;
    write('b/deep/one.md', 'again');
    await seen('b/deep/one.md');
    for (let n = 0; n < 20; n++) {
      changed.length = 0;
      // As programs do that write a folder anew.
      rmSync(at('b'), { recursive: true });
      write('b/deep/one.md', `a new one, ${n}`);
      write('b/deep/two.md', 'beside it');
      await seen('b/deep/one.md');
      changed.length = 0;
      write('b/deep/two.md', `saved ${n}`);
      await seen('b/deep/two.md');
    }
    rmSync(at('b'), { recursive: true });
    write('b', 'a file');
    await seen('b');
    rmSync(at('b'));
    changed.length = 0;
    write('b/b/b.md');
    await seen('b/b/b.md');
    changed.length = 0;
    rmSync(at('b/b'), { recursive: true });
    await seen('b/b');
    t.true(
      changed.every((path) => path.startsWith('b/')),
      changed.join(),
    );
  });

  test.serial(`${how} a folder: what is ignored is not reported until it is no longer ignored`, async (t) => {
    const ignored = new Set(['docs/out', 'note.md']);
    const { changed, watcher, write, seen } = startWatching(t, ['docs/a.md', 'note.md'], { pollMs, ignored });
    write('docs/out/deep/a.md');
    write('note.md', 'other');
    write('docs/a.md', 'other');
    await seen('docs/a.md');
    t.deepEqual([...new Set(changed)], ['docs/a.md']);
    ignored.clear();
    watcher.refresh();
    await seen('docs/out');
    changed.length = 0;
    write('docs/out/deep/a.md', 'other');
    await seen('docs/out/deep/a.md');
    watcher.close();
    changed.length = 0;
    write('docs/out/deep/a.md', 'once more');
    await sleep(5 * POLL_MS);
    t.deepEqual(changed, []);
  });

  test.serial(`${how} a folder: it may disappear as a whole and come back`, async (t) => {
    const { root, changed, write, seen } = startWatching(t, ['docs/a.md'], { pollMs });
    rmSync(root, { recursive: true });
    await seen('');
    changed.length = 0;
    write('docs/b.md');
    await seen('');
    changed.length = 0;
    write('docs/b.md', 'other');
    await seen('docs/b.md');
    // As programs do that write a folder anew.
    changed.length = 0;
    rmSync(root, { recursive: true });
    write('docs/c.md');
    // Polling sees a folder as before, with another file.
    await seen(pollMs === undefined ? '' : 'docs/c.md');
    changed.length = 0;
    write('docs/c.md', 'other');
    await seen('docs/c.md');
    t.deepEqual(new Set(changed), new Set(['docs/c.md']));
  });
}
