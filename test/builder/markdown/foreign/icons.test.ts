import test from 'ava';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { renderPage } from '../render-page.ts';

const show = (text: string, titles?: Readonly<Record<string, string>>) =>
  renderPage(text, { generator: 'mkdocs', ...(titles && { titles }) });
/** Returns the cells of a table of one row. */
const cells = (row: string, titles?: Readonly<Record<string, string>>) =>
  [...show(`| a | b |\n|---|---|\n${row}\n`, titles).html.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell!);
const named = (sign: string, label: string) =>
  `<span class="inline-icon" role="img" aria-label="${label}">${sign}</span>`;

test('icons that answer a question are signs with a name in the language of the page', (t) => {
  t.deepEqual(cells('| :material-check: | :octicons-x-12: |'), [named('✓', 'Yes'), named('✗', 'No')]);
  t.deepEqual(
    cells('| :material-check-all:{ .green } Update | :fontawesome-regular-circle-xmark:{ style="color: red" } |'),
    [`${named('✓', 'Yes')} Update`, named('✗', 'No')],
  );
  t.deepEqual(cells('| :fontawesome-solid-check: | :material-alert-outline: x |', { yes: 'Ja', warning: 'Achtung' }), [
    named('✓', 'Ja'),
    `${named('⚠\u{FE0E}', 'Achtung')} x`,
  ]);
  for (const name of [
    'octicons-check-circle-fill-24',
    'material-checkbox-marked',
    'fontawesome-solid-square-check',
    'lucide-check',
    'octicons/check-16',
  ])
    t.deepEqual(cells(`| :${name}: | b |`)[0], named('✓', 'Yes'), name);
  for (const name of ['material-close-thick', 'fontawesome-solid-xmark', 'octicons-x-circle-16', 'material-cancel'])
    t.deepEqual(cells(`| :${name}: | b |`)[0], named('✗', 'No'), name);
});

test('an icon that is all there is has its name, one beside text is left out with a warning', (t) => {
  const { html, warnings } = show(
    '## :material-rocket-launch:\n\n[:fontawesome-brands-github:](https://example.com) and :material-kettle: tea, :simple-x-twitter: too\n\n| :material-cloud-upload: | :octicons-arrow-right-24: |\n|---|---|\n',
  );
  t.regex(html, /<h2[^>]*>.*<span class="inline-icon">rocket launch<\/span>/);
  t.regex(html, /<a [^>]*><span class="inline-icon">github<\/span><\/a> and {2}tea, {2}too/);
  t.regex(html, /<th><span class="inline-icon">cloud upload<\/span><\/th>/);
  t.true(html.includes(`<th>${named('→', 'arrow right')}</th>`));
  t.deepEqual(
    warnings.map(({ line, message }) => `${line} ${message}`),
    ['3 Icons such as ":material-kettle:" belong to another generator and were left out'],
  );
});

test('an icon has the title that its author gave it', (t) => {
  t.deepEqual(cells(`| :material-lock:{ title="Admins <only>" } x | :octicons-check-16:{ .a title='Since 2' } y |`), [
    '<span class="inline-icon">Admins &lt;only&gt;</span> x',
    '<span class="inline-icon" role="img" aria-label="Since 2" title="Since 2">✓</span> y',
  ]);
});

test('decoration beside text has no name; what an icon in raw HTML stands for stays', (t) => {
  const { html } = show(
    'Go :material-arrow-right: there\n\n<table><tr><td>:material-check:</td><td>:material-kettle:</td></tr></table>\n',
  );
  t.regex(html, /Go <span class="inline-icon" aria-hidden="true">→<\/span> there/);
  t.true(html.includes(`<td>${named('✓', 'Yes')}</td><td></td>`));
});

test('names that only begin like an answer are none', (t) => {
  for (const name of [
    'material-spellcheck',
    'material-playlist-check',
    'material-account-check',
    'octicons-checklist-24',
  ])
    t.false(cells(`| :${name}: | b |`)[0]!.includes('Yes'), name);
  t.deepEqual(cells('| :material-circle: | `:material-check:` |'), [
    '<span class="inline-icon">circle</span>',
    '<code>:material-check:</code>',
  ]);
});

test('any number of icons is shown in time', (t) => {
  const start = cpuTimeMs();
  for (const text of [
    ':material-check:'.repeat(5_000),
    ':material-a'.repeat(10_000),
    '[:material-a:](b)'.repeat(3_000),
    ':material-a:{'.repeat(5_000),
  ]) {
    show(text);
  }
  t.true(cpuTimeMs() - start < 8_000);
});
