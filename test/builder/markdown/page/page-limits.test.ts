import test, { type ExecutionContext } from 'ava';
import { BuildError } from '../../../../builder/build-error.ts';
import { fillCodeSlots } from '../../../../builder/markdown/draft.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import fc from '../../../helpers/fast-check.ts';
import { renderDraft, renderPage } from '../render-page.ts';

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

/** Renders a page and gives how long that took; what is refused with its line counts as rendered. */
function measure(t: ExecutionContext, text: string, options: Parameters<typeof renderDraft>[2] = {}): number {
  const start = cpuTimeMs();
  try {
    fillCodeSlots(renderDraft(text, {}, options), () => undefined);
  } catch (error) {
    // On a busy machine the clock may decide.
    const isRefused = error instanceof BuildError && /^page-(?:limit|too-slow)$/.test(error.code);
    t.true(isRefused && error.location.line! > 0, String(error));
  }
  return cpuTimeMs() - start;
}

function refuse(t: ExecutionContext, text: string): BuildError {
  const start = cpuTimeMs();
  const error = t.throws<BuildError>(() => renderDraft(text, { firstLine: 5 }), { instanceOf: BuildError });
  t.is(error!.code, 'page-limit');
  t.true(cpuTimeMs() - start < 5_000);
  return error!;
}

test('a table of 2,000 by 500 cells is refused with the line it got to', (t) => {
  const text = `Text\n\n|${'a|'.repeat(500)}\n|${'-|'.repeat(500)}\n${`|${'x|'.repeat(500)}\n`.repeat(2_000)}`;
  const error = refuse(t, text);
  t.is(error.message, 'The page has more than 1,000,000 elements; split it into several pages');
  t.true(error.location.line! > 100 && error.location.line! < 2_005, String(error.location.line));
});

test('a table of 200,000 rows is refused, one of 20,000 is rendered', (t) => {
  const rows = (count: number) => `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(count)}`;
  refuse(t, rows(200_000));
  t.is(renderPage(rows(20_000)).html.match(/<td>x/g)!.length, 20_000);
});

test('50,000 reference definitions are read and used', (t) => {
  const text = lines(50_000, (i) => `[x${i}]: /u${i}\n`) + lines(50_000, (i) => `[x${i}]\n`);
  t.true(measure(t, text) < 5_000);
  t.is(renderDraft(text).slots.length, 50_000);
});

test('a heading of 50,000 lines gives a title and an id that other pages can bear', (t) => {
  const text = `${'a\n'.repeat(50_000)}===\n`;
  t.true(measure(t, text) < 5_000);
  const { headings, title, ids } = renderDraft(text);
  t.is(title!.length, 1_000);
  t.is(headings[0]!.text, title!);
  t.true(ids[0]!.length <= 1_000);
});

test('50,000 tildes that strike nothing are rendered', (t) => {
  t.true(measure(t, '~~a'.repeat(50_000)) < 5_000);
});

test('a long address used again and again is refused before it fills the memory', (t) => {
  const long = 'u'.repeat(100_000);
  const message = 'The page becomes more than 20 MB of HTML; split it into several pages';
  for (const definition of [`[x]: /${long}`, `[x]: http://example.com/${long}`, `[x]: /u "${long}"`]) {
    t.is(refuse(t, `${definition}\n\n${'[x] '.repeat(10_000)}`).message, message);
    const { message: found, location } = refuse(t, `${definition}\n\n${'![a][x]\n\n'.repeat(10_000)}`);
    t.is(found, message);
    t.true(location.line! < 500, `line ${location.line} of the first that is too many`);
  }
});

test('texts inside texts are read to a depth and stay as written below it', (t) => {
  const images = `${'!['.repeat(5_000)}word${'](a)'.repeat(5_000)}`;
  t.true(measure(t, images) < 5_000);
  t.regex(renderPage(images).html, /word/);
  t.true(measure(t, `${'^[a '.repeat(5_000)}word${']'.repeat(5_000)}`) < 5_000);
});

