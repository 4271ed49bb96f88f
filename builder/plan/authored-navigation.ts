import type { NavigationEntry } from '../compose/navigation.ts';
import type { SourceTree } from '../source/collect-pages.ts';
import { pageOutputPath } from '../source/page-path.ts';
import type { NavEntry } from '../source/project-file.ts';

/** Returns an author's navigation with the pages it names as the files they become. */
export function placeNav(entries: readonly NavEntry[]): readonly NavigationEntry[] {
  return entries.map(({ title, path, children }) => {
    const isUrl = path !== undefined && /^[a-z][a-z0-9+.-]*:|^\/\//i.test(path);
    const below = placeNav(children);
    if (path === undefined || isUrl) return { title, output: undefined, url: path, children: below };
    const file = path.replace(/^\.?\/+/, '');
    const output = /\.(?:md|markdown|mdx)$/i.test(file) ? pageOutputPath(file) : nameOutput(file);
    return { title, output, url: undefined, children: below };
  });
}

function nameOutput(path: string): string {
  return path === '' || path.endsWith('/') ? `${path}index.html` : `${path.replace(/\.html$/, '')}.html`;
}

/** Returns what is wrong with an authored navigation: entries that name no page in any language. */
export function checkNav(entries: readonly NavigationEntry[] | undefined, tree: SourceTree): readonly string[] {
  if (!entries) return [];
  const outputs = new Set(tree.languages.flatMap(({ pages }) => pages.map(({ output }) => output)));
  const visit = ({ output, children }: NavigationEntry): readonly string[] => [
    ...(output === undefined || outputs.has(output) ? [] : [`Navigation entry "${output}" does not match any page`]),
    ...children.flatMap(visit),
  ];
  return entries.flatMap(visit);
}
