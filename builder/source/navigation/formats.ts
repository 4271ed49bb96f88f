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

/** Returns a generator's navigation format; without a generator, that of `SUMMARY.md`. */
export function findNavigationFormat(generator: Generator | undefined): NavigationFormat | undefined {
  return generator === undefined ? summary : FORMATS[generator];
}
