import test from 'ava';
import { checkSign } from '../../../api/docbuild/build-route.ts';
import { drawIcon } from '../../../platform/projects/draw-icon.ts';

test('checkSign() takes the lower-case hex md5 of the secret and nothing else', (t) => {
  const md5 = '5ebe2294ecd0e0f08eab7690d2a6ee69';
  t.notThrows(() => checkSign('secret', md5));
  for (const sign of ['', 'secret', md5.toUpperCase(), `${md5} `, md5.slice(1), `${md5}0`, 'é'.repeat(32)]) {
    t.throws(() => checkSign('secret', sign), { name: 'ApiError', message: /X-Docbuild-Sign must be the md5/ }, sign);
  }
});

test('checkSign() asks for nothing where there is no secret', (t) => t.notThrows(() => checkSign('', 'anything')));

test('drawIcon() gives a small PNG that differs between names', (t) => {
  const [one, two] = [drawIcon('one'), drawIcon('two')];
  t.regex(one, /^data:image\/png;base64,iVBORw0KGgo/);
  t.is(drawIcon('one'), one);
  t.not(one, two);
  t.true(one.length < 1000);
});
