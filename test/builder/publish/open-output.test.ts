import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openOutput } from '../../../builder/publish/open-output.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import fc from '../../helpers/fast-check.ts';
import { publishTo, readSite, type SiteSketch, sketchSite } from './publish-to.ts';
import { runChild } from './run-child.ts';

const first: SiteSketch = {
  'index.html': 'home',
  'en/a.html': 'A',
  'en/b.html': 'B',
  'en/deep/c.html': 'C',
  'zh/a.html': 'A',
};
const second: SiteSketch = {
  'index.html': 'home',
  'en/a.html': 'A2',
  'en/d.html': 'D',
  'zh/a.html': 'A',
  'zh/x/y.html': 'A2',
};

const inode = (path: string): number => statSync(path).ino;

test.serial('openOutput() publishes a site to a folder that does not exist, with the folders above', async (t) => {
  const out = join(createFolder(t), 'a/b/out');
  const { written, linked, bytes } = await publishTo(out, first);
  t.deepEqual(readSite(out), first);
  t.deepEqual({ written, linked, bytes }, { written: 4, linked: 1, bytes: 7 });
});

test.serial('openOutput() publishes to an empty folder', async (t) => {
  const out = createFolder(t);
  await publishTo(out, first);
  t.deepEqual(readSite(out), first);
});

test.serial('openOutput() keeps equal files once', async (t) => {
  const out = join(createFolder(t), 'out');
  await publishTo(out, first);
  t.is(inode(join(out, 'en/a.html')), inode(join(out, 'zh/a.html')));
});

test.serial('openOutput() writes only what is new, and removes old files and folders that became empty', async (t) => {
  const out = join(createFolder(t), 'out');
  await publishTo(out, first);
  const before = { home: inode(join(out, 'index.html')), a: inode(join(out, 'zh/a.html')) };
  t.deepEqual((await publishTo(out, second)).produced, ['A2', 'D']);
  t.deepEqual(readSite(out), second);
  t.deepEqual({ home: inode(join(out, 'index.html')), a: inode(join(out, 'zh/a.html')) }, before);
});

test.serial('openOutput() writes only what is new where nothing was prepared', async (t) => {
  const out = join(createFolder(t), 'out');
  const back = join(out, '../.out.docbuild/back');
  await publishTo(out, first, { preparesNext: false });
  t.false(existsSync(back));
  const before = { home: inode(join(out, 'index.html')), a: inode(join(out, 'zh/a.html')) };
  t.deepEqual((await publishTo(out, second, { preparesNext: false })).produced, ['A2', 'D']);
  t.deepEqual(readSite(out), second);
  t.deepEqual({ home: inode(join(out, 'index.html')), a: inode(join(out, 'zh/a.html')) }, before);
  t.deepEqual(readSite(back), first, 'what was published before is changed next');
});

test.serial('openOutput() produces nothing for a site that was published before', async (t) => {
  const out = join(createFolder(t), 'out');
  await publishTo(out, first);
  await publishTo(out, second);
  const { produced } = await publishTo(out, first);
  t.deepEqual(produced, []);
  t.deepEqual(readSite(out), first);
  t.deepEqual((await publishTo(out, first)).written, 0);
});

test.serial('openOutput() turns files to folders and folders to files', async (t) => {
  const out = join(createFolder(t), 'out');
  const sites: readonly SiteSketch[] = [
    { 'a/b': '1', c: '2' },
    { 'a/b/c': '1', 'c/d': '2' },
    { 'a/b': '1', c: '2' },
    { 'a/b/c/d': '3' },
    { 'x/y': '1' },
  ];
  for (const site of sites) {
    await publishTo(out, site);
    t.deepEqual(readSite(out), site);
  }
});

