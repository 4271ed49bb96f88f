import test from 'ava';
import type { MadeFile } from '../../../builder/extension.ts';
import { OPENAPI } from '../../../builder/extensions/openapi/openapi.ts';

async function makePages(document: object): Promise<{ readonly pages: readonly MadeFile[]; readonly said: string[] }> {
  const said: string[] = [];
  const { pages } = OPENAPI.create([{ file: 'api.json', path: 'reference', lang: 'en' }], 'openapi');
  const made = await pages!({
    languages: [''],
    folder: '',
    read: async () => JSON.stringify({ openapi: '3.1.0', info: { title: 'API' }, paths: {}, ...document }),
    report: ({ message }) => void said.push(message),
  });
  return { pages: made, said };
}

/** Schemas of which each names the next `count` times; the last is a text. */
function createTower(levels: number, write: (next: { $ref: string }) => object, at = '#/components/schemas/'): object {
  const tower = Array.from({ length: levels }, (_, level) => [`S${level}`, write({ $ref: `${at}S${level + 1}` })]);
  return Object.fromEntries([...tower, [`S${levels}`, { type: 'string' }]]);
}

const lengthOf = (pages: readonly MadeFile[]): number => pages.reduce((sum, { text }) => sum + text.length, 0);

test('references that multiply what a document says cost no more than pages can show', async (t) => {
  const properties = createTower(6, (next) => ({
    properties: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, next])),
  }));
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } };
  const get = { responses: { 200: { description: 'OK', content } } };
  const examples = await makePages({ paths: { '/a': { get } }, components: { schemas: properties } });
  t.regex(examples.pages[1]!.text, /"p0": \{\n +"p0"/);
  t.true(lengthOf(examples.pages) < 1_000_000, String(lengthOf(examples.pages)));

  const merged = createTower(6, (next) => ({ allOf: Array.from({ length: 300 }, () => next) }));
  t.true(lengthOf((await makePages({ components: { schemas: merged } })).pages) < 100_000);

  const choices = createTower(7, (next) => ({ oneOf: Array.from({ length: 20 }, () => next) }), '#/x/');
  const parameters = [{ name: 'q', in: 'query', schema: { $ref: '#/x/S0' } }];
  t.true(lengthOf((await makePages({ paths: { '/a': { get: { parameters } } }, x: choices })).pages) < 100_000);
});

test('a document that is too long once its references are followed has no pages, which is said', async (t) => {
  const shared = { description: 'x'.repeat(1_000_000) };
  const responses = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [100 + at, { $ref: '#/x/shared' }]));
  const parameters = Array.from({ length: 2_000 }, (_, at) => ({ name: `p${at}`, in: 'query' }));
  const paths = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`/p${at}`, { $ref: '#/x/item' }]));
  for (const document of [
    { paths: { '/a': { get: { responses } } }, x: { shared } },
    { paths, x: { item: { get: {}, parameters } } },
  ]) {
    const { pages, said } = await makePages(document);
    t.deepEqual(pages, []);
    t.deepEqual(said, ['No pages of the API: with its references followed, it has more than 50000000 characters']);
  }
});

test('the page of a tag has a name that files can have on every system', async (t) => {
  const tags = ['x'.repeat(300), '字'.repeat(150), '../../etc', '"%#?"', 'schemas', 'Index', 'Aux', 'COM1', 'Console'];
  const paths = Object.fromEntries(tags.map((tag, at) => [`/p${at}`, { get: { tags: [tag] } }]));
  const { pages } = await makePages({ paths });
  t.deepEqual(
    pages.map(({ path }) => path),
    [
      'index',
      'x'.repeat(50),
      '字'.repeat(50),
      'etc',
      'operations',
      'schemas-2',
      'index-2',
      'aux-operations',
      'com1-operations',
      'console',
    ].map((name) => `reference/${name}.md`),
  );
});

test('names that are equal but for their signs, and wrong ones, are many without taking long', async (t) => {
  const signs = '!@%^()-+';
  const nameOf = (at: number): string => [...at.toString(8).padStart(6, '0')].map((digit) => signs[+digit]).join('');
  const schemas = Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [nameOf(at), { type: 'string' }]));
  const { pages } = await makePages({ components: { schemas } });
  t.regex(pages.at(-1)!.text, /\{#schema\}[\s\S]*\{#schema-2\}[\s\S]*\{#schema-8000\}/);

  const paths = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`/p${at}`, { $ref: `#/gone/${at}` }]));
  t.is((await makePages({ paths })).said.length, 100);
});
