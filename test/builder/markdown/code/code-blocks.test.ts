import test from 'ava';
import { fastestMs } from '../../../helpers/fastest-ms.ts';
import { renderDraft, renderPage } from '../render-page.ts';

const html = (text: string) => renderPage(text).html;
const fence = (info: string, text = 'a\nb\nc') => `\`\`\`${info}\n${text}\n\`\`\``;
const code = (info: string, text?: string) => /<code>([\s\S]*)<\/code>/.exec(html(fence(info, text)))![1];

test('code block names its language', (t) => {
  t.is(
    html(fence('TS', 'a < b')),
    '<div class="code-block" data-language="ts"><pre tabindex="0"><code>a &lt; b</code></pre></div>',
  );
  t.is(html('    a\n    b'), '<div class="code-block"><pre tabindex="0"><code>a\nb</code></pre></div>');
});

test('block of a draft is the code as the author means it', (t) => {
  t.deepEqual(renderDraft(fence('js-vue{1}', 'a // [!code ++]\nb')).slots, [
    { kind: 'code', block: { language: 'js', text: 'a\nb' }, marks: [[0, 'highlighted diff add']] },
  ]);
});

test.serial('a line of nothing but notations takes linear time, and keeps those that are too many', (t) => {
  const text = '// [!code ++]'.repeat(20_000);
  const [slot] = renderDraft(fence('js', `${text}\nb`)).slots;
  t.like(slot, { marks: [[0, 'diff add']] });
  t.is(slot?.kind === 'code' && slot.block.text.split('[!code ++]').length - 1, 19_980);
  t.true(fastestMs(() => renderDraft(fence('js', text))) < 500);
});

test('draft survives a clone and JSON', (t) => {
  const draft = renderDraft(`# A\n\n[b](c)\n\n${fence('js{1}')}`);
  t.deepEqual(structuredClone(draft), draft);
  t.deepEqual(JSON.parse(JSON.stringify(draft)), draft);
});

test('title comes from brackets or title=', (t) => {
  for (const info of ['js [a.js]', 'js title="a.js"', "js{1} title='a.js'", '{ .js title="a.js" }', 'js title=a.js']) {
    t.true(html(fence(info)).includes('data-language="js"><div class="code-title">a.js</div>'), info);
  }
});

test('lines are marked as Expressive Code does', (t) => {
  const line = (name: string, text: string) => `<span class="line ${name}">${text}</span>`;
  t.is(code('js ins={1} {3}'), `${line('diff add', 'a')}\nb\n${line('highlighted', 'c')}`);
  t.is(code('js del={2}'), `a\n${line('diff remove', 'b')}\nc`);
  t.is(
    code('js {1} mark={3} del={"Why":2-2}'),
    [line('highlighted', 'a'), line('diff remove', 'b'), line('highlighted', 'c')].join('\n'),
  );
  t.is(code('js ins={1-2} del={1} title="x"')?.split('\n')[1], line('diff add', 'b'));
  t.is(code('js startLineNumber={2} collapse={1-3} showLineNumbers={3}'), 'a\nb\nc');
});

test('lines are highlighted by number', (t) => {
  t.is(code('js{1,3}'), '<span class="line highlighted">a</span>\nb\n<span class="line highlighted">c</span>');
  t.is(code('js {2-9}'), 'a\n<span class="line highlighted">b</span>\n<span class="line highlighted">c</span>');
  t.is(code('py hl_lines="1"'), '<span class="line highlighted">a</span>\nb\nc');
});

test('lines are numbered', (t) => {
  const numbers = (info: string) => /aria-hidden="true">([\s\S]*?)<\/span>/.exec(html(fence(info)))?.[1];
  t.is(numbers('js:line-numbers'), '1\n2\n3');
  t.is(numbers('js:line-numbers=5 {1}'), '5\n6\n7');
  t.is(numbers('js{1}:line-numbers=5'), '5\n6\n7');
  t.is(numbers('py linenums="2"'), '2\n3\n4');
  t.is(numbers('js showLineNumbers'), '1\n2\n3');
  t.is(numbers('js:no-line-numbers'), undefined);
  t.is(numbers('js'), undefined);
});

test('notations in comments of any kind mark their line and go', (t) => {
  for (const comment of [
    '// [!code hl]',
    '# [!code highlight]',
    '<!-- [!code hl] -->',
    '/* [!code hl] */',
    '-- [!code hl]',
    '{/* [!code hl] */}',
    '; [!code hl]',
    '% [!code hl]',
    '" [!code hl]',
  ]) {
    t.is(code('js', `a ${comment}\nb`), '<span class="line highlighted">a</span>\nb', comment);
  }
});

