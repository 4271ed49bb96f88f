import test from 'ava';
import type { RenderedPage } from '../../../../builder/plan/pages/rendered-page.ts';
import { listReleasePages } from '../../../../builder/plan/releases/plan-version.ts';
import type { LanguagePages } from '../../../../builder/source/pages/collect-pages.ts';

test('listReleasePages() lists as many pages as a site may have', (t) => {
  const meta = { isSearchable: true, visibility: 'listed', layout: 'doc', title: 'T' };
  const pages = Array.from({ length: 50_000 }, (_, n) => ({ file: `${n}.md`, output: `${n}.html`, meta }));
  const rendered = new Map(pages.map(({ file }) => [file, { key: file, headings: [] } as unknown as RenderedPage]));
  const list = (some: typeof pages) => listReleasePages({ pages: some } as unknown as LanguagePages, rendered);
  const all = list(pages);
  t.is(all.pages.length, 50_000);
  t.is(all.id, list([...pages]).id);
  t.not(all.id, list(pages.slice(1)).id);
});
