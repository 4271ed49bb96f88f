import test from 'ava';
import { findForeignHost } from '../../../../builder/markdown/html/foreign-hosts.ts';
import { findForeignHostOfTag } from '../../../../builder/markdown/raw-html/foreign-resources.ts';
import { renderPage } from '../render-page.ts';

const FOREIGN: readonly (readonly [url: string, host: string | undefined])[] = [
  ['https://cdn.example/x.js', 'cdn.example'],
  ['HTTP://CDN.example:8080/x.js', 'cdn.example'],
  ['//cdn.example/x.js', 'cdn.example'],
  ['\\\\cdn.example\\x.js', 'cdn.example'],
  [' ht\ntps://cdn.example', 'cdn.example'],
  ['https:cdn.example/x.js', 'cdn.example'],
  ['https://cdn.example./x.js', 'cdn.example'],
  ['/x.js', undefined],
  ['x.js', undefined],
  ['data:text/css,a', undefined],
  ['https://', undefined],
];

for (const [url, host] of FOREIGN) {
  test(`findForeignHost() finds ${host} in ${JSON.stringify(url)}`, (t) => t.is(findForeignHost(url, []), host));
}

test('findForeignHost() lets names, those below a name, and all hosts be allowed', (t) => {
  const judge = (host: string, ...allowed: readonly string[]) =>
    findForeignHost(`https://${host}/`, allowed) === undefined;
  t.true(judge('a.example', 'a.example') && judge('x.y.example', '*.y.example') && judge('any.example', '*'));
  t.false(
    judge('b.a.example', 'a.example') || judge('y.example', '*.y.example') || judge('evily.example', '*.y.example'),
  );
});

test('findForeignHostOfTag() looks at what browsers load, not at what they link to', (t) => {
  const judge = (html: string) => findForeignHostOfTag(html, []);
  for (const html of [
    '<script src="https://x.example/a.js">',
    "<SCRIPT async SRC='//x.example/a.js'>",
    '<script src=https&#58;//x.example/a.js>',
    '<link rel="stylesheet" href="https://x.example/a.css">',
    '<link rel="alternate stylesheet" href="https://x.example/a.css">',
    '<link rel=preconnect href=https://x.example>',
    '<link rel="icon" href="https://x.example/a.ico">',
  ]) {
    t.is(judge(html), 'x.example', html);
  }
  for (const html of [
    '<script src="a.js">',
    '<script>',
    '<link rel="canonical" href="https://x.example/">',
    '<link rel="alternate" href="https://x.example/">',
    '<a href="https://x.example/">',
    '<img src="https://x.example/a.png">',
  ]) {
    t.is(judge(html), undefined, html);
  }
});

const remote = [
  'Text',
  '',
  '<script src="https://cdn.example/x.js"></script>',
  '<link rel="stylesheet" href="https://fonts.example/css?family=A&display=swap">',
  '',
  '<style>',
  '@import "https://fonts.example/b.css";',
  '@font-face { font-family: A; src: url(//fonts.example/a.woff2) format("woff2"); }',
  '.a { background: url(https://img.example/a.png) }',
  '</style>',
  '',
  'A <script src="https://inline.example/x.js"></script> and ![](https://img.example/b.png)',
].join('\n');

test('scripts, style sheets and fonts of other hosts are left out, with a warning for each host', (t) => {
  const { html, warnings } = renderPage(remote);
  t.notRegex(html, /cdn\.example|fonts\.example|inline\.example/);
  t.regex(html, /@import "data:,";/);
  t.regex(html, /src: url\("data:,"\) format/);
  t.regex(html, /url\(https:\/\/img\.example\/a\.png\)/, 'pictures stay');
  t.regex(html, /<img src="https:\/\/img\.example\/b\.png"/);
  t.deepEqual(
    warnings.map(({ line, code, message }) => `${line} ${code} ${message.replace(/ left out:.*/, '')}`),
    [
      '3 foreign-host Script of "cdn.example"',
      '4 foreign-host Style sheet, font or icon of "fonts.example"',
      '7 foreign-host Style sheet or font of "fonts.example"',
      '12 foreign-host Script of "inline.example"',
    ],
  );
});

test('allowed hosts are asked', (t) => {
  const { html, warnings } = renderPage(remote, {}, { allowedHosts: ['*.example'] });
  t.deepEqual(warnings, []);
  t.regex(html, /<script src="https:\/\/cdn\.example\/x\.js"><\/script>/);
  t.regex(html, /@import "https:\/\/fonts\.example\/b\.css";/);
});

const modules = [
  'Text',
  '',
  '<script type="module">',
  'import own from "./own.js";',
  'import mermaid from "https://esm.example/mermaid.js";',
  'mermaid.initialize({ startOnLoad: true });',
  '</script>',
  '',
  '<script>',
  'button.onclick = () => import("//lazy.example/x.js");',
  '</script>',
  '',
  '<script type="importmap">',
  '{ "imports": { "vue": "https://map.example/vue.js" } }',
  '</script>',
  '',
  '<script type="module">import "./kept.js"; // as does import "https://comment.example/"',
  'show(\'import "https://text.example/"\');</script>',
].join('\n');

test('scripts that import modules of other hosts are left out, with a warning at the line of the import', (t) => {
  const { html, warnings } = renderPage(modules);
  t.notRegex(html, /esm\.example|lazy\.example|map\.example|own\.js|initialize/);
  t.regex(html, /<script type="module">import "\.\/kept\.js"; \/\/ as does/);
  t.deepEqual(
    warnings.map(({ line, code, message }) => `${line} ${code} ${message.replace(/ left out:.*/, '')}`),
    [
      '5 foreign-host Script of "esm.example"',
      '10 foreign-host Script of "lazy.example"',
      '14 foreign-host Script of "map.example"',
    ],
  );
  for (const generator of ['docusaurus', 'vitepress'] as const) {
    const written = renderPage('# A\n\n<script type="module">\nimport "https://esm.example/x.js";\n</script>', {
      generator,
    });
    t.notRegex(written.html, /esm\.example/);
    t.is(written.warnings[0]?.line, 4);
  }
});

test('scripts that import modules of allowed hosts stay', (t) => {
  const { html, warnings } = renderPage(modules, {}, { allowedHosts: ['*.example'] });
  t.deepEqual(warnings, []);
  t.regex(html, /import mermaid from "https:\/\/esm\.example\/mermaid\.js"/);
});