test.serial('openOutput() publishes any site after any other', async (t) => {
  const path = fc
    .tuple(fc.constantFrom('', 'en/', 'zh/'), fc.constantFrom('', 'x/', 'x/y/'), fc.constantFrom('1', '2', '3'))
    .map((parts) => parts.join(''));
  const sketch = fc.dictionary(path, fc.constantFrom('a', 'b', 'c', ''), { minKeys: 1, noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(fc.array(sketch, { minLength: 2, maxLength: 5 }), async (sites) => {
      const out = join(createFolder(t), 'out');
      for (const site of sites) {
        await publishTo(out, site);
        t.deepEqual(readSite(out), site);
        const inodes = new Map<string, number>();
        for (const [file, text] of Object.entries(site)) {
          const ino = inode(join(out, file));
          t.is(inodes.get(text) ?? ino, ino);
          inodes.set(text, ino);
        }
      }
    }),
    { numRuns: 100 },
  );
});

const edits: Readonly<Record<string, (out: string) => void>> = {
  'a file changed in place': (out) => appendFileSync(join(out, 'en/b.html'), 'changed'),
  'a file changed in place that stands twice': (out) => writeFileSync(join(out, 'zh/a.html'), 'changed'),
  'a file replaced': (out) => {
    unlinkSync(join(out, 'en/b.html'));
    writeFileSync(join(out, 'en/b.html'), 'changed');
  },
  'a file added': (out) => writeFileSync(join(out, 'en/deep/new.html'), 'new'),
  'a file added at the top': (out) => writeFileSync(join(out, 'new.html'), 'new'),
  'a folder added': (out) => mkdirSync(join(out, 'new')),
  'a file deleted': (out) => unlinkSync(join(out, 'en/deep/c.html')),
  'a folder deleted': (out) => rmSync(join(out, 'zh'), { recursive: true }),
  'a file renamed': (out) => renameSync(join(out, 'en/b.html'), join(out, 'en/z.html')),
  'a folder renamed': (out) => renameSync(join(out, 'zh'), join(out, 'de')),
  'a file linked elsewhere': (out) => linkSync(join(out, 'en/b.html'), join(out, 'zh/b.html')),
  'all deleted': (out) => rmSync(out, { recursive: true }),
  'the marker deleted': (out) => unlinkSync(join(out, '.docbuild.json')),
  'the state deleted': (out) => rmSync(join(out, '../.out.docbuild'), { recursive: true }),
  'the manifests cut off': (out) => {
    const state = join(out, '../.out.docbuild');
    for (const name of readdirSync(state).filter((file) => file.endsWith('.json')))
      writeFileSync(join(state, name), '{"format":2,');
  },
  'the manifests emptied': (out) => {
    const state = join(out, '../.out.docbuild');
    for (const name of readdirSync(state).filter((file) => file.endsWith('.json'))) {
      const { build } = JSON.parse(readFileSync(join(state, name), 'utf8')) as { build: string };
      writeFileSync(join(state, name), JSON.stringify({ format: 2, build }));
    }
  },
};
for (const [title, edit] of Object.entries(edits)) {
  for (const [next, site] of [
    ['the same site', first],
    ['another site', second],
  ] as const) {
    test.serial(`openOutput() mends ${title} when it publishes ${next}`, async (t) => {
      const out = join(createFolder(t), 'out');
      await publishTo(out, second);
      await publishTo(out, first);
      edit(out);
      await publishTo(out, site, { force: title === 'the marker deleted' });
      t.deepEqual(readSite(out), site);
      // The folder kept for the next publish must not bring the edit back.
      for (const later of [second, first, second]) {
        await publishTo(out, later);
        t.deepEqual(readSite(out), later);
      }
    });
  }
}

test.serial('openOutput() leaves everything as it was when producing fails', async (t) => {
  const out = join(createFolder(t), 'out');
  await publishTo(out, first);
  await t.throwsAsync(
    publishTo(out, second, { produce: (text) => (text === 'D' ? Promise.reject(new Error('no')) : text) }),
    { message: 'no' },
  );
  t.deepEqual(readSite(out), first);
  t.deepEqual((await publishTo(out, first)).produced, []);
  await publishTo(out, second);
  t.deepEqual(readSite(out), second);
});

/** A site of three parts, of which the one in the middle takes more than the others. */
const parted: SiteSketch = {
  'index.html': 'home',
  'new/a': 'new',
  'new/empty/deep/b': 'shared',
  'big/a': 'x'.repeat(50),
  'big/b': 'y'.repeat(50),
  'big/c': 'z'.repeat(50),
  'old/a': 'shared',
  'old/b': 'old',
};

test.serial('openOutput() names the parts of a site that do not fit, and finds the others staged', async (t) => {
  const out = join(createFolder(t), 'out');
  await publishTo(out, first);
  const { site, contents } = sketchSite(parted);
  const output = openOutput(out, { force: false, protect: [] });
  const produced: string[] = [];
  const publish = (names: readonly string[]) =>
    output.publish(new Map(names.map((name) => [name, site.get(name)!])), {
      produce(key) {
        produced.push(contents.get(key)!);
        return Buffer.from(contents.get(key)!);
      },
      notes: () => ({}),
      maxBytes: 100,
      parts: new Map(names.map((name) => [name, [name]])),
    });
  const result = await publish(['site', 'new/', 'big/', 'old/']);
  t.like(result, { misfits: { names: ['big/'], bytes: 4 + 3 + 6 + 150 + 3 } });
  t.deepEqual(readSite(out), first);
  produced.length = 0;
  t.like(await publish(['site', 'new/', 'old/']), { bytes: 16 });
  // What stood before the part that was too large is not made again.
  t.deepEqual(produced, ['old']);
  output.close();
  const published = Object.fromEntries(Object.entries(parted).filter(([path]) => !path.startsWith('big/')));
  t.deepEqual(readSite(out), published);
  for (const later of [first, published, second]) {
    await publishTo(out, later);
    t.deepEqual(readSite(out), later);
  }
});

test.serial(
  'openOutput() publishes random sites of which parts do not fit, from whatever was staged before',
  async (t) => {
    const group = fc.constantFrom<readonly (readonly [name: string, n: number])[]>(
      ...[[], [['1', 3] as const], [['1', 3] as const, ['2/3', 5] as const], [['1', 60] as const, ['4', 3] as const]],
    );
    const sketches = fc.tuple(group, group, group, group, group);
    let overflows = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(sketches, fc.integer({ min: 20, max: 200 }), fc.boolean()), { maxLength: 6 }),
        async (rounds) => {
          const out = join(createFolder(t), 'out');
          for (const [groups, maxBytes, preparesNext] of rounds) {
            const sketch = Object.fromEntries(
              groups.flatMap((files, at) => files.map(([name, n]) => [`${at}/${name}`, String(at).repeat(n)])),
            );
            const { site, contents } = sketchSite(sketch);
            const output = openOutput(out, { force: false, protect: [] });
            let names = [...site.keys()];
            for (;;) {
              const result = await output.publish(new Map(names.map((name) => [name, site.get(name)!])), {
                produce: (key) => Buffer.from(contents.get(key)!),
                notes: () => ({}),
                maxBytes,
                parts: new Map(names.map((name) => [name, [name]])),
              });
              if (!('misfits' in result)) break;
              overflows++;
              const { misfits } = result;
              names = names.filter((name) => !misfits.names.includes(name));
            }
            if (preparesNext) await output.prepareNext();
            output.close();
            const fitting = Object.entries(sketch).filter(([path]) => names.includes(path.slice(0, 2)));
            assert.deepEqual(readSite(out), Object.fromEntries(fitting));
          }
        },
      ),
      { numRuns: 100 },
    );
    t.true(overflows > 0);
  },
);

