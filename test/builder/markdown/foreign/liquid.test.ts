import test from 'ava';
import { expandLiquid } from '../../../../builder/markdown/foreign/expand-liquid.ts';
import { evaluateLiquid, Open, testLiquid, UNKNOWN } from '../../../../builder/markdown/foreign/liquid-values.ts';
import fc from '../../../helpers/fast-check.ts';
import { renderPage } from '../render-page.ts';

const data = {
  rows: [
    { name: 'b', year: 2, tags: ['x'] },
    { name: 'a', year: 1 },
    { name: 'c', year: 2 },
  ],
  one: { two: 'deep', list: [1, 2, 3] },
};
const page = { title: 'Title', isOn: true };
const names = new Map<string, unknown>([
  ['page', new Open(page)],
  ['site', new Open({ name: 'Site', data: new Open(data) })],
]);
const evaluate = (expression: string): unknown => evaluateLiquid(expression, { names });
const holds = (condition: string): unknown => testLiquid(condition, { names });

function expand(text: string, includes: Readonly<Record<string, string>> = {}): string {
  const source = { scope: { names }, findInclude: (name: string) => includes[name], spend: () => {} };
  return expandLiquid(text, source)?.text ?? text;
}

test('Liquid: values and filters', (t) => {
  const known = [
    ['"a" | append: ", b" | upcase', 'A, B'],
    ['site.data.one.two', 'deep'],
    ['site.data.one["two"] | capitalize', 'Deep'],
    ['site.data.one.list[1]', 2],
    ['site.data.one.list | join: "-"', '1-2-3'],
    ['site.data.one.list.size', 3],
    ['site.data.one.none', undefined],
    ['site.data.one.none | default: "x"', 'x'],
    ['site.data.rows | map: "name" | sort | join', 'a b c'],
    ['site.data.rows | where: "year", 2 | size', 2],
    ['site.data.rows | sort: "name" | first | escape', ''],
    ['(1..3) | last', 3],
    ['"a|b" | split: "|" | first', 'a'],
  ] as const;
  for (const [expression, value] of known) t.is(evaluate(expression), value, expression);
  const unknown = [
    'site.posts',
    'site.data.gone',
    'page.url',
    'paginator.page',
    '"a" | date: "%Y"',
    '(1..9999999)',
    'a..b',
  ];
  for (const expression of unknown) t.is(evaluate(expression), UNKNOWN, expression);
  t.deepEqual(evaluate('site.data.rows | group_by: "year" | map: "size"'), [2, 1]);
});

test('Liquid: conditions', (t) => {
  for (const condition of [
    'page.isOn',
    '1 < 2',
    'page.title == "Title"',
    'site.data.one.list contains 2',
    'page.title contains "itl"',
    'nil == site.data.one.none',
    'false or true',
    'site.data.one.none != "a" and 2 >= 2',
    '"" == empty',
  ]) {
    t.is(holds(condition), true, condition);
  }
  for (const condition of ['site.data.one.none', '2 < 1', 'page.title == "and"', 'false and true'])
    t.is(holds(condition), false, condition);
  for (const condition of ['page.url == "/"', 'jekyll.environment', 'site.posts and true'])
    t.is(holds(condition), UNKNOWN, condition);
});

test('Liquid: loops, branches, assigned values and includes', (t) => {
  t.is(
    expand(
      '{% for r in site.data.rows reversed limit:2 %}{{ forloop.index }}{{ r.name }}{% unless forloop.last %},{% endunless %}{% endfor %}',
    ),
    '1a,2b',
  );
  t.is(expand('{% for p in site.data.one %}{{ p[0] }};{% endfor %}'), 'two;list;');
  t.is(expand('{% for r in site.data.one.none %}a{% else %}none{% endfor %}'), 'none');
  t.is(
    expand('{% if page.gone %}a{% endif %}{% if page.isOn %}b{% else %}c{% endif %}'),
    '{% if page.gone %}a{% endif %}b',
  );
  t.is(expand('{% assign x = site.data.one.two %}{{ x }} {{ page.title }}'), 'deep {{ page.title }}');
  t.is(expand('{% capture x %}a{{ site.name }}{% endcapture %}{{ x | upcase }}'), 'ASITE');
  t.is(
    expand('A {% include a.html v="4" %} b', { 'a.html': '<b>{{ include.v }}{{ include.w }}</b>\n' }),
    'A <b>4</b>\n b',
  );
  t.is(
    expand('{% raw %}{% if page.isOn %}{% endraw %}{% if page.isOn %}b{% endif %}'),
    '{% raw %}{% if page.isOn %}{% endraw %}b',
  );
});

