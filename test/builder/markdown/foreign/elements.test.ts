import test from 'ava';
import type { Generator } from '../../../../builder/generators/generators.ts';
import { renderPage } from '../render-page.ts';

const render = (generator: Generator, text: string) => renderPage(text, { generator });
const flat = (html: string): string => html.replace(/\n/g, '');

test('tabs of Hugo in a list are tabs, however far what they hold is indented', (t) => {
  const pane = [
    '  {{< tabpane text=true >}}',
    '{{% tab header="A" %}}',
    'One **a**',
    '{{% /tab %}}',
    '  {{< tab header="B" >}}',
    '      Two',
    '  {{< /tab >}}',
    '  {{< /tabpane >}}',
  ].join('\n');
  const { html, warnings } = render('hugo', `- Step\n\n${pane}\n\n- Next\n`);
  t.deepEqual(warnings, []);
  t.regex(flat(html), /^<ul><li><p>Step<\/p><div class="tabs".*<\/div><\/li><li><p>Next<\/p><\/li><\/ul>$/);
  t.regex(flat(html), />A<\/label><div class="tab-panel"><p>One <strong>a<\/strong><\/p><\/div>/);
  t.regex(flat(html), />B<\/label><div class="tab-panel"><p>Two<\/p><\/div>/);
});

test('titles in shortcodes are Markdown, those of components text', (t) => {
  const tab = '{{% tabs %}}{{% tab header="A `b` **c**" %}}\nText\n{{% /tab %}}{{% /tabs %}}\n';
  t.regex(render('hugo', tab).html, />A <code>b<\/code> <strong>c<\/strong><\/label>/);
  const component = '<Tabs>\n<TabItem label="A `b` **c**">\n\nText\n\n</TabItem>\n</Tabs>\n';
  t.regex(render('docusaurus', component).html, />A `b` \*\*c\*\*<\/label>/);
});

test('a disabled tab of Docsy stands before the tabs, of which the first is open', (t) => {
  const { html } = render(
    'hugo',
    '{{< tabpane text=true >}}\n{{% tab header="**Shell**:" disabled=true /%}}\n{{% tab header="A" %}}\nText\n{{% /tab %}}\n{{< /tabpane >}}\n',
  );
  t.regex(
    flat(html),
    /^<div class="tabs" role="group"><p class="tab-heading"><strong>Shell<\/strong>:<\/p><input [^>]* checked><label [^>]*>A</,
  );
  t.is(html.match(/<input/g)?.length, 1);
});

test('a card of Docsy shows header, title, subtitle and footer, and code as code', (t) => {
  const { html } = render(
    'hugo',
    '{{< card header="**C**" title="\\*1941" subtitle="Author" footer="_Foot_" code=true lang="c" >}}\n#include <stdio.h>\n{{< /card >}}\n',
  );
  t.regex(flat(html), /<p class="container-title"><strong>C<\/strong><\/p><p>\*1941<br>Author<\/p>/);
  t.regex(html, /data-language="c"><pre[^>]*><code>#include &lt;stdio\.h&gt;/);
  t.regex(html, /<p><em>Foot<\/em><\/p>/);
  t.regex(
    render('hugo', '{{< card title="A" link="b.md" >}}\nText\n{{< /card >}}\n').html,
    /<p class="container-title"><a href="\{b\.md\}">A<\/a><\/p>/,
  );
});

test('the text for a picture that is not shown has no marks', (t) => {
  const alt = (text: string): string | undefined =>
    /alt="([^"]*)"/.exec(render('hugo', `{{< figure src="a.png" ${text} >}}\n`).html)?.[1];
  t.is(alt('alt="The **bold** `code`, a [link](x.md) and _more_"'), 'The bold code, a link and more');
  t.is(alt('caption="A **cap**"'), 'A cap');
  t.is(alt('alt="snake_case_name, 2 * 3 * 4"'), 'snake_case_name, 2 * 3 * 4');
});

test('expressions inside an element with v-pre are text to Vue, others are left out', (t) => {
  const { html, warnings } = render(
    'vitepress',
    '<p v-pre>{{ a }}</p>\n\n<code v-pre>{{ b }}</code> {{ gone }}\n\n<div class="x" v-pre>\n\n{{ c }} <b>x</b>\n\n</div>\n\n{{ lost }}\n',
  );
  t.is(flat(html), '<p>{{ a }}</p><p><code>{{ b }}</code> </p><div class="x"><p>{{ c }} <b>x</b></p></div>');
  t.deepEqual(
    warnings.map(({ line, message }) => [line, message]),
    [
      [3, '"{{ gone }}" belongs to another generator and was left out'],
      [11, '"{{ lost }}" belongs to another generator and was left out'],
    ],
  );
  const table = '| a |\n|---|\n| <code v-pre>{{ d }}</code> |\n';
  t.regex(render('vuepress', table).html, /<td><code>\{\{ d \}\}<\/code><\/td>/);
});

test('an escaped id at the end of a paragraph of MDX is its id; elsewhere it is text', (t) => {
  const text = 'A rule\nof the language. \\{#rule.name}\n\n- item \\{#b}\n';
  const { html } = renderPage(text, { mdx: true });
  t.regex(html, /^<p id="rule\.name">A rule\nof the language\.<\/p>/);
  t.regex(html, /<li>item \{#b\}<\/li>/);
  t.regex(renderPage(text).html, /language\. \{#rule\.name\}/);
});

test('a warning about what was left out is one line', (t) => {
  const { warnings } = renderPage('A {{ first +\n  second }} b.\n', { generator: 'vitepress' });
  t.deepEqual(
    warnings.map(({ line, message }) => `${line}: ${message}`),
    ['1: "{{ first + second }}" belongs to another generator and was left out'],
  );
});
