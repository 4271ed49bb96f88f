import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as FromParse5 from 'hast-util-from-parse5';
import type * as Sanitize from 'hast-util-sanitize';
import type { Schema } from 'hast-util-sanitize';
import type * as ToHtml from 'hast-util-to-html';
import type * as Parse5 from 'parse5';

type Tree = ReturnType<typeof Sanitize.sanitize>;

const require = createRequire(import.meta.url);
let loaded: ((html: string) => string) | undefined;

/**
 * Returns a rendered page without anything that could run scripts or imitate the site: only GitHub's list of elements
 * and attributes, and the renderer's own markup. Slots are kept. parse5 parses like browsers, so nothing is interpreted
 * differently there. Loaded when first needed: most sites trust their authors.
 */
export function sanitizeHtml(html: string): string {
  loaded ??= createSanitizer();
  // Authors cannot guess it, so they cannot write a slot that would let code or URLs break out of their context.
  const prefix = `slot${randomUUID()}x`;
  const clean = loaded(html.replace(/\0(\d+)\0/g, `${prefix}$1.`));
  return clean.replace(new RegExp(`${prefix}(\\d+)\\.`, 'g'), '\0$1\0');
}

function createSanitizer(): (html: string) => string {
  const { parseFragment } = require('parse5') as typeof Parse5;
  const { fromParse5 } = require('hast-util-from-parse5') as typeof FromParse5;
  const { sanitize, defaultSchema } = require('hast-util-sanitize') as typeof Sanitize;
  const { toHtml } = require('hast-util-to-html') as typeof ToHtml;
  const schema = extendSchema(defaultSchema);
  const write = (tree: Tree): string => toHtml(tree, { closeSelfClosing: false });
  /** As `write`, which copies what is inside of an element once for each element around it. */
  const writeNested = (tree: Tree): string => {
    if (!('children' in tree) || !tree.children.some((child) => 'children' in child)) return write(tree);
    const [start, end] = tree.type === 'element' ? splitTags(write({ ...tree, children: [] }), tree.tagName) : ['', ''];
    let html = start;
    for (const child of tree.children) html += writeNested(child);
    return html + end;
  };
  // With scripting off, the content of <noscript> is parsed as elements. Without positions, which cost most. One block after
  // the other, since a page may have tens of thousands: what is made of one is garbage before the next.
  return (html) => {
    let clean = '';
    for (const node of parseFragment(html, { scriptingEnabled: false }).childNodes)
      clean += writeNested(sanitize(fromParse5(node), schema));
    return clean;
  };
}

function splitTags(empty: string, name: string): readonly [start: string, end: string] {
  const end = `</${name}>`;
  return [empty.slice(0, -end.length), end];
}

function extendSchema(base: Schema): Schema {
  const attributes = { ...base.attributes };
  for (const element of ['a', 'code', 'h2', 'li', 'ol', 'section', 'ul', 'input']) delete attributes[element];
  return {
    ...base,
    tagNames: [
      ...(base.tagNames ?? []),
      'nav',
      'label',
      'figure',
      'figcaption',
      'mark',
      'small',
      'u',
      'abbr',
      'wbr',
      'video',
      'audio',
      'track',
    ],
    attributes: {
      ...attributes,
      '*': [...(attributes['*'] ?? []), 'className', 'role', 'ariaLabel', 'ariaHidden', 'ariaDescribedBy', 'data*'],
      a: ['href', 'rel', 'target', 'download'],
      img: ['src', 'srcSet', 'sizes', 'loading', 'decoding'],
      source: ['src', 'srcSet', 'sizes', 'media', 'type'],
      video: ['src', 'poster', 'controls', 'loop', 'muted'],
      audio: ['src', 'controls', 'loop', 'muted'],
      track: ['src', 'kind', 'srcLang', 'default'],
      input: [['type', 'checkbox', 'radio'], 'disabled', 'checked', 'name'],
      label: ['htmlFor'],
    },
    protocols: {
      ...base.protocols,
      href: ['http', 'https', 'mailto', 'tel', 'irc', 'xmpp'],
      poster: ['http', 'https'],
    },
    // The text of a style sheet is not content.
    strip: [...(base.strip ?? []), 'style'],
    required: {},
    clobber: [],
  };
}
