import { execFileSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { createProgressReporter, formatBar } from '../../cli/progress.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { docbuildPath } from '../helpers/run-docbuild.ts';
import { commitFiles } from '../helpers/write-pages.ts';

test.serial('formatBar() shows stage, share, counts and, once it can be told, the time left', (t) => {
  const render = (done: number, elapsedMs: number) => formatBar({ stage: 'render', done, total: 200 }, elapsedMs, 80);
  t.is(render(0, 0), `Rendering pages ${'░'.repeat(24)} 0/200`);
  t.is(render(100, 4000), `Rendering pages ${'█'.repeat(12)}${'░'.repeat(12)} 100/200, 4 s left`);
  t.is(render(200, 8000), `Rendering pages ${'█'.repeat(24)} 200/200, 0 s left`);
  t.is(
    formatBar({ stage: 'fetch', done: 1, total: 2, bytes: 1_234_567 }, 0, 80),
    `Fetching versions ${'█'.repeat(12)}${'░'.repeat(12)} 1/2, 1.2 MB`,
  );
  t.is(formatBar({ stage: 'open', done: 0, total: 0 }, 0, 80), 'Opening the repository');
});

test.serial('formatBar() never breaks the line', (t) => {
  t.is([...formatBar({ stage: 'render', done: 1, total: 2 }, 0, 30)].length, 29);
});

function createStream(isTTY: boolean): { stream: NodeJS.WriteStream; text: () => string } {
  const stream = new PassThrough() as PassThrough & { isTTY?: boolean; columns?: number };
  stream.isTTY = isTTY;
  stream.columns = 80;
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => String(stream.read() ?? '') };
}

test.serial('createProgressReporter() prints one line a stage where there is no terminal', (t) => {
  const { stream, text } = createStream(false);
  const { report, end } = createProgressReporter({ stream, isQuiet: false });
  for (const done of [0, 1, 2]) report({ stage: 'render', done, total: 2 });
  report({ stage: 'publish', done: 0, total: 2 });
  end();
  t.is(text(), 'Rendering pages\nPublishing\n');
});

test.serial('createProgressReporter() says in lines what was fetched, and now and then how far a stage is', (t) => {
  const { stream, text } = createStream(false);
  let now = 0;
  const { report } = createProgressReporter({ stream, isQuiet: false, now: () => now });
  for (const [seconds, done, bytes] of [
    [0, 0, undefined],
    [1, 0, 3_000_000],
    [12, 64, 30_000_000],
    [13, 65, 31_000_000],
    [14, 250, 34_240_000],
  ] as const) {
    now = seconds * 1000;
    report({ stage: 'fetch', done, total: 250, ...(bytes !== undefined && { bytes }) });
  }
  report({ stage: 'read', done: 0, total: 250 });
  report({ stage: 'fetch', done: 1, total: 1, bytes: 4_321 });
  report({ stage: 'render', done: 0, total: 1 });
  t.is(
    text(),
    [
      'Fetching versions',
      'Fetching versions 64/250, 30.0 MB',
      'Fetched 250 versions, 34.2 MB',
      'Reading versions',
      'Fetched 1 version, 4 kB',
      'Rendering pages\n',
    ].join('\n'),
  );
});

test.serial('createProgressReporter() draws on one line of a terminal, not too often, and clears it', (t) => {
  const { stream, text } = createStream(true);
  let now = 0;
  const { report, end } = createProgressReporter({ stream, isQuiet: false, now: () => now });
  for (let done = 0; done < 1000; done++) {
    now += 1;
    report({ stage: 'render', done, total: 1000 });
  }
  end();
  const drawn = text();
  t.false(drawn.includes('\n'));
  t.true(drawn.split('\r').length < 20);
  t.true(drawn.endsWith('\r\u001b[K'));
});

test.serial('createProgressReporter() shows nothing when quiet', (t) => {
  const { stream, text } = createStream(true);
  const { report, end } = createProgressReporter({ stream, isQuiet: true });
  report({ stage: 'render', done: 0, total: 2 });
  end();
  t.is(text(), '');
});

test.serial('docbuild site draws a bar on a terminal and leaves the summary alone on the screen', (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  const command = `${process.execPath} ${docbuildPath} site ${repository.folder} -o ${site.out} --cache ${site.cacheFolder}`;
  // `script` (util-linux) gives the command a terminal.
  const screen = execFileSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    encoding: 'utf8',
  });
  t.true(screen.includes('\u001b[K'));
  const last = screen.slice(screen.lastIndexOf('\u001b[K') + 3);
  t.regex(
    last,
    /^Documentation: docs\r?\n1 version, 1 language, 1 page: 1 rendered, 0 reused; 0 dead links; \d+ kB in \d+\.\d\d s → [^\n]*\r?\n$/,
  );
});
