import test from 'ava';
import { fillCodeSlots } from '../../../../builder/markdown/draft.ts';
import { renderDraft, renderPage } from '../render-page.ts';

/** Returns the title of a block and its code. */
function show(markdown: string, input: Parameters<typeof renderPage>[1] = {}): string {
  const { html } = renderPage(markdown, input);
  return html.replace(/<div class="code-block"[^>]*>|<pre tabindex="0">|<\/pre><\/div>/g, '');
}

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

test('code of sites: settings at the top name the file, and are not shown', (t) => {
  t.is(
    show(fence('js', '/// file: src/a.js\n/// copy: false\nlet a;')),
    '<div class="code-title">src/a.js</div><code>let a;</code>',
  );
  t.is(
    show(fence('svelte', '<!--- file: App.svelte --->\n<p>a</p>')),
    '<div class="code-title">App.svelte</div><code>&lt;p&gt;a&lt;/p&gt;</code>',
  );
  t.is(
    show(fence('svelte', '<!--- file: App.svelte -->\na')),
    '<div class="code-title">App.svelte</div><code>a</code>',
  );
  // A comment of documentation elsewhere.
  t.is(show(fence('rust', '/// file: the path\nfn a() {}')), '<code>/// file: the path\nfn a() {}</code>');
  t.is(show(fence('js', '/// file: a.js\nb'), { generator: 'mdbook' }), '<code>/// file: a.js\nb</code>');
});

test('code of sites: what a type checker needs is not shown', (t) => {
  t.is(
    show(fence('ts', '// @errors: 7006\n/// file: a.ts\nimport b;\n// ---cut---\nlet a;')),
    '<div class="code-title">a.ts</div><code>let a;</code>',
  );
  t.is(show(fence('js', '// @noErrors\nlet a;')), '<code>let a;</code>');
  t.is(show(fence('js', '// @ts-check\nlet a;')), '<code>// @ts-check\nlet a;</code>');
});

test('code of sites: parts of lines are marked as added, removed and to be seen', (t) => {
  t.is(
    show(fence('svelte', '\t---$:--- +++const+++ a = :::b:::;')),
    '<code>\t<del>$:</del> <ins>const</ins> a = <mark>b</mark>;</code>',
  );
  t.is(
    show(fence('js', '+++\tif (a) {\n\t\tb();\n\n\t}+++\nc')),
    '<code>\t<ins>if (a) {</ins>\n\t\t<ins>b();</ins>\n\n\t<ins>}</ins>\nc</code>',
  );
});

test('code of sites: the same signs as code stay', (t) => {
  for (const code of [
    'i+++j',
    '---',
    '-- a ---',
    'a ---- b ----',
    "'---' + x + '---'",
    '// --- a ---',
    '// ---a---',
    '/*---a---*/',
    '<!---a--->',
    '+++ a +++',
  ]) {
    t.is(renderDraft(fence('js', code)).slots.find(({ kind }) => kind === 'code')?.kind, 'code');
    const [slot] = renderDraft(fence('js', code)).slots;
    t.is(slot?.kind === 'code' ? slot.block.text : '', code);
  }
  for (const language of ['md', 'yaml', 'diff', 'r', '']) {
    t.notRegex(show(fence(language, '+++a+++ |---|---| x:::y:::z')), /<ins>|<del>|<mark>/);
  }
  t.notRegex(show(fence('js', '+++a+++'), { generator: 'vitepress' }), /<ins>/);
});

test('code of sites: a mark cuts highlighted tokens in two, and entities count as one sign', (t) => {
  const draft = renderDraft(fence('js', 'a <+++b+++> c'));
  const html = fillCodeSlots(draft, () => 'a <span class="x">&lt;b</span><span class="y">&gt; c</span>');
  t.regex(html, /a <span class="x">&lt;<\/span><ins><span class="x">b<\/span><\/ins><span class="y">&gt; c<\/span>/);
});

test('code of sites: a block has its name and a second language', (t) => {
  t.is(
    show(fence('typescript', '@@filename(cats.service)\nlet a: A;')),
    '<div class="code-title">cats.service.ts</div><code>let a: A;</code>',
  );
  t.is(show(fence('bash', '@@filename()\nls')), '<code>ls</code>');
  const { html } = renderPage(fence('typescript', '@@filename(main)\nlet a: A;\n@@switch\nlet a;'));
  t.regex(html, /^<div class="tabs code-group" role="group">/);
  t.regex(html, />TypeScript<\/label>.*main\.ts<\/div>.*let a: A;.*>JavaScript<\/label>.*main\.js<\/div>.*let a;</s);
  t.notRegex(html, /@@/);
});

test('code of sites: many signs take time that grows with the text', (t) => {
  const render = (count: number): number => {
    const start = process.cpuUsage();
    renderDraft(fence('js', '+++a '.repeat(count)));
    return process.cpuUsage(start).user / 1000;
  };
  render(1_000);
  t.true(render(200_000) < 2_000);
});
