import test from 'ava';
import { openDocument } from '../../../../builder/markdown/html/open-document.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import fc from '../../../helpers/fast-check.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';

const list = (text: string, type: 'css' | 'html' | 'svg') =>
  openDocument(text, type).references.map(({ kind, url, line }) => [kind, url, line]);

test('openDocument() finds addresses in CSS as browsers read it: escapes, comments, strings, functions', (t) => {
  const css = [
    '@charset "utf-8"; @import "a.css" screen; @IMPORT/**/URL(b.css);',
    'a { content: "url(no.png)"; background: url( "c\\20 d.png" ) /* url(no.png) */, url(e\\).png) }',
    '@font-face { src: url(f.woff2?x#y) format("woff2"), src("g.woff") }',
    'b { background: image-set("h.png" type("image/png") 1x, url(i.png) 2x); mask: url(#mask) url("") url(//x.test/n) }',
    "c { background: -webkit-image-set('j.png' 1x); width: calc((1px) * 2); b: u\\72l(k.png) }",
    'd { background: url(broken one.png) } e { background: url(l.png',
  ].join('\n');
  t.deepEqual(list(css, 'css'), [
    ['style', 'a.css', 1],
    ['style', 'b.css', 1],
    ['style', 'c d.png', 2],
    ['style', 'e).png', 2],
    ['style', 'f.woff2?x#y', 3],
    ['style', 'g.woff', 3],
    ['style', 'h.png', 4],
    ['style', 'i.png', 4],
    ['style', 'j.png', 5],
    ['style', 'k.png', 5],
    ['style', 'l.png', 6],
  ]);
});

test('openDocument() finds addresses in HTML in all ways of writing an attribute, and none in comments and scripts', (t) => {
  const html = [
    '<!-- <img src=no.png> --><LINK HREF=a.css?x&amp;y REL="alternate stylesheet"><link rel=next href="b.html">',
    "<img\n  src = 'c.png'\n  srcset='d.png 1x,e.png 2x'><textarea><img src=no.png></textarea>",
    '<script>"<img src=no.png>"</script><style>p { background: url(f.png) }</style>',
    '<p style="background:url(&quot;g.png&quot;)"><a href=" h.html "><a href="#i"><a href="mailto:x"><a href=>',
    '<body background=j.png><iframe src="k.html"/><svg><use xlink:href="l.svg#x"/></svg><style>q{a:url(m.png)',
  ].join('\n');
  t.deepEqual(list(html, 'html'), [
    ['image', 'a.css?x&y', 1],
    ['link', 'b.html', 1],
    ['image', 'c.png', 3],
    ['image', 'd.png', 4],
    ['image', 'e.png', 4],
    ['style', 'f.png', 5],
    ['style', 'g.png', 6],
    ['link', 'h.html', 6],
    ['image', 'j.png', 7],
    ['image', 'k.html', 7],
    ['image', 'l.svg#x', 7],
    ['style', 'm.png', 7],
  ]);
});

test('openDocument() takes no notice of addresses that are filled in later', (t) => {
  const html = ['{{ logo }}', `\${link}`, '{% url %}', '<%= x %>', 'a.png'].map((url) => `<img src="${url}">`);
  t.deepEqual(list(html.join(''), 'html'), [['image', 'a.png', 1]]);
});

test('openDocument() leaves a page alone that says what its addresses are relative to', (t) => {
  const html = '<base href="https://x.test/"><img src="a.png">';
  t.deepEqual(openDocument(html, 'html'), { text: html, references: [] });
  t.is(list('<base target="_blank"><img src="a.png">', 'html').length, 1);
});

test('openDocument() gives no text twice where elements stand in the style sheet of a drawing', (t) => {
  const { text } = openDocument('<style>@import "d"<img src="a.png"><img src="b.png">@import "e"', 'svg');
  t.is(text, '<style>@import "d"<img src="\u00000\u0000"><img src="\u00001\u0000">@import "\u00002\u0000"');
});

test('openDocument() keeps everything but addresses as it is', (t) => {
  const piece = fc.constantFrom(
    ...[
      '<img src="a.png">',
      '<p style="a:url(b)">',
      '<style>',
      '</style>',
      'url(c)',
      '"',
      "'",
      '<!--',
      '-->',
      '<',
      '>',
    ],
    ...['=', '&amp;', '@import "d"', '\r\n', ' ', '/', '</p>', '<svg/>', '\\', '(', ')', 'srcset=', '<?', ']]>', 'ü'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom('css', 'html', 'svg'), (pieces, type) => {
      const text = pieces.join('');
      const { text: opened, references } = openDocument(text, type);
      const parts = opened.split('\0');
      t.is(parts.length % 2, 1);
      // What stands between the markers is found in the text in the same order, but for quotes, character references and
      // escapes: `\url(` is `url(`.
      const plainText = text.replaceAll('\\', '');
      let at = 0;
      for (let i = 0; i < parts.length; i += 2) {
        const kept = parts[i]!.replace(/^["')]+/, '').replace(/(?:&quot;|["'(])+$/, '');
        const plain = kept.replaceAll('\\', '');
        const found = plainText.indexOf(plain, at);
        if (!/["&]/.test(plain)) t.true(found >= at, JSON.stringify([text, opened]));
        at = Math.max(at, found);
      }
      for (let i = 1; i < parts.length; i += 2) t.truthy(references[Number(parts[i])]);
    }),
  );
});

test.serial('openDocument() reads hostile files of megabytes in linear time', (t) => {
  const pieces = {
    css: ['url(', '@import "', '/*', '\\', '(', 'url(a)', '"', 'image-set(', 'image-set("a"', 'a{', '@import url('],
    html: [
      '<',
      '<a ',
      '<a href="',
      "<a style='url(",
      '<img srcset="',
      '<!--',
      '<style>',
      '</',
      '<a b=',
      '<img srcset="a,',
    ],
    svg: ['<', '<?xml-stylesheet href="', '<![CDATA[', '<a style="url(a)"/>', '&amp;', '<image href="a"/>'],
  } as const;
  for (const type of ['css', 'html', 'svg'] as const) {
    for (const piece of pieces[type]) {
      const time = (bytes: number): number => {
        const text = piece.repeat(bytes / piece.length);
        return fastestMs(() => void openDocument(text, type));
      };
      // Quadratic time would be 256 times as much.
      const ratio = time(1_600_000) / (time(100_000) + 5);
      t.true(ratio < 64, `${type} ${piece}: ${ratio}`);
    }
  }
  // One attribute that is a list of a million candidates.
  const start = cpuTimeMs();
  openDocument(`<img srcset="${'a,'.repeat(1_000_000)}(">`, 'html');
  openDocument(`<img srcset="${','.repeat(1_000_000)}">`, 'html');
  t.true(cpuTimeMs() - start < 5_000);
});