test.serial('openOutput() looks for what fits behind many parts that do not, and makes little of those', async (t) => {
  const out = join(createFolder(t), 'out');
  const files: Record<string, string> = { 'index.html': 'home' };
  for (let part = 10; part < 40; part++) {
    for (let n = 0; n < 1_000; n++) files[`p${part}/${n}`] = `${part} ${n} ${'x'.repeat(100)}`;
  }
  files['z/a'] = 'small';
  const { site, contents } = sketchSite(files);
  const output = openOutput(out, { force: false, protect: [] });
  let made = 0;
  const result = await output.publish(site, {
    produce(key) {
      made++;
      return Buffer.from(contents.get(key)!);
    },
    notes: () => ({}),
    maxBytes: 450_000,
    parts: new Map([...site.keys()].map((name) => [name, [name]])),
  });
  output.close();
  const { names, bytes } = 'misfits' in result ? result.misfits : { names: [], bytes: 0 };
  t.deepEqual([names.length, names[0], names.at(-1)], [26, 'p14/', 'p39/']);
  const real = Object.values(files).reduce((sum, text) => sum + text.length, 0);
  t.true(Math.abs(bytes - real) < real / 50, `${bytes} instead of ${real}`);
  t.true(made < 8_000, `${made} of 30,000 contents made`);
});

