import test from 'ava';
import { renderPage } from '../render-page.ts';

/** A page in MDX without line breaks, which nothing is left out of. */
const clean = (t: { is(actual: unknown, expected: unknown): unknown }, text: string): string => {
  const { html, warnings } = renderPage(text, { mdx: true });
  t.is(warnings.map(({ message }) => message).join('; '), '');
  return html.replace(/\n/g, '');
};
/** Titles and content of tabs, the open one with a star. */
const readTabs = (html: string): readonly string[] =>
  [...html.matchAll(/<input [^>]*?( checked)?><label [^>]*>(.*?)<\/label><div class="tab-panel">(.*?)<\/div>/g)].map(
    ([, checked, title, content]) => `${checked ? '*' : ''}${title}: ${content}`,
  );

test('a folder of <FileTree> without content is a folder', (t) => {
  const html = clean(
    t,
    '<FileTree>\n\n- src/\n  - a.ts\n- pages/ for routes\n- **public/**\n- a / b\n- `x/`\n- …\n- file.md\n\n</FileTree>\n\n- pages/\n',
  );
  t.is(
    html,
    '<div class="container filetree"><ul><li class="folder">src/<ul><li>a.ts</li></ul></li><li class="folder">pages/ for routes</li>' +
      '<li class="folder"><strong>public/</strong></li><li>a / b</li><li class="folder"><code>x/</code></li><li>…</li><li>file.md</li></ul></div>' +
      '<ul><li>pages/</li></ul>',
  );
});

test("Nextra's <FileTree.Folder> and <FileTree.File> are one list", (t) => {
  const text = `<FileTree>
  <FileTree.Folder name="content" defaultOpen>
    <FileTree.File name="_meta_*.js" />
    <FileTree.Folder name="api"></FileTree.Folder>
    <FileTree.File name="<index>.md" active />
  </FileTree.Folder>
  <FileTree.File name="next.config.js" />
</FileTree>
`;
  t.is(
    clean(t, text),
    '<div class="container filetree"><ul><li class="folder">content<ul><li>_meta_*.js</li><li class="folder">api</li><li>&lt;index&gt;.md</li></ul></li>' +
      '<li>next.config.js</li></ul></div>',
  );
});

test('icons are left out without a warning, their labels stay', (t) => {
  t.is(clean(t, 'A <Icon name="star" />.\n'), '<p>A .</p>');
  t.is(clean(t, '<Icon name="star" size="2rem" />\n\nText\n'), '<p>Text</p>');
  t.is(clean(t, 'Press <Icon name="rocket" label="Launch" />.\n'), '<p>Press <span>Launch</span>.</p>');
});

test('components in one line keep their titles', (t) => {
  const tabs = '<Tabs><TabItem label="Linux">one</TabItem><TabItem label="Windows">two</TabItem></Tabs>\n';
  t.deepEqual(readTabs(clean(t, tabs)), ['*Linux: <p>one</p>', 'Windows: <p>two</p>']);
  const card = (title: string, text: string): string =>
    `<div class="container card"><p class="container-title">${title}</p><p>${text}</p></div>`;
  const cards = `<div class="container cardgrid">${card('A', 'one')}${card('B', 'two')}</div>`;
  const text =
    '<CardGrid><Card title="A">one</Card> <Card title="B">two</Card></CardGrid>\n\n' +
    '<CardGrid><LinkCard title="A" description="one" /><LinkCard title="B" description="two" /></CardGrid>\n';
  t.is(clean(t, text), cards + cards);
  t.is(renderPage(text).html.replace(/\n/g, ''), cards + cards);
  t.is(
    clean(t, '<Badge text="new" /><Badge text="old" />\n'),
    '<p><span class="badge tip">new</span><span class="badge tip">old</span></p>',
  );
});

test("Starlight's <LinkCard> and <LinkButton> show what they say", (t) => {
  t.is(
    clean(t, '<LinkCard title="Guide" href="/guide/" description="How to `write`." />\n'),
    '<div class="container card"><p class="container-title"><a href="{/guide/}">Guide</a></p><p>How to <code>write</code>.</p></div>',
  );
  t.is(
    clean(t, '<LinkButton href="/a/" variant="secondary" icon="external">Read <Icon name="star" /></LinkButton>\n'),
    '<p><a class="button" href="{/a/}">Read </a></p>',
  );
});