test('Liquid: what needs something unknown stays as it is written', (t) => {
  for (const text of [
    '{% for p in site.posts %}{{ p.title }}{% endfor %}',
    '{% for r in site.data.rows %}{{ r.name | date: "%Y" }}{% endfor %}',
    '{% for r in site.data.rows %}{% gist 1 %}{% endfor %}',
    '{% if page.url == "/" %}a{% endif %}',
    '{% include a.html %}{% include gone.html %}{% include {{ page.x }} %}',
    '{% assign a = site.posts | first %}{{ a }}',
    '{% for r in site.data.rows %}{{ r.name }}',
    '{% endif %}{% else %}{% if %}',
  ]) {
    t.is(expand(text, { 'a.html': '{{ site.posts }}' }), text);
  }
  t.is(
    expand('{% assign a = "b" %}{% if page.url %}{% assign a = "c" %}{% endif %}{{ a }}'),
    '{% if page.url %}{% endif %}{{ a }}',
  );
});

test('Liquid: a tag alone on its line takes the line along, and signs take blanks', (t) => {
  t.is(
    expand('<ul>\n  {% for r in site.data.rows %}\n  <li>{{ r.name }}</li>\n  {% endfor %}\n</ul>'),
    '<ul>\n  <li>b</li>\n  <li>a</li>\n  <li>c</li>\n</ul>',
  );
  t.is(expand('a\n\n{%- if page.isOn -%}\n\n b \n\n{%- endif -%}\n\nc'), 'abc');
});

test('Liquid: warnings name the lines of the file', (t) => {
  const text =
    'A\n\n{% for r in site.data.rows %}\n- {{ r.name }}\n\n{% endfor %}\n\n{{ site.gone }}\n\n{% for r in site.data.rows %}\n- {{ r.name }} ::{a}\n{% endfor %}\n\n[x][y]\n\n{{ page.gone }}\n';
  const { html, warnings } = renderPage(text, {
    generator: 'jekyll',
    site: { config: {}, data, book: {} },
    firstLine: 4,
  });
  t.regex(html, /<li>\s*<p>b<\/p>/);
  t.deepEqual(
    warnings.filter(({ message }) => message.includes('gone')).map(({ line }) => line),
    [11, 19],
  );
});

test('Liquid: values of the site in text, code, URLs and HTML; those that look like tags are shown', (t) => {
  const site = { config: { repo: 'https://x.test/r', mark: '{{ a }}' }, data, book: {} };
  const html = (text: string): string => renderPage(text, { generator: 'jekyll', site }).html;
  t.regex(
    html('[a]({{ site.repo }}/1) `{{ site.data.one.two }}`'),
    /href="https:\/\/x\.test\/r\/1".*<code>deep<\/code>/,
  );
  t.is(html('{% if page.x %}{% endif %}{% assign m = site.mark %}{{ m }}'), '<p>{{ a }}</p>');
  t.is(html('{% assign m = site.mark %}<p><code>{{ m }}</code> {{ m }}</p>'), '<p><code>{{ a }}</code> {{ a }}</p>');
  t.regex(renderPage('{{ site.repo }}', { generator: 'hugo', site }).html, /\{\{ site\.repo \}\}/);
});

test('Liquid: any text is expanded in time that grows with it', (t) => {
  const part = fc.constantFrom(
    '{% for r in site.data.rows %}',
    '{% endfor %}',
    '{% if page.isOn %}',
    '{% endif %}',
    '{{ r.name }}',
    '{% include a.html %}',
    '{%',
    '{{',
    '%}',
    '\n',
    ' ',
    'a',
    '{% raw %}',
    '{% assign x = r %}',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      t.is(typeof expand(parts.join(''), { 'a.html': '{% include a.html %}' }), 'string');
    }),
    { numRuns: 60 },
  );
  const start = process.cpuUsage();
  for (const sign of [
    '{% for r in site.data.rows %}',
    '{%',
    '{{ ',
    '{% if page.isOn %}a',
    '{% raw %}',
    '{% include a.html %}',
    '{% for r in site.data.rows %}'.repeat(12) + '{% endfor %}'.repeat(12),
  ])
    expand(`{% if %}${sign.repeat(400_000 / sign.length)}`, { 'a.html': 'x' });
  t.true(process.cpuUsage(start).user < 8_000_000);
});
