import type { Generator } from '../../model.ts';
import { docsify } from './docsify.ts';
import { docusaurus } from './docusaurus.ts';
import { jekyll } from './jekyll.ts';
import { mkdocs } from './mkdocs.ts';
import type { NavigationFormat } from './navigation-items.ts';
import { starlight } from './starlight.ts';
import { summary } from './summary.ts';
import { vitepress, vuepress } from './vitepress.ts';

/** The format of each generator; undefined: its folders are the navigation. */
const FORMATS: Readonly<Record<Generator, NavigationFormat | undefined>> = {
  docsify,
  docusaurus,
  hexo: undefined,
  hugo: undefined,
  jekyll,
  mdbook: summary,
  mkdocs,
  starlight,
  vitepress,
  vuepress,
  zola: undefined,
};

/** Repositories that show no generator: a `SUMMARY.md`, or the sidebar of Docsify, whose page that loads it may be elsewhere. */
const plain: NavigationFormat = {
  listFiles: (site) => [...summary.listFiles(site), `${site.content}_sidebar.md`],
  async read(file, site, read) {
    if (!file.endsWith('_sidebar.md')) return summary.read(file, site, read);
    const navigation = await docsify.read(file, site, read);
    return navigation && { ...navigation, isComplete: false, leavesOutHome: true };
  },
};

/** Returns a generator's navigation format; without a generator, that of a `SUMMARY.md` or a sidebar. */
export function findNavigationFormat(generator: Generator | undefined): NavigationFormat | undefined {
  return generator === undefined ? plain : FORMATS[generator];
}
