import test from 'ava';
import { parseTemplate, SafeHtml, TemplateError } from '../../../builder/extensions/parse-template.ts';

const render = (text: string, values: Readonly<Record<string, unknown>> = {}): string =>
  parseTemplate(text).render(values);

test('parseTemplate() reads what Nunjucks means by values, conditions, loops and filters', (t) => {
  const values = {
    a: { plan: 'pro', count: '3' },
    list: ['x', 'y'],
    map: { k: 1, l: 2 },
    html: new SafeHtml('<b>b</b>'),
  };
  for (const [text, expected] of [
    ['{{ a.plan | upper }} {{ a["count"] }}', 'PRO 3'],
    ['{% if a.count == 3 and not a.other %}yes{% else %}no{% endif %}', 'yes'],
    ['{% if a.count > 10 %}a{% elif a.plan in "propane" %}b{% endif %}', 'b'],
    [
      '{% for one in list %}{{ loop.index }}{{ one }}{% if not loop.last %},{% endif %}{% else %}none{% endfor %}',
      '1x,2y',
    ],
    ['{% for k, v in map %}{{ k }}={{ v }};{% endfor %}', 'k=1;l=2;'],
    ['{% for one in nothing %}x{% else %}none{% endfor %}', 'none'],
    ['{% set n = 2 %}{% for one in list %}{% set n = 5 %}{% endfor %}{{ n * 2 + 1 }}', '5'],
    ['{{ "a" if a.plan else "b" }}{{ 7 // 2 }}{{ 2 ** 3 }}{{ "a" ~ 1 }}{{ -1 | abs }}', 'a38a11'],
    ['{{ a.other | default("none") }}{{ a.missing.deeper }}', 'none'],
    ['{{ list | join("-") }}{{ list | first }}{{ list | length }}', 'x-yx2'],
    ['{{ "<i>" }}{{ "<i>" | safe }}{{ html }}{{ "<" | escape }}', '&lt;i&gt;<i><b>b</b>&lt;'],
    ['{{ a.x is defined }}{{ a is defined }}', 'falsetrue'],
    ['a{# left out #}\n{% if true %}\nb\n{% endif %}\nc', 'a\nb\nc'],
    ['{% raw %}{{ a }}{% endraw %}', '{{ a }}'],
  ] as const) {
    t.is(render(text, values), expected, text);
  }
});

test('parseTemplate() has no way out of the data it is given', (t) => {
  const values = {
    text: 'a',
    list: [1],
    map: {},
    made: Object.create({ inherited: 1 }) as object,
    call: () => 'called',
  };
  for (const text of [
    '{{ "".constructor }}{{ text.constructor }}{{ text["constructor"] }}{{ list.constructor }}{{ map.constructor }}',
    '{{ constructor }}{{ __proto__ }}{{ map.__proto__ }}{{ hasOwnProperty }}{{ this }}{{ self }}{{ context }}{{ global }}',
    '{{ made.inherited }}{{ call }}{{ list.map }}{{ text.length.constructor }}{{ range }}{{ loop }}',
    '{% set __proto__ = list %}{{ map.length }}',
  ]) {
    t.is(render(text, values), '', text);
  }
  for (const [text, message] of [
    ['{{ "".constructor.constructor("return process")() }}', /^Functions cannot be used/],
    ['{{ call() }}', /^Functions/],
    ['{% include "/etc/passwd" %}', /^"include"/],
    ['{% extends "a" %}', /^"extends"/],
    ['{% import "a" as b %}', /^"import"/],
    ['{% macro a() %}{% endmacro %}', /^"macro"/],
    ['{{ a | valueOf }}', /^Filter "valueOf" does not exist; there are abs, /],
    ['{{ a | replace(r/x/, "y") | dump }}', /^Filter "dump"/],
    ['{% set a %}b{% endset %}', /^"set" without a value/],
    ['{% filter upper %}b{% endfilter %}', /"filter" as a block/],
    ['{% asyncEach a in b %}{% endeach %}', /"AsyncEach" cannot/],
    ['{{ a is sameas(b) }}', /Functions|Test/],
  ] as const) {
    t.throws(() => render(text, values), { instanceOf: TemplateError, message }, text);
  }
});

test('parseTemplate() says on which line a mistake is', (t) => {
  const error = t.throws(() => parseTemplate('a\nb\n{% if a %}\n'), { instanceOf: TemplateError })!;
  t.true(error.line >= 3, String(error.line));
  t.is(t.throws(() => parseTemplate('a\n\n{{ a | nope }}'), { instanceOf: TemplateError })!.line, 3);
  t.throws(() => parseTemplate('x'.repeat(100_001)), { message: /100000 characters/ });
  t.throws(() => render(`{{ ${'('.repeat(20_000)}1${')'.repeat(20_000)} }}`), { instanceOf: TemplateError });
});

test('parseTemplate() bounds what a template takes, whatever it does', (t) => {
  const list = Array.from({ length: 1_000 }, (_, at) => at);
  const loop = (inner: string): string => `{% for a in list %}${inner}{% endfor %}`;
  t.throws(() => render(loop(loop(loop('x'))), { list }), { message: /steps|characters/ });
  t.throws(() => render(loop(`{% set t = "${'y'.repeat(5_000)}" %}{{ t }}`), { list }), {
    message: /prints more than/,
  });
  // Texts that double with each step.
  const doubling = `{% set a = "${'z'.repeat(1_000)}" %}${'{% set a = a ~ a %}'.repeat(40)}`;
  t.throws(() => render(doubling), { message: /more than 1000000 characters/ });
  const nested = `{% set a = [1] %}${'{% set a = [a, a] %}'.repeat(60)}{{ a }}{{ a | join }}`;
  t.is(render(nested), ',');
  // What is compared or joined is gone through each time.
  const text = 'a,'.repeat(50_000);
  for (const part of ["{% if l == 'x' %}{% endif %}", "{% set q = l ~ 'x' %}", '{% set q = (t | safe) | upper %}'])
    t.throws(() => render(`{% set l = t | split %}${loop(part)}`, { list, t: text }), {
      message: /more than 100000 steps/,
    });
  const replaced = `{% set a = "${'z'.repeat(2_000)}" %}{{ a | replace("z", a) | replace("z", a) | length }}`;
  t.throws(() => render(replaced), { message: /more than 1000000 characters/ });
});