test('notations: errors, warnings, diff', (t) => {
  t.is(
    code('js', 'a // [!code error]\nb // [!code warning]\nc // [!code ++]\nd // [!code --]'),
    '<span class="line error">a</span>\n<span class="line warning">b</span>\n<span class="line diff add">c</span>\n<span class="line diff remove">d</span>',
  );
});

test('notation counts lines', (t) => {
  t.is(
    code('js', 'a // [!code hl:2]\nb\nc'),
    '<span class="line highlighted">a</span>\n<span class="line highlighted">b</span>\nc',
  );
});

test('notation alone on its line speaks of the lines below', (t) => {
  t.is(
    code('js', 'a\n// [!code hl:2]\nb\nc\nd'),
    'a\n<span class="line highlighted">b</span>\n<span class="line highlighted">c</span>\nd',
  );
});

test('focus dims the other lines', (t) => {
  t.is(code('js', 'a\nb // [!code focus]'), '<span class="line dimmed">a</span>\n<span class="line focused">b</span>');
});

test('rest of a comment stays', (t) => {
  t.is(code('js', 'a // why [!code hl]'), '<span class="line highlighted">a // why</span>');
  t.is(code('js', 'a // [!code hl] why'), '<span class="line highlighted">a // why</span>');
});

test('notations that are shown lose one exclamation mark, unknown ones stay', (t) => {
  t.is(code('js', 'a // [!!code hl]\nb // [!code nope]'), 'a // [!code hl]\nb // [!code nope]');
});

test('unknown language is a warning, once for each', (t) => {
  const page = renderPage(`${fence('foo')}\n${fence('foo')}\n${fence('ts')}\n${fence('bar')}\n${fence('text')}`, {
    firstLine: 2,
  });
  t.deepEqual(
    page.warnings.map(({ line, code }) => [line, code]),
    [
      [2, 'unknown-language'],
      [17, 'unknown-language'],
    ],
  );
});

test('code over the limits is a warning', (t) => {
  t.is(renderPage(fence('js', 'x'.repeat(5_001))).warnings[0]?.code, 'highlight-limit');
  t.is(renderPage(fence('js', 'x\n'.repeat(50_001))).warnings[0]?.code, 'highlight-limit');
  t.deepEqual(renderPage(fence('js', 'x'.repeat(5_000))).warnings, []);
  t.deepEqual(renderPage(fence('', 'x'.repeat(5_001))).warnings, []);
});

test('code for Twoslash shows what its cuts leave, without instructions to the compiler', (t) => {
  const shown = (...lines: readonly string[]) => code('ts twoslash', lines.join('\n'));
  t.is(shown('import x from "x"', '// ---cut---', 'x()', '//  ^?', '// @errors: 2304', 'y()'), 'x()\ny()');
  t.is(shown('a()', '  // ---cut-before---', 'b()', '// ---cut-after---', 'c()'), 'b()');
  t.is(shown('a()', '// ---cut-start---', 'b()', '// ---cut-end---', 'c()', '// ^^^^^ this'), 'a()\nc()');
  const kept = ['// @filename: a.ts', '// @ts-ignore', '// @Injectable()', '// ^ here', '// ---', 'a // ---cut---'];
  t.is(shown(...kept), kept.join('\n'));
  // Generators want to be told; frameworks' own sites check all scripts.
  const plain = fence('ts', 'a()\n// ---cut---\nb()');
  t.regex(renderPage(plain, { generator: 'vitepress' }).html, /<code>a\(\)\n\/\/ ---cut---\nb\(\)</);
  t.is(code('ts', 'a()\n// ---cut---\nb()'), 'b()');
  // Blocks that are included in others are no part of the page.
  for (const info of ['twoslash include main', 'ts twoslash include main', 'ts {1} twoslash include main-2']) {
    t.is(renderDraft(`Text\n\n${fence(info, 'const a = 1')}`).html, '<p>Text</p>\n', info);
  }
  t.is(shown('// @include: main', 'a()'), 'a()');
  t.is(code('ts include', 'a()'), 'a()');
  t.deepEqual(renderDraft(fence('ts twoslash {1} [a.ts]', 'a()\n// ---cut---\nb()')).slots, [
    { kind: 'code', block: { language: 'ts', text: 'b()' }, marks: [[0, 'highlighted']] },
  ]);
});