test('what is nested too deeply stays as text', (t) => {
  const quotes = renderPage(`${'> '.repeat(300)}word`).html;
  t.regex(quotes, /word/);
  t.is(quotes.match(/<blockquote>/g)!.length, 40);
  t.regex(renderPage(`${'- '.repeat(300)}word`).html, /word/);
  const containers = `${lines(300, (i) => `${':'.repeat(303 - i)} tip\n`)}word\n${lines(300, (i) => `${':'.repeat(i + 4)}\n`)}`;
  t.regex(renderPage(containers).html, /word/);
  t.regex(renderPage(`${'> '.repeat(300)}deep\n\nbehind`).html, /deep[\s\S]*<p>behind<\/p>/);
});

test('a run of signs is one text', (t) => {
  for (const sign of ['*', '_', '~', '=']) {
    const run = sign.repeat(1_000_000);
    t.is(renderPage(`a ${run} b`).html, `<p>a ${run} b</p>`);
  }
});

test.serial('a file that is searched again and again is searched to a limit', (t) => {
  const includes = new Map([['big.js', `${'x\n'.repeat(2_500_000)}// part`]]);
  const text = lines(1_000, (i) => `<<< ./big.js#${'part'.slice(0, 1 + (i % 4))}\n`);
  const start = cpuTimeMs();
  const error = t.throws<BuildError>(() => renderDraft(text, { includes, pagePath: 'a.md' }), {
    instanceOf: BuildError,
  });
  t.is(error!.code, 'page-limit');
  t.true(cpuTimeMs() - start < 5_000);
});

test('problems of one page are listed up to a number', (t) => {
  const { warnings } = renderDraft('<a id="x"></a>\n\n'.repeat(5_000));
  t.is(warnings.length, 1_001);
  t.is(warnings.at(-1)!.message, 'Further problems of this page are not listed');
});

const signs = [
  ...[
    '*',
    '**',
    '_',
    '~~',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '!',
    '`',
    '\n',
    '\n\n',
    ' ',
    'a',
    '{',
    '}',
    ':',
    '|',
    '-',
    '#',
  ],
  ...[
    '"',
    "'",
    '\\',
    '&',
    '=',
    '^',
    '@',
    '1. ',
    '- ',
    '> ',
    '    ',
    '\t',
    '![',
    '<!--',
    '-->',
    '<a ',
    '<b>',
    '</b>',
    '/>',
  ],
  ...[
    '<A>',
    '</A>',
    '<A ',
    '://',
    'www.',
    '[^a]',
    '[^a]: ',
    '^[',
    '[a]',
    '[a]: b',
    '{%',
    '%}',
    '{{',
    '}}',
    '{{< a >}}',
    '<?',
  ],
  ...[
    '::: a\n',
    ':::',
    '!!! a\n',
    '=== "a"\n',
    '```',
    '~~~',
    '<<< a',
    '[!NOTE]',
    'import ',
    '{/*',
    '*/}',
    '\n: ',
    ':a:',
    '==',
    '++',
    '~',
    'x^2^',
  ],
  ...['{: .a}', '{.a}', '<script>', '</script>', '<p>', '<details>', '*[a]: b\n', '$', 'あ', '😀', '\0', '\r'],
];

test('whatever signs a page of a megabyte repeats, it is rendered or refused in time', (t) => {
  const word = fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
  const start = fc.constantFrom('', '[^a]: x\n\n', '[a]: /b\n\n', '<b>x</b>\n\n', '- a\n\n  ');
  t.notThrows(() =>
    fc.assert(
      fc.property(start, word, word, fc.boolean(), (before, first, second, isSafe) => {
        const measurePage = (size: number): number => {
          const text = before + first.repeat(size / first.length) + second.repeat(size / second.length);
          return measure(t, text, { html: isSafe ? 'safe' : 'raw' });
        };
        const time = measurePage(500_000);
        // 26,000 elements in each other take 8 s and twice as long as half of them: what takes long must not grow with the square.
        return time < 6_000 || (time < 12_000 && time < 3 * measurePage(250_000));
      }),
      {
        numRuns: 4,
        examples: [
          ['', '[^a]*', '[!NOTE]*[a]: b\n', false],
          ['', '$a$ ', '\\ref{a} ', false],
        ],
      },
    ),
  );
});
