import test from 'ava';
import { decodeText, isLfsPointer } from '../../../../builder/source/text/decode-text.ts';
import fc from '../../../helpers/fast-check.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';

test('decodeText() drops the byte order mark and makes all line ends \\n', (t) => {
  t.deepEqual(decodeText(Buffer.from('\ufeffa\r\nb\rc\nd')), { text: 'a\nb\nc\nd', encoding: undefined });
});

test('decodeText() keeps every other character', (t) => {
  const text = 'é 指南 😀 \u200c \u2028 \0 \ufffd';
  t.deepEqual(decodeText(Buffer.from(text)), { text, encoding: undefined });
});

const READABLE = Buffer.from('指南 指南\n');

for (const [title, bytes, line] of [
  ['a byte that no encoding has here', Buffer.concat([READABLE, Buffer.from([0xff, 0x0a])]), 2],
  ['a character cut off at the end', Buffer.concat([READABLE, Buffer.from('a\n指').subarray(0, 4)]), 3],
  ['a character cut off at the end of a line', Buffer.concat([READABLE, Buffer.from([0xe6, 0x8c, 10, 98])]), 2],
  ['surrogates', Buffer.from([0x61, 0x0a, 0xed, 0xa0, 0x80]), 2],
  ['overlong forms', Buffer.from([0xc0, 0xaf]), 1],
  ['Windows line ends', Buffer.concat([Buffer.from('é\r\né\r\n'), Buffer.from([0xff])]), 3],
] as const) {
  test(`decodeText() refuses ${title} and names the line`, (t) => {
    t.like(decodeText(bytes), { code: 'not-utf8', line });
  });
}

test('decodeText() refuses a page of 50 MB without reading it', (t) => {
  const bytes = new Uint8Array(50_000_000);
  const ms = fastestMs(() => {
    const decoded = decodeText(bytes);
    t.like(decoded, { code: 'page-too-large', line: 0 });
    const message = 'message' in decoded ? decoded.message : '';
    t.regex(
      message,
      /^The file has 50\.0 MB, more than 5 MB, the limit for a page; raise it with \{option maxPageBytes\}/,
    );
  });
  t.true(ms < 50);
});

test('decodeText() finds the line in the largest page fast', (t) => {
  const bytes = Buffer.alloc(5_000_000, '\n');
  bytes[4_999_999] = 0xff;
  const ms = fastestMs(() => {
    t.like(decodeText(bytes), { code: 'not-utf8', line: 5_000_000 });
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
      const decoded = decodeText(bytes);
      if (bad < 0) t.like(decoded, { encoding: undefined });
      else if ('code' in decoded) t.is(decoded.line, bad + 1);
      else t.truthy(decoded.encoding);
    }),
    { numRuns: 700 },
  );
});

test('isLfsPointer() knows a pointer', (t) => {
  t.true(isLfsPointer(Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n')));
  t.false(isLfsPointer(Buffer.from('version https://git-lfs')));
  t.false(isLfsPointer(Buffer.alloc(2000, 'version https://git-lfs.github.com/spec/v1\n')));
});
