import test from 'ava';
import encodeQR from 'qr';
import decodeQR from 'qr/decode.js';
import { drawQrCode } from '../../../platform/short-urls/draw-qr-code.ts';

/** Paints the rectangles of a drawing as a camera sees them, `scale` pixels a module. */
function paint(svg: string, scale: number) {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)![1]) * scale;
  const data = new Uint8Array(size * size * 4).fill(255);
  const [, dark = ''] = /<path d="([^"]*)"\/>/.exec(svg)!;
  const rectangles = [...dark.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)].map((one) => one.slice(1, 4).map(Number));
  for (const [x, y, width] of rectangles as [number, number, number][]) {
    for (let row = y * scale; row < (y + 1) * scale; row++) {
      for (let column = x * scale; column < (x + width) * scale; column++) {
        data.fill(0, (row * size + column) * 4, (row * size + column) * 4 + 3);
      }
    }
  }
  return { width: size, height: size, data };
}

test('what is drawn is what a reader of QR codes reads, with a quiet zone of four modules', (t) => {
  for (const url of ['https://s.example.org/t/k7m2xq', `https://a.example/t/${'x'.repeat(64)}`]) {
    const svg = drawQrCode(url);
    t.is(decodeQR(paint(svg, 4)), url);
    t.true(
      encodeQR(url, 'raw', { ecc: 'medium', border: 4 })
        .slice(0, 4)
        .flat()
        .every((isDark) => !isDark),
    );
    t.regex(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    t.true(svg.length < 8_000, `${svg.length}`);
  }
});
