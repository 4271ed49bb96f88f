import test from 'ava';
import { loadFirstImages } from '../../../builder/plan/releases/compose-later.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';

const LAZY = ' decoding="async" loading="lazy"';
const image = (size = ''): string => `<p><img src="\u00000\u0000"${size} alt="a > b"${LAZY}></p>\n`;
const large = ' width="400" height="300"';
/** Returns when each image is to be loaded. */
const read = (html: string): readonly string[] =>
  [...loadFirstImages(html).matchAll(/<img (?:[^>"]|"[^"]*")*>/g)].map(
    ([tag]) => /(?:loading|fetchpriority)="(\w+)"/.exec(tag)?.[1] ?? 'auto',
  );

test('loadFirstImages() lets images load at once that are seen first, and the first large one before others', (t) => {
  const html = `<h1>Title</h1>\n${image(' width="90" height="20"')}${image()}${image(large)}${image(large)}`;
  t.deepEqual(read(html), ['auto', 'auto', 'high', 'auto']);
  t.is(loadFirstImages(image(large)), image(large).replace(LAZY, ' fetchpriority="high"'), 'nothing else changes');
});

test('loadFirstImages() leaves images alone below much text and below large images', (t) => {
  t.deepEqual(read(`<p>${'word '.repeat(300)}</p>${image(large)}`), ['lazy']);
  t.deepEqual(read(image(large).repeat(4)), ['high', 'auto', 'lazy', 'lazy']);
  t.deepEqual(read(`<p title="${'a > b '.repeat(300)}">Few words</p>${image(large)}`), ['high'], 'tags are not seen');
});

test('loadFirstImages() leaves alone what an author said', (t) => {
  for (const html of [
    '<p>No image</p>',
    '<img src="a.png" loading="lazy">',
    '<img src="a.png" loading="eager">',
    '<img src="a.png" loading="lazy" decoding="async">',
    '',
  ]) {
    t.is(loadFirstImages(html), html);
  }
  // An author's image takes its place, too.
  t.deepEqual(read(`<img src="a.png" width="1000" height="900">${image(large)}`), ['auto', 'lazy']);
});

test('loadFirstImages() takes a short time for hostile pages', (t) => {
  const before = cpuTimeMs();
  for (const html of ['<'.repeat(500_000), '<a "'.repeat(300_000), '<img '.repeat(300_000), '<b>'.repeat(300_000)]) {
    loadFirstImages(html + image());
  }
  t.true(cpuTimeMs() - before < 2_000);
});
