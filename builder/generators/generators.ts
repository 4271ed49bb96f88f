import { docsify } from './docsify.ts';
import { docusaurus } from './docusaurus/docusaurus.ts';
import type { GeneratorProfile, ReadingRules } from './generator.ts';
import { gitbook } from './gitbook.ts';
import { hexo } from './hexo.ts';
import { hugo } from './hugo.ts';
import { jekyll } from './jekyll.ts';
import { mdbook } from './mdbook.ts';
import { mkdocs } from './mkdocs/mkdocs.ts';
import { nextra } from './nextra.ts';
import { nuxtContent } from './nuxt-content.ts';
import { plain } from './plain.ts';
import { vitepress, vuepress } from './press/press.ts';
import { rspress } from './rspress.ts';
import { starlight } from './starlight.ts';
import { zola } from './zola.ts';

/** All generators by id. The order counts: the first that recognises a folder has it. */
const TABLE = {
  docusaurus,
  rspress,
  nextra,
  vitepress,
  vuepress,
  mkdocs,
  starlight,
  'nuxt-content': nuxtContent,
  mdbook,
  gitbook,
  zola,
  hugo,
  hexo,
  jekyll,
  docsify,
} satisfies Readonly<Record<string, GeneratorProfile>>;

/** Id of the documentation generator that a version's files were written for. */
export type Generator = keyof typeof TABLE;

/** Ids of all generators, in the order in which they are recognised. */
export const GENERATORS = Object.keys(TABLE) as readonly Generator[];

/** Returns the profile of a generator. */
export function profileOf(generator: Generator): GeneratorProfile {
  return TABLE[generator];
}

/** Returns how the files of a generator's site are read, or those of a repository that shows none. */
export function rulesOf(generator: Generator | undefined): ReadingRules {
  return generator === undefined ? plain : TABLE[generator];
}
