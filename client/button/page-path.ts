/** Returns the page's path from the site's root, as it stands in the address, without leading slash. */
export function pagePath(root: string): string {
  return location.pathname.slice(new URL(root).pathname.length);
}
