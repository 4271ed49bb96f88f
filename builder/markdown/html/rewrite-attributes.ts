import { decodeHTMLAttribute } from 'entities';
import { addLinkSlot } from '../link-slots.ts';
import { addAuthorId, type PageState } from '../page-state.ts';
import type { Tag, TagAttribute } from './scan-tag.ts';

/** Attributes that hold an address, by element. */
const addresses = new Map<string, ReadonlyMap<string, 'link' | 'image'>>([
  ['a', new Map([['href', 'link']])],
  ['area', new Map([['href', 'link']])],
  ['link', new Map([['href', 'image']])],
  ['img', new Map([['src', 'image']])],
  ['source', new Map([['src', 'image']])],
  [
    'video',
    new Map([
      ['src', 'image'],
      ['poster', 'image'],
    ]),
  ],
  ['audio', new Map([['src', 'image']])],
  ['track', new Map([['src', 'image']])],
  ['embed', new Map([['src', 'image']])],
  ['iframe', new Map([['src', 'image']])],
]);

/** An opening tag in a text. */
export interface OpeningTag {
  readonly html: string;
  readonly at: number;
  readonly tag: Tag;
  readonly line: number;
}

/** Tells whether a tag has an attribute that only Vue understands. */
export function hasVueAttribute(tag: Tag): boolean {
  return tag.attributes.some(isVueAttribute);
}

/** Gives an opening tag with slots for addresses and without what only Vue and JSX understand; notes its ids. */
export function rewriteAttributes(page: PageState, { html, at, tag, line }: OpeningTag): string {
  const name = tag.name.toLowerCase();
  const kinds = addresses.get(name);
  let result = '';
  let isChanged = false;
  for (const attribute of tag.attributes) {
    const source = html.slice(attribute.start, attribute.end);
    const written = rewriteAttribute(page, attribute, { source, kinds, element: name, line });
    if (written !== source) isChanged = true;
    if (written !== '') result += ` ${written}`;
  }
  if (!isChanged && !tag.isSelfClosing) return html.slice(at, tag.end);
  return `<${tag.name}${result}>`;
}

interface AttributePlace {
  readonly source: string;
  readonly kinds: ReadonlyMap<string, 'link' | 'image'> | undefined;
  readonly element: string;
  readonly line: number;
}

function rewriteAttribute(page: PageState, attribute: TagAttribute, place: AttributePlace): string {
  if (isVueAttribute(attribute)) return '';
  const { source, kinds, element, line } = place;
  const key = attribute.name.toLowerCase();
  if (!attribute.value) return source;
  if (key === 'id') addAuthorId(page, decodeHTMLAttribute(attribute.value), line);
  else if (key === 'name' && element === 'a') page.ids.add(decodeHTMLAttribute(attribute.value));
  else if (key === 'srcset' && (element === 'img' || element === 'source')) {
    return `srcset="${rewriteSourceSet(page, attribute.value, line)}"`;
  }
  const kind = kinds?.get(key);
  if (kind === undefined) return source;
  const slot = addLinkSlot(page, kind, decodeHTMLAttribute(attribute.value).trim(), line);
  return slot === undefined ? source : `${attribute.name}="${slot}"`;
}

/** Gives a list of images with slots for those of the site; `1x` and `640w` stay. */
function rewriteSourceSet(page: PageState, value: string, line: number): string {
  const candidates = value.replaceAll('"', '&quot;').split(/,\s+/);
  return candidates
    .map((candidate) => {
      const [url = '', ...descriptor] = candidate.trim().split(/\s+/);
      return [addLinkSlot(page, 'image', decodeHTMLAttribute(url), line) ?? url, ...descriptor].join(' ');
    })
    .join(', ');
}

function isVueAttribute({ name, isExpression }: TagAttribute): boolean {
  return isExpression || /^(?:v-|[:@#])/.test(name);
}
