import type { MarkdownIt } from 'markdown-it';

const address = /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:[/?#][^\s<>]*)?/uy;

/**
 * Makes links of addresses in running text as GFM does: with a scheme, after `www.`, and e-mail. Names such as
 * `README.md`, which a top-level domain would make an address, stay text.
 */
export function addAutolinks(md: MarkdownIt): void {
  const { linkify } = md;
  linkify.set({ fuzzyLink: false });
  // `//example.com` is more often a comment or a path than an address; GFM leaves it alone, too.
  linkify.add('//', null);
  // Its patterns are long: they are tried on running text that may hold an address, not on the destinations of links,
  // which stand in the text of a paragraph that is looked at before.
  const { match } = linkify;
  linkify.test = mayHoldAddress;
  linkify.match = (text) => match.call(linkify, text) ?? [];
  linkify.add('www.', {
    validate(text, pos) {
      address.lastIndex = pos;
      const match = address.exec(text);
      return match ? trimEnd(match[0]).length : 0;
    },
    normalize(match) {
      match.url = `http://${match.url}`;
    },
  });
}

function mayHoldAddress(text: string): boolean {
  return text.includes('://') || text.includes('@') || /www\./i.test(text);
}

/** Takes off what more likely ends the sentence than the address. */
function trimEnd(url: string): string {
  const trimmed = url.replace(/[?!.,:;*_~'"]+$/, '');
  const isOpen = trimmed.endsWith(')') && !trimmed.includes('(');
  return isOpen ? trimmed.slice(0, -1) : trimmed;
}
