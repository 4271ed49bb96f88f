/** Returns the prefixes that lead from a page to its release's root and to the site's. */
export function pagePrefixes(
  output: string,
  releasePath: string,
): { readonly root: string; readonly siteRoot: string } {
  const up = (depth: number): string => (depth === 0 ? './' : '../'.repeat(depth));
  const depth = output.split('/').length - 1;
  return { root: up(depth), siteRoot: up(depth + releasePath.split('/').length - 1) };
}