test.serial('openOutput() makes no more than the limit in vain of parts that nearly fit', async (t) => {
  const out = join(createFolder(t), 'out');
  const files: Record<string, string> = { 'index.html': 'home' };
  for (let part = 10; part < 70; part++) {
    for (let n = 0; n < 400; n++) files[`p${part}/${n}`] = `${part} ${n} ${'x'.repeat(990)}`;
  }
  const { site, contents } = sketchSite(files);
  const output = openOutput(out, { force: false, protect: [] });
  let made = 0;
  const result = await output.publish(site, {
    produce(key) {
      made++;
      return Buffer.from(contents.get(key)!);
    },
    notes: () => ({}),
    maxBytes: 700_000,
    parts: new Map([...site.keys()].map((name) => [name, [name]])),
  });
  output.close();
  t.is('misfits' in result && result.misfits.names.length, 59);
  t.true(made < 3_000, `${made} of 24,000 contents made`);
});

test.serial(
  'openOutput() counts what is published already, and keeps nothing of a site that was given up',
  async (t) => {
    const out = join(createFolder(t), 'out');
    const { bytes: size } = await publishTo(out, first);
    await t.throwsAsync(publishTo(out, { ...first, big: 'x'.repeat(11) }, { maxBytes: size + 10 }), {
      message: 'No room for all',
    });
    t.deepEqual(readSite(out), first);
    t.deepEqual((await publishTo(out, first)).produced, []);
    await t.throwsAsync(publishTo(out, first, { maxBytes: 5 }), { message: 'No room for all' });
    await publishTo(out, second, { maxBytes: 1000 });
    t.deepEqual(readSite(out), second);
  },
);

test.serial('openOutput() refuses a folder that is not its own, and leaves it alone', async (t) => {
  const out = createFolder(t);
  writeFileSync(join(out, 'thesis.txt'), 'years of work');
  await t.throwsAsync(publishTo(out, first), {
    code: 'foreign-output',
    message: /not empty and was not created by docbuild.*--force/,
  } as object);
  t.deepEqual(readSite(out), { 'thesis.txt': 'years of work' });
});

test.serial('openOutput() replaces a folder that is not its own when told to', async (t) => {
  const out = join(createFolder(t), 'out');
  mkdirSync(out);
  writeFileSync(join(out, 'old.txt'), '');
  await publishTo(out, first, { force: true });
  t.deepEqual(readSite(out), first);
  await publishTo(out, second);
  t.deepEqual(readSite(out), second);
});

test.serial('openOutput() takes no folder for its own because of a marker that is none', async (t) => {
  for (const marker of ['', '{}', '[]', 'null', '{"build":1}', '{"build":"../../x"}']) {
    const out = createFolder(t);
    writeFileSync(join(out, '.docbuild.json'), marker);
    await t.throwsAsync(publishTo(out, first), { code: 'foreign-output' } as object);
  }
});

test.serial('openOutput() refuses a file', async (t) => {
  const out = join(createFolder(t), 'out');
  writeFileSync(out, 'x');
  await t.throwsAsync(publishTo(out, first, { force: true }), {
    code: 'foreign-output',
    message: /is a file/,
  } as object);
  t.is(readFileSync(out, 'utf8'), 'x');
});

test.serial('openOutput() refuses a folder that holds what it must not replace, whatever leads there', async (t) => {
  const folder = createFolder(t);
  const sources = join(folder, 'project/docs');
  mkdirSync(sources, { recursive: true });
  symlinkSync(join(folder, 'project'), join(folder, 'link'));
  for (const out of [
    folder,
    join(folder, 'project'),
    sources,
    join(folder, 'link'),
    join(folder, 'link/docs'),
    join(sources, '..'),
    join(sources, 'x/../..'),
  ]) {
    await t.throwsAsync(publishTo(out, first, { force: true, protect: [sources] }), {
      code: 'foreign-output',
    } as object);
  }
  await publishTo(join(folder, 'project/docs-site'), first, { protect: [sources] });
  await publishTo(join(folder, 'project/..site'), first, { protect: [sources] });
  t.true(existsSync(sources));
});

test.serial('openOutput() publishes behind a symbolic link and leaves the link', async (t) => {
  const folder = createFolder(t);
  mkdirSync(join(folder, 'disk/www'), { recursive: true });
  symlinkSync('disk/www', join(folder, 'out'));
  for (const site of [first, second]) {
    await publishTo(join(folder, 'out'), site);
    t.deepEqual(readSite(join(folder, 'disk/www')), site);
    t.deepEqual(readdirSync(folder).sort(), ['disk', 'out']);
  }
});

test.serial('openOutput() says that a symbolic link leads nowhere', async (t) => {
  const folder = createFolder(t);
  symlinkSync('gone', join(folder, 'out'));
  await t.throwsAsync(publishTo(join(folder, 'out'), first), { name: 'BuildError' });
});

