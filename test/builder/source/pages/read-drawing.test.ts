import test from 'ava';
import { readDrawing } from '../../../../builder/source/pages/landing-page.ts';
import fc from '../../../helpers/fast-check.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';

test('readDrawing() keeps shapes and colours', (t) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox='0 0 24 24' fill="currentColor" class="x">
  <!-- a circle -->
  <defs><linearGradient id="g"><stop offset="0" stop-color="#0a7"/></linearGradient></defs>
  <g transform="rotate(45 12 12)" stroke="rgb(1 2 3)"><circle cx="12" cy="12" r="9" fill="url(#g)"/></g>
  <title>A &amp; B</title>
</svg>`;
  t.is(
    readDrawing(svg),
    '<svg viewBox="0 0 24 24" fill="currentColor"><defs><linearGradient id="g"><stop offset="0" stop-color="#0a7"></stop></linearGradient></defs><g transform="rotate(45 12 12)" stroke="rgb(1 2 3)"><circle cx="12" cy="12" r="9" fill="url(#g)"></circle></g><title>A &amp; B</title></svg>',
  );
});

for (const svg of [
  '<svg><script>alert(1)</script></svg>',
  '<svg><style>*{display:none}</style></svg>',
  '<svg><a href="https://evil.test"><path d=""/></a></svg>',
  '<svg><use href="https://evil.test#a"/></svg>',
  '<svg><image href="https://evil.test/a.png"/></svg>',
  '<svg><foreignObject><p>x</p></foreignObject></svg>',
  '<svg><animate attributeName="href" values="javascript:alert(1)"/></svg>',
  '<svg><path d="M0 0"></svg>',
  '<svg></svg><svg></svg>',
  '<svg><svg></svg></svg>',
  '<svg></svg>text',
  '<svg>text</svg>',
  '<path d="M0 0"/>',
  '<svg onload=alert(1)></svg>',
  '<svg/onload="alert(1)"></svg>',
  '<svg',
  '',
  `<svg>${'<g></g>'.repeat(4_000)}</svg>`,
]) {
  test(`readDrawing() refuses ${svg.slice(0, 60) || 'nothing'}`, (t) => {
    t.is(readDrawing(svg), undefined);
  });
}

test('readDrawing() leaves out what could load or run something', (t) => {
  const attributes =
    'onload="alert(1)" style="background:url(https://evil.test)" fill="url(https://evil.test)" stroke="url(#a)url(//evil.test)" stroke-width="1&#34;"';
  t.is(readDrawing(`<svg ${attributes}></svg>`), '<svg></svg>');
});

test('readDrawing() writes nothing but allowed elements, whatever it is given', (t) => {
  const piece = fc.constantFrom(
    ...[
      '<svg>',
      '</svg>',
      '<g ',
      '</g>',
      'fill="',
      '"',
      "'",
      '>',
      '<',
      'x',
      '<path d="M0 0"/>',
      '<script>',
      '<!--',
      '-->',
      ' on',
      '=',
    ],
  );
  let written = 0;
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const drawing = readDrawing(`<svg>${pieces.join('')}</svg>`);
        if (drawing === undefined) return true;
        written++;
        return /^<svg>(?:<\/?(?:g|path)(?: (?:fill|d)="[^"<>]*")*>)*<\/svg>$/.test(drawing);
      }),
      { numRuns: 1_000 },
    ),
  );
  t.true(written > 20);
});

test.serial('readDrawing() takes time that grows with the length', (t) => {
  const ms = fastestMs(() => {
    for (const piece of ['<svg ', '<g a="', 'a=" ', '<!--', ' ', '<g a="1" '])
      readDrawing(`<svg>${piece.repeat(19_000 / piece.length)}`);
  });
  t.true(ms < 2_000, `${ms} ms`);
});
