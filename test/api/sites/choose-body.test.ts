import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test from 'ava';
import { type Coding, negotiateCodings } from '../../../api/http/content-coding.ts';
import fc from '../../helpers/fast-check.ts';
import { serveSite } from '../../helpers/serve-site.ts';

test('negotiateCodings() gives what browsers and tools mean', (t) => {
  const rows: readonly (readonly [string | undefined, readonly Coding[]])[] = [
    [undefined, ['identity']],
    ['', ['identity']],
    ['gzip, deflate, br, zstd', ['br', 'gzip', 'identity']],
    ['gzip, deflate', ['gzip', 'identity']],
    ['GZIP ; Q=0.5 , BR;q=0.4', ['gzip', 'br', 'identity']],
    ['identity', ['identity']],
    ['identity;q=1, gzip;q=0.5', ['identity', 'gzip']],
    ['*', ['br', 'gzip', 'identity']],
    ['*;q=0', []],
    ['gzip, *;q=0', ['gzip']],
    ['identity;q=0', []],
    ['identity;q=0, *', ['br', 'gzip']],
    ['br;q=0, *;q=0.5', ['gzip', 'identity']],
    ['br;q=0', ['identity']],
    ['gzip;q=0.000', ['identity']],
    ['deflate', ['identity']],
    ['gzip;q=2, br;q=x', ['gzip', 'identity']],
    ['brotli', ['identity']],
    ['__proto__, constructor', ['identity']],
    [`gzip${','.repeat(2_000)}`, ['identity']],
  ];
  for (const [field, codings] of rows) t.deepEqual(negotiateCodings(field), codings, String(field).slice(0, 80));
});

/** RFC 9110, section 12.5.3, for one coding. */
function isAcceptable(coding: Coding, members: readonly (readonly [string, number])[]): number {
  const named = members.filter(([name]) => name === coding);
  if (named.length > 0) return Math.max(...named.map(([, q]) => q));
  const star = members.filter(([name]) => name === '*');
  if (star.length > 0) return Math.max(...star.map(([, q]) => q));
  return coding === 'identity' ? 0.0005 : 0;
}

const weight = fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10);
const members = fc.array(fc.tuple(fc.constantFrom('br', 'gzip', 'identity', '*', 'deflate', 'zstd'), weight), {
  minLength: 1,
  maxLength: 5,
});

test('negotiateCodings() agrees with the standard on any field', (t) => {
  fc.assert(
    fc.property(members, (list) => {
      const codings = negotiateCodings(list.map(([name, q]) => `${name};q=${q}`).join(', '));
      const all: readonly Coding[] = ['br', 'gzip', 'identity'];
      t.deepEqual(
        [...codings].sort(),
        all.filter((coding) => isAcceptable(coding, list) > 0),
      );
      const weights = codings.map((coding) => isAcceptable(coding, list));
      t.deepEqual(
        weights,
        [...weights].sort((a, b) => b - a),
      );
    }),
  );
});

test('createSiteServer() sends the best acceptable coding, whole', async (t) => {
  const text = `<p>${'some words of a page '.repeat(300)}</p>`;
  const site = await serveSite(t, { 'a.html': text, 'a.png': Buffer.alloc(3_000, 1), 'short.html': 'short' });
  await fc.assert(
    fc.asyncProperty(members, fc.constantFrom('/a.html', '/a.png', '/short.html'), async (list, path) => {
      const field = list.map(([name, q]) => `${name};q=${q}`).join(',');
      const answer = await site.ask(path, { headers: { 'accept-encoding': field } });
      const coding = (answer.headers['content-encoding'] ?? 'identity') as Coding;
      const codings = negotiateCodings(field);
      t.is(answer.headers.vary, 'Accept-Encoding');
      if (codings.length === 0) return void t.is(answer.status, 406);
      t.is(answer.status, 200);
      t.true(codings.includes(coding));
      if (path === '/a.html') t.is(coding, codings[0]!);
      else if (codings.includes('identity')) t.is(coding, 'identity');
      const body =
        coding === 'br' ? brotliDecompressSync(answer.body) : coding === 'gzip' ? gunzipSync(answer.body) : answer.body;
      t.is(body.length, path === '/a.html' ? text.length : path === '/a.png' ? 3_000 : 5);
      t.is(answer.headers['content-length'], String(answer.body.length));
    }),
    { numRuns: 40 },
  );
});
