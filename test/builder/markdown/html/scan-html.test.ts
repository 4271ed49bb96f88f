import test from 'ava';
import { scanHtml } from '../../../../builder/markdown/html/scan-html.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';

test.serial('scanHtml() takes linear time, whatever does not end', (t) => {
  for (const piece of ['a', 'a ', 'a=""', '"', "a='b' ", '<a', '</a', '<a "', '<!--', '<svg>']) {
    const html = `<${piece.repeat(400_000 / piece.length)}`;
    const ms = fastestMs(() => scanHtml(html, []));
    t.true(ms < 1_000, `${piece}: ${ms} ms`);
  }
});
