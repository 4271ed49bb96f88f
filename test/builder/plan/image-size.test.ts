import test from 'ava';
import { readImageSize, writeImageSizes } from '../../../builder/plan/image-size.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';

/** Returns the beginning of a PNG, which is all that counts. */
function createPng(width: number, height: number): Buffer {
  const png = Buffer.alloc(33);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(png);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

function createGif(width: number, height: number): Buffer {
  const gif = Buffer.alloc(20);
  gif.write('GIF89a');
  gif.writeUInt16LE(width, 6);
  gif.writeUInt16LE(height, 8);
  return gif;
}

function createJpeg(width: number, height: number, orientation?: number): Buffer {
  const frame = Buffer.from('ffc0001108000000000301220002110103110100ffd9', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const exif = Buffer.from('ffe100224578696600004d4d002a00000008000101120003000000010000000000000000', 'hex');
  const jfif = Buffer.from('ffe000104a46494600010100000100010000', 'hex');
  if (orientation !== undefined) exif.writeUInt16BE(orientation, 28);
  return Buffer.concat([Buffer.from('ffd8', 'hex'), orientation === undefined ? jfif : exif, frame]);
}

test('readImageSize() reads the size of photographs and pictures, as browsers turn them', async (t) => {
  t.deepEqual(await readImageSize('a.png', createPng(640, 480)), { width: 640, height: 480 });
  t.deepEqual(await readImageSize('a.GIF', createGif(3, 5)), { width: 3, height: 5 });
  t.deepEqual(await readImageSize('a.jpg', createJpeg(300, 200)), { width: 300, height: 200 });
  t.deepEqual(await readImageSize('a.jpeg', createJpeg(300, 200, 6)), { width: 200, height: 300 });
  t.deepEqual(await readImageSize('a.jpg', createPng(7, 8)), { width: 7, height: 8 }, 'whatever it is called');
});

test('readImageSize() reads the size of drawings that have one', async (t) => {
  const read = (text: string) => readImageSize('a.svg', Buffer.from(text));
  t.deepEqual(
    await read('<?xml version="1.0"?>\n<!-- a > b -->\n<svg viewBox="0 0 9 9" width="120" height="60.4px">'),
    {
      width: 120,
      height: 60,
    },
  );
  t.deepEqual(await read('<svg viewBox="0 -1,24.5 12">'), { width: 245, height: 120, isProportion: true });
  for (const box of ['', '0 0 24', '0 0 0 24', '0 0 a b', '0 0 -1 -1'])
    t.is(await read(`<svg viewBox="${box}">`), undefined);
  t.is(await read('<svg width="100%" height="50">'), undefined);
  t.is(await read('<svg width="10em" height="50">'), undefined);
  t.is(await read('no drawing'), undefined);
});

test('readImageSize() gives nothing for damaged and other files', async (t) => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('text'),
    createPng(640, 480).subarray(0, 12),
    Buffer.alloc(100, 0xff),
  ]) {
    t.is(await readImageSize('a.png', bytes), undefined);
  }
  t.is(await readImageSize('a.png', createPng(0, 480)), undefined);
  t.is(await readImageSize('a.pdf', createPng(6, 4)), undefined);
});

test.serial('readImageSize() takes a short time for hostile files', async (t) => {
  const before = cpuTimeMs();
  for (const text of [
    '<svg '.repeat(500_000),
    '<svg a="'.repeat(500_000),
    '\xff\xd8\xff\xe0\x00\x02'.repeat(500_000),
  ]) {
    await readImageSize('a.svg', Buffer.from(text, 'latin1'));
    await readImageSize('a.jpg', Buffer.from(text, 'latin1'));
  }
  t.true(cpuTimeMs() - before < 3_000);
});

const SIZES = new Map([[1, { width: 200, height: 100 }]]);

const WRITTEN: readonly (readonly [html: string, expected: string])[] = [
  ['<img src="\x001\0" alt="a > b">', '<img src="\x001\0" width="200" height="100" alt="a > b">'],
  ['<IMG alt="x" src=\'\x001\0\'/>', '<IMG alt="x" src=\'\x001\0\' width="200" height="100"/>'],
  ['<img src="\x001\0" width="50">', '<img src="\x001\0" height="25" width="50">'],
  ['<img src="\x001\0" width="50%">', '<img src="\x001\0" width="50%">'],
  ['<img src="\x001\0" height="9">', '<img src="\x001\0" height="9">'],
  ['<img src="\x001\0" style="width: 5em">', '<img src="\x001\0" style="width: 5em">'],
  ['<img src="\x002\0">', '<img src="\x002\0">'],
  ['<img data-src="\x001\0">', '<img data-src="\x001\0">'],
  ['<image src="\x001\0">', '<image src="\x001\0">'],
  ['<a href="\x001\0">', '<a href="\x001\0">'],
];

for (const [html, expected] of WRITTEN) {
  test(`writeImageSizes() of ${JSON.stringify(html)}`, (t) => t.is(writeImageSizes(html, SIZES), expected));
}

test.serial('writeImageSizes() takes a short time for many tags that do not end', (t) => {
  const before = cpuTimeMs();
  writeImageSizes('<img '.repeat(200_000), SIZES);
  writeImageSizes('<img a="'.repeat(20_000), SIZES);
  t.true(cpuTimeMs() - before < 3_000);
});
