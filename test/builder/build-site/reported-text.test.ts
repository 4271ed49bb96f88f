import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSite } from '../../helpers/create-site.ts';
import { buildInput as build, inputTest, makeInput } from '../../helpers/reported-inputs.ts';
import { runGit } from '../../helpers/run-git.ts';

function listIds(html: string): readonly string[] {
  return [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!);
}

inputTest('no id is given twice, and headings keep theirs', async (t) => {
  const site = await build(t, '18-heading-ids-collide');
  const html = site.read('en/latest/index.html');
  const ids = listIds(html);
  t.is(new Set(ids).size, ids.length, ids.join(' '));
  const headings = [...html.matchAll(/<h2 id="([^"]*)"[^>]*>(?:<span[^>]*><\/span>)*(?:<strong>)?(\w+(?: 1)?)/g)];
  t.deepEqual(
    headings.map(([, id, text]) => `${text}: ${id}`),
    [
      'Foo: foo',
      'Foo: foo-1',
      'Foo 1: foo-1-1',
      'Bar: foo-2',
      'Foo: foo-3',
      'Search: search',
      'Content: content',
      'Menu: menu',
      'Docbuild: docbuild',
      'Theme: theme',
      'fn1: fn1',
      'constructor: constructor',
      'proto: proto',
    ],
  );
});

inputTest('headings of signs and pictures have ids and entries, and a real "Section" keeps its own', async (t) => {
  const repository = makeInput(t, '19-headings-of-signs');
  for (const emoji of [true, false]) {
    const site = createSite(t);
    writeFileSync(join(repository, '.docbuild.yml'), `markdown: {emoji: ${emoji}}\n`);
    runGit(repository, 'add', '-A');
    runGit(repository, 'commit', '-qm', 'emoji');
    const { warnings } = await site.build(repository);
    const html = site.read('en/latest/index.html');
    const ids = listIds(html);
    t.is(new Set(ids).size, ids.length, ids.join(' '));
    t.deepEqual(
      ids.filter((id) => id === '' || id === '-1'),
      [],
    );
    t.regex(html, /<h2 id="section"[^>]*>(?:<span[^>]*><\/span>)*Section /);
    const outline = [.../<nav id="_toc"[\s\S]*?<\/nav>/.exec(html)![0].matchAll(/<a [^>]*>(.*?)<\/a>/g)];
    t.deepEqual(
      outline.map(([, text]) => text),
      ['::', '!!!', '🎉', 'Logo', '**', emoji ? '😃 Friendly' : ':smiley: Friendly', '😃 Friendly', 'Section'],
    );
    t.deepEqual(warnings, []);
    for (const id of ['smiley-friendly', '-friendly']) t.true(ids.includes(id));
  }
});
