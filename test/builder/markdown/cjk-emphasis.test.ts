import test from 'ava';
import { renderPage } from './render-page.ts';

const html = (text: string) => renderPage(text).html.replace(/^<p>(.*)<\/p>\n?$/s, '$1');

test('bold and struck text may end or begin with punctuation beside Chinese, Japanese and Korean letters', (t) => {
  t.is(html('**该参数（默认值）**后'), '<strong>该参数（默认值）</strong>后');
  t.is(html('请**“注意”**。'), '请<strong>“注意”</strong>。');
  t.is(html('これは**重要。**です'), 'これは<strong>重要。</strong>です');
  t.is(html('**`code`**를 쓴다'), '<strong><code>code</code></strong>를 쓴다');
  t.is(html('这是~~旧的（2.0）~~新的'), '这是<s>旧的（2.0）</s>新的');
  t.is(html('中文==标记（一）==后'), '中文<mark>标记（一）</mark>后');
});

test('other scripts keep the rule of CommonMark', (t) => {
  t.is(html('**a(b)**c'), '**a(b)**c');
  t.is(html('2 * 3 * 4 and snake_case_name'), '2 * 3 * 4 and snake_case_name');
});
