import test from 'ava';
import { renderPage } from '../render-page.ts';

const html = (text: string) => renderPage(text).html.replace(/^<p>(.*)<\/p>$/s, '$1');

test('a line that ends within Chinese or Japanese text becomes no blank', (t) => {
  t.is(html('第一行\n第二行'), '第一行第二行');
  t.is(html('高度随之而定。\n页面顶部'), '高度随之而定。页面顶部');
  t.is(html('これは\nカタカナ'), 'これはカタカナ');
  t.is(html('他说：“好。”\n然后走了'), '他说：“好。”然后走了');
  t.is(html('走了\n——再也没有回来'), '走了——再也没有回来');
  t.is(
    html('**第一行**\n[第二行](https://a.example)'),
    '<strong>第一行</strong><a href="https://a.example" rel="noreferrer">第二行</a>',
  );
  t.is(html('- 第一行\n  第二行').replace(/\n/g, ''), '<ul><li>第一行第二行</li></ul>');
});

test('a line that ends within or beside other text stays one', (t) => {
  for (const text of [
    'one\ntwo',
    '一行\nline',
    'line\n一行',
    '한국어\n문장',
    '一\n한국어',
    '“a”\n“b”',
    '一行\n`code`',
    '一行\n<b>二</b>',
  ]) {
    t.true(html(text).includes('\n'), text);
  }
  t.is(html('一行  \n二行'), '一行<br>\n二行');
});
