import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHtml } from 'hast-util-from-html';
import { toHtml } from 'hast-util-to-html';
import { CORPUS_BUNDLE, corpusBundle } from '../../../bench/corpus/open-corpus.ts';
import { corpusTest } from '../../helpers/corpus-test.ts';
import { runGit } from '../../helpers/run-git.ts';
import { renderDraft, renderPage } from './render-page.ts';

const test = corpusTest(CORPUS_BUNDLE);

/** Returns the text, without front matter, of every page blob of all tags. */
function readPages(): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'docbuild-corpus-'));
  try {
    runGit(folder, 'clone', '--quiet', '--bare', corpusBundle(CORPUS_BUNDLE), '.');
    const oids = new Set<string>();
    for (const tag of runGit(folder, 'tag').split('\n')) {
      for (const line of runGit(folder, 'ls-tree', '-r', tag).split('\n'))
        if (line.endsWith('.md')) oids.add(line.split(/\s/)[2]!);
    }
    return [...oids].map((oid) => runGit(folder, 'cat-file', 'blob', oid).replace(/^---\n[\s\S]*?\n---\n/, ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const getPages = once(readPages);
const getHtml = once(() => getPages().map((text) => renderPage(text).html));

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

test('corpus has 477 pages', (t) => {
  t.is(getPages().length, 477);
});

test('every page of the corpus is well-formed HTML', (t) => {
  for (const html of getHtml()) {
    const errors: string[] = [];
    fromHtml(html, {
      fragment: true,
      onerror: (error) => {
        errors.push(`${error.ruleId} in ${html.slice(0, 80)}`);
      },
    });
    t.deepEqual(errors, []);
  }
});

test('every page of the corpus ends all it opens', (t) => {
  for (const html of getHtml()) {
    const framed = toHtml(fromHtml(`<div>${html}<hr></div><footer>end</footer>`, { fragment: true }));
    t.true(framed.endsWith('<hr></div><footer>end</footer>'));
  }
});

test('links inside pages of the corpus find their anchors', (t) => {
  let links = 0;
  const dead = new Set<string>();
  for (const text of getPages()) {
    const { slots, ids } = renderDraft(text);
    for (const slot of slots) {
      if (slot.kind !== 'link' || !slot.url.startsWith('#')) continue;
      links++;
      if (!ids.includes(slot.url.slice(1))) dead.add(slot.url);
    }
  }
  t.true(links > 100, `${links} links`);
  t.deepEqual([...dead], []);
});
