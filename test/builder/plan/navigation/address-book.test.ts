import test from 'ava';
import { createAddressBook } from '../../../../builder/plan/navigation/address-book.ts';
import type { Page } from '../../../../builder/source/pages/collect-pages.ts';

function pagesOf(...places: readonly string[]): ReadonlyMap<string, Page> {
  return new Map(places.map((place) => [place, { place, output: place, aliases: [] } as unknown as Page]));
}

function bookOf(...places: readonly string[]) {
  return createAddressBook(pagesOf(...places), undefined);
}

test('numbers before names do not count where one page alone is left', (t) => {
  const book = bookOf(
    'index.html',
    '1.guide/index.html',
    '1.guide/2.setup.html',
    '1.guide/03-$derived.html',
    '02_parts/1 - lamp.html',
    '02_parts/01-twice.html',
    '02_parts/02-twice.html',
    '02_parts/2024-01-01-news.html',
    '02_parts/1.2.html',
  );
  const find = (path: string) => book.findUnnumbered(path)?.output;
  t.is(find('guide/setup'), '1.guide/2.setup.html');
  t.is(find('/guide/setup/'), '1.guide/2.setup.html');
  t.is(find('7-guide/setup.md'), '1.guide/2.setup.html');
  t.is(find('guide'), '1.guide/index.html');
  t.is(find('guide/index.html'), '1.guide/index.html');
  t.is(find('guide/$derived'), '1.guide/03-$derived.html');
  t.is(find('parts/lamp'), '02_parts/1 - lamp.html');
  t.is(find('parts/twice'), undefined);
  t.is(find('parts/news'), undefined);
  t.is(find('parts/1.2'), '02_parts/1.2.html');
  t.is(find('setup'), undefined);
  t.is(book.findNamed('$derived')?.output, '1.guide/03-$derived.html');
  t.is(book.findNamed('setup.md')?.output, '1.guide/2.setup.html');
  t.is(book.findNamed('guide')?.output, '1.guide/index.html');
  t.is(book.findNamed('twice'), undefined);
});

test('names alone lead nowhere where no numbers order the pages', (t) => {
  const book = bookOf('index.html', 'guide/setup.html', '2024-01-01-news.html');
  t.is(book.findNamed('setup'), undefined);
  t.is(book.findUnnumbered('setup'), undefined);
});

test('a path may name a page by its title, in its folder', (t) => {
  const titles = new Map([
    ['basics/di.html', 'Custom providers'],
    ['basics/a.html', 'Twice'],
    ['basics/b.html', 'Twice!'],
    ['sql.html', 'TCP/IP & SQL'],
  ]);
  const book = createAddressBook(pagesOf(...titles.keys()), undefined, (page) => titles.get(page.output));
  t.is(book.findTitled('/basics/custom-providers')?.output, 'basics/di.html');
  t.is(book.findTitled('tcp-ip-sql')?.output, 'sql.html');
  for (const path of ['/custom-providers', '/basics/twice', '/basics/di', ''])
    t.is(book.findTitled(path), undefined, path);
});
