import test from 'ava';
import { decodeBody } from '../../../platform/inclusion/decode-body.ts';

const GBK = Buffer.from([0xcb, 0xd1, 0xcb, 0xf7, 0xb9, 0xfa]); // 搜索国
const UTF8 = Buffer.from('搜索国');
const join = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

test('decodeBody() follows the header', (t) => {
  t.is(decodeBody(GBK, 'text/html; charset=gbk'), '搜索国');
  t.is(decodeBody(GBK, 'text/html;charset="GB2312"'), '搜索国');
  t.is(decodeBody(UTF8, 'application/json; charset=UTF-8'), '搜索国');
});

test('decodeBody() follows what the page says of itself', (t) => {
  for (const head of [
    '<meta charset=gbk>',
    '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">',
    '<?xml version="1.0" encoding="GBK"?>',
  ]) {
    t.is(decodeBody(join(head, GBK), 'text/html'), `${head}搜索国`);
  }
});

test('decodeBody() finds out what nobody says', (t) => {
  t.is(decodeBody(UTF8, ''), '搜索国');
  t.is(decodeBody(GBK, 'application/json'), '搜索国');
});

test('decodeBody() does not believe a name that does not fit', (t) => {
  t.is(decodeBody(GBK, 'text/html; charset=utf-8'), '搜索国');
  t.is(decodeBody(UTF8, 'text/html; charset=nonsense'), '搜索国');
  t.is(decodeBody(join(Buffer.from([0xef, 0xbb, 0xbf]), UTF8), 'text/html; charset=gbk'), '搜索国');
});

test('decodeBody() gives something for every body', (t) => {
  t.is(decodeBody(Buffer.alloc(0), ''), '');
  t.is(typeof decodeBody(Buffer.from([0xff, 0x80, 0x00, 0xfe]), 'text/html; charset=gbk'), 'string');
  t.true(decodeBody(join(GBK, Buffer.from([0xff])), 'text/html; charset=gbk').startsWith('搜索国'));
});
