import test from 'ava';
import type { Generator } from '../../../../builder/generators/generators.ts';
import { readPageMeta } from '../../../../builder/source/pages/page-meta.ts';
import { splitFrontMatter } from '../../../../builder/source/text/front-matter.ts';

async function read(yaml: string, generator?: Generator) {
  const { data } = await splitFrontMatter(`---\n${yaml}\n---\n`);
  const lines = yaml.split('\n');
  return readPageMeta(data, generator, ([key]) => 2 + lines.findIndex((line) => line.startsWith(`${String(key)}:`)));
}

const problemsOf = async (yaml: string, generator?: Generator): Promise<readonly string[]> =>
  (await read(yaml, generator)).problems.map(({ line, message }) => `${line}: ${message}`);

test('values that do not count are reported with their lines', async (t) => {
  t.deepEqual(
    await problemsOf('title: [x, y]\norder: first\ndescription: {en: X}\nslug: [a]\ndraft: 0\nhidden: maybe'),
    [
      '2: "title" must be a text: ["x","y"] is ignored',
      '3: "order" must be a number: "first" is ignored',
      '4: "description" must be a text: {"en":"X"} is ignored',
      '5: "slug" must be a text: ["a"] is ignored',
      '6: "draft" must be true or false: 0 is ignored',
      '7: "hidden" must be true or false: "maybe" is ignored',
    ],
  );
  const date = 'must be a date such as 2024-05-31, true or false';
  const outline = 'must be false, "deep", a level from 2 to 6, or a list of two levels';
  for (const [yaml, message] of [
    ['lastUpdated: 2024-13-45', `"lastUpdated" ${date}: "2024-13-45" is ignored`],
    ['lastmod: 2024-02-30', `"lastmod" ${date}: "2024-02-30" is ignored`],
    ['last_update: {date: soon}', `"last_update" ${date}: {"date":"soon"} is ignored`],
    ['outline: all', `"outline" ${outline}: "all" is ignored`],
    ['outline: 7', `"outline" ${outline}: 7 is ignored`],
    ['outline: [2, x]', `"outline" ${outline}: [2,"x"] is ignored`],
    ['editLink: edit.html', '"editLink" must be a URL with a host, true or false: "edit.html" is ignored'],
    [
      'redirect_to: javascript:alert(1)',
      '"redirect_to" must be a page or a URL of the web: "javascript:alert(1)" is ignored',
    ],
    ['redirect_from: [1]', '"redirect_from" must be a URL or a list of URLs: [1] is ignored'],
  ] as const) {
    t.deepEqual(await problemsOf(yaml), [`2: ${message}`]);
  }
  const [long] = await problemsOf(`order: ${'x'.repeat(1_000)}`);
  t.true(long!.length < 150, long);
});

test('days that the calendar does not have are reported whoever reads them, and other forms of dates are not', async (t) => {
  for (const value of ['2024-13-45', '2023-02-29', '2024-2-30', '2024/04/31', '2024-00-10 12:00']) {
    const message = `2: "date" must be a day of the calendar: ${JSON.stringify(value)} is ignored`;
    for (const generator of [undefined, 'hugo', 'jekyll'] as const) {
      t.deepEqual(await problemsOf(`date: ${value}`, generator), [message], value);
    }
  }
  for (const value of [
    '2024-02-29',
    '2024-2-3',
    '2024/02/03 10:00',
    '2024-05-31T10:00:00Z',
    'May 2024',
    'yes',
    '2024',
  ]) {
    t.deepEqual(await problemsOf(`date: ${value}`), [], value);
  }
});

test('values of keys that other generators have, too, are judged where there is none', async (t) => {
  for (const [yaml, message] of [
    ['search: never', '"search" must be true or false: "never" is ignored'],
    ['published: maybe', '"published" must be true or false: "maybe" is ignored'],
    ['layout: hoem', '"layout" must be "home" for a home page: "hoem" is ignored'],
  ] as const) {
    t.deepEqual(await problemsOf(yaml), [`2: ${message}`]);
    t.deepEqual(await problemsOf(yaml, 'hugo'), []);
  }
  for (const yaml of ['search: {exclude: true}', 'layout: page', 'layout: home', 'layout: default']) {
    t.deepEqual(await problemsOf(yaml), [], yaml);
  }
});

test('a redirect to a script is none', async (t) => {
  for (const url of ['javascript:alert(1)', 'JavaScript:x', 'data:text/html,x', 'vbscript:x'])
    t.is((await read(`redirect_to: "${url}"`)).redirectTo, undefined, url);
  for (const url of ['https://x.example/', '//x.example/', '../a.md', '/a', '#x'])
    t.is((await read(`redirect_to: "${url}"`)).redirectTo?.url, url);
});

test('words of YAML 1.1 are read as they are there, and reported where YAML 1.2 is meant', async (t) => {
  const reported = '2: "draft" must be true or false: "yes" is read as true';
  for (const [yaml, draft, problems] of [
    ['draft: yes', 'draft: true', [reported]],
    ['draft: On', 'draft: true', ['2: "draft" must be true or false: "On" is read as true']],
    ['draft: no', undefined, ['2: "draft" must be true or false: "no" is read as false']],
    ["draft: 'true'", 'draft: true', []],
    ['draft: "false"', undefined, []],
    ['draft: true', 'draft: true', []],
    ['draft: True', 'draft: true', []],
    ['published: no', 'published: false', ['2: "published" must be true or false: "no" is read as false']],
    ['published: 2024-01-02', undefined, []],
  ] as const) {
    t.is((await read(yaml)).draft, draft, yaml);
    t.deepEqual(await problemsOf(yaml), problems, yaml);
  }
  t.is((await read('draft: yes', 'jekyll')).draft, 'draft: true');
  t.deepEqual(await problemsOf('draft: yes', 'jekyll'), []);
  t.is((await read('hidden: yes')).visibility, 'hidden');
  for (const title of ['True', 'FALSE', 'Yes', 'off', '1.0', '0x1F', '1_000', '2024-05-31'])
    t.is((await read(`title: ${title}\ndraft: FALSE\nhidden: TRUE`)).title, title);
  t.like(await read('title: True\ndraft: FALSE\nhidden: TRUE'), {
    draft: undefined,
    visibility: 'hidden',
    problems: [],
  });
  t.is((await read('hidden: "no"')).visibility, 'listed');
});

test('usable values are not reported', async (t) => {
  for (const yaml of [
    'title: 2024\ndescription: 1.10\norder: "2"\nslug: 7',
    'order: -1.5\nsidebar_position: 1e3\nweight: 0\nnav_order: ""',
    'title:\ndraft:\norder: ~',
    'outline: deep',
    'outline: [2, 4]',
    'outline: "3"',
    'outline: false\nlastUpdated: false\neditLink: false',
    'lastUpdated: 2024-02-29\nlastmod: 2024-05-01T10:00:00Z',
    'last_update: {author: Ann}',
    'editLink: https://x.example/edit',
    'redirect_from: /a\nredirect_to: b.md',
    'redirect_from: [/a, /b]',
    'image: {src: x}\nnext: {text: a}\nprev: Before\nsearch: {exclude: true}\nsidebar: auto\ntags: [yes]',
  ]) {
    t.deepEqual(await problemsOf(yaml), [], yaml);
  }
});