for (const [title, prepare] of [
  ['a file in its way', (folder: string) => writeFileSync(join(folder, 'a'), '')],
  [
    'a file in place of its state',
    (folder: string) => {
      mkdirSync(join(folder, 'a'));
      writeFileSync(join(folder, 'a/.out.docbuild'), '');
    },
  ],
  ['a link that leads to itself', (folder: string) => symlinkSync('a', join(folder, 'a'))],
] as const) {
  test.serial(`openOutput() says that it cannot write where there is ${title}`, async (t) => {
    const folder = createFolder(t);
    prepare(folder);
    await t.throwsAsync(publishTo(join(folder, 'a/out'), first), { name: 'BuildError', code: 'unwritable' } as object);
  });
}

test.serial('openOutput() says that a name is too long', async (t) => {
  await t.throwsAsync(publishTo(join(createFolder(t), 'x'.repeat(250)), first), {
    name: 'BuildError',
    code: 'unwritable',
  } as object);
});

test.serial('openOutput() puts the old site back after a crash between two renames', async (t) => {
  const out = join(createFolder(t), 'out');
  const state = join(out, '../.out.docbuild');
  await publishTo(out, first);
  renameSync(out, join(state, 'previous'));
  await t.throwsAsync(publishTo(out, second, { produce: () => Promise.reject(new Error('no')) }), { message: 'no' });
  t.deepEqual(readSite(out), first);
  t.false(existsSync(join(state, 'previous')));
});

test.serial('openOutput() drops the old site after a crash behind the second rename', async (t) => {
  const out = join(createFolder(t), 'out');
  const state = join(out, '../.out.docbuild');
  await publishTo(out, first);
  await publishTo(out, second);
  renameSync(join(state, 'back'), join(state, 'previous'));
  for (const site of [first, second]) {
    await publishTo(out, site);
    t.deepEqual(readSite(out), site);
    t.false(existsSync(join(state, 'previous')));
  }
});

/** Switches, then fails, as if the process had died just behind the switch. */
function exchangeAndFail(a: string, b: string): boolean {
  renameSync(a, `${a}.aside`);
  renameSync(b, a);
  renameSync(`${a}.aside`, b);
  throw new Error('died');
}

test.serial(
  'openOutput() keeps a hand-edited site out of the next ones when it dies just behind the switch',
  async (t) => {
    const out = join(createFolder(t), 'out');
    await publishTo(out, second);
    writeFileSync(join(out, 'en/d.html'), 'edited');
    await t.throwsAsync(publishTo(out, first, { exchange: exchangeAndFail }), { message: 'died' });
    for (const site of [first, second]) {
      await publishTo(out, site);
      t.deepEqual(readSite(out), site);
    }
  },
);

test.serial('openOutput() goes on from a switch after which it died', async (t) => {
  const out = join(createFolder(t), 'out');
  await publishTo(out, first);
  await t.throwsAsync(publishTo(out, second, { exchange: exchangeAndFail }), { message: 'died' });
  t.deepEqual(readSite(out), second);
  for (const site of [second, first]) {
    t.deepEqual((await publishTo(out, site)).produced, []);
    t.deepEqual(readSite(out), site);
  }
});

test.serial('openOutput() publishes where the system cannot exchange folders', async (t) => {
  const out = join(createFolder(t), 'out');
  for (const site of [first, second, first]) {
    await publishTo(out, site, { exchange: () => false });
    t.deepEqual(readSite(out), site);
    t.false(existsSync(join(out, '../.out.docbuild/previous')));
  }
});

test.serial('openOutput() puts the old site back when the second of two renames fails', async (t) => {
  const out = join(createFolder(t), 'out');
  const back = join(out, '../.out.docbuild/back');
  await publishTo(out, first);
  const loseStaged = (staged: string): boolean => {
    renameSync(staged, `${staged}.lost`);
    return false;
  };
  await t.throwsAsync(publishTo(out, second, { exchange: loseStaged }), { code: 'ENOENT' } as object);
  t.deepEqual(readSite(out), first);
  rmSync(`${back}.lost`, { recursive: true });
  await publishTo(out, second);
  t.deepEqual(readSite(out), second);
});

