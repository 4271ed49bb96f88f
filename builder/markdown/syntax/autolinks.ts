import type { MarkdownIt } from 'markdown-it';

/**
 * Makes links of addresses in running text as GFM does: with a scheme, after `www.`, and e-mail. Names such as
 * `README.md`, which a top-level domain would make an address, stay text.
 */
export function addAutolinks(md: MarkdownIt): void {
  md.linkify.set({ fuzzyLink: false });
}
