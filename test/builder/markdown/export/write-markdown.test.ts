import test from 'ava';
import { decodeHTML } from 'entities';
import createMarkdownIt from 'markdown-it';
import { describeDraft, type RenderInput } from '../../../../builder/markdown/draft.ts';
import { encodeTarget, escapeMarkdown } from '../../../../builder/markdown/export/markdown-text.ts';
import { fillMarkdown } from '../../../../builder/markdown/export/places.ts';
import { writeMarkdown } from '../../../../builder/markdown/export/write-markdown.ts';
import fc from '../../../helpers/fast-check.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';
import { renderDraft } from '../render-page.ts';

/** Returns the Markdown of a page, its links as their author wrote them. */
function write(text: string, input: Partial<RenderInput> = {}): string {
  const draft = renderDraft(text, input);
  const urls = describeDraft(draft).slots.map(({ url }) => url);
  return fillMarkdown(writeMarkdown(draft, input.titles ?? {}), { urls, title: '' });
}

test('writeMarkdown() leaves as it is what is plain Markdown', (t) => {
  const text = `# Title

Some *text* with **bold**, \`code\`, ~~del~~, a [link](./other.md#x) and ![a picture](a.png).

- one
- two
  1. first
  2. second

> quote
>
> > inner

\`\`\`ts
const a = "<b>" && 1;
\`\`\`

| a | b |
| :-- | --: |
| 1 | 2 |

- [x] done
- [ ] open

Note[^1].

***

Formula $a_b + c$.

$$
x^2
$$

\`\`\`mermaid
graph TD; A-->B
\`\`\`

[^1]: What it says.
`;
  t.is(write(text), text);
});

test('writeMarkdown() writes containers and alerts of all generators as alerts with their titles', (t) => {
  const alert = '> [!WARNING]\n> **Own *title***\n>\n> Text\n';
  t.is(write('::: warning Own *title*\nText\n:::\n'), alert);
  t.is(write('!!! warning "Own *title*"\n    Text\n', { generator: 'mkdocs' }), alert);
  t.is(write(':::warning[Own *title*]\nText\n:::\n', { generator: 'docusaurus' }), alert);
  t.is(write('::: tip\nText\n:::\n'), '> [!TIP]\n> Text\n');
  t.is(write('> [!TIP]\n> Text\n'), '> [!TIP]\n> Text\n');
  t.is(write('::: tip\nText\n:::\n', { titles: { tip: '提示' } }), '> [!TIP]\n> Text\n');
  t.is(write('::: details Click\nText\n\n```js\nx\n```\n:::\n'), '> **Click**\n>\n> Text\n>\n> ```js\n> x\n> ```\n');
});

test('writeMarkdown() names tabs above their content, and files and changed lines in code', (t) => {
  const group = '::: code-group\n```sh [npm]\nnpm i\n```\n```sh [pnpm]\npnpm i\n```\n:::\n';
  t.is(write(group), '**npm**\n\n```sh\nnpm i\n```\n\n**pnpm**\n\n```sh\npnpm i\n```\n');
  t.is(write('```ts [a.ts]\nlet a\n```\n'), '```ts title="a.ts"\nlet a\n```\n');
  t.is(
    write('```ts\nlet a // [!code --]\nlet b // [!code ++]\nlet c\n```\n'),
    '```diff\n-let a\n+let b\n let c\n```\n',
  );
  t.is(write('````md\n```\nx\n```\n````\n'), '````md\n```\nx\n```\n````\n');
});

test('writeMarkdown() leaves out scripts, anchors, tables of contents and tags of components', (t) => {
  t.is(
    write(
      '# T <Badge text="new" />\n\n[[toc]]\n\n<script setup>\nfoo\n</script>\n\n<MyThing :a="b">Text</MyThing>\n\n## H\n',
    ),
    '# T new\n\nText\n\n## H\n',
  );
});

test('writeMarkdown() leaves out what is hidden from those who cannot see it, and nothing whose attributes only look so', (t) => {
  const html = `<p>A<span aria-hidden="true">B</span></p><p data-aria-hidden="true">C</p><p title='aria-hidden="true"'>D</p>`;
  t.is(writeMarkdown({ html, slots: [] }, {}), '\0#\0A\n\nC\n\nD\n');
});

test('writeMarkdown() writes HTML of authors as Markdown', (t) => {
  t.is(
    write(
      '<table><tr><td>One | two</td><td><p>A</p><ul><li>b</li></ul></td></tr><tr><td colspan="2">c</td></tr></table>\n',
    ),
    '| One \\| two | A<br>b |\n| --- | --- |\n| c |  |\n',
  );
  t.is(write('<a href="#x"><h3>Card</h3><p>text</p></a>\n'), '[Card text](#x)\n');
  t.is(write('<iframe src="https://video.example/1" title="Film"></iframe>\n'), '[Film](https://video.example/1)\n');
  t.is(write('<a href="javascript:alert(1)">x</a> <img src="data:image/png;base64,AAAA" alt="y">\n'), 'x\n');
  t.is(write('<ul><li>a<li>b</ul>\n'), '- a\n- b\n');
});

