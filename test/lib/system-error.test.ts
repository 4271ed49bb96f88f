import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { describeSystemError, hasCode } from '../../lib/system-error.ts';
import { createFolder } from '../helpers/create-repository.ts';

test('describeSystemError() says what the system says, without the path', (t) => {
  const error = t.throws(() => readFileSync('/nowhere/secret-name'));
  t.is(describeSystemError(error), 'no such file or directory');
  t.is(describeSystemError(t.throws(() => readFileSync(createFolder(t)))), 'illegal operation on a directory');
  t.is(describeSystemError(Object.assign(new Error('long story'), { code: 'ERR_ODD' })), 'ERR_ODD');
  t.is(describeSystemError(new Error('a story')), 'a story');
});

test('describeSystemError() does not take an error of zlib for one of the system', (t) => {
  t.is(describeSystemError(t.throws(() => gunzipSync('no gzip'))), 'incorrect header check');
  const half = gzipSync('much text').subarray(0, 15);
  t.is(describeSystemError(t.throws(() => gunzipSync(half))), 'unexpected end of file');
});

test('hasCode() knows the codes of errors, whatever was thrown', (t) => {
  const error = Object.assign(new Error('no'), { code: 'ENOENT' });
  t.true(hasCode(error, 'EACCES', 'ENOENT'));
  t.false(hasCode(error, 'EACCES'));
  t.false(hasCode(error));
  for (const thrown of [undefined, null, 'ENOENT', new Error('no'), { code: 7 }]) t.false(hasCode(thrown, 'ENOENT'));
});
