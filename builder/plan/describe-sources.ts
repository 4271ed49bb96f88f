import type { Generator } from '../model.ts';
import type { UsedSource } from './build-options.ts';

/** How generators write their own names. */
const NAMES: Readonly<Record<Generator, string>> = {
  docusaurus: 'Docusaurus',
  hugo: 'Hugo',
  jekyll: 'Jekyll',
  mdbook: 'mdBook',
  mkdocs: 'MkDocs',
  starlight: 'Starlight',
  vitepress: 'VitePress',
  vuepress: 'VuePress',
  zola: 'Zola',
};
const MAX_LISTED = 4;

/** Returns which folders the documentation was taken from: `docs (VitePress); the README in 3 versions`. */
export function describeSources(sources: readonly UsedSource[]): string {
  const rows = sources.slice(0, MAX_LISTED).map(({ folder, generator, isReadmeOnly, refs }, index) => {
    const name = isReadmeOnly ? 'README only' : folder === '' ? 'the root' : folder;
    const written = generator === undefined ? '' : ` (${NAMES[generator]})`;
    const where = index === 0 ? '' : ` in ${refs.length === 1 ? refs[0] : `${refs.length} versions`}`;
    return name + written + where;
  });
  const more = sources.length - rows.length;
  return [...rows, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}
