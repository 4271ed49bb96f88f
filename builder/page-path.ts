/** Section pages of Hugo and Zola; other files whose names start like that are parts of pages. */
const SECTION_PAGE = /(?:^|\/)_index(?:\.[\w-]+)?\.(?:md|markdown|mdx)$/i;

/** Returns whether a file is a page, by its ending. Names that start with `_` or `.` are parts of pages, not pages. */
export function isPageFile(path: string): boolean {
  if (!/\.(?:md|markdown|mdx)$/i.test(path)) return false;
  if (SECTION_PAGE.test(path)) return !/(?:^|\/)[_.][^/]*\//.test(path);
  return /(?:^|\/)[^/._][^/]*$/.test(path) && !/(?:^|\/)[_.]/.test(path);
}

export function isIndexPage(path: string): boolean {
  return /(?:^|\/)(?:_?index|readme)\.(?:md|markdown|mdx)$/i.test(path);
}

/** Returns the path of the HTML file made from a page: `a/b.md` → `a/b.html`, `a/README.md` → `a/index.html`. */
export function pageOutputPath(path: string): string {
  const stem = path.replace(/\.(?:md|markdown|mdx)$/i, '');
  return isIndexPage(path) ? `${folderOf(stem)}index.html` : `${stem}.html`;
}

/** Returns the path of a page's Markdown, beside its HTML: `a/b.html` → `a/b.md`. */
export function markdownPath(output: string): string {
  return output.replace(/\.html$/, '.md');
}

/** Returns the folder part of a path with its `/`, or ''. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
