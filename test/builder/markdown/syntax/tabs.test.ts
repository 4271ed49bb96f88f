import test from 'ava';
import { renderPage } from '../render-page.ts';

const html = (text: string) => renderPage(text).html;

test('code group shows each block on a tab named by its brackets', (t) => {
  const page = html('::: code-group\n\n```sh [npm]\na\n```\n\n```sh [pnpm]\nb\n```\n\n:::');
  t.true(page.startsWith('<div class="tabs code-group" role="group">'));
  t.true(
    page.includes(
      '<input type="radio" class="tab-input" name="tabs-1" id="tabs-1-1" checked><label class="tab-label" for="tabs-1-1">npm</label>',
    ),
  );
  t.true(page.includes('id="tabs-1-2"><label class="tab-label" for="tabs-1-2">pnpm</label>'));
  t.false(page.includes('code-title'));
});

test('code group names a tab by its language when nothing else is known', (t) => {
  t.true(html('::: code-group\n```ts\na\n```\n:::').includes('>ts</label>'));
});

test('MkDocs tabs that follow each other make one group', (t) => {
  const page = html('=== "A"\n    one\n\n=== "B <x>"\n    - two\n\nz\n\n=== "C"\n    three');
  t.is(page.match(/class="tabs"/g)?.length, 2);
  t.true(page.includes('for="tabs-1-2">B &lt;x&gt;</label><div class="tab-panel">\n<ul>'));
  t.true(page.includes('id="tabs-2-1" checked'));
});

test('MkDocs tab with an exclamation mark starts a new group', (t) => {
  t.is(html('=== "A"\n    one\n===! "B"\n    two').match(/class="tabs"/g)?.length, 2);
});
