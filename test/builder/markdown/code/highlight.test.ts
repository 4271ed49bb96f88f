import test from 'ava';
import { createHighlighter } from '../../../../builder/markdown/code/highlight.ts';
import { languageGroup } from '../../../../builder/markdown/code/languages.ts';

const created = createHighlighter();
const highlight = async (language: string, text: string) => (await created).highlight({ language, text });

test('highlight() gives short spans, none for plain code', async (t) => {
  t.is(
    await highlight('js', 'const a = "<b>"\nfoo(1)'),
    [
      '<span class="tk">const </span><span class="tc">a </span><span class="tk">= </span><span class="tx">"&lt;b&gt;"</span>',
      '<span class="tf">foo</span>(<span class="tc">1</span>)',
    ].join('\n'),
  );
});

test('highlight() keeps the text, line by line', async (t) => {
  const text = '/* a\n\n  b */ let x = `\n$y\n`\r\n\t// é 😀 < & >\n';
  const html = await highlight('ts', text);
  const plain = html!
    .replace(/<[^>]+>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
  t.is(plain, text.replaceAll('\r', ''));
  for (const line of html!.split('\n')) t.is(line.match(/<span/g)?.length, line.match(/<\/span/g)?.length);
});

test('highlight() colours what a diff adds and takes away', async (t) => {
  t.is(await highlight('diff', '+a\n-b\n c'), '<span class="ti">+a</span>\n<span class="td">-b</span>\n c');
});

test('highlight() leaves plain text, unknown languages and too long code', async (t) => {
  for (const language of ['', 'text', 'txt', 'plain', 'ansi', 'nope', 'constructor'])
    t.is(await highlight(language, 'a'), undefined);
  t.is(await highlight('js', 'x'.repeat(5_001)), undefined);
});

test.serial('highlight() gives code its colours on a machine that does other things meanwhile', async (t) => {
  const wanted = await highlight('js', 'let busy = 1;\nlet more = 2;');
  const { now } = Date;
  t.teardown(() => Object.assign(Date, { now }));
  let leaps = 0;
  Date.now = () => now() + 5_000 * Math.min(++leaps, 7);
  t.is(await highlight('js', 'let busy = 1;\nlet more = 2;'), wanted);
  t.true(leaps > 7);
});

test('highlight() does not depend on what came before', async (t) => {
  const blocks = [
    ['md', '# A\n\n```python\ndef x(): pass\n```\n\n```js\nlet a = 1\n```'],
    ['html', '<div :class="a" @click="b"><b *ngIf="c">{{ d }}</b></div>'],
    ['angular-html', '<b *ngIf="c">{{ d }}</b>'],
    ['vue', '<template>\n<p>{{ a }}</p>\n</template>\n<script>\nlet b\n</script>'],
    ['python', 'def x(): pass'],
    ['js', 'let a = `b`'],
  ] as const;
  const run = async (order: readonly (readonly [string, string])[]) => {
    const fresh = await createHighlighter();
    const results = new Map<string, string | undefined>();
    for (const [language, text] of order) results.set(language, await fresh.highlight({ language, text }));
    return results;
  };
  t.deepEqual(new Map([...(await run(blocks))].sort()), new Map([...(await run(blocks.toReversed()))].sort()));
});

test('highlight() works for blocks asked for at once', async (t) => {
  const results = await Promise.all(Array.from({ length: 20 }, () => highlight('css', 'a { color: red }')));
  t.is(new Set(results).size, 1);
  t.is(typeof results[0], 'string');
});

test('highlight() knows a grammar of every group it names', async (t) => {
  for (const language of [
    'jsx',
    'tsx',
    'scss',
    'less',
    'jsonc',
    'vue-html',
    'rust',
    'go',
    'mermaid',
    'shellsession',
    'console',
  ]) {
    t.is(typeof (await highlight(language, 'a')), 'string', `${language} of ${languageGroup(language)}`);
  }
});