test('writeMarkdown() keeps brackets in the texts of links and pictures, bars in formulas of cells, and signs after a break', (t) => {
  t.is(write('[a\\] b](x.md) ![c\\[ d](e.png) \\[f]\n'), '[a\\] b](x.md) ![c\\[ d](e.png) [f\\]\n');
  t.is(write('<iframe src="https://video.example/1" title="A] B"></iframe>\n'), '[A\\] B](https://video.example/1)\n');
  t.is(
    write('| a |\n| - |\n| $\\\\|x\\\\| = \\|y\\|$ |\n'),
    '| a |\n| --- |\n| $\\Vert x\\Vert  = \\vert y\\vert $ |\n',
  );
  for (const line of ['# x', '- x', '1. x', '===', '--', '> x']) {
    const escaped = escapeMarkdown(line, { isFirst: true });
    t.not(escaped, line);
    t.is(write(`<p>a<br>${line.replace('>', '&gt;')}</p>\n`), `a\\\n${escaped}\n`);
  }
});

test('writeMarkdown() leaves places of links alone that code and formulas seem to have', (t) => {
  const slots = [
    { kind: 'link', url: 'a.md', line: 1 },
    { kind: 'code', block: { text: 'x\0[0\0y', language: '' }, marks: [] },
  ] as unknown as Parameters<typeof writeMarkdown>[0]['slots'];
  const html = '<pre>\x001\x00</pre><p><a href="\x000\x00">b</a></p>';
  const text = fillMarkdown(writeMarkdown({ html, slots }, {}), { urls: ['a.html'], title: '' });
  t.is(text, '```\nx\ufffd[0\ufffdy\n```\n\n[b](a.html)\n');
});

test('encodeTarget() encodes blanks of all scripts as UTF-8', (t) => {
  t.is(encodeTarget('a b\u3000c\u00a0(d)|é'), 'a%20b%E3%80%80c%C2%A0%28d%29%7Cé');
});

test('fillMarkdown() writes URLs, the text of links without one, and the title that a page lacks', (t) => {
  const markdown = writeMarkdown(renderDraft('[*a*](x.md) [b](y.md) ![c](z.png)\n'), {});
  t.is(
    fillMarkdown(markdown, { urls: ['../x (1).html', '', 'z.png'], title: 'A *star*' }),
    '# A \\*star\\*\n\n[*a*](../x%20%281%29.html) b ![c](z.png)\n',
  );
  const chapter = writeMarkdown(renderDraft('## Chapter\n\nText\n'), {});
  t.is(fillMarkdown(chapter, { urls: [], title: 'Chapter' }), '# Chapter\n\nText\n');
  t.is(fillMarkdown(writeMarkdown(renderDraft(''), {}), { urls: [], title: 'Only' }), '# Only\n');
});

test('escapeMarkdown() makes every text mean itself', (t) => {
  const sign = fc.constantFrom(
    ...'*_`[]()<>&|\\~#-+!1.:$ \n'.split(''),
    'a',
    'b ',
    '\n\n',
    '> ',
    '- ',
    '**',
    '``',
    '](',
    '&lt;',
  );
  const md = new createMarkdownIt({ html: true });
  const visible = (text: string) => decodeHTML(md.render(text).replace(/<[^>]*>/g, '')).trim();
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 40 }), (text) => {
        const words = text.replace(/\s+/g, ' ').trim();
        return visible(escapeMarkdown(words, { isFirst: true })) === words;
      }),
      { numRuns: 1_000 },
    ),
  );
});

test('writeMarkdown() never throws and ends, whatever the HTML', (t) => {
  const piece = fc.constantFrom(
    ...[
      '<p>',
      '</p>',
      '<ul>',
      '<li>',
      '</li>',
      '</ul>',
      '<table>',
      '<tr>',
      '<td>',
      '</td>',
      '</table>',
      '<pre>',
      '</pre>',
    ],
    ...[
      '<code>',
      '</code>',
      '<a href="\x000\x00">',
      '</a>',
      '<b>',
      '</b>',
      '<h2>',
      '</h2>',
      '<blockquote>',
      '<br>',
      '<hr>',
    ],
    ...[
      '<div class="callout tip">',
      '<p class="callout-title">',
      '<details>',
      '<summary>',
      '</details>',
      '<dl><dt>',
      '<dd>',
    ],
    ...[
      '<section class="footnotes"><ol><li id="fn1">',
      '<sup class="footnote-ref">',
      '</sup>',
      '</div>',
      'x',
      ' ',
      '\x000\x00',
      '<',
    ],
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const slots = [{ kind: 'link', url: 'a', line: 1 } as const];
        fillMarkdown(writeMarkdown({ html: pieces.join(''), slots }, {}), { urls: ['a'], title: 'T' });
      }),
    ),
  );
});

test.serial('writeMarkdown() takes linear time, and its lines do not grow with what is open', (t) => {
  const nested = [
    '<blockquote>x',
    '<ul><li>x',
    '<details>x',
    '<table><tr><td>x',
    '<b>x',
    '<h2>',
    '<a href="x">',
    '<pre>x',
  ];
  for (const piece of [...nested, '<p class="callout-title">x', '<td colspan="99">x', '</b>', '<br>', '`', '<li>x\n']) {
    const html = piece.repeat(200_000 / piece.length);
    let length = 0;
    const ms = fastestMs(() => {
      length = writeMarkdown({ html, slots: [] }, {}).length;
    });
    t.true(ms < 3_000, `${piece}: ${ms} ms`);
    t.true(length < 40 * html.length, `${piece}: ${length} characters`);
  }
});
