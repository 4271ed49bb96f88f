import test from 'ava';
import { fromHtml } from 'hast-util-from-html';
import { sanitizeHtml } from '../../../../builder/markdown/html/sanitize-html.ts';
import fc from '../../../helpers/fast-check.ts';
import { MARKUP } from '../../../helpers/signs.ts';
import { renderDraft, renderPage } from '../render-page.ts';

const safe = (text: string) => renderPage(text, {}, { html: 'safe' });

const SAFE_MARKUP = [
  '<div>',
  '</div>',
  '<p>',
  '</p>',
  '<b title="a&quot;b">',
  '</b>',
  '<code>',
  '</code>',
  '<ul><li>',
  '<br>',
  '\n',
  ' ',
  '&lt;',
  '<img alt=a>',
];

const forbidden = /^(?:script|iframe|object|embed|base|link|meta|style|svg|math|form|button|noscript)$/;

/** Returns the elements and attributes a browser would find that can run, load or imitate. */
function findDangers(
  node: ReturnType<typeof fromHtml> | ReturnType<typeof fromHtml>['children'][number],
): readonly string[] {
  if (!('children' in node)) return [];
  const own =
    node.type === 'element'
      ? Object.entries(node.properties)
          .filter(isDangerous)
          .map(([key]) => key)
      : [];
  if (node.type === 'element' && forbidden.test(node.tagName)) own.push(node.tagName);
  return [...own, ...node.children.flatMap(findDangers)];
}

function isDangerous([key, value]: [string, unknown]): boolean {
  return /^(?:on|style$|srcDoc|action|formAction)/.test(key) || /^\s*(?:java|vb)script:/i.test(String(value));
}

for (const attack of [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<svg><script>alert(1)</script></svg>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<div style="position:fixed">x</div>',
  '<form action="https://x.example"><button formaction="javascript:alert(1)">x</button></form>',
  '<object data="x"></object><embed src="x"><base href="x"><link rel=stylesheet href=x><meta http-equiv=refresh>',
  '<style>*{}</style>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
]) {
  test(`sanitizeHtml() disarms ${attack.replaceAll('\n', ' ')}`, (t) => {
    const { html } = safe(`a\n\n${attack}\n\nb ${attack} c`);
    t.deepEqual(findDangers(fromHtml(html, { fragment: true })), []);
  });
}

test('sanitizeHtml() keeps what the renderer writes', (t) => {
  const text =
    '# A & b <b>x</b>\n\n::: details D\n- [x] y\n:::\n\n::: code-group\n```js{1}:line-numbers [a.js]\nlet a\n```\n:::\n\n| a |\n|:-:|\n| ![i](j.png) |\n\n[l](m.md)[^1]\n\n[^1]: n\n\n[toc]\n';
  const decode = (html: string) => html.replaceAll('&#x26;', '&amp;').replaceAll('=""', '');
  t.is(decode(safe(text).html), decode(renderPage(text).html));
});

test('sanitizeHtml() keeps slots of raw HTML', (t) => {
  t.deepEqual(
    safe('<img src="a.png" alt="b" srcset="c.png 2x">').slots.map((slot) => slot.url),
    ['a.png', 'c.png'],
  );
});

test('sanitizeHtml() lets nobody write a slot', (t) => {
  const draft = renderDraft(
    '`x` <b title="&#0;0&#0;">\0' + '0\0</b>\n\n```js\n" onclick="x\n```',
    {},
    { html: 'safe' },
  );
  t.is(draft.html.split('\0').length, 3);
});

test('pages without raw HTML are the same either way', (t) => {
  t.is(safe('"a" & **b**').html, renderPage('"a" & **b**').html);
});

test('what sanitizeHtml() returns is safe, and is left as it is', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...MARKUP, ...SAFE_MARKUP), { maxLength: 40 }), (parts) => {
        const clean = sanitizeHtml(parts.join(''));
        t.is(sanitizeHtml(clean), clean);
        t.deepEqual(findDangers(fromHtml(clean, { fragment: true })), []);
      }),
      { numRuns: 500 },
    ),
  );
});
