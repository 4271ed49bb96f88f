import test from 'ava';
import { renderPage } from '../render-page.ts';

test('Docsify: !> and ?> make callouts of whole paragraphs', (t) => {
  const { html } = renderPage('!> Steam is\n**hot**.\n?> Descale\n\n- ?> In a list\n  too\n\nAfter\n');
  t.is(
    html.replace(/\n/g, ''),
    '<div class="callout important"><p class="callout-title">Important</p><p>Steam is<strong>hot</strong>.</p></div>' +
      '<div class="callout tip"><p class="callout-title">Tip</p><p>Descale</p></div>' +
      '<ul><li><div class="callout tip"><p class="callout-title">Tip</p><p>In a list' +
      'too</p></div></li></ul><p>After</p>',
  );
});

test('Docsify: marks inside text and code stay as they are', (t) => {
  t.is(renderPage('Is 3 !> 2?\n').html, '<p>Is 3 !&gt; 2?</p>');
  t.regex(renderPage('    !> code\n').html, /!&gt; code/);
  t.is(renderPage('!>\n').html, '<p>!&gt;</p>');
});

test('Docsify: settings in titles are set, and no titles', (t) => {
  const render = (text: string) => renderPage(text).html;
  t.is(
    render("![a](b.png ':size=50x100 :class=wide :id=pic A title')"),
    '<p class="pictures"><img src="{b.png}" alt="a" title="A title" width="50" height="100" id="pic" class="wide" decoding="async" loading="lazy"></p>',
  );
  t.is(
    render("![a](b.png ':size=10%')").replace(/ decoding.*/, ''),
    '<p class="pictures"><img src="{b.png}" alt="a" width="10%"',
  );
  t.is(render("[a](b.md ':ignore')"), '<p><a href="{b.md}">a</a></p>');
  t.is(render("[a](b.md ':target=_blank :disabled')"), '<p><a href="{b.md}" target="_blank">a</a></p>');
  t.is(
    render("[a](https://x.test/f.mp4 ':include :type=video controls')"),
    '<p><a href="https://x.test/f.mp4" rel="noreferrer">a</a></p>',
  );
  t.is(render("[a](b.md ':onclick=x')"), '<p><a href="{b.md}" title=":onclick=x">a</a></p>');
});

test('Docsify: headings have the ids that authors gave, and nothing that hides them', (t) => {
  const { headings } = renderPage(
    '# A :id=b\n\n## C {docsify-ignore}\n\n## D <!-- {docsify-ignore-all} -->\n\n## E: id=f\n',
  );
  t.deepEqual(
    headings.map(({ id, text }) => [id, text]),
    [
      ['b', 'A'],
      ['c', 'C'],
      ['d', 'D'],
      ['e-idf', 'E: id=f'],
    ],
  );
});

test('Docsify: addresses of a site on one page lead to pages; elsewhere they stay', (t) => {
  const text = '[a](#/guide?id=b) [c](guide?x=1&id=b) [d](?id=b) [e](#/) [f](https://x.test/?id=b) [g](#h)\n';
  const read = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url);
  const others = ['https://x.test/?id=b', '{#h}'];
  t.deepEqual(read(renderPage(text, { generator: 'docsify' }).html), [
    '{/guide#b}',
    '{guide#b}',
    '{#b}',
    '{/}',
    ...others,
  ]);
  t.deepEqual(read(renderPage(text).html).slice(1, 3), ['{guide?x=1&id=b}', '{?id=b}']);
});

test('Docsify: files are included where a link says so', (t) => {
  const includes = new Map([
    ['docs/a.md', '---\ntitle: A\n---\n**Bold**\n'],
    ['docs/a.js', 'let a;\n/// [part]\n  let b;\n/// [part]\n'],
    ['docs/log.md', '### [1.0]\n\nFirst\n'],
  ]);
  const render = (text: string) => renderPage(text, { includes, pagePath: 'docs/index.md' });
  t.is(render("[a](a.md ':include')").html, '<p><strong>Bold</strong></p>');
  t.regex(
    render("[a](a.js ':include :type=code :fragment=part')").html,
    /data-language="js"><pre[^>]*><code>let b;\n?</,
  );
  t.regex(render("[](a.md ':include :type=code text')").html, /\*\*Bold\*\*/);
  t.regex(render("[](log.md ':include')").html, /1\.0/);
  includes.set('docs/index.md', '# Itself\n');
  t.regex(render("[](index.md ':include :type=code')").html, /# Itself/);
  t.deepEqual(
    render("[](index.md ':include')").warnings.map(({ code }) => code),
    ['missing-snippet'],
  );
  const missing = render("[a](gone.md ':include')");
  t.regex(missing.html, /gone\.md/);
  t.deepEqual(
    missing.warnings.map(({ code }) => code),
    ['missing-snippet'],
  );
  t.is(render("[a](page.html ':include height=2')").html, '<p><a href="{page.html}">a</a></p>');
});
