import { decodeHTMLAttribute } from 'entities';
import { addLinkSlot } from '../link-slots.ts';
import { addAuthorId, type PageState } from '../page-state.ts';
import { openAttribute } from './open-addresses.ts';
import type { Tag, TagAttribute } from './scan-tag.ts';

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
  const element = tag.name.toLowerCase();
  const rel = tag.attributes.find(({ name }) => name.toLowerCase() === 'rel')?.value;
  let result = '';
  let isChanged = false;
  for (const attribute of tag.attributes) {
    const source = html.slice(attribute.start, attribute.end);
    const written = rewriteAttribute(page, attribute, { source, element, rel, line });
    if (written !== source) isChanged = true;
    if (written !== '') result += ` ${written}`;
  }
  if (!isChanged && !tag.isSelfClosing) return html.slice(at, tag.end);
  return `<${tag.name}${result}>`;
}

interface AttributePlace {
  readonly source: string;
  readonly element: string;
  readonly rel: string | undefined;
  readonly line: number;
}

function rewriteAttribute(page: PageState, attribute: TagAttribute, place: AttributePlace): string {
  if (isVueAttribute(attribute)) return '';
  const { source, element, rel, line } = place;
  if (!attribute.value) return source;
  const name = attribute.name.toLowerCase();
  const value = decodeHTMLAttribute(attribute.value);
  if (name === 'id') addAuthorId(page, value, line);
  else if (name === 'name' && element === 'a') page.ids.add(value);
  const opened = openAttribute({ element, name, value, rel }, (kind, url) => addLinkSlot(page, kind, url, line));
  return opened === undefined ? source : `${attribute.name}="${opened}"`;
}

function isVueAttribute({ name, isExpression }: TagAttribute): boolean {
  return isExpression || /^(?:v-|[:@#])/.test(name);
}