test("Nextra's tabs have the titles of their group", (t) => {
  const tabs = (items: string, tab: string, more = ''): readonly string[] =>
    readTabs(clean(t, `<Tabs items={${items}}${more}>\n  <${tab}>**One**</${tab}>\n  <${tab}>Two</${tab}>\n</Tabs>\n`));
  const [one, two] = ['<p><strong>One</strong></p>', '<p>Two</p>'];
  t.deepEqual(tabs(`['pnpm', "npm's"]`, 'Tabs.Tab'), [`*pnpm: ${one}`, `npm's: ${two}`]);
  t.deepEqual(tabs(`[{ label: 'X y', disabled: true }, 'Z']`, 'Tab'), [`*X y: ${one}`, `Z: ${two}`]);
  t.deepEqual(tabs(`['A', 'B']`, 'Tabs.Tab', ' defaultIndex="1"'), [`A: ${one}`, `*B: ${two}`]);
  t.deepEqual(tabs(`['A', 'B']`, 'Tabs.Tab', ' defaultIndex={1}'), [`A: ${one}`, `*B: ${two}`]);
  t.deepEqual(tabs(`['A']`, 'Tab'), [`*A: ${one}`, `Tab: ${two}`], 'fewer titles than tabs');
  t.deepEqual(tabs('names', 'Tab').length, 2, 'computed');
});

test("Nextra's cards, callouts, steps and <Bleed> show their content", (t) => {
  t.is(
    clean(
      t,
      '<Cards>\n  <Cards.Card arrow title="Tabs" href="/tabs">Inner</Cards.Card>\n  <Card icon={<I />} title="B" href="/b" />\n</Cards>\n',
    ),
    '<div class="container cards"><div class="container card"><p class="container-title"><a href="{/tabs}">Tabs</a></p><p>Inner</p></div>' +
      '<div class="container card"><p class="container-title"><a href="{/b}">B</a></p></div></div>',
  );
  t.regex(
    clean(t, '<Callout type="warning" emoji="⚠️">\n  A **b**.\n</Callout>\n'),
    /^<div class="callout warning">.*<p>A <strong>b<\/strong>/,
  );
  t.regex(
    clean(t, '<Steps>\n### One\n\nText\n</Steps>\n'),
    /^<div class="container steps"><h3 id="one".*<p>Text<\/p><\/div>$/,
  );
  t.is(clean(t, '<Bleed full>\nText\n</Bleed>\n'), '<p>Text</p>');
});

test('a component that is not closed holds what follows, with a warning, as a container does', (t) => {
  const render = (text: string, input: Parameters<typeof renderPage>[1] = { mdx: true }) => {
    const { html, warnings } = renderPage(text, input);
    const rows = warnings.map(({ line, code, message }) => `${line} ${code} ${message}`);
    return { html: html.replaceAll('\n', ''), rows };
  };
  const aside = render('Text\n\n<Aside>\nopen aside');
  t.regex(aside.html, /<div class="callout note"><p class="callout-title">Note<\/p><p>open aside<\/p><\/div>$/);
  t.deepEqual(aside.rows, ['3 unclosed Tag <Aside> is not closed']);
  const tabs = render('<Tabs>\n<TabItem label="A">\n\ntext\n\n</TabItem>\n\nAfter');
  t.is(tabs.html.match(/class="tabs"/g)?.length, 1);
  t.regex(tabs.html, /<\/div><\/div><p>After<\/p>$/);
  t.deepEqual(tabs.rows, ['1 unclosed Tag <Tabs> is not closed']);
  const item = render('<Tabs>\n<TabItem label="A">\na\n<TabItem label="B">\nb\n</TabItem>\n</Tabs>');
  t.regex(item.html, /A<\/label><div class="tab-panel"><p>a<\/p><\/div><input .*B<\/label>/);
  t.deepEqual(item.rows, ['2 unclosed Tag <TabItem> is not closed']);
  const card = render('- One\n\n  <Card title="T">\n  text\n\n- Two', { generator: 'starlight' });
  t.regex(card.html, /<p class="container-title">T<\/p><p>text<\/p><\/div><\/li><li>/);
  t.deepEqual(card.rows, ['3 unclosed Tag <Card> is not closed']);
  const placeholder = render('<Note>\n\nText', {});
  t.regex(placeholder.html, /^&lt;Note&gt;/, 'without JSX, a bare name may be a placeholder');
  t.deepEqual(placeholder.rows, []);
});
