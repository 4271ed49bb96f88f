import test from 'ava';
import fc from 'fast-check';
import { decodeText, isLfsPointer } from '../../../builder/source/decode-text.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';

test('decodeText() drops the byte order mark and makes all line ends \\n', (t) => {
  t.is(decodeText(Buffer.from('\ufeffa\r\nb\rc\nd')), 'a\nb\nc\nd');
});

test('decodeText() keeps every other character', (t) => {
  const text = 'é 指南 😀 \u200c \u2028 \0 \ufffd';
  t.is(decodeText(Buffer.from(text)), text);
});

for (const [title, bytes, line] of [
  ['Latin-1', Buffer.from('first\nsecond\ncaf\u00e9\n', 'latin1'), 3],
  [
    'Latin-1 after a real replacement character',
    Buffer.concat([Buffer.from('\ufffd\n\n'), Buffer.from('\u00e9', 'latin1')]),
    3,
  ],
  ['Latin-1 with Windows line ends', Buffer.from('a\r\nb\r\n\u00e9', 'latin1'), 3],
  ['UTF-16 with a byte order mark', Buffer.from('\ufeffa\nb', 'utf16le'), 1],
  ['a character cut off at the end', Buffer.from('a\n指').subarray(0, 4), 2],
  [
    'a character cut off at the end of a line',
    Buffer.concat([Buffer.from('a\n指').subarray(0, 4), Buffer.from('\nb')]),
    2,
  ],
  ['surrogates', Buffer.from([0x61, 0x0a, 0xed, 0xa0, 0x80]), 2],
  ['overlong forms', Buffer.from([0xc0, 0xaf]), 1],
] as const) {
  test(`decodeText() refuses ${title} and names the line`, (t) => {
    const error = t.throws(() => decodeText(bytes), { name: 'BuildError', code: 'not-utf8' });
    t.deepEqual((error as unknown as { location: object }).location, { line });
  });
}

test('decodeText() refuses a page of 50 MB without reading it', (t) => {
  const bytes = new Uint8Array(50_000_000);
  const ms = fastestMs(() => {
    const error = t.throws(() => decodeText(bytes), { code: 'page-too-large' });
    t.regex(error!.message, /^The file has 50\.0 MB, more than 5 MB, the limit for a page; raise it with --max-page/);
  });
  t.true(ms < 50);
});

test('decodeText() finds the line in the largest page fast', (t) => {
  const bytes = Buffer.alloc(5_000_000, '\n');
  bytes[4_999_999] = 0xff;
  const ms = fastestMs(() => {
    const error = t.throws(() => decodeText(bytes), { code: 'not-utf8' });
    t.is((error as unknown as { location: { line: number } }).location.line, 5_000_000);
  });
  t.true(ms < 500);
});

test('decodeText() names the same line as a byte by byte search', (t) => {
  const piece = fc.constantFrom<readonly number[]>(
    [10],
    [97],
    [0xc3, 0xa9],
    [0xe6, 0x8c, 0x87],
    [0xf0, 0x9f, 0x98, 0x80],
    [0xff],
    [0xc3],
    [0xe6, 0x8c],
    [0x80],
    [0xf0, 0x9f, 0x98],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const bytes = Buffer.from(pieces.flat());
      const lines = bytes
        .toString('latin1')
        .split('\n')
        .map((line) => Buffer.from(line, 'latin1'));
      const bad = lines.findIndex((line) => Buffer.from(line.toString()).compare(line) !== 0);
      if (bad < 0) return t.notThrows(() => decodeText(bytes));
      const error = t.throws(() => decodeText(bytes));
      return t.is((error as unknown as { location: { line: number } }).location.line, bad + 1);
    }),
    { numRuns: 2000 },
  );
});

test('isLfsPointer() knows a pointer', (t) => {
  t.true(isLfsPointer(Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n')));
  t.false(isLfsPointer(Buffer.from('version https://git-lfs')));
  t.false(isLfsPointer(Buffer.alloc(2000, 'version https://git-lfs.github.com/spec/v1\n')));
});
