import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { readSidebar } from '../../helpers/read-sidebar.ts';
import { buildInput, inputTest } from '../../helpers/reported-inputs.ts';
import test from '../../helpers/serial-test.ts';

/** Returns what a page's code blocks show. */
function listCode(html: string): readonly string[] {
  return [...html.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code]) =>
    code!
      .replace(/<[^>]*>/g, '')
      .trim()
      .replace(/\n+/g, '|'),
  );
}

inputTest("all forms of mdBook's includes show the lines they name", async (t) => {
  const site = await buildInput(t, 'f03-mdbook-include-range');
  t.deepEqual(listCode(site.read('en/main/one.html')), [
    'fn two() {}|fn three() {}|fn four() {}',
    'fn one() {}|fn two() {}',
    'fn two() {}|fn three() {}',
    'fn two() {}',
    'fn four() {}',
  ]);
});

inputTest('the home of a book is its first chapter', async (t) => {
  const site = await buildInput(t, 'f10-mdbook-first-chapter');
  t.regex(site.read('en/main/index.html'), /<meta http-equiv="refresh" content="0; url=.\/foreword.html">/);
  t.deepEqual(readSidebar(site.read('en/main/light.html')), ['Foreword -> ./foreword.html', 'Light -> ./light.html']);
});

test('a chapter that is not written yet is not the home of a book, nor is any where there is a README', async (t) => {
  const repository = createRepository(t);
  repository.write('book.toml', '[book]\n');
  repository.write('src/SUMMARY.md', '# Summary\n\n- [Later]()\n  - [Deep](part/deep.md)\n- [Last](last.md)\n');
  repository.write('src/part/deep.md', '# Deep\n');
  repository.write('src/last.md', '# Last\n\n[home](README.md)\n');
  repository.commit('One');
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  t.regex(site.read('en/main/index.html'), /content="0; url=.\/part\/deep.html"/);
  repository.write('src/README.md', '# Home\n');
  repository.commit('Two');
  await site.build(repository.folder);
  t.regex(site.read('en/main/index.html'), /<h1 id="home"/);
});
