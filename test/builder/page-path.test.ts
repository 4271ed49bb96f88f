import test from 'ava';
import { folderOf, isIndexPage, isPageFile, pageOutputPath } from '../../builder/page-path.ts';

test('isPageFile() takes Markdown files and leaves out parts, hidden files and other endings', (t) => {
  const pages = ['a.md', 'A.MD', 'x/y.markdown', 'x.mdx', 'a.b.md', '-.md', '指南.md', 'README'.concat('.md')];
  const others = [
    '_part.md',
    'x/_part.md',
    '_x/a.md',
    '.x/a.md',
    '.md',
    'x/.md',
    'a.md.txt',
    'md',
    'a.mdown',
    'a.html',
    '',
  ];
  t.deepEqual(
    pages.filter((path) => !isPageFile(path)),
    [],
  );
  t.deepEqual(others.filter(isPageFile), []);
});

test('pageOutputPath() makes an HTML file of a page, and the index of a folder of an index', (t) => {
  t.deepEqual(
    [
      'a.md',
      'x/y.MDX',
      'a.b.markdown',
      'README.md',
      'x/readme.md',
      'x/Index.md',
      'myindex.md',
      'readme-x.md',
      'index.zh.md',
    ].map(pageOutputPath),
    [
      'a.html',
      'x/y.html',
      'a.b.html',
      'index.html',
      'x/index.html',
      'x/index.html',
      'myindex.html',
      'readme-x.html',
      'index.zh.html',
    ],
  );
});

test('isIndexPage() knows index and README in any case', (t) => {
  t.true(['index.md', 'x/INDEX.mdx', 'Readme.markdown'].every(isIndexPage));
  t.false(['myindex.md', 'index/a.md', 'readme.txt', 'index.zh.md'].some(isIndexPage));
});

test('folderOf() gives the folder of a path', (t) => {
  t.deepEqual(['a.md', 'a/b.md', 'a/b/'].map(folderOf), ['', 'a/', 'a/b/']);
});