test.serial('openOutput() has published although the next publish cannot be prepared', async (t) => {
  const out = join(createFolder(t), 'out');
  const state = join(out, '../.out.docbuild');
  // A file in place of the folder that the next publish would stage in.
  const blockBack = (staged: string, published: string): boolean => {
    rmSync(published, { recursive: true });
    renameSync(staged, published);
    writeFileSync(staged, '');
    return true;
  };
  await publishTo(out, first);
  await publishTo(out, second, { exchange: blockBack });
  t.deepEqual(readSite(out), second);
  await publishTo(out, first);
  t.deepEqual(readSite(out), first);
  t.true(existsSync(join(state, 'back')));
});

test.serial('openOutput() leaves the old site whole when the process is killed while it writes', async (t) => {
  const out = join(createFolder(t), 'out');
  await publishTo(out, first);
  const { signal } = await runChild({ out, sketch: { ...second, 'en/z.html': 'die' } }).ended;
  t.is(signal, 'SIGKILL');
  t.deepEqual(readSite(out), first);
  await publishTo(out, second);
  t.deepEqual(readSite(out), second);
  const names = readdirSync(join(out, '../.out.docbuild')).filter((name) => !name.endsWith('.json'));
  t.deepEqual(names, ['back']);
});

test.serial('openOutput() shows the old site or the new one, whole, whenever the process is killed', async (t) => {
  const out = join(createFolder(t), 'out');
  const sites = [0, 1].map((version) =>
    Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`en/${at % 20}/${at}.html`, `${at % 3 ? version : ''} ${at}`]),
    ),
  );
  await publishTo(out, sites[0]!);
  for (let round = 0; round < 12; round++) {
    const child = runChild({ out, sketch: sites[(round + 1) % 2]! });
    await child.started;
    setTimeout(() => child.process.kill('SIGKILL'), round * 5);
    await child.ended;
    const shown = JSON.stringify(Object.entries(readSite(out)).sort());
    t.true(sites.some((site) => JSON.stringify(Object.entries(site).sort()) === shown));
  }
  for (const site of [sites[1]!, sites[0]!]) {
    await publishTo(out, site);
    t.deepEqual(readSite(out), site);
  }
});

test.serial('openOutput() refuses a second process while the first publishes, and lets it in afterwards', async (t) => {
  const out = join(createFolder(t), 'out');
  const child = runChild({ out, sketch: first, holds: true });
  await child.started;
  await t.throwsAsync(publishTo(out, second), { code: 'output-busy', message: /wait for it to end/ } as object);
  child.process.stdin!.end();
  t.is((await child.ended).answer?.written, 4);
  await publishTo(out, second);
  t.deepEqual(readSite(out), second);
});

test.serial('openOutput() refuses a second publish in the same process', async (t) => {
  const out = join(createFolder(t), 'out');
  let release = (): void => {};
  const blocked = new Promise<string>((resolve) => {
    release = () => resolve('x');
  });
  const running = publishTo(out, { a: '1' }, { produce: () => blocked });
  await t.throwsAsync(publishTo(out, second), { code: 'output-busy' } as object);
  release();
  await running;
  t.deepEqual(readSite(out), { a: 'x' });
});

test.serial('openOutput() says that a folder is not writable', async (t) => {
  const folder = createFolder(t);
  const isRoot = process.getuid?.() === 0;
  mkdirSync(join(folder, 'closed'));
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'closed'), 0o555);
  const { answer } = await runChild({ out: join(folder, 'closed/out'), sketch: first }, isRoot ? { uid: 65_534 } : {})
    .ended;
  t.is(answer?.code, 'unwritable');
  t.true(answer?.isBuildError);
  t.deepEqual(readdirSync(join(folder, 'closed')), []);
});

test.serial('openOutput() says that a published folder cannot be replaced, and leaves it', async (t) => {
  const folder = createFolder(t);
  const isRoot = process.getuid?.() === 0;
  const out = join(folder, 'in/out');
  await publishTo(out, first);
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'in'), 0o555);
  const { answer } = await runChild({ out, sketch: second }, isRoot ? { uid: 65_534 } : {}).ended;
  chmodSync(join(folder, 'in'), 0o755);
  // Its owner may still write to the folders inside; anybody else may not.
  t.is(answer?.code, 'unwritable');
  t.deepEqual(readSite(out), first);
});

test.serial('openOutput() does not mind times in the past', async (t) => {
  const out = join(createFolder(t), 'out');
  await publishTo(out, first);
  utimesSync(join(out, 'en'), 1, 1);
  await publishTo(out, first);
  t.deepEqual(readSite(out), first);
});
