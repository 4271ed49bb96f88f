import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { createHighlightPool, type HighlightPool } from '../../../../builder/markdown/code/highlight-pool.ts';
import { createFolder } from '../../../helpers/create-repository.ts';

function createPool(
  t: ExecutionContext,
  size = 2,
  workerUrl = new URL('fake-worker.js', import.meta.url),
): HighlightPool {
  const pool = createHighlightPool({ size, workerUrl, groupOf, maxHeapMb: 64 });
  t.teardown(() => pool.close());
  return pool;
}

const groupOf = (language: string): string => language.split('-')[0]!;
const threadOf = (html: string | undefined): string => html!.split(' ')[0]!;

test.serial('createHighlightPool() gives each block its own result', async (t) => {
  const pool = createPool(t);
  const blocks = Array.from({ length: 500 }, (_, at) => ({ language: `l${at % 7}`, text: `${at} ${'x'.repeat(at)}` }));
  const results = await Promise.all(blocks.map((block) => pool.highlight(block)));
  for (const [at, html] of results.entries())
    t.is(html!.replace(/^\d+ /, ''), `l${at % 7} ${blocks[at]!.text.slice(0, 20)}`);
});

test.serial('createHighlightPool() gives undefined for a language that is not known', async (t) => {
  t.is(await createPool(t).highlight({ language: 'unknown', text: 'x' }), undefined);
});

test.serial('createHighlightPool() keeps the languages of a group on one worker', async (t) => {
  const pool = createPool(t);
  const results = await Promise.all(
    ['js-a', 'js-b', 'css-a', 'js-c', 'css-b'].map((language) => pool.highlight({ language, text: 'x' })),
  );
  const [a, b, c, d, e] = results.map(threadOf);
  t.is(new Set([a, b, d]).size, 1);
  t.is(c, e);
  t.not(a, c);
});

test.serial('createHighlightPool() gives a group a second worker when it falls far behind', async (t) => {
  const pool = createPool(t);
  const blocks = Array.from({ length: 40 }, () => ({ language: 'js', text: 'x'.repeat(9000) }));
  const results = await Promise.all(blocks.map((block) => pool.highlight(block)));
  t.is(new Set(results.map(threadOf)).size, 2);
});

test.serial('createHighlightPool() starts no more workers than it may', async (t) => {
  const pool = createPool(t, 2);
  const languages = Array.from({ length: 20 }, (_, at) => `l${at}`);
  const results = await Promise.all(languages.map((language) => pool.highlight({ language, text: 'x'.repeat(9000) })));
  t.is(new Set(results.map(threadOf)).size, 2);
});

for (const [title, text, message] of [
  ['throws', 'throw', /Worker threw/],
  ['exits', 'exit', /highlighting worker/],
  ['runs out of memory', 'memory', /memory/],
] as const) {
  test.serial(`createHighlightPool() fails what is waiting when a worker ${title}, and all that follows`, async (t) => {
    const pool = createPool(t, 1);
    const blocks = [
      { language: 'a', text: 'x' },
      { language: 'a', text },
      { language: 'a', text: 'y'.repeat(20_000) },
      { language: 'a', text: 'z' },
    ];
    const outcomes = await Promise.allSettled(blocks.map((block) => pool.highlight(block)));
    for (const outcome of outcomes.slice(1)) {
      t.is(outcome.status, 'rejected');
      if (outcome.status === 'rejected') t.like(outcome.reason, { name: 'BuildError', code: 'worker' });
    }
    const error = await t.throwsAsync(pool.highlight({ language: 'b', text: 'x' }), {
      name: 'BuildError',
      code: 'worker',
    } as object);
    t.regex(error!.message, message);
  });
}

test.serial('createHighlightPool() fails when the worker file does not exist', async (t) => {
  const pool = createPool(t, 1, new URL('no-such-worker.js', import.meta.url));
  await t.throwsAsync(pool.highlight({ language: 'a', text: 'x' }), { code: 'worker' } as object);
});

test.serial('createHighlightPool() fails what still runs when it is closed, and takes nothing more', async (t) => {
  const pool = createPool(t, 1);
  const hanging = t.throwsAsync(pool.highlight({ language: 'a', text: 'hang' }), { code: 'worker' } as object);
  const waiting = t.throwsAsync(pool.highlight({ language: 'a', text: 'x' }), { code: 'worker' } as object);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await pool.close();
  await Promise.all([hanging, waiting]);
  await t.throwsAsync(pool.highlight({ language: 'a', text: 'x' }), { code: 'worker' } as object);
  await pool.close();
});

test.serial(
  'createHighlightPool() takes over an idle worker of a closed pool, best one that has loaded the grammar',
  async (t) => {
    // A limit of their own, so that the pools of other tests take none of these.
    const options = { size: 2, workerUrl: new URL('fake-worker.js', import.meta.url), groupOf, maxHeapMb: 65 };
    const askOnce = async (...languages: readonly string[]): Promise<readonly string[]> => {
      const pool = createHighlightPool(options);
      const results = await Promise.all(languages.map((language) => pool.highlight({ language, text: 'x' })));
      await pool.close();
      return results.map(threadOf);
    };
    const [js, css] = await askOnce('js', 'css');
    t.not(js, css);
    t.deepEqual(await askOnce('css', 'js'), [css, js]);
    t.deepEqual(await askOnce('js'), [js]);
    const failing = createHighlightPool(options);
    await t.throwsAsync(failing.highlight({ language: 'js', text: 'throw' }));
    await failing.close();
    const left = await askOnce('js', 'css');
    t.false(left.includes(js!));
    const hanging = createHighlightPool(options);
    const hung = t.throwsAsync(hanging.highlight({ language: 'css', text: 'hang' }));
    await hanging.close();
    await hung;
    t.false((await askOnce('css', 'js')).includes(left[1]!));
  },
);

test.serial('createHighlightPool() leaves workers that keep no process from ending', async (t) => {
  const poolUrl = new URL('../../../../builder/markdown/code/highlight-pool.js', import.meta.url);
  const script = `
    import { createHighlightPool } from '${poolUrl}';
    const workerUrl = new URL('${new URL('fake-worker.js', import.meta.url)}');
    const pool = createHighlightPool({ size: 1, workerUrl, groupOf: String, maxHeapMb: 64 });
    pool.warmUp([{ language: 'js', text: 'x' }]);
    console.log(await pool.highlight({ language: 'js', text: 'y' }));
    await pool.close();`;
  const file = join(createFolder(t), 'main.mjs');
  writeFileSync(file, script);
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  t.regex(stdout, /^\d+ js y\n$/);
});

test.serial('createHighlightPool() closes when nothing was ever asked', async (t) => {
  await t.notThrowsAsync(createPool(t).close());
});
