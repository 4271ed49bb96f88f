import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'acorn';
import test from 'ava';
import { transformSync } from 'esbuild';
import { analyse } from 'scslre';

const root = new URL('../../', import.meta.url);
const ROOMS = ['api', 'builder', 'cli', 'client', 'data', 'lib', 'platform', 'service'];

/** Expressions that may begin anew, or divide a run in many ways, and why that costs little all the same. */
const BOUNDED: Readonly<Record<string, string>> = {
  'builder/extensions/changelog.ts': 'what is ambiguous is optional, and anything may follow: it cannot fail',
  'builder/markdown/include/python-includes.ts': 'a text of at most 1,000 characters (MAX_LINE)',
  'builder/source/guess-language.ts': 'the first 5,000 characters of a page (MAX_CHARACTERS)',
};

function listExpressions(path: string): readonly string[] {
  const { code } = transformSync(readFileSync(new URL(path, root), 'utf8'), { loader: 'ts' });
  const found: string[] = [];
  parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken: ({ type, start, end }) => {
      if (type.label === 'regexp') found.push(code.slice(start, end));
    },
  });
  return found;
}

function isLinear(literal: string): boolean {
  const end = literal.lastIndexOf('/');
  return analyse({ source: literal.slice(1, end), flags: literal.slice(end + 1) }).reports.length === 0;
}

/**
 * What it finds is so; it does not find all: neither expressions made by `new RegExp`, nor those that begin anew at each opening of
 * several characters (`<a class="x"[^>]*>`), which `test/builder/shapes.test.ts` may.
 */
test('no regular expression divides or begins a run of one character in many ways, except in short texts', (t) => {
  const paths = ROOMS.flatMap((room) =>
    readdirSync(new URL(`${room}/`, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => `${room}/${name}`),
  );
  const expressions = paths.flatMap((path) => listExpressions(path).map((literal) => ({ path, literal })));
  t.true(expressions.length > 1_300);
  t.false(isLinear('/a+$/'));
  const slow = expressions.filter(({ literal }) => !isLinear(literal));
  // One that is fixed must leave the table.
  t.deepEqual(slow.map(({ path }) => path).sort(), Object.keys(BOUNDED), slow.map(({ literal }) => literal).join('\n'));
});
